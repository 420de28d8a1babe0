package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// calls is traffic whose operations are over at once, and do what a test says.
type calls struct {
	do   func(index uint64) *op.Failure
	made atomic.Int64
}

// closedCalls is such traffic that cannot be opened.
type closedCalls struct{ *calls }

func (closedCalls) Open(context.Context, *op.Clock) error { return errors.New("nobody is there") }
func (closedCalls) Shut()                                 {}

func (c *calls) Kinds() []workload.Kind             { return []workload.Kind{{Name: "call"}} }
func (c *calls) Groups() int                        { return 0 }
func (c *calls) Kind(uint64) int                    { return 0 }
func (c *calls) NewClient(int, int) workload.Client { return &caller{calls: c} }
func (c *calls) Do(index uint64, a *op.Attempt) *op.Failure {
	c.made.Add(1)
	a.Sent()
	if c.do == nil {
		return nil
	}
	return c.do(index)
}

type caller struct {
	calls *calls
	index uint64
}

func (c *caller) Connect(context.Context) error { return nil }
func (c *caller) Down() *op.Failure             { return nil }
func (c *caller) Prepare(_ int, index uint64) workload.Operation {
	c.index = index
	return workload.Operation{}
}
func (c *caller) Do(_ context.Context, _ int, a *op.Attempt) *op.Failure {
	return c.calls.Do(c.index, a)
}
func (c *caller) Cut(*op.Failure) {}
func (c *caller) Close()          {}

// few is a load of so many operations by one client.
func few(n int64) plan.Load {
	return plan.Load{Clients: 1, Pipeline: 1, Operations: n, Retry: plan.Retry{Timeout: time.Minute, MaxBackoff: time.Second}, Drain: time.Minute}
}

// driven is a run that carries a load out.
func driven(forms Forms) *Run {
	env, _, _ := unlit("")
	return New(env, Job{Workload: "chat", Forms: forms})
}

// What the engine has carried out has its document, its target without secrets, and its samples.
func TestDrive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	r := driven(Forms{})
	target := &Target{URL: "http://me:hunter2@h/?token=hunter2", Embedded: true, SameHost: true}
	got, err := r.Drive(t.Context(), t.Context(), Load{Load: few(20), Workload: &calls{}, Target: target,
		Samples: Samples{Path: path, Header: "n\n", Format: func(row []byte, _ *record.Sample) []byte { return append(row, "1\n"...) }}})
	if err != nil {
		t.Fatal(err)
	}
	if total, err := got.Doc.Totals(); err != nil || total.OK != 20 || got.Doc.Aborted != "" || got.Doc.Until != nil {
		t.Errorf("%v, %+v", err, got.Doc)
	}
	if at := got.Doc.Target; strings.Contains(at.URL, "hunter2") || !strings.Contains(at.URL, "@h/") && !strings.Contains(at.URL, "//h/") || !at.Embedded || !at.SameHost {
		t.Errorf("%+v", at)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "n\n"+strings.Repeat("1\n", 20) || got.Samples == nil || got.Samples.Written != 20 {
		t.Errorf("%v, %q, %+v", err, text, got.Samples)
	}
	if got, err := driven(Forms{}).Drive(t.Context(), t.Context(), Load{Load: few(3), Workload: &calls{}, Target: &Target{URL: "mem:"}}); err != nil || got.Samples != nil {
		t.Errorf("%v, %+v", err, got.Samples)
	}
}

// A load that cannot begin has no document, and says why.
func TestDriveReportsALoadThatCannotBegin(t *testing.T) {
	w := &calls{}
	for name, tt := range map[string]struct {
		path string
		work workload.Workload
		says string
	}{
		"no file": {filepath.Join(t.TempDir(), "nowhere", "s.csv"), w, "--samples: cannot write"},
		"nobody":  {"", closedCalls{w}, "nobody is there"},
	} {
		l := Load{Load: few(3), Workload: tt.work, Target: &Target{}, Samples: Samples{Path: tt.path}}
		got, err := driven(Forms{}).Drive(t.Context(), t.Context(), l)
		if got != nil || err == nil || !strings.Contains(err.Error(), tt.says) || w.made.Load() > 0 {
			t.Errorf("%s: %+v, %v, %d were made", name, got, err, w.made.Load())
		}
	}
}

