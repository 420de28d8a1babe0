package files

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// told is a row in one line: what it does, its key, its time, and the elements of its set, or its value, or how long
// that is.
func told(r *delta.Row) string {
	if r.Type == delta.Set {
		elements := []string{}
		for e := range delta.Elements(r.Value) {
			elements = append(elements, string(e))
		}
		return fmt.Sprintf("%v %s %d %q", r.Kind, r.Key, r.Commit, elements)
	}
	if len(r.Value) > 1000 {
		return fmt.Sprintf("%v %s %d %d bytes", r.Kind, r.Key, r.Commit, len(r.Value))
	}
	return fmt.Sprintf("%v %s %d %q", r.Kind, r.Key, r.Commit, r.Value)
}

// tellFile is what a file has, a line for each row and each error.
func tellFile(content string, o Options) []string {
	o.Name = "FILE"
	var lines []string
	o.Bad = func(e *RowError) { lines = append(lines, e.Error()) }
	r, err := NewReader(strings.NewReader(content), o)
	for err == nil {
		var row delta.Row
		if err = r.Next(&row); err == nil {
			lines = append(lines, told(&row))
		}
	}
	if err != io.EOF {
		lines = append(lines, "end: "+err.Error())
	}
	return lines
}

// TestFieldsOfCSV: where fields and records end, with quotes and without, empty ones, and at the end of the file.
func TestFieldsOfCSV(t *testing.T) {
	for record, want := range map[string]string{
		"k,UPDATE,1,v,string": `UPDATE k 1 "v"`, "k,UPDATE,1,v,": `UPDATE k 1 "v"`, "k,UPDATE,1,,": `UPDATE k 1 ""`,
		",UPDATE,1,v,string": "FILE:2: it has no key", `"",UPDATE,1,v,`: "FILE:2: it has no key",
		`"k",UPDATE,1,v,`: `UPDATE k 1 "v"`, `"k",UPDATE,1,,`: `UPDATE k 1 ""`, `"k",DELETE,1,,`: "DELETE k 1 \"\"",
		`"k",UPDATE,1,v,"string"`: `UPDATE k 1 "v"`, `k,UPDATE,1,"",string`: `UPDATE k 1 ""`,
		`k,UPDATE,1,"""",`: `UPDATE k 1 "\""`, `k,UPDATE,1,"""a""",`: `UPDATE k 1 "\"a\""`,
		`k,UPDATE,1,"a,b",`: `UPDATE k 1 "a,b"`, "k,UPDATE,1,\"a\r\nb\",": `UPDATE k 1 "a\r\nb"`,
		"k,UPDATE,1,\"\n\",": `UPDATE k 1 "\n"`, "k,UPDATE,1,\"\"\"\n\"\"\",": `UPDATE k 1 "\"\n\""`,
		`k,UPDATE,1,"v"`:       "FILE:2: the header has 5 fields, and this row has 4",
		`"k",UPDATE,1,v,,`:     "FILE:2: the header has 5 fields, and this row has 6",
		`k`:                    "FILE:2: the header has 5 fields, and this row has 1",
		`"k"`:                  "FILE:2: the header has 5 fields, and this row has 1",
		`k,UPDATE,1,v",string`: "FILE:2: a quote within a field", `"k",UPDATE,1,v",`: "FILE:2: a quote within a field",
		`k,UPDATE,1,"v" ,`:       "FILE:2: something stands behind the quote",
		`k,UPDATE,1,v,"string"x`: "FILE:2: something stands behind the quote",
		`k,UPDATE,1,"v`:          "FILE:2: a quote is never closed", `"`: "FILE:2: a quote is never closed",
		"\rk,UPDATE,1,v,": "FILE:2: there is a carriage return", "\"k\",UPDATE,1,\rv,": "FILE:2: there is a carriage",
		"k,UPDATE,1,v,\"\r\"":     `FILE:2: value_type is "\r", not string or string_set`,
		"\x00,UPDATE,1,v,":        "FILE:2: there is a NUL byte in it",
		"k,UPDATE,1,\"\x00\",":    "FILE:2: there is a NUL byte in it",
		"k,UPDATE,1,v,string\x00": "FILE:2: there is a NUL byte in it",

		"k,UPDATE,1,,string_set": "UPDATE k 1 []", "k,UPDATE,1,|,string_set": `UPDATE k 1 [""]`,
		"k,UPDATE,1,a,string_set": `UPDATE k 1 ["a"]`, "k,UPDATE,1,b|a,string_set": `UPDATE k 1 ["a" "b"]`,
		"k,UPDATE,1,|a,string_set": `UPDATE k 1 ["" "a"]`, "k,UPDATE,1,a|b,string": `UPDATE k 1 "a|b"`,
		"k,DELETE,1,,string": `DELETE k 1 ""`, "k,DELETE,1,,string_set": `DELETE k 1 ""`,
		"k,DELETE,1,v,string_set": "FILE:2: a delete has a value", "k,DELETE,1,v,": "FILE:2: a delete has a value",
		"k,UPDATE,1,v,set": `FILE:2: value_type is "set", not string or string_set`,
		"k,UPDATE,1,v,s":   `FILE:2: value_type is "s", not string or string_set`,
		"k,DELETE,1,,set":  `FILE:2: value_type is "set", not string or string_set`,
		"k,,1,v,":          `FILE:2: mutation_type is "", not UPDATE or DELETE`,
		"k,UPDATE,+1,v,":   `FILE:2: logical_commit_time is "+1", no whole number of 64 bits`,
	} {
		for _, end := range []string{"", "\n", "\r\n"} {
			next := ""
			wants := []string{want}
			if end != "" && !strings.HasSuffix(want, "never closed") {
				next = "n,DELETE,2,,"
				wants = append(wants, `DELETE n 2 ""`)
			}
			got := tellFile(csvHeader+"\n"+record+end+next, Options{})
			same := len(got) == len(wants)
			for i := range min(len(got), len(wants)) {
				same = same && strings.HasPrefix(got[i], wants[i])
			}
			if !same {
				t.Errorf("%q: %q, want %q", record+end, got, wants)
			}
		}
	}
}

