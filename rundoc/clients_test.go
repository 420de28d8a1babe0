package rundoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// waitingRun is a run at 300 operations a second with 32 clients, whose service time is service and whose response time
// is longer by wait.
func waitingRun(t *testing.T, service, wait int64) *rundoc.Run {
	t.Helper()
	run := ownRun(t, openRun(t), all(service, 0))
	run.Plan = json.RawMessage(`{"load":{"rate_per_s":300,"clients":32,"max_clients":32}}`)
	run.Ledger.MaxClients = 32
	run.Little.Slots = 32
	g := &run.Generator
	g.ResponseTimeNS = 0
	for i := range run.Operations {
		o := &run.Operations[i]
		values := make([]int64, o.OK+2)
		for j := range values {
			values[j] = service + wait
			g.ResponseTimeNS += service + wait
		}
		o.ResponseTime = summaryOf(t, values...)
		o.ResponseTime.Free = new(summaryOf(t, values...))
	}
	return run
}

func TestRunLimitedByClientsIsInvalid(t *testing.T) {
	for _, tt := range []struct {
		name          string
		service, wait int64
		edit          func(*rundoc.Run)
		want          string // in the first reason; "" if it is not about clients
		needed, files int
	}{
		{"long wait", 200 * ms, 800 * ms, func(*rundoc.Run) {},
			"All 32 clients were busy and operations waited for one: response time p99 1.00 s, service time 200 ms. The " +
				"load needs about 75: use --max-clients 75.", 75, 0},
		{"documents without max_clients", 200 * ms, 800 * ms, func(r *rundoc.Run) {
			r.Plan, r.Ledger.MaxClients = json.RawMessage(`{"load":{"rate_per_s":300,"clients":32}}`), 0
		}, "use --clients 75.", 75, 0},
		{"publishers", 200 * ms, 800 * ms, func(r *rundoc.Run) {
			r.Workload, r.Plan = rundoc.WorkloadUpdates, json.RawMessage(`{"load":{"rate_per_s":300,"clients":32}}`)
		}, "All 32 publishers were busy", 75, 0},
		{"limit of open files", 200 * ms, 800 * ms, func(r *rundoc.Run) {
			r.Plan = json.RawMessage(`{"load":{"rate_per_s":300,"clients":16,"max_clients":10000}}`)
		}, "The load needs about 75, more than the limit of open files allows: run 'ulimit -n 1024' first.",
			75, 1024},
		{"target that was quick at times", 200 * ms, 800 * ms, func(r *rundoc.Run) {
			response := r.Operations[0].ResponseTime
			ownRun(t, r, tenth(10*ms, 200*ms))
			for i := range r.Operations {
				values := make([]int64, r.Operations[i].OK+2)
				for j := range values {
					values[j] = response.MeanNS
				}
				r.Operations[i].ResponseTime = summaryOf(t, values...)
				r.Operations[i].ResponseTime.Free = new(summaryOf(t, values...))
			}
		}, "The target completed only 299 of 300 operations per second: lower --rate", 0, 0},
		{"wait of a tenth", 90 * ms, 10 * ms, func(*rundoc.Run) {}, "", 0, 0},
		{"wait of less than a millisecond", ms / 10, 9 * ms / 10, func(*rundoc.Run) {}, "", 0, 0},
		{"closed model", 200 * ms, 800 * ms, func(r *rundoc.Run) {
			r.Plan = json.RawMessage(`{"load":{"clients":32}}`)
		}, "", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := waitingRun(t, tt.service, tt.wait)
			tt.edit(run)
			run.Verdict = rundoc.Judge(run)
			about := ""
			for _, r := range run.Verdict.Reasons {
				if strings.Contains(r, "were busy") {
					about = r
				}
			}
			if (tt.want == "") != (about == "") || !strings.Contains(about, tt.want) {
				t.Errorf("reason %q, want %q; all: %q", about, tt.want, run.Verdict.Reasons)
			}
			if tt.want != "" && run.Verdict.Validity != rundoc.Invalid {
				t.Errorf("verdict %s", run.Verdict.Validity)
			}
			if clients, files := run.ClientsNeeded(); clients != tt.needed || files != tt.files {
				t.Errorf("%d clients and %d files needed, want %d and %d", clients, files, tt.needed, tt.files)
			}
		})
	}
}

func TestRunThatFailedForWantOfFilesIsInvalid(t *testing.T) {
	for failed, want := range map[int64]rundoc.Validity{2: rundoc.Suspect, 3: rundoc.Suspect, 8: rundoc.Invalid} {
		run := soundRun(t)
		o := &run.Operations[0]
		o.Causes[1].Cause = "too-many-files"
		o.Causes[0].Count, o.Causes[1].Count = o.Causes[0].Count+o.Causes[1].Count-failed, failed
		got := rundoc.Judge(run)
		if got.Validity != want || !strings.Contains(strings.Join(got.Reasons, "\n"), "ulimit -n 1024") {
			t.Errorf("%d of 3,010 attempts: %s, %q", failed, got.Validity, got.Reasons)
		}
	}
}
