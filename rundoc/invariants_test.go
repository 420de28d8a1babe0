package rundoc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// times returns the summary of n equal durations of ns nanoseconds.
func times(t testing.TB, ns int64, n int) rundoc.Summary {
	return summaryOf(t, slices.Repeat([]int64{ns}, n)...)
}

// checkReason fails the test unless Judge reports want for run; "" means that run breaks no invariant.
func checkReason(t *testing.T, run *rundoc.Run, want string) {
	t.Helper()
	reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
	if broken := strings.Contains(reasons, "invariant violated"); broken != (want != "") || !strings.Contains(reasons, want) {
		t.Errorf("reasons: %q, want %q", reasons, want)
	}
}

func TestJudgeChecksFlows(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(f *rundoc.FlowFigures)
		want string
	}{
		"consistent":           {func(*rundoc.FlowFigures) {}, ""},
		"flow without end":     {func(f *rundoc.FlowFigures) { f.Started++ }, "started 11, but completed 6 + failed 3 + cut off 1"},
		"failure without step": {func(f *rundoc.FlowFigures) { f.FailedAt[0].Count = 2 }, "3 failed, but 2 did so at an operation"},
		"unknown step":         {func(f *rundoc.FlowFigures) { f.FailedAt[0].Operation = "out" }, `3 failed at "out"`},
		"missing time":         {func(f *rundoc.FlowFigures) { f.ResponseTime = times(t, 5*ms, 6) }, "6 have a response time, but 7 were"},
		"more flows than operations": {func(f *rundoc.FlowFigures) { f.Started, f.Cut = 3001, 2992 },
			"3001 flows started, but 3000 operations did"},
	} {
		t.Run(name, func(t *testing.T) {
			run := soundRun(t)
			flow := rundoc.FlowFigures{Name: "buy", Started: 10, Completed: 6, Failed: 3, Cut: 1,
				ResponseTime: times(t, 5*ms, 7), FailedAt: []rundoc.FlowFailure{{Operation: "send", Count: 3}}}
			tt.edit(&flow)
			run.Flows = []rundoc.FlowFigures{flow}
			checkReason(t, run, tt.want)
		})
	}
}

func TestJudgeChecksStagesOfOperations(t *testing.T) {
	for name, tt := range map[string]struct {
		send, wait, body rundoc.Summary
		want             string
	}{
		"within the operations": {times(t, 1000, 9), times(t, 1000, 9), times(t, 1000, 9), ""},
		"different counts":      {times(t, 1000, 9), times(t, 1000, 8), times(t, 1000, 9), "count 9, 8 and 9 operations"},
		"longer than the operations": {times(t, 1000, 9), times(t, 10_000*ms, 9), times(t, 1000, 9),
			"longer than their operations"},
	} {
		t.Run(name, func(t *testing.T) {
			run := soundRun(t)
			run.Operations[0].Stages = &rundoc.Stages{Send: tt.send, Wait: tt.wait, Body: tt.body}
			checkReason(t, run, tt.want)
		})
	}
}

func TestJudgeChecksConnectionsOverHTTP(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(c *rundoc.HTTPConnecting)
		want string
	}{
		"consistent":           {func(*rundoc.HTTPConnecting) {}, ""},
		"no TCP times":         {func(c *rundoc.HTTPConnecting) { c.TCP = nil }, "connections have no times"},
		"a connection missing": {func(c *rundoc.HTTPConnecting) { *c.TCP = times(t, 1, 40) }, "41 connections were opened, and 40 have stages"},
		"too many lookups": {func(c *rundoc.HTTPConnecting) { c.Lookup = new(times(t, 1, 42)) },
			"41 connections were opened, and 42 have a time of the lookup"},
		"longer than connecting": {func(c *rundoc.HTTPConnecting) { c.TLS = new(times(t, 10_000*ms, 41)) },
			"the stages of connecting took longer than connecting"},
		"an address missing": {func(c *rundoc.HTTPConnecting) { c.MoreAddresses = 0 }, "41 connections were opened, but 40 have an address"},
	} {
		t.Run(name, func(t *testing.T) {
			run := overHTTP(t)
			c := &rundoc.HTTPConnecting{TCP: new(times(t, 1000, 41)), MoreAddresses: 1,
				Addresses: []rundoc.HTTPAddress{{Address: "[::1]:80", Connections: 40}}}
			tt.edit(c)
			run.HTTP().Connecting = c
			checkReason(t, run, tt.want)
		})
	}
}

func TestJudgeRejectsNegativeCounts(t *testing.T) {
	for want, edit := range map[string]func(r *rundoc.Run){
		"a count of second 3 is negative":        func(r *rundoc.Run) { r.Series[3].Failed = -1 },
		"generator delay: its sum of":            func(r *rundoc.Run) { r.Generator.OwnTimeNS = -1 },
		"a count is negative":                    func(r *rundoc.Run) { r.Operations[0].Unsent = -1 },
		"http: -1 responses have the status 200": func(r *rundoc.Run) { r.HTTP().Statuses[0].Count = -1 },
	} {
		run := overHTTP(t)
		edit(run)
		checkReason(t, run, want)
	}
}

func TestWarningsOfReplayedRequests(t *testing.T) {
	run := overHTTP(t)
	d := run.HTTP()
	for _, what := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		d.LeftOut = append(d.LeftOut, rundoc.HTTPLeftOut{What: what, Count: 2})
	}
	d.SpreadNS = 1000 * ms
	d.ReplacedCookies = []rundoc.HTTPCookie{{Name: "csrf", Count: 1}, {Name: "session", Count: 2}}
	d.RefusedCookies = []rundoc.HTTPCookie{{Name: "ad", Count: 1, Why: "it is Secure, and the connection is not"}}
	want := map[string]string{
		rundoc.WarnCookiesReplaced: "Responses replaced recorded cookies: csrf, session.",
		rundoc.WarnCookiesRefused:  "rejected, as by browsers: ad (it is Secure, and the connection is not).",
		rundoc.WarnLeftOut:         "requests were not sent: a (2), b (2), c (2), d (2), e (2), 2 other kinds.",
		rundoc.WarnSpread:          "time resolution of 1.00 s",
	}
	for _, w := range rundoc.Warnings(run) {
		if strings.Contains(w.Message, want[w.Code]) {
			delete(want, w.Code)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing warnings: %v", want)
	}
}

func TestPartsInFlightAreSharedByStreams(t *testing.T) {
	for streams, want := range map[int]float64{1: 4, 2: 3.5, 7: 1} {
		s := rundoc.StoreUsed{ActiveParts: 4, AtOnce: 7}
		if each, bounded := s.PartsInFlight(streams); each != want || bounded != (streams > 1) {
			t.Errorf("PartsInFlight(%d) = %v, %t, want %v", streams, each, bounded, want)
		}
	}
}

func TestFullSecondsExcludeAPartialSecond(t *testing.T) {
	run := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: 3_500 * ms},
		Series: []rundoc.Point{{OK: 5}, {Second: 1, Seconds: 2, OK: 11}, {Second: 3, OK: 9}}}
	if got := run.FullSeconds(); !slices.Equal(got, []float64{5, 5.5}) {
		t.Errorf("FullSeconds() = %v, want [5 5.5]", got)
	}
	if got := rundoc.PointSeconds(run.Series); got != 2 {
		t.Errorf("PointSeconds() = %d, want 2", got)
	}
}
