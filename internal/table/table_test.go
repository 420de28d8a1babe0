package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// TestRead: CSV as programs write it, and what is none.
func TestRead(t *testing.T) {
	_, rows, err := Read("t.csv", strings.NewReader("\ufeffuser,text\r\nann,\"two\r\nlines, \"\"quoted\"\"\"\r\nbob,\r\n"))
	if err != nil || len(rows) != 2 || rows[0][1] != "two\nlines, \"quoted\"" || rows[1][1] != "" {
		t.Errorf("%q, %v", rows, err)
	}
	var b strings.Builder
	b.WriteString("n\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&b, "%d\n", i)
	}
	if _, rows, err := Read("t.csv", strings.NewReader(b.String())); err != nil || len(rows) != 1_000_000 || rows[999_999][0] != "999999" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for text, want := range map[string]string{
		"":                     "t.csv: the file is empty",
		"\ufeff":               "t.csv: the file is empty",
		"a,b\n":                "t.csv: the file has a header line but no rows",
		"a,b\n1,2\n3\n":        "t.csv:3:1: wrong number of fields",
		"a,b\n1,2,3\n":         "t.csv:2:1: wrong number of fields",
		"a,a\n1,2\n":           "t.csv:1: the column \"a\" is empty or a duplicate",
		"a,\n1,2\n":            "t.csv:1: the column \"\"",
		"a\n\"open\n":          "t.csv:2:",
		"a\nb\"c\n":            "t.csv:2:2: bare \"",
		"\x00\x01\xff\n\xfe\n": "t.csv:1: ",
	} {
		_, _, err := Read("t.csv", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%q: %v, hint %q; want %q", text, err, fault.HintOf(err), want)
		}
	}
}

// TestLimits: a table has so many rows and columns and not one more.
func TestLimits(t *testing.T) {
	for text, good := range map[string]bool{"n\n1\n2\n": true, "n\n1\n2\n3\n": false} {
		_, rows, err := read("t.csv", strings.NewReader(text), 2)
		switch {
		case good && (err != nil || len(rows) != 2):
			t.Errorf("%q: %q, %v", text, rows, err)
		case !good && (err == nil || err.Error() != "t.csv: more than 2 rows" || fault.HintOf(err) == ""):
			t.Errorf("%q: %q, %v", text, rows, err)
		}
	}
	for n, good := range map[int]bool{1000: true, 1001: false} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("c", i))
		}
		line := strings.Join(names, ",") + "\n"
		columns, _, err := Read("t.csv", strings.NewReader(line+line))
		switch {
		case good && (err != nil || len(columns) != n):
			t.Errorf("%d columns: %v", n, err)
		case !good && (err == nil || err.Error() != "t.csv:1: more than 1000 columns" || fault.HintOf(err) == ""):
			t.Errorf("%d columns: %v", n, err)
		}
	}
	for text, want := range map[string]string{
		"a,\x01\n1,2\n": `t.csv:1: "\x01" is not a valid`, "a,\xff\n1,2\n": `t.csv:1: "\xff" is not a valid`, "a,b,a\n1,2,3\n": `t.csv:1: the column "a"`,
	} {
		if _, _, err := Read("t.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// endless gives a text again and again.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	e.read += n
	return n, nil
}

// TestEndlessFilesAreRefused: what is no table is refused before much of it was read.
func TestEndlessFilesAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ begins, goesOn, want string }{
		"zeros":         {"", "\x00", "t.csv: its header line is longer than 1 MiB"},
		"an open quote": {"a,b\n1,2\n1,\"2\n", "3,4\n", "t.csv: row 2 is longer than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			rest := &endless{text: c.goesOn}
			_, _, err := Read("t.csv", io.MultiReader(strings.NewReader(c.begins), rest))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || fault.HintOf(err) == "" {
				t.Errorf("%v, hint %q", err, fault.HintOf(err))
			}
			if rest.read > 1<<20+8192 {
				t.Errorf("%d bytes were read", rest.read)
			}
		})
	}
}

// FuzzRead: of CSV nothing is taken whose rows have not one field for each column, and it is read as encoding/csv
// writes it again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "\ufeffuser\r\n\"two\r\nlines, \"\"x\"\"\"\r\n", "a,a\n", "a\n\"open", "a;b\n1;2\n", "\n\na\n\n1\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		columns, rows, err := Read("t.csv", bytes.NewReader(data))
		if err != nil {
			if fault.HintOf(err) == "" || fault.CodeOf(err) != fault.Usage {
				t.Errorf("%v, hint %q", err, fault.HintOf(err))
			}
			return
		}
		if len(columns) == 0 || len(rows) == 0 {
			t.Fatalf("%d columns, %d rows", len(columns), len(rows))
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.WriteAll(append([][]string{columns}, rows...))
		again, same, err := Read("t.csv", &b)
		// A first field of one empty column is an empty line, which is no row; a mark before the text is none of it.
		if len(columns) > 1 && !strings.HasPrefix(columns[0], "\ufeff") &&
			(err != nil || !slices.Equal(again, columns) || !slices.EqualFunc(same, rows, slices.Equal)) {
			t.Errorf("%q %q became %q %q, %v", columns, rows, again, same, err)
		}
	})
}
