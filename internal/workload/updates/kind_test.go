package updates

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

func ns(d time.Duration) *int64 { return (*int64)(&d) }

// good is a run of 300 batches of 1000 in three seconds.
func good() (*oneRun, *rundoc.Run) {
	p := DefaultPlan()
	r := &oneRun{plan: p, from: 5e9, to: 8e9}
	r.detail = rundoc.UpdatesDetail{
		AppliedPerS: 100_000,
		Proof:       &rundoc.Proof{Complete: true, Published: 300, Received: 300, Updates: 300_000, Applied: 300_000},
		Stages: []rundoc.NamedStage{{Name: rundoc.StageE2EScheduled, UpdateStage: rundoc.UpdateStage{
			Summary: rundoc.Summary{Count: 300, P99NS: ns(3 * time.Millisecond), MaxNS: 5e6},
		}}},
	}
	return r, &rundoc.Run{Operations: []rundoc.Operation{{Name: "publish", Scheduled: 300, OK: 300}}}
}

func TestSustained(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*oneRun, *rundoc.Run)
		want string // "" for sustained
	}{
		{"good", func(*oneRun, *rundoc.Run) {}, ""},
		{"failed", func(_ *oneRun, d *rundoc.Run) { d.Operations[0].Failed = 1 }, "1 of 300 batches failed"},
		{"unsent", func(_ *oneRun, d *rundoc.Run) { d.Operations[0].Unsent = 2 },
			"2 of 300 batches were not published in time"},
		{"lost", func(r *oneRun, _ *rundoc.Run) { r.detail.Proof.Complete, r.detail.Proof.Lost = false, 3 },
			"3 batches were lost"},
		{"wrong", func(r *oneRun, _ *rundoc.Run) {
			r.detail.Proof.Complete, r.detail.Proof.Problems = false, []string{"Another state."}
		}, "the proof is incomplete: Another state."},
		{"no answer", func(r *oneRun, _ *rundoc.Run) {
			*r.detail.Proof = rundoc.Proof{Unknown: true, Lost: 3, Problems: []string{"It did not answer."}}
		}, "the proof is unknown: It did not answer."},
		{"backlog", func(r *oneRun, _ *rundoc.Run) { r.backlog = 251 * time.Millisecond },
			"the last batch was applied 251 ms after"},
		{"backlog that is small", func(r *oneRun, _ *rundoc.Run) { r.backlog = 249 * time.Millisecond }, ""},
		{"too few", func(r *oneRun, _ *rundoc.Run) { r.detail.AppliedPerS = 98_900 },
			"98,900 of 100,000 updates a second were applied"},
		{"just enough", func(r *oneRun, _ *rundoc.Run) { r.detail.AppliedPerS = 99_100 }, ""},
		{"stale ones count", func(r *oneRun, _ *rundoc.Run) {
			r.detail.AppliedPerS, r.detail.Proof.Applied, r.detail.Proof.Stale = 20_000, 60_000, 240_000
		}, ""},
		{"slow", func(r *oneRun, _ *rundoc.Run) { r.detail.Stages[0].Summary.P99NS = ns(260 * time.Millisecond) },
			"one batch in a hundred was applied 260 ms or more after it was due"},
		{"slow, and too few for a p99", func(r *oneRun, _ *rundoc.Run) {
			r.detail.Stages[0].Summary.P99NS, r.detail.Stages[0].Summary.MaxNS = nil, 260e6
		}, "260 ms"},
		{"invalid", func(_ *oneRun, d *rundoc.Run) {
			d.Verdict = rundoc.Verdict{Validity: rundoc.Invalid,
				Reasons: []string{"The load was not offered: x. Lower the rate.", "Another."}}
		}, "its figures are invalid: The load was not offered: x"},
		{"late batches", func(_ *oneRun, d *rundoc.Run) {
			d.Verdict, d.Generator.OwnLate = rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"Late."}},
				new(int64(40))
		}, "the publisher started 40 of 300 batches too late for its own reasons"},
		{"few late batches", func(_ *oneRun, d *rundoc.Run) { d.Generator.OwnLate = new(int64(4)) }, ""},
		{"suspect", func(_ *oneRun, d *rundoc.Run) {
			d.Verdict = rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"The machine was busy."}}
		}, ""},
	} {
		r, doc := good()
		c.edit(r, doc)
		if got := r.sustained(doc); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhatLimitsARate(t *testing.T) {
	for _, c := range []struct {
		name            string
		publisher       float64
		server, machine float64 // shares of two CPUs
		gap             int64   // in which the publisher did not run
		want            string
	}{
		{"neither", .2, .3, .55, 0, "neither had used up its processors"},
		{"the publisher", .9, .05, .9, 0, "the publisher may be the limit. "},
		{"the server", .02, .87, .9, 0, "the server is the limit"},
		{"the server, and a publisher that stumbled", .02, .87, .9, 60e6, "the server is the limit"},
		{"a publisher that stumbled", .02, .3, .4, 60e6, "the publisher may be the limit. The generator did not run for 60.0 ms"},
		{"both together", .3, .6, .95, 0, "this machine was 95 % busy, and that is the limit"},
		{"others", .06, .28, .96, 0, "other programs used 65 % of that"},
		{"a server of which nothing is known", .03, 0, .96, 0, "how much of that the server used is not known"},
		{"likewise, with room on the machine", .03, 0, .4, 0, "what the server used is not known: listeners"},
		{"likewise, and the publisher at its end", .9, 0, .89, 0, "the publisher may be the limit. "},
	} {
		r, doc := good()
		doc.Host.CPUs = 2
		doc.Ledger.WindowNS = 3e9
		doc.Generator = rundoc.Generator{CPUShare: c.publisher, CPUs: 2, MachineShare: c.machine,
			CPUUserNS: int64(c.publisher * 6e9)}
		if c.gap > 0 {
			doc.Generator.Hiccups = &rundoc.Hiccups{Gaps: 1, GapsNS: c.gap, LongNS: c.gap, Longest: []rundoc.Gap{{NS: c.gap}}}
		}
		doc.Target = rundoc.Target{SameHost: true, CPUUserNS: int64(c.server * 6e9)}
		if got := limit(doc, r, "so it is"); !strings.Contains(got, c.want) || !strings.Contains(got, "so it is") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestTrialsThatStumble has a machine that stumbles in some trials, a publisher that once does not keep time, and a
// server that takes 100 batches a second: no single trial bounds the search.
func TestTrialsThatStumble(t *testing.T) {
	trials := 0
	m := &maxSearch{env: &run.Env{}, c: &Command{}, line: ratesFrom(45)}
	m.c.Quiet = true
	m.once = func(_, _ context.Context, p Plan) (*oneRun, *run.Found, error) {
		r, doc := good()
		r.plan = p
		trials++
		if trials == 1 || trials == 9 || p.Load.Rate > 100 {
			doc.Operations[0].Failed = int64(trials)
		}
		if trials == 3 {
			doc.Generator.OwnLate = new(doc.Operations[0].Scheduled)
		}
		return r, &run.Found{Doc: doc}, nil
	}
	for rate, ok := m.line.Next(); ok; rate, ok = m.line.Next() {
		if err := m.weigh(t.Context(), t.Context(), rate); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.sustainable(); got > 105 || got < 90 || m.held > 100 || m.held < 95 || trials > 50 {
		t.Errorf("found %v of 100, held %v, in %d trials: %+v", got, m.held, trials, m.trials)
	}
	if m.best.r.plan.Load.Rate != m.held || m.limitRate != m.exceeded || len(m.trials) != trials {
		t.Errorf("the best is that at %v, of %v; the limit that at %v, of %v", m.best.r.plan.Load.Rate, m.held, m.limitRate,
			m.exceeded)
	}
	if m.trials[2].Why == "" || m.trials[3].RatePerS != m.trials[2].RatePerS {
		t.Errorf("a trial of a publisher that was late is not made again: %+v", m.trials[2:4])
	}
}

// What the trials were too short for may be less than half of what they showed.
func TestLowerRatesAreMeasured(t *testing.T) {
	rate := 100.0
	for n := range maxConfirm - 1 {
		next := lower(rate, n+1)
		if next >= rate || n == 0 && rate/next > precise+1e-9 {
			t.Errorf("%v after %v", next, rate)
		}
		rate = next
	}
	if rate > 50 || rate < 20 {
		t.Errorf("the last one is %v of 100", rate)
	}
}

// TestAnInterruptedTrialShowsNothingOfItsRate: it is neither sustained nor not, and is not the best
// unless there is no other.
func TestAnInterruptedTrialShowsNothingOfItsRate(t *testing.T) {
	for _, first := range []bool{true, false} {
		soft, stop := context.WithCancel(t.Context())
		m := &maxSearch{env: &run.Env{}, c: &Command{}, line: ratesFrom(45)}
		m.c.Quiet = true
		trials := 0
		m.once = func(_, _ context.Context, p Plan) (*oneRun, *run.Found, error) {
			r, doc := good()
			r.plan = p
			if trials++; first || trials == 2 {
				stop()
				doc.Interrupted = true
			} else {
				doc.Operations[0].Failed = 1
			}
			return r, &run.Found{Doc: doc}, nil
		}
		exceeded := 0.0 // as the trial before says
		err := m.weigh(soft, t.Context(), 45)
		if !first && err == nil {
			exceeded, err = 45, m.weigh(soft, t.Context(), 22.5)
		}
		last := m.trials[len(m.trials)-1]
		if fault.CodeOf(err) != fault.Interrupted || !last.Interrupted || last.Sustained || last.Why != "" ||
			m.exceeded != exceeded {
			t.Errorf("%v, %+v, %v", err, last, m.exceeded)
		}
		if m.best.found == nil || m.best.found.Doc.Interrupted != first {
			t.Errorf("the best is %+v", m.best.found)
		}
	}
}

func TestTopicsThatAreOthers(t *testing.T) {
	for _, c := range []struct {
		given, server string
		other         bool
	}{
		{"nats://127.0.0.1:4222/updates", "nats://127.0.0.1:4222/updates", false},
		{"nats://localhost:4222/updates", "nats://127.0.0.1:4222/updates", false},
		// a stream may take what is published to its subject
		{"nats://user:pw@localhost:4222/updates", "nats+js://[::1]:4222/updates", false},
		{"nats://127.0.0.1:4222/updates", "nats://127.0.0.1:4223/updates", true},
		{"nats://a:4222/updates", "nats://b:4222/updates", false}, // who knows
		{"nats://a:4222/one", "nats://b:4222/two", true},
		{"nats://a:4222", "nats://a:4222/two", false},
		{"redis://a:6379/?stream=x", "redis://a:6379/?stream=y", true},
		{"redis://a:6379/?stream=x", "redis://a:6379/?stream=…", false},
		{"rediss://a:6379/", "redis://a:6379/", false},
		{"kafka://a:9092/x", "nats://a:9092/x", true},
		{"kafka://a:9092,b:9092/x", "kafka://a:9092/x", false},
		{"nats://a:4222/x", "memory", false},
	} {
		if got := otherTopic(c.given, c.server); got != c.other {
			t.Errorf("%s and %s: %v", c.given, c.server, got)
		}
	}
}

// gridRows are two cells, one of which went wrong.
func gridRows() []gridRow {
	r, _ := good()
	one := gridRow{GridRun: show.GridRun{GridCell: show.GridCells()[0], ID: "20261122T000000.000Z-aaaa",
		Detail: r.detail}}
	one.Detail.Stages = []rundoc.NamedStage{{Name: rundoc.StageE2ESent, UpdateStage: rundoc.UpdateStage{
		Summary: rundoc.Summary{Count: 450, P50NS: ns(654 * time.Microsecond), MaxNS: 12_300_000},
	}}}
	one.Detail.Transport, one.Detail.Client = "NATS", "github.com/nats-io/nats.go"
	one.at = one.ID
	two := one
	two.GridCell, two.ID, two.err = show.GridCells()[1], "20261122T000010.000Z-bbbb",
		fault.New(fault.Missed, "the proof is incomplete: x")
	two.Detail.Proof = &rundoc.Proof{Problems: []string{"x."}}
	return []gridRow{one, two}
}

func TestGridOutcome(t *testing.T) {
	err := gridOutcome(gridRows())
	if fault.CodeOf(err) != fault.Missed ||
		!strings.HasPrefix(err.Error(), "1 of 2 runs did not go as they should: 1000 × 45, 4 listeners: the proof") {
		t.Error(err)
	}
	if !strings.Contains(fault.HintOf(err), "report 20261122T000000.000Z-aaaa") {
		t.Error(fault.HintOf(err))
	}
	if err := gridOutcome(gridRows()[:1]); err != nil {
		t.Error(err)
	}
	rows := gridRows()
	rows[0].err = fault.New(fault.RunFailed, "not one batch was ok")
	if err := gridOutcome(rows); fault.CodeOf(err) != fault.RunFailed {
		t.Errorf("a cell that failed, and one whose proof is incomplete: %v", err)
	}
	rows[1].err = fault.New(fault.Untrusted, "the measurement cannot be trusted")
	if err := gridOutcome(rows); fault.CodeOf(err) != fault.Untrusted || !strings.HasPrefix(err.Error(), "2 of 2 runs") {
		t.Errorf("a cell that failed, and one that cannot be trusted: %v", err)
	}
	rows[1].err = fault.New(fault.Interrupted, "interrupted: so it is")
	if err := gridOutcome(rows); fault.CodeOf(err) != fault.Interrupted ||
		err.Error() != "in run 2 of 8: interrupted: so it is" {
		t.Error(err)
	}
}

// TestAMachineThatWasCopied: a server whose clock has the same identity, and is another clock, is
// related by its offset, and messages say nothing of the clock.
func TestAMachineThatWasCopied(t *testing.T) {
	here := hostclock.New()
	if here.ID() == 0 {
		t.Skip("the clock is not known here")
	}
	for _, ahead := range []time.Duration{0, time.Hour} {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /v1/info", func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(kvapi.Info{Instance: "copy"})
		})
		mux.HandleFunc("GET /v1/clock", func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(kvapi.Clock{ID: here.ID(), MonotonicNS: here.Now() + int64(ahead)})
		})
		server := httptest.NewServer(mux)
		s := &kvServer{Target: &run.Target{URL: server.URL}, clock: here}
		if err := s.meet(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if copied := ahead > 0; s.offset.Shared == copied || (s.clockID == 0) != copied {
			t.Errorf("%v ahead: %+v, the messages' clock is %d", ahead, s.offset, s.clockID)
		}
		s.client.Close()
		server.Close()
	}
}
