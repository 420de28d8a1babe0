package updates

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
)

// The table has the terminal's width, and ends with the command that shows its last run.
func TestGridNamesItsLastRun(t *testing.T) {
	for _, test := range []struct {
		at       string
		terminal bool
		markdown bool
		want     string
	}{
		{"20261121T100000.000Z-aaaa", true, false, "\nLast run: plimsoll report 20261121T100000.000Z-aaaa --full\n"},
		{"out/125x420-4", true, false, "\nLast run: plimsoll report out/125x420-4 --full\n"},
		{"x", false, false, "\nLast run: plimsoll report x --full\n"},
		{"", true, false, ""},
		{"x", true, true, ""},
	} {
		var out bytes.Buffer
		env := &run.Env{
			Stdout: &out, IsTerminal: func(io.Writer) bool { return test.terminal }, Width: func(io.Writer) int { return 70 },
			LookupEnv: func(string) (string, bool) { return "", false },
		}
		var rows []gridRow
		for _, cell := range show.GridCells() {
			rows = append(rows, gridRow{GridRun: show.GridRun{GridCell: cell, ID: "20261121T100000.000Z-aaaa"}, at: test.at})
		}
		c := &Command{Forms: run.Forms{Markdown: test.markdown}}
		if err := c.showGrid(env, rows); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !strings.HasSuffix(got, test.want) || test.want == "" && strings.Contains(got, "--full") {
			t.Errorf("%+v:\n%s", test, got)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); test.terminal && !test.markdown && n > 70 {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}
