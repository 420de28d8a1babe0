package files

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/delta"
)

func TestCSV(t *testing.T) {
	const row = "k,UPDATE,1,v,string\n"
	k := delta.Row{Key: []byte("k"), Commit: 1, Value: []byte("v")}
	for _, tt := range []struct {
		name, content string
		rows          []delta.Row
		errs          []string
	}{
		{"a mark, CRLF, empty lines, no line end at the end",
			utf8Mark + csvHeader + "\r\n\r\nk,UPDATE,1,v,string\r\n\n" + "k,update,1,v,", []delta.Row{k, k}, nil},
		{"columns in another order, without types", "value,key,logical_commit_time,mutation_type\nv,k,1,UPDATE\n",
			[]delta.Row{k}, nil},
		{"quotes", csvHeader + "\n\"k\",\"UPDATE\",\"1\",v,\"string\"\r\n\"k\",UPDATE,1,\"v\",string",
			[]delta.Row{k, k}, nil},
		{"quotes in the header", "\"key\",mutation_type,logical_commit_time,value,\"value_type\"\n" + row,
			[]delta.Row{k}, nil},
		{"fields", csvHeader + "\nk,UPDATE,1,v\n" + row + "k,UPDATE,1,v,string,\n", []delta.Row{k},
			[]string{"FILE:2: the header has 5 fields, but this row has 4",
				"FILE:4: the header has 5 fields, but this row has 6"}},
		{"mutation", csvHeader + "\nk,UPSERT,1,v,string\n" + row, []delta.Row{k},
			[]string{`FILE:2: mutation_type is "UPSERT", not UPDATE or DELETE`}},
		{"no number", csvHeader + "\nk,UPDATE,1e3,v,string\n", nil,
			[]string{`FILE:2: logical_commit_time is "1e3", not a 64-bit integer`}},
		{"numbers at the ends", csvHeader + "\nk,UPDATE,9223372036854775808,v,string\n" +
			"k,UPDATE,-9223372036854775809,v,string\nk,UPDATE,,v,string\nk,UPDATE,-,v,string\n" +
			"k,UPDATE,99999999999999999999,v,string\n",
			nil, []string{`FILE:2: logical_commit_time is "9223372036854775808"`, `FILE:3: `, `FILE:4: `, `FILE:5: `,
				`FILE:6: `}},
		{"type", csvHeader + "\nk,UPDATE,1,7,uint32_set\n", nil,
			[]string{`FILE:2: value_type is "uint32_set", not string or string_set`}},
		{"no key", csvHeader + "\n,UPDATE,1,v,string\n", nil, []string{`FILE:2: it has no key`}},
		{"deleted value", csvHeader + "\nk,DELETE,1,v,string\n", nil, []string{`FILE:2: a delete must not have a value`}},
		{"a typed delete", csvHeader + "\nk,DELETE,1,,string_set\n",
			[]delta.Row{{Key: []byte("k"), Commit: 1, Kind: delta.Delete}}, nil},
		{"NUL", csvHeader + "\nk,UPDATE,1,\x00,string\n" + row, []delta.Row{k},
			[]string{"FILE:2: the line contains a NUL byte"}},
		{"no text", csvHeader + "\nk,UPDATE,1,\xff,string\n" + row, []delta.Row{k},
			[]string{"FILE:2: it contains bytes that are not UTF-8"}},
		{"carriage returns", csvHeader + "\nk,UPDATE,1,a\rb,string\n\"k\",UPDATE,1,a\rb,string\n" + row, []delta.Row{k},
			[]string{"FILE:2: the line contains a carriage return", "FILE:3: the line contains a carriage return"}},
		{"a quote inside", csvHeader + "\nk,UPDATE,1,say \"hi\",string\n" + row, []delta.Row{k},
			[]string{"FILE:2: unescaped quote in a field"}},
		{"behind a quote", csvHeader + "\nk,UPDATE,1,\"v\"w,string\n" + row, []delta.Row{k},
			[]string{"FILE:2: unexpected text after a quoted field"}},
		{"lines counted through a field", csvHeader + "\n\"k\",UPDATE,1,\"a\nb\n\",strin\nk,UPDATE,x,v,string\n", nil,
			[]string{`FILE:2: value_type is "strin"`, "FILE:5: logical_commit_time"}},
		{"a quote that stays open", csvHeader + "\n" + row + "k,UPDATE,1,\"v,string\n" + row, []delta.Row{k},
			[]string{"FILE:3: a quote is not closed"}},
		{"a column too few", "key,mutation_type,value\n", nil,
			[]string{"FILE:1: column logical_commit_time is missing"}},
		{"a column twice", "key,key,mutation_type,value\n", nil, []string{"FILE:1: duplicate column key"}},
		{"a line too long", csvHeader + "\nk,UPDATE,1," + strings.Repeat("v", MaxRow) + ",string\n" + row,
			[]delta.Row{k}, []string{"FILE:2: the row exceeds 16 MiB"}},
	} {
		t.Run(tt.name, func(t *testing.T) { checkBad(t, tt.content, tt.rows, tt.errs) })
	}
}

