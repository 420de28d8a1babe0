package updates

import (
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

func TestOtherTopic(t *testing.T) {
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
	one := gridRow{GridRun: show.GridRun{GridCell: show.GridCells()[0], ID: "20261122T000000.000Z-aaaa",
		Detail: rundoc.UpdatesDetail{AppliedPerS: 100_000,
			Proof: &rundoc.Proof{Complete: true, Published: 300, Received: 300, Updates: 300_000, Applied: 300_000}}}}
	one.Detail.Stages = []rundoc.NamedStage{{Name: rundoc.StageE2ESent, UpdateStage: rundoc.UpdateStage{
		Summary: rundoc.Summary{Count: 450, P50NS: ns(654 * time.Microsecond), MaxNS: 12_300_000},
	}}}
	one.Detail.Transport, one.Detail.Client = "NATS", "github.com/nats-io/nats.go"
	one.at = one.ID
	two := one
	two.GridCell, two.ID, two.err = show.GridCells()[1], "20261122T000010.000Z-bbbb",
		fault.New(fault.Missed, "proof incomplete: x")
	two.Detail.Proof = &rundoc.Proof{Problems: []string{"x."}}
	return []gridRow{one, two}
}

func TestGridOutcome(t *testing.T) {
	err := gridOutcome(gridRows())
	if fault.CodeOf(err) != fault.Missed ||
		!strings.HasPrefix(err.Error(), "1 of 2 runs failed: 1000 × 45, 4 listeners: proof") {
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

// TestClonedMachineWithSameClockID: a server whose clock has the same identity, and is another clock, is
// related by its offset, and messages say nothing of the clock.
func TestClonedMachineWithSameClockID(t *testing.T) {
	here := hostclock.New()
	if here.ID() == 0 {
		t.Skip("the clock is unknown here")
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