// With --abort-on-miss, a missed threshold ends the run, and the document names the threshold.
func TestDriveAbortsOnMissedThreshold(t *testing.T) {
	g := goal(t, "failed<=0")
	r := driven(Forms{Goals: Goals{Thresholds: []threshold.Threshold{g}, AbortOnMiss: true}})
	l := few(0)
	l.Duration = time.Hour // the miss ends the run
	w := &calls{do: func(index uint64) *op.Failure { return &op.Failure{Cause: "refused", Final: true} }}
	got, err := r.Drive(t.Context(), t.Context(), Load{Load: l, Workload: w, Target: &Target{}})
	if err != nil || got.Doc.Aborted != "failed<=0" {
		t.Errorf("%v, %+v", err, got)
	}
}

// The document of a run with --until has the metric that was waited for.
func TestDriveRecordsUntil(t *testing.T) {
	u, _, err := given(t, []string{"warmup-time"}, "rate±5%")
	if err != nil {
		t.Fatal(err)
	}
	l := few(0)
	l.Duration = 200 * time.Millisecond
	got, err := driven(Forms{Until: *u}).Drive(t.Context(), t.Context(), Load{Load: l, Workload: &calls{}, Target: &Target{}})
	if err != nil || got.Doc.Until == nil || got.Doc.Until.Figure != "rate" {
		t.Errorf("%v, %+v", err, got)
	}
}

// Who looks on sees what was counted so far, and what was counted in all when it is over.
func TestObserversSeeCountsDuringAndAfterTheRun(t *testing.T) {
	r := driven(Forms{Labels: []string{"night"}})
	r.SeenBy(onlook.New())
	if sums := r.sums(); sums != nil {
		t.Errorf("before it begins: %+v", sums)
	}
	leave := r.enter()
	var counted *onlook.Counted
	var sums *record.Sums
	seen := false
	soft, enough := context.WithCancel(t.Context())
	defer enough()
	w := &calls{do: func(index uint64) *op.Failure {
		if index < 25 || seen {
			return nil
		}
		var err error
		if counted, err = r.count(); err != nil {
			t.Error(err)
		}
		sums = r.sums()
		if seen = counted != nil; seen {
			enough()
		}
		return nil
	}}
	l := few(0)
	l.Duration = time.Hour // enough ends the run
	got, err := r.Drive(soft, t.Context(), Load{Load: l, Workload: w, Target: &Target{URL: "mem:"}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := got.Doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if counted == nil || sums == nil {
		t.Fatalf("nothing was seen: %v, %v", counted, sums)
	}
	d := counted.Doc
	if d.ID != r.ID || d.Workload != "chat" || d.Labels[0] != "night" || d.Target.URL != "mem:" || d.Total == nil || d.Plan != nil || d.Tool.Version == "" {
		t.Errorf("%+v", d)
	}
	last, err := r.count()
	if err != nil || last == nil || !last.Over || last == counted || last.Doc.Total.OK != all.OK {
		t.Errorf("%v, %+v", err, last)
	}
	if sums := r.sums(); sums == nil {
		t.Error("there are no sums of what is over")
	}
	leave(nil)
	unseen := driven(Forms{})
	unseen.finish()
	unseen.enter()(nil)
	if counted, err := unseen.count(); counted != nil || err != nil {
		t.Errorf("%v, %v", counted, err)
	}
}

// What is worked out for all who ask is worked out seldom, the more so the longer it takes.
func TestSharedResultIsRecomputedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w worked[int]
		n, takes := 0, 10*time.Millisecond
		var wrong error
		work := func() (int, error) {
			time.Sleep(takes)
			n++
			return n, wrong
		}
		ask := func(after time.Duration, want int, fails bool) {
			t.Helper()
			time.Sleep(after)
			if got, err := w.by(work); got != want || (err != nil) != fails {
				t.Errorf("%d, %v, want %d", got, err, want)
			}
		}
		ask(0, 1, false)
		ask(500*time.Millisecond-1, 1, false)
		takes = 50 * time.Millisecond
		ask(1, 2, false)
		ask(time.Second-1, 2, false)
		wrong = errors.New("it cannot be summed up")
		ask(1, 2, true)
		ask(0, 2, true) // and is tried again at once
		wrong = nil
		ask(0, 5, false)
	})
}