// TestHeadersOfCSV: the first line, of which all that follows depends.
func TestHeadersOfCSV(t *testing.T) {
	const row = "\nk,UPDATE,1,v"
	for header, want := range map[string]string{
		"key,mutation_type,logical_commit_time,value":       `UPDATE k 1 "v"`,
		"\n\r\nkey,mutation_type,logical_commit_time,value": `UPDATE k 1 "v"`,
		"\nkey,mutation_type,value,value":                   "end: FILE:2: the column value comes twice",
		"key,mutation_type,logical_commit_time":             "end: FILE:1: the column value is missing: the first line has",
		"mutation_type,logical_commit_time,value":           "end: FILE:1: the column key is missing",
		"key,logical_commit_time,value,value_type":          "end: FILE:1: the column mutation_type is missing",
		"key,mutation_type,logical_commit_time,":            `end: FILE:1: "" is no column of delta files`,
		`key,"mutation_type,logical_commit_time`:            "end: FILE:1: a quote is never closed",
		`k"ey,mutation_type,logical_commit_time`:            "end: FILE:1: a quote within a field",
		"key,\x00":                                          "end: FILE:1: there is a NUL byte in it",
		strings.Repeat("k", MaxRow+1):                       "end: FILE:1: the row has more than 16 MiB",
	} {
		if got := tellFile(header+row, Options{Format: CSV}); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%.100q: %.300q, want %q", header, got, want)
		}
	}
	long := strings.Repeat("é", 40) // of more, 40 are shown
	want := `end: FILE:1: "` + long + `" is no column of delta files: the first line has to be ` + csvHeader
	if got := strings.Join(tellFile(long+"é"+row, Options{Format: CSV}), "\n"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got := strings.Join(tellFile("value_type,value,key,logical_commit_time,mutation_type\nstring_set,b|a,k,1,update",
		Options{}), "\n")
	if want := `UPDATE k 1 ["a" "b"]`; got != want {
		t.Errorf("the columns the other way round: %s, want %s", got, want)
	}
}

