package report_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
)

// lives are moments of runs.
func lives() map[string]report.Live {
	window := report.Live{
		Phase: "window", Elapsed: 5300 * time.Millisecond, Done: 0.539, Left: 4700 * time.Millisecond, Measured: true,
		Rate: 3012, P50: 321 * time.Microsecond, P99: 512 * time.Microsecond, InFlight: 32,
	}
	begun := report.Live{Phase: "window", Done: 0, Left: 10 * time.Second}
	failing := window
	failing.Errors = 1204
	return map[string]report.Live{
		"1 window":  window,
		"2 begun":   begun,
		"3 failing": failing,
		"4 connect": {Phase: "connect", Count: "1,120 of 5,000 clients", Elapsed: 2 * time.Second, Done: 0.224, Left: -1},
		"5 drain":   {Phase: "drain", Count: "3 in flight", Elapsed: 2 * time.Second, Done: -1, Left: 3 * time.Second},
		"6 round": {
			Phase: "round 3/15", What: "DynamoDB/BatchWriteItem", Elapsed: 31 * time.Second, Done: 0.12,
			Left: 290 * time.Second, About: true, Measured: true, Apart: true, Rate: 13414, InFlight: 1,
		},
		"7 load": {
			Phase: "window", What: "load 3 of 15", Elapsed: 9 * time.Second, Done: 0.18, Left: 41 * time.Second, About: true,
			Measured: true, Rate: 180.4, P50: 2 * time.Millisecond, P99: 9 * time.Millisecond, InFlight: 1,
		},
		"8 file":  {Phase: "converting", What: "DELTA_0000000000000001.csv", Count: "4,096 rows", Elapsed: 75 * time.Second, Done: -1, Left: -1},
		"9 ready": {Phase: "getting ready", Elapsed: 4 * time.Second, Done: -1, Left: -1},
	}
}

// Look at the lines: what matters most is there longest, and in a wide terminal all is.
func TestProgressGolden(t *testing.T) {
	var b strings.Builder
	all := lives()
	for _, columns := range []int{20, 40, 80, 120, 200} {
		for _, ascii := range []bool{false, true} {
			fmt.Fprintf(&b, "%d columns, ASCII %v\n", columns, ascii)
			for i, name := range slices.Sorted(maps.Keys(all)) {
				screen := report.Screen{Width: columns - 1, ASCII: ascii, Beat: 4 * i}
				fmt.Fprintf(&b, "%-9s |%s\n", name[2:], report.Bar(chat.ReportKind(), all[name], screen))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("plain lines\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%-9s |%s\n", name[2:], report.Progress(chat.ReportKind(), all[name], report.Screen{}))
	}
	golden := filepath.Join("testdata", "progress.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

// No line is broken, however narrow the terminal is and whatever is to be shown.
func TestProgressIsNeverWider(t *testing.T) {
	all := lives()
	all["a long"] = report.Live{Phase: strings.Repeat("phase ", 50), What: strings.Repeat("y\x1b[2J", 99), Count: "9 of 9",
		Elapsed: 1e6 * time.Hour, Done: 2, Left: 1e6 * time.Hour, Measured: true, Rate: 1e15, P50: time.Hour, P99: 20 * time.Hour,
		InFlight: 1e15, Errors: 1e15}
	all["b wide"] = report.Live{Phase: "変換", What: strings.Repeat("漢字", 30), Done: -1, Left: -1}
	all["c empty"] = report.Live{}
	for name, l := range all {
		for width := 1; width <= 210; width++ {
			for _, ascii := range []bool{false, true} {
				screen := report.Screen{Width: width, ASCII: ascii, Beat: 3 * width}
				for _, line := range []string{report.Bar(chat.ReportKind(), l, screen), report.Progress(chat.ReportKind(), l, screen)} {
					columns := 0
					for _, r := range line {
						columns++
						if r > 0x2E80 { // as the letters above are
							columns++
						}
					}
					if columns > width || strings.ContainsAny(line, "\x1b\r\n") {
						t.Fatalf("%s: %d columns of %d: %q", name, columns, width, line)
					}
				}
			}
		}
	}
	if line := report.Bar(report.Kind{}, all["1 window"], report.Screen{Width: 80, ASCII: true}); strings.IndexFunc(line, func(r rune) bool { return r > 127 }) >= 0 {
		t.Errorf("more than ASCII: %q", line)
	}
}

// What is known to be left and done is never made up, and 100% is the end.
func TestProgressDoesNotMakeUpPercents(t *testing.T) {
	for _, tt := range []struct {
		done float64
		want string
	}{{-1, "0:04"}, {0, " 0%"}, {0.009, " 0%"}, {0.0101, " 1%"}, {0.9999, "99%"}, {1, "100%"}, {1.5, "100%"}} {
		line := report.Bar(report.Kind{}, report.Live{Phase: "x", Elapsed: 4 * time.Second, Done: tt.done, Left: -1}, report.Screen{})
		if !strings.Contains(line, tt.want+"  x") || tt.done < 0 && strings.Contains(line, "%") {
			t.Errorf("%v is shown as %q", tt.done, line)
		}
	}
}

// What is estimated is not all done before it is over.
func TestProgressOfAnEstimate(t *testing.T) {
	line := report.Bar(report.Kind{}, report.Live{Phase: "x", Done: 1, About: true, Left: 0}, report.Screen{})
	if !strings.Contains(line, "░] ") || !strings.Contains(line, " 99%  x,  ~1 s left") {
		t.Errorf("%q", line)
	}
}

// The mark moves to and fro, a cell at a time.
func TestProgressMark(t *testing.T) {
	last := -1
	seen := map[int]bool{}
	for beat := range 60 {
		line := report.Bar(report.Kind{}, report.Live{Done: -1, Left: -1}, report.Screen{Width: 79, Beat: beat})
		cells := strings.TrimPrefix(line, "[")
		at := strings.Index(strings.ReplaceAll(cells, "░", "."), "███")
		if at < 0 || last >= 0 && at != last+1 && at != last-1 {
			t.Fatalf("beat %d: the mark is at %d after %d: %q", beat, at, last, line)
		}
		last = at
		seen[at] = true
	}
	if len(seen) != 4 {
		t.Errorf("the mark has %d places", len(seen))
	}
}

// What a line costs stands in docs/design/dependencies.md: five of them are made a second.
func BenchmarkBar(b *testing.B) {
	l, kind := lives()["1 window"], chat.ReportKind()
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		out.WriteString(report.Bar(kind, l, report.Screen{Width: 119}))
	}
}