// What a reader needs to know of a load is the rate at which it was due.
func TestOpenPlan(t *testing.T) {
	stages := []plan.Stage{{Duration: time.Second, Rate: 5}}
	for _, tt := range []struct {
		load plan.Load
		want string
	}{
		{plan.Load{Clients: 3}, ""},
		{plan.Load{Rate: 8}, `{"load":{"rate_per_s":8}}`},
		{plan.Load{Stages: stages}, `{"load":{"rate_per_s":0,"stages":[{"duration_ns":1000000000,"rate_per_s":5}]}}`},
		{plan.Load{Rate: 8, Stages: stages}, `{"load":{"rate_per_s":8,"stages":[{"duration_ns":1000000000,"rate_per_s":5}]}}`},
	} {
		if got := openPlan(&tt.load); string(got) != tt.want || (got == nil) != (tt.want == "") {
			t.Errorf("%s, want %s", got, tt.want)
		}
		open := &rundoc.Run{Plan: json.RawMessage(openPlan(&tt.load))}
		if tt.want != "" && !open.OpenModel() {
			t.Errorf("%s is no open load", open.Plan)
		}
	}
}

// What can be told at the end alone is said once, and what nobody asked for is not looked for.
func TestAbortOnMissWatchesTheRightThresholds(t *testing.T) {
	for name, tt := range map[string]struct {
		goals   string
		asked   bool
		at      int // among several
		load    plan.Load
		mixed   bool
		goalsOf int // that are looked for; -1: there is no lookout
		note    string
	}{
		"not asked":        {"p99<1s", false, 0, plan.Load{}, false, -1, ""},
		"one":              {"p99<1s", true, 0, plan.Load{}, false, 1, ""},
		"at the end":       {"ok>100", true, 0, plan.Load{}, false, -1, "plimsoll: --abort-on-miss: evaluated only at the end of the run: ok>100\n"},
		"some, at the end": {"p99<1s ok>100 p50>1s", true, 0, plan.Load{}, false, 1, "plimsoll: --abort-on-miss: evaluated only at the end of the run: ok>100, p50>1s\n"},
		"said before":      {"p99<1s ok>100", true, 1, plan.Load{}, false, 1, ""},
		"two":              {"p99<1s failed<=0", true, 0, plan.Load{}, false, 2, ""},
		"a rate":           {"rate>1/s", true, 0, plan.Load{Rate: 5}, false, 1, ""},
		"a rate in stages": {"rate>1/s", true, 1, plan.Load{Stages: []plan.Stage{{}}}, false, -1, ""},
		"one of many":      {"rate>1/s", true, 1, plan.Load{}, true, -1, ""},
	} {
		env, _, stderr := unlit("")
		goals := Goals{AbortOnMiss: tt.asked}
		for _, text := range strings.Fields(tt.goals) {
			goals.Thresholds = append(goals.Thresholds, goal(t, text))
		}
		r := New(env, Job{Forms: Forms{Goals: goals}, Kind: report.Kind{Mixed: tt.mixed}})
		r.View.Among("", tt.at, 3, 0)
		out := r.lookOut(&Load{Load: tt.load})
		got := -1
		if out != nil {
			got = len(out.goals)
		}
		if got != tt.goalsOf || stderr.String() != tt.note {
			t.Errorf("%s: %d goals, %q", name, got, stderr)
		}
	}
	for text, want := range map[string]record.Times{"p99<1s": {Response: true}, "service.p99<1s": {Service: true},
		"send_delay.p99<1s": {SendDelay: true}, "first_attempt.p99<1s": {FirstAttempt: true}, "failed<1%": {}} {
		if got := newLookout([]threshold.Threshold{goal(t, text)}, true).ask; got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
