package runs

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/saved"
)

// someRuns are entries with what makes a list wide.
func someRuns() []saved.Entry {
	started := time.Date(2026, 11, 21, 10, 0, 0, 0, time.Local)
	p99 := int64(2_750_000)
	return []saved.Entry{
		{ID: "20261122T100000.000Z-cccc", Error: "/home/someone/runs/run.json:3: not a run document"},
		{ID: "20261121T110000.000Z-bbbb", Kind: saved.KindRun, Workload: "updates", Started: started, Shown: "nats://broker.example.org:4222/a/long/subject",
			Rate: "44,980 updates/s", P99NS: &p99, Remark: ", proof incomplete", Verdict: "suspect"},
		{ID: "20261121T100000.000Z-aaaa", Kind: saved.KindRun, Workload: "chat", Started: started, Shown: "demo",
			Rate: "1,234/s", Verdict: "valid"},
	}
}

// The list has the width of the terminal, and what is in it can be read there.
func TestRunsInAWidth(t *testing.T) {
	for columns, want := range map[int]string{
		0: `
id                         workload  started              target                                         rate              p99      verdict
20261122T100000.000Z-cccc  unreadable: /home/someone/runs/run.json:3: not a run document
20261121T110000.000Z-bbbb  updates   2026-11-21 10:00:00  nats://broker.example.org:4222/a/long/subject  44,980 updates/s  2.75 ms  suspect, proof incomplete
20261121T100000.000Z-aaaa  chat      2026-11-21 10:00:00  demo                                           1,234/s           –        valid
`,
		130: `
id                         workload  started              target              rate              p99      verdict
20261122T100000.000Z-cccc  unreadable: /home/someone/runs/run.json:3: not a run document
20261121T110000.000Z-bbbb  updates   2026-11-21 10:00:00  nats://broker.exa…  44,980 updates/s  2.75 ms  suspect, proof incomplete
20261121T100000.000Z-aaaa  chat      2026-11-21 10:00:00  demo                1,234/s           –        valid
`,
		80: `
id                         workload  rate              p99      verdict
20261122T100000.000Z-cccc  unreadable: /home/someone/runs/run.json:3: not a run
                           document
20261121T110000.000Z-bbbb  updates   44,980 updates/s  2.75 ms  suspect, proof
                                                                incomplete
  nats://broker.example.org:4222/a/long/subject
20261121T100000.000Z-aaaa  chat      1,234/s           –        valid
  demo
`,
		40: `
20261122T100000.000Z-cccc
  unreadable:
  /home/someone/runs/run.json:3: not a
  run document
20261121T110000.000Z-bbbb  updates
  44,980 updates/s · p99 2.75 ms ·
  suspect, proof incomplete
  2026-11-21 10:00:00 ·
  nats://broker.example.org:4222/a/long/subject
20261121T100000.000Z-aaaa  chat
  1,234/s · p99 – · valid
  2026-11-21 10:00:00 · demo
`,
	} {
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), listRuns(someRuns(), columns)); diff != "" {
			t.Errorf("%d columns: %s", columns, diff)
		}
	}
}

// No line is wider than the terminal, but for a word that is.
func TestRunsFit(t *testing.T) {
	for columns := 40; columns <= 200; columns++ {
		for line := range strings.Lines(listRuns(someRuns(), columns)) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line) > columns && strings.ContainsRune(strings.TrimSpace(line), ' ') {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
	}
}

// A terminal obeys nothing that a document holds, nor the name of a directory.
func TestRunsAreHarmless(t *testing.T) {
	const hostile = "a\x1b]0;owned\x07\nb"
	started := time.Date(2026, 11, 21, 10, 0, 0, 0, time.Local)
	entries := []saved.Entry{
		{ID: hostile, Error: hostile},
		{ID: hostile, Kind: saved.KindRun, Workload: hostile, Started: started, Shown: hostile, Verdict: hostile,
			Load: hostile, Rate: hostile, Remark: hostile, Labels: []string{hostile}, Missed: []string{hostile}},
	}
	for _, columns := range []int{0, 40, 80, 200} {
		list := listRuns(entries, columns)
		if strings.ContainsAny(list, "\x1b\x07") || columns == 0 && strings.Count(list, "\n") != 3 {
			t.Errorf("%d columns: %q", columns, list)
		}
	}
}
