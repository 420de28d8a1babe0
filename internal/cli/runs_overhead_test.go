package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// An overhead run's operations are of many kinds: its line has no rate and no p99 of them all.
func TestRunsListsAnOverheadRun(t *testing.T) {
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
		s := &run.Runs{Dir: t.TempDir()}
		path := s.Path(tt.name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), rundoc.WriteFile(path, doc)); err != nil {
			t.Fatal(err)
		}
		e := readEntry(s, tt.name)
		want := []string{tt.name, "overhead", doc.Started.Local().Format("2006-01-02 15:04:05"), "embedded", tt.want, "–", "valid"}
		if diff := cmp.Diff(want, e.row()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