func checkBad(t *testing.T, content string, rows []delta.Row, errs []string) {
	t.Helper()
	var bad []string
	got, err := read(strings.NewReader(content), Options{Bad: func(e *RowError) { bad = append(bad, e.Error()) }})
	if err != nil {
		bad = append(bad, err.Error())
	}
	if rows == nil {
		rows = []delta.Row{}
	}
	if got == nil {
		got = []delta.Row{}
	}
	if diff := same(rows, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for i, want := range errs {
		if i >= len(bad) || !strings.HasPrefix(bad[i], want) {
			t.Errorf("error %d of %.300q, want %q", i+1, bad, want)
		}
	}
	if len(bad) > len(errs) {
		t.Errorf("more errors: %.300q", bad)
	}
	_, err = read(strings.NewReader(content), Options{})
	if len(errs) > 0 && (err == nil || !strings.HasPrefix(err.Error(), errs[0])) {
		t.Errorf("without going on: %v, want %q", err, errs[0])
	}
}

func TestJSONLines(t *testing.T) {
	const row = `{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":"v"}` + "\n"
	k := delta.Row{Key: []byte("k"), Commit: 1, Value: []byte("v")}
	checkBad(t, utf8Mark+"\r\n"+row+" \t\n"+strings.TrimSpace(row)+"\r\n"+strings.TrimSpace(row),
		[]delta.Row{k, k, k}, nil)
	checkBad(t, row+"{\n"+row+`{"key":""}`+"\n"+strings.Repeat(" ", MaxRow)+" {}\n"+row, []delta.Row{k, k, k},
		[]string{"FILE:2: the JSON object is truncated", `FILE:4: missing member "mutation_type"`,
			"FILE:5: the row exceeds 16 MiB"})
	checkBad(t, row+row[:20], []delta.Row{k}, []string{"FILE:2: the JSON object is truncated"})
}

func TestCompactFiles(t *testing.T) {
	b := write(t, Compact, 3, someRows()[:7]) // three messages
	damaged := bytes.Clone(b)
	damaged[len(compactMagic)+40] ^= 1
	checkBad(t, string(damaged), someRows()[3:7],
		[]string{"FILE: message 1: damaged message: checksum mismatch"})
	for cut := range b {
		if cut < len(compactMagic) {
			continue
		}
		if _, err := read(bytes.NewReader(b[:cut]), Options{}); err == nil ||
			!strings.Contains(err.Error(), "truncated") {
			t.Errorf("cut after %d bytes: %v", cut, err)
		}
	}
	if _, err := read(bytes.NewReader(append(bytes.Clone(b), 0)), Options{}); err == nil ||
		!strings.Contains(err.Error(), "after the last message") {
		t.Error(err)
	}
	huge := compactMagic + "\xff\xff\xff\xff\xff\x7f"
	if _, err := read(strings.NewReader(huge), Options{}); err == nil ||
		!strings.Contains(err.Error(), "the limit is 64 MiB") {
		t.Error(err)
	}
}
