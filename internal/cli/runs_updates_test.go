package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What counts of an updates run is what the server applied, and when.
func TestRunsListsAnUpdatesRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, detail       string
		rate, p99, verdict string
	}{
		{"complete", `{"applied_per_s":44980.2,"stages":[{"name":"end to end, from the schedule","summary":{"count":5000,"p99_ns":2750000}}],"proof":{"complete":true}}`,
			"44,980 updates/s", "2.75 ms", "suspect"},
		{"lost", `{"applied_per_s":40200,"proof":{"lost":3,"problems":["x"]}}`, "40,200 updates/s", "–", "suspect, proof incomplete"},
		{"unknown", `{"applied_per_s":40200,"proof":{"unknown":true,"received":5,"problems":["x"]}}`, "40,200 updates/s", "–", "suspect, proof unknown"},
		{"published", `{"stages":[]}`, "45.0/s", "–", "suspect"},
		{"unreadable", `[]`, "45.0/s", "–", "suspect"},
	} {
		doc := &rundoc.Run{
			Schema: rundoc.Schema, ID: tt.name, Workload: rundoc.WorkloadUpdates, Started: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC),
			Target: rundoc.Target{URL: "nats://127.0.0.1:1", Embedded: true}, Detail: rundoc.DecodeDetail(rundoc.WorkloadUpdates, []byte(tt.detail)),
			Operations: []rundoc.Operation{{Name: "publish", RatePerS: 45}},
			Verdict:    rundoc.Verdict{Validity: rundoc.Suspect},
		}
		s := &saved.Runs{Dir: t.TempDir()}
		path := s.Path(tt.name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), rundoc.WriteFile(path, doc)); err != nil {
			t.Fatal(err)
		}
		list, _, err := s.List(reportKind, saved.Choice{})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d runs, %v", len(list), err)
		}
		e := &list[0]
		want := []string{tt.name, "updates", "demo", tt.rate, tt.p99, tt.verdict}
		if diff := cmp.Diff(want, []string{e.ID, e.What(), e.Shown, e.Rate, units.Optional(e.P99NS), e.Verdict + e.Remark}); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
