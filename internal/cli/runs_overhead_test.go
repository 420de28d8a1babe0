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

// An overhead run's operations are of many kinds: its line has no rate and no p99 of them all.
func TestRunsListsAnOverheadRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, detail, want string
	}{
		{"several", `{"rows":[{"overhead":{"n":5,"med_ns":160000}},{"sdk_time":{"n":5,"med_ns":243000}},{}]}`, "2 operations, medians 160 µs to 243 µs"},
		{"one", `{"rows":[{"overhead":{"n":5,"med_ns":160000}}]}`, "1 operation, median 160 µs"},
		{"none", `{"rows":[{}]}`, "–"},
	} {
		doc := &rundoc.Run{
			Schema: rundoc.Schema, ID: tt.name, Workload: rundoc.WorkloadOverhead, Started: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
			Target: rundoc.Target{URL: "http://127.0.0.1:1", Embedded: true}, Detail: rundoc.DecodeDetail(rundoc.WorkloadOverhead, []byte(tt.detail)),
			Verdict: rundoc.Verdict{Validity: rundoc.Valid},
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
		want := []string{tt.name, "overhead", "demo", tt.want, "–", "valid"}
		if diff := cmp.Diff(want, []string{e.ID, e.What(), e.Shown, e.Rate, units.Optional(e.P99NS), e.Verdict + e.Remark}); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