// TestLengthsOfLines: a row may have MaxRow bytes, with the end of its line, and no more.
func TestLengthsOfLines(t *testing.T) {
	const before, behind = "k,UPDATE,1,", ",\n"
	const next = "n,DELETE,2,,\n"
	line := func(length int) string { return before + strings.Repeat("v", length-len(before+behind)) + behind }
	quoted := func(length int) string { // the end of the field's last line is the last byte that counts
		field := strings.Repeat(strings.Repeat("v", 1<<20-1)+"\n", 16)[:length-len("kUPDATE1\n")]
		return "k,UPDATE,1,\"" + field + "\n\",string\n" + next
	}
	value := func(length int) string { return fmt.Sprintf("UPDATE k 1 %d bytes", length) }
	const deleted, tooLong = `DELETE n 2 ""`, "FILE:2: the row has more than 16 MiB"
	for name, tt := range map[string]struct {
		content string
		want    []string
	}{
		"a line":            {line(MaxRow) + next, []string{value(MaxRow - 13), deleted}},
		"a longer line":     {line(MaxRow+1) + next, []string{tooLong, deleted}},
		"without an end":    {line(bufferSize + 9)[:bufferSize+8], []string{value(bufferSize - 4)}},
		"one of the buffer": {line(bufferSize) + next, []string{value(bufferSize - 13), deleted}},
		"a longer one": {line(bufferSize+1) + "k\n",
			[]string{value(bufferSize - 12), "FILE:3: the header has 5 fields, and this row has 1"}},
		"the last is too long": {line(MaxRow + 2)[:MaxRow+1], []string{tooLong}},
		"a field with a longer line": {"k,UPDATE,1,\"v\n" + strings.Repeat("v", MaxRow) + "\n" + next,
			[]string{tooLong, deleted}},
		"a record of many lines": {quoted(MaxRow), []string{value(MaxRow - 8), deleted}},
		"a longer record of many lines": {quoted(MaxRow + 1),
			[]string{tooLong, "FILE:18: a quote is never closed"}},
	} {
		if diff := cmp.Diff(tt.want, tellFile(csvHeader+"\n"+tt.content, Options{})); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestDiskBreaksWithinALine that is longer than the buffer, and within a field of many lines.
func TestDiskBreaksWithinALine(t *testing.T) {
	for _, before := range []string{strings.Repeat(" ", bufferSize+9), csvHeader + "\nk,UPDATE,1,\"v\n\n",
		csvHeader + "\n" + strings.Repeat("k", bufferSize+9), compactMagic + "\x10PLMD"} {
		broken := errors.New("broken disk")
		in := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		_, err := read(in, Options{Bad: func(e *RowError) { t.Errorf("%.50q: a bad row: %v", before, e) }})
		if !errors.Is(err, broken) || err.Error() != "FILE: broken disk" {
			t.Errorf("%.50q: %v", before, err)
		}
	}
	// One that goes on afterwards does not hide it: the second reading of each is the one that fails.
	for _, content := range []string{strings.Repeat(" ", 2*bufferSize), csvHeader + strings.Repeat("\n", 2*bufferSize),
		csvHeader + "\n\"" + strings.Repeat("\n", 2*bufferSize), csvHeader + "\n" + strings.Repeat("k", 2*bufferSize)} {
		_, err := read(iotest.TimeoutReader(strings.NewReader(content)), Options{Bad: func(e *RowError) {
			t.Errorf("%.70q: a bad row: %v", content, e)
		}})
		if !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("%.70q: %v", content, err)
		}
	}
}

// TestLineEnds: a line is what stands before LF or CRLF, and blank without anything but spaces.
func TestLineEnds(t *testing.T) {
	for line, want := range map[string]string{"": "", "\n": "", "\r\n": "", "\r": "", "\n\n": "\n", "\r\r\n": "\r",
		"a": "a", "a\n": "a", "a\r\n": "a", "a\r": "a", "\na": "\na", "\ra\n": "\ra"} {
		if got := string(withoutEnd([]byte(line))); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
	for line, want := range map[string]bool{"": true, " ": true, "\t ": true, " x": false, "x": false, "\r": false} {
		if blank([]byte(line)) != want {
			t.Errorf("%q is blank: %v", line, !want)
		}
	}
}

// TestParseInt is strconv's function, for numbers of up to 19 digits without a plus.
func TestParseInt(t *testing.T) {
	for _, s := range []string{"0", "-0", "1", "-1", "9", "10", "-90", "007", "9223372036854775807", "9223372036854775808",
		"-9223372036854775807", "-9223372036854775808", "-9223372036854775809", "9999999999999999999",
		"-9999999999999999999", "0000000000000000001", "4611686018427387905", "-4611686018427387905", "", "-", "--1", "1-",
		"1/", "1:", "/", ":", " 1", "1 ", "1e3", "0x1", "1_0", "99999999999999999999", "18446744073709551617"} {
		want, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			want = 0
		}
		if got, ok := parseInt([]byte(s)); got != want || ok != (err == nil) {
			t.Errorf("%q: %d, %v; strconv: %d, %v", s, got, ok, want, err)
		}
	}
	for _, s := range []string{"00000000000000000001", "-00000000000000000001", "+1"} {
		if got, ok := parseInt([]byte(s)); got != 0 || ok {
			t.Errorf("%q: %d", s, got)
		}
	}
}
