package reads

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/plan"
)

// TestTheLoadBesideAnother has clients for reads of 50 ms, within bounds, and the times of the load beside it.
func TestTheLoadBesideAnother(t *testing.T) {
	for _, c := range []struct {
		rate    float64
		clients int
	}{{1, 8}, {160, 8}, {161, 9}, {1000, 50}, {5101, 256}, {6000, 256}} {
		for _, warmup := range []time.Duration{0, 1, time.Second} {
			beside := plan.Load{Seed: 7, Clients: 3, Rate: 5, Duration: time.Minute, WarmupTime: warmup, Drain: time.Hour,
				Retry: plan.Retry{Timeout: 3 * time.Second, Max: 4}}
			want := plan.Load{Seed: 7, Clients: c.clients, Pipeline: 1, Rate: c.rate, Arrivals: plan.Constant,
				Duration: time.Minute, WarmupTime: warmup, Drain: 3 * time.Second,
				Retry: plan.Retry{Timeout: 3 * time.Second}}
			if warmup > 0 {
				want.WarmupClients = c.clients
			}
			want.MaxWaiting = want.EnoughWaiting()
			if diff := cmp.Diff(want, LoadOf(c.rate, &beside)); diff != "" {
				t.Errorf("%v reads/s, warm-up %v: %s", c.rate, warmup, diff)
			}
		}
	}
}

// TestWhyAReadFailed: by the word for a server's status, or else its number; of a run that ends it is unfinished.
func TestWhyAReadFailed(t *testing.T) {
	for _, c := range []struct {
		err     error
		cause   string
		timeout bool
	}{
		{&kvapi.StatusError{Status: 503}, "slow-down", false},
		{&kvapi.StatusError{Status: 408}, "timeout", true},
		{&kvapi.StatusError{Status: 418}, "status-418", false},
		{fmt.Errorf("reading: %w", &kvapi.StatusError{Status: 404}), "no-such-file", false},
		{context.DeadlineExceeded, "timeout", true},
	} {
		f := failure(t.Context(), c.err)
		if f.Cause != c.cause || f.Timeout != c.timeout || !errors.Is(f.Err, c.err) {
			t.Errorf("%v: %+v, want %s", c.err, f, c.cause)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if f := failure(over, errors.New("cut")); f != op.ErrUnfinished {
		t.Errorf("of a run that ends: %+v", f)
	}
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	if f := failure(late, late.Err()); f == op.ErrUnfinished || !f.Timeout {
		t.Errorf("of an attempt whose time is over: %+v", f)
	}
}

// TestTheOneKindOfOperation is what the engine is told of the workload.
func TestTheOneKindOfOperation(t *testing.T) {
	w := new(Work)
	if k := w.Kinds(); len(k) != 1 || k[0].Name != "read" || w.Kind(5) != 0 || w.Groups() != 0 {
		t.Errorf("%+v, %d, %d", k, w.Kind(5), w.Groups())
	}
}

// TestTheBoundsOfABoard: 64 of the longest keys fit into the headers that a server takes, and a server that has nothing
// costs the memory of so many batches; what is beyond is told as not looked for.
func TestTheBoundsOfABoard(t *testing.T) {
	b := new(Board)
	for i := range 1<<18 + 1 {
		b.Sent([]byte{byte(i), byte(i >> 8), byte(i >> 16)}, nil, false, true, 1)
	}
	if f := b.Found(); f.Batches != 1<<18 || f.Unwatched != 1 || b.Open() != 1<<18 {
		t.Errorf("%d are looked for, %d not, %d open", f.Batches, f.Unwatched, b.Open())
	}
	if keys, asked := b.Ask(nil, nil); len(keys) != 64 || len(asked) != 64 {
		t.Errorf("one read asks for %d keys of %d batches", len(keys), len(asked))
	}
}

// TestNothingIsLeftOfNoReads: a run without reads ends and abandons none.
func TestNothingIsLeftOfNoReads(t *testing.T) {
	var none *Reading
	none.Abandon()
	if d, err := none.End(); d != nil || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestAReadOfHotKeys asks for one key each time, and counts those that have a value and the bytes that came.
func TestAReadOfHotKeys(t *testing.T) {
	var came atomic.Int64
	const answer = `{"keys":{"k":{"value":"v"}}}`
	asked := make(chan string, 1)
	w := &Work{Clock: hostclock.New(), Hot: func(uint64) string { return "k" }, Servers: []*kvapi.Reader{
		asking(t, &came, func(w http.ResponseWriter, r *http.Request) {
			asked <- r.URL.Query().Get("keys")
			_, _ = w.Write([]byte(answer))
		}),
	}}
	s := new(slot)
	for n := range int64(2) {
		size, err := w.read(t.Context(), s, 1, func() {})
		if err != nil || size != len(answer) {
			t.Errorf("%d bytes, %v", size, err)
		}
		if keys := <-asked; keys != "k" {
			t.Errorf("asked for %q", keys)
		}
		if asked, found := w.Keys(); asked != n+1 || found != n+1 {
			t.Errorf("%d keys, %d found", asked, found)
		}
	}
}
