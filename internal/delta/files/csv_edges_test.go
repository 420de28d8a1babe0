package files

import (
	"fmt"
	"io"
	"strings"
	"testing"

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
