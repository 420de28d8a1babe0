package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/units"
)

// tables are of all sorts; the one of pairs has a path in it.
func tables() map[string]Table {
	word := func(n int) string { return fmt.Sprintf("w%d", n) }
	long := func(n int) string { return fmt.Sprintf("a sentence that is number %d and goes on for a while", n) }
	figure := func(n, column int) string { return units.Number(int64(10_000 + 1001*(10*n+column))) } // each is another
	share := Bars(func(n int) float64 { return float64(n) / 9 })
	columns := []Column[int]{Left("name", word)}
	for i := range 9 {
		columns = append(columns, Right(fmt.Sprint("figure ", i), func(n int) string { return figure(n, i) }))
	}
	var pairs Pairs
	pairs.Add("a name that takes more than 20 columns", long(1))
	pairs.Add("run document", "/a/path/"+strings.Repeat("of-many-columns/", 9))
	pairs.Add("", "more of it")
	same := func(int) string { return "same" }
	return map[string]Table{
		"figures":       TableOf(numbers(9), columns...),
		"figures first": TableOf(numbers(9), columns[1:]...),
		"with bars":     TableOf(numbers(9), append(columns[:5:5], share)...),
		"left out":      Ends(numbers(9), 4, append(columns[:5:5], share.More())...),
		"words last":    TableOf(numbers(9), append(columns[:3:3], Left("words", long))...),
		"long names":    TableOf(numbers(9), append([]Column[int]{Left("name", long)}, columns...)...),
		"same names":    TableOf(numbers(9), append([]Column[int]{Left("name", same)}, columns[1:]...)...),
		"pairs":         pairs.Table(),
		"groups":        Grouped(numbers(9), func(n int) string { return fmt.Sprint("group ", n/3) }, columns...),
	}
}

// No figure is cut off or left out, however narrow the terminal is, and no line is wider than that.
func TestTablesKeepEachCell(t *testing.T) {
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for name, tab := range tables() {
		for width := narrowest; width <= widest; width++ {
			var out strings.Builder
			p := newPrinter(&out, Options{Width: width})
			p.table(&tab)
			if err := p.w.Flush(); err != nil {
				t.Fatal(err)
			}
			all := bare(out.String())
			for _, row := range tab.rows {
				for _, cell := range row {
					if cell = bare(cell); !isBar(cell) && cell != gapCell && !strings.Contains(all, cell) {
						t.Fatalf("%s at %d columns lacks %q:\n%s", name, width, cell, &out)
					}
				}
			}
			for line := range strings.Lines(out.String()) {
				if n := units.Width(line) - 1; n > width && len(strings.Fields(line)) > 1 {
					t.Fatalf("%s at %d columns: %q", name, width, line)
				}
			}
		}
	}
}

// A table that is too wide is folded where its first column tells the rows apart, and stacked where not.
func TestTablesThatAreTooWide(t *testing.T) {
	for name, want := range map[string]string{
		"figures":       "  name  figure 0  figure 1  figure 2\n  w1      20,010    21,011    22,012\n",
		"same names":    "  name\n    same\n      figure 0 20,010 ·\n      figure 1 21,011 ·\n",
		"figures first": "  figure 0  figure 1  figure 2  figure 3\n    20,010    21,011    22,012    23,013\n",
		"pairs": "  a name that takes more than 20 columns\n    a sentence that is number 1 and goes\n    on for a while\n" +
			"  run document\n/a/path/",
	} {
		tab := tables()[name]
		var out strings.Builder
		p := newPrinter(&out, Options{Width: 40})
		p.table(&tab)
		_ = p.w.Flush()
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s:\n%s", name, &out)
		}
	}
}

// In a file, a row of a table is one line, whatever it takes.
func TestTablesInAFile(t *testing.T) {
	for name, tab := range tables() {
		var out strings.Builder
		p := newPrinter(&out, Options{})
		p.table(&tab)
		_ = p.w.Flush()
		if n := strings.Count(out.String(), "\n"); n != len(tab.rows)+1 && name != "pairs" && name != "words last" {
			t.Errorf("%s: %d lines of %d rows:\n%s", name, n, len(tab.rows), &out)
		}
		if name == "pairs" && !strings.Contains(out.String(), "\n  run document"+strings.Repeat(" ", 28)+"/a/path/") {
			t.Errorf("the path is not in its row:\n%s", &out)
		}
	}
}

