package loadline_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What limits a rate is said of the processors, and of what is not known not more than that.
func TestProcessors(t *testing.T) {
	for _, c := range []struct {
		name            string
		generator       float64
		target, machine float64 // shares of two CPUs
		gap             int64   // in which the generator did not run
		want            string
	}{
		{"neither", .2, .3, .55, 0, "CPU is not the limit of either"},
		{"the generator", .9, .05, .9, 0, "The load generator may be the limit: "},
		{"the target", .02, .87, .9, 0, "The limit is the target's CPU"},
		{"the target, and a generator that stumbled", .02, .87, .9, 60e6, "The limit is the target's CPU"},
		{"a generator that stumbled", .02, .3, .4, 60e6, "The load generator may be the limit: "},
		{"both together", .3, .6, .95, 0, "The limit is this machine, which was 95% busy"},
		{"others", .06, .28, .96, 0, "other programs used 65% of that"},
		{"a target of which nothing is known", .03, 0, .96, 0, "The target's share of that is unknown"},
		{"likewise, with room on the machine", .03, 0, .4, 0, "The CPU use of the target is unknown."},
		{"likewise, and the generator at its end", .9, 0, .89, 0, "The load generator may be the limit: "},
	} {
		run := &rundoc.Run{
			Plan: []byte(`{"load":{"rate_per_s":100}}`), Host: rundoc.Host{CPUs: 2}, Ledger: rundoc.Ledger{Clients: 2, WindowNS: 3e9},
			Operations: []rundoc.Operation{{Name: "publish", Scheduled: 300, OK: 300}},
			Generator:  rundoc.Generator{CPUShare: c.generator, CPUs: 2, MachineShare: c.machine, CPUUserNS: int64(c.generator * 6e9)},
			Target:     rundoc.Target{SameHost: true, CPUUserNS: int64(c.target * 6e9)},
		}
		if c.gap > 0 {
			run.Generator.Hiccups = &rundoc.Hiccups{Gaps: 1, GapsNS: c.gap, LongNS: c.gap, Longest: []rundoc.Gap{{NS: c.gap}}}
		}
		got := loadline.Processors(&setdoc.Loadline{Unit: "batches/s"}, 100, run)
		if !strings.Contains(got, c.want) || !strings.HasPrefix(got, "At 100 batches/s, the lowest load that failed, the load generator") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// It is said of the probe of the lowest load that failed.
func TestNote(t *testing.T) {
	s := loadline.New(asked())
	for _, p := range []struct {
		load   float64
		result string
		want   string
	}{
		{1000, setdoc.ProbeMet, ""},
		{4000, setdoc.ProbeFailed, "At 4,000 "},
		{5000, setdoc.ProbeFailed, "At 4,000 "},
		{3000, setdoc.ProbeTellsNothing, "At 4,000 "},
		{2000, setdoc.ProbeFailed, "At 2,000 "},
		{2500, setdoc.ProbeFailed, "At 2,000 "},
	} {
		s.Take(setdoc.Probe{Load: p.load, Result: p.result})
		s.Note(open(nil))
		if got := s.Doc().Processors; !strings.HasPrefix(got, p.want) || p.want == "" && got != "" {
			t.Errorf("after %v: %q", p.load, got)
		}
	}
}
