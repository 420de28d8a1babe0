package rundoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestUnsentWhileIdleNeedsUnsentOperationsAndIdleClients(t *testing.T) {
	for name, tt := range map[string]struct {
		unsent int64
		edit   func(r *rundoc.Run)
		want   bool
	}{
		"idle clients":             {300, func(*rundoc.Run) {}, true},
		"all operations were sent": {0, func(*rundoc.Run) {}, false},
		"busy clients": {300, func(r *rundoc.Run) {
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 320_000 * ms}
		}, false},
		"no ledger":     {300, func(r *rundoc.Run) { r.Ledger.Clients = 0 }, false},
		"closed model":  {300, func(r *rundoc.Run) { r.Plan = nil }, false},
		"recorded load": {300, func(r *rundoc.Run) { r.Plan = json.RawMessage(`{"load":{"rate_per_s":300,"arrivals":"recorded"}}`) }, false},
		"flows that began and idle clients": {300, func(r *rundoc.Run) {
			r.Flows = []rundoc.FlowFigures{{Name: "buy", Started: 2700}}
		}, true},
		"window known from the phase only": {300, func(r *rundoc.Run) { r.Ledger.WindowNS = 0 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := openRun(t)
			if tt.unsent > 0 {
				unsend(t, run, tt.unsent)
			}
			run.Ledger.States = map[string]int64{rundoc.StateIdle: 319_000 * ms, rundoc.StateAwaiting: 1_000 * ms}
			tt.edit(run)
			if got := run.UnsentWhileIdle(); got != tt.want {
				t.Errorf("UnsentWhileIdle() = %t, want %t", got, tt.want)
			}
		})
	}
}

func TestDefinitionIsOneUnlessTheDocumentNamesAnother(t *testing.T) {
	run := &rundoc.Run{Definitions: map[string]int{rundoc.FigureOwnStart: 2}}
	if got := run.Definition(rundoc.FigureOwnStart); got != 2 {
		t.Errorf("Definition of a redefined metric in the document = %d, want 2", got)
	}
	if got := run.Definition("other"); got != 1 {
		t.Errorf("Definition of another metric in the document = %d, want 1", got)
	}
	if got := rundoc.Definition(rundoc.FigureOwnStart); got != 3 {
		t.Errorf("Definition of a redefined metric = %d, want 3", got)
	}
	if got := rundoc.Definition("other"); got != 1 {
		t.Errorf("Definition of another metric = %d, want 1", got)
	}
}

func TestJudgeNamesHowOperationsWentMissing(t *testing.T) {
	// fail turns n successful operations into failed ones.
	fail := func(r *rundoc.Run, n int64) {
		o := &r.Operations[0]
		o.OK, o.Failed, o.RatePerS = o.OK-n, o.Failed+n, o.RatePerS-float64(n)/10
		o.Causes[0].Count += n
		r.Phases[0].OK -= n
		r.Series[0].OK, r.Series[0].Failed = r.Series[0].OK-n, r.Series[0].Failed+n
	}
	for name, tt := range map[string]struct {
		edit func(r *rundoc.Run)
		want string
	}{
		"failed": {func(r *rundoc.Run) { fail(r, 50) }, "1.87% of 3,000 operations failed (limit 1%)"},
		"failed and unsent": {func(r *rundoc.Run) {
			fail(r, 30)
			r.Plan = json.RawMessage(`{"load":{"rate_per_s":300}}`)
			unsend(t, r, 20)
		}, "1.87% of 3,000 operations failed or were not sent (limit 1%)"},
	} {
		t.Run(name, func(t *testing.T) {
			run := soundRun(t)
			tt.edit(run)
			reasons := rundoc.Judge(run).Reasons
			if len(reasons) != 1 || !strings.Contains(reasons[0], tt.want) {
				t.Errorf("reasons: %q, want %q", reasons, tt.want)
			}
		})
	}
}

func TestJudgeAcceptsTimesAboveTheHistogramRange(t *testing.T) {
	run := soundRun(t)
	run.Connections.ConnectTime = summaryOf(t, append(count(40), 3*highest)...)
	checkReason(t, run, "")
}

func TestJudgeAcceptsDocumentsWithoutDetail(t *testing.T) {
	for _, workload := range []string{rundoc.WorkloadBandwidth, rundoc.WorkloadChat, rundoc.WorkloadHTTP,
		rundoc.WorkloadOverhead, rundoc.WorkloadUpdates, rundoc.WorkloadWS} {
		run := soundRun(t)
		run.Workload, run.Detail = workload, rundoc.DecodeDetail(workload, nil)
		checkReason(t, run, "")
		for _, w := range rundoc.Warnings(run) {
			if w.Message == "" {
				t.Errorf("%s: empty warning %q", workload, w.Code)
			}
		}
	}
}