func TestBarsTakeTheRoomThereIs(t *testing.T) {
	for _, tt := range []struct{ marks, room, want int }{
		{20, 20, 20}, {20, 99, 20}, {7, 20, 7}, {20, 10, 10}, {10, 10, 5}, {1, 10, 1}, {0, 10, 0}, {20, 0, 0}, {20, -2, 0},
	} {
		if got := units.Width(shorter(strings.Repeat(barMark, tt.marks), tt.room)); got != tt.want {
			t.Errorf("a bar of %d in %d: %d, want %d", tt.marks, tt.room, got, tt.want)
		}
	}
	if got := shorter("(3 more)", 4); got != "(3 more)" {
		t.Errorf("%q", got)
	}
}

func TestDrawingsThatAreTooWide(t *testing.T) {
	for width, want := range map[int]string{
		62: "  " + strings.Repeat("#", 60) + "\n",
		61: "  (The drawing needs a terminal of at least 62 columns.)\n",
	} {
		var out strings.Builder
		p := newPrinter(&out, Options{Width: width})
		p.drawing(strings.Repeat("#", 60))
		if _ = p.w.Flush(); out.String() != want {
			t.Errorf("%d: %q", width, out.String())
		}
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		text        string
		most, lines int
		end         ending
		want        string
	}{
		{"one two three", 20, 1, atWord, "one two three"},
		{"one two three four five", 10, 2, atWord, "one two three …"},
		{"one two internationally", 20, 1, atWord, "one two …"},
		{"internationally", 10, 1, atWord, "internati…"},
		{"one internationally", 10, 1, atWord, "one …"},
		{"one · two · three", 9, 1, atPart, "one · …"},
		{"the first · two · three", 9, 1, atPart, "the …"},
		{"p50 393 µs · p99 73.1 ms · max 123 ms", 28, 1, atPart, "p50 393 µs · p99 73.1 ms · …"},
		{"p50 393 µs · p99 73.1 ms · max 123 ms", 27, 1, atPart, "p50 393 µs · …"},
		{"which took 2.00 GiB and 17.3% of it", 17, 1, atWord, "which took …"},
		{"which took 17.3% of it", 19, 1, atWord, "which took 17.3% …"},
		{"which took 17.3% of it", 17, 1, atWord, "which took …"},
		{"4,543 msg/s (95% CI 3,830–5,255), 799 KiB/s", 40, 1, atClause, "4,543 msg/s (95% CI 3,830–5,255), …"},
		{"135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s", 27, 1, atClause, "135 MB/s (1,077 Mbit/s) …"},
		{"135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s", 18, 1, atClause, "135 MB/s …"},
		{"try one: plimsoll chat --rate 1500", 24, 1, atWord, "try one …"},
		{"(try 'plimsoll chat --rate 1500')", 24, 1, atClause, "(try …"},
		{"", 10, 1, atWord, ""},
	} {
		got := clip(tt.text, tt.most, tt.lines, tt.end, atWord)
		if lines := wrapParts(got, tt.most); got != tt.want || len(lines) > tt.lines {
			t.Errorf("clip(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWithoutBrackets(t *testing.T) {
	for text, want := range map[string]string{
		"p50 1 ms (0.9 without the generator's own delay) · max 2 ms (1), from the schedule": "p50 1 ms · max 2 ms, from the schedule",
		"135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s":                                         "135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s",
		"an (open · one": "an (open · one",
	} {
		if got := withoutBrackets(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestWrapParts(t *testing.T) {
	const text = "p50 622 µs · p99 1.25 ms · p99.9 1.56 ms (0.9 without the generator's own delay) · max 2.25 ms"
	want := "p50 622 µs · p99 1.25 ms ·|p99.9 1.56 ms (0.9 without|the generator's own delay) ·|max 2.25 ms"
	if got := strings.Join(wrapParts(text, 28), "|"); got != want {
		t.Errorf("%s", got)
	}
}
