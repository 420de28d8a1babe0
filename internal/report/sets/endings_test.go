package sets

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestTimesAndEndingsInWords(t *testing.T) {
	ns := func(n int64) *int64 { return &n }
	for i, tt := range []struct {
		l    setdoc.Level
		want string
	}{
		{setdoc.Level{}, " | "}, {setdoc.Level{ResponseP50NS: ns(1e6)}, "Response time | p50 1.00 ms · p99 – at the best setting"},
		{setdoc.Level{ResponseP99NS: ns(2e6)}, "Response time | p50 – · p99 2.00 ms at the best setting"},
	} {
		if got := inLine(sweepOf(setdoc.Sweep{Levels: []setdoc.Level{tt.l}, Best: new(0)}).responseTime()); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	if got := inLine(sweepOf(setdoc.Sweep{}).responseTime()); got != " | " {
		t.Error(got)
	}
	fails := levelsOf(2)
	fails[1].FailedShare, fails[1].NotOpened = 0.25, 2
	fails[1].Causes = []setdoc.CauseCount{{Cause: "timeout", Count: 1000}, {Cause: "reset", Count: 2}, {Cause: "a", Count: 1}, {Cause: "b", Count: 1}}
	for i, tt := range []struct {
		s    setdoc.Sweep
		want string
		bad  bool
	}{
		{setdoc.Sweep{}, "Higher values | ", false},
		{setdoc.Sweep{Ending: setdoc.EndsRising}, "Higher values | not measured: the best setting is the highest one; try higher values", false},
		{setdoc.Sweep{Ending: setdoc.EndsRising, Levels: levelsOf(2), Best: new(1)}, "Higher values | not measured: the best setting is the highest one; try higher values", false},
		{setdoc.Sweep{Ending: setdoc.EndsRising, Levels: levelsOf(2), Best: new(0)}, "Higher values | unknown: the runs above the best setting are invalid", false},
		{setdoc.Sweep{Ending: setdoc.EndsOnPlateau}, "Higher values | no better (plateau)", false},
		{setdoc.Sweep{Ending: setdoc.EndsInDecline}, "Higher values | worse (decline)", false},
		{setdoc.Sweep{Ending: setdoc.EndsInFailure, Levels: fails, FailsFrom: new(1)}, "Higher values | failures | " +
			"failures start at clients 2: 25.0% of operations failed · timeout 1,000, reset 2, a 1 and 1 more · 2 connections not opened", true},
		{setdoc.Sweep{Ending: "mutant"}, "Higher values | mutant", false},
	} {
		f := sweepOf(tt.s).ending()
		if got := inLine(f); got != tt.want || (f.Tone == report.Bad) != tt.bad {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	if got := failuresOf(&setdoc.Level{}); got != "" {
		t.Error(got)
	}
	if got := failuresOf(&setdoc.Level{NotOpened: 1}); got != "1 connection not opened" {
		t.Error(got)
	}
}
