//go:build unix

package cli

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestUpdatesReadAfterADelay holds when a read finds a batch against a server that applies each only after a known
// time, and against when the server says that it had applied it.
func TestUpdatesReadAfterADelay(t *testing.T) {
	t.Parallel()
	const delay = 300 * time.Millisecond
	doc, d := startUpdates(t, "--rate", "20", "--batch", "50", "--duration", "1s", "--warmup-time", "200ms", "--settle", "30s",
		"--reads", "100", "--listeners", "32", "--target-flag", "apply-delay=300ms").end(t, 0)
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	r := d.Reads
	if r == nil || r.Batches == nil || r.Operation.OK == 0 || r.Batches.Batches != total.OK || r.Batches.Seen != total.OK ||
		r.Batches.Wrong != 0 {
		t.Fatalf("reads: %+v of %d batches", r, total.OK)
	}
	times, resolution, applied := &r.Batches.Times.Summary, &r.Batches.Resolution.Summary, d.Stage(rundoc.StageE2EScheduled)
	if times.MinNS < int64(delay) {
		t.Errorf("a batch was read %v after it was due, and none is applied before %v", time.Duration(times.MinNS), delay)
	}
	// The last read that did not find a batch began before it was applied.
	if sooner := times.MeanNS - resolution.MeanNS; sooner > applied.Summary.MeanNS {
		t.Errorf("batches were read %d ns after they were due, to %d ns, and applied %d ns after", times.MeanNS,
			resolution.MeanNS, applied.Summary.MeanNS)
	}
	for _, reason := range doc.Verdict.Reasons {
		if len(reason) > 6 && reason[:6] == "broken" {
			t.Error(reason)
		}
	}
}

// TestUpdatesReadHotKeys reads keys that are updated again and again, from several servers.
func TestUpdatesReadHotKeys(t *testing.T) {
	t.Parallel()
	_, d := startUpdates(t, "--rate", "20", "--batch", "100", "--duration", "1s", "--warmup-time", "200ms", "--servers", "2",
		"--hot-keys", "40", "--reads", "100").end(t, 0)
	r := d.Reads
	if r == nil || r.Keys != rundoc.ReadHot || r.Batches != nil || r.Operation.OK == 0 || r.Found == 0 || r.Asked < r.Operation.OK {
		t.Fatalf("reads: %+v", r)
	}
}
