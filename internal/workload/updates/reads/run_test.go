package reads

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/plan"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// served are servers that answer so, and how often each was asked.
func served(t *testing.T, n int, answer http.HandlerFunc) (urls []string, came []*atomic.Int64) {
	t.Helper()
	for range n {
		one := new(atomic.Int64)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			one.Add(1)
			answer(w, r)
		}))
		t.Cleanup(server.Close)
		urls, came = append(urls, server.URL), append(came, one)
	}
	return urls, came
}

// short is the load of twenty reads beside a load of a tenth of a second, which all the time of a busy machine is left for.
func short() plan.Load {
	return LoadOf(200, &plan.Load{Seed: 3, Duration: 100 * time.Millisecond, Retry: plan.Retry{Timeout: time.Minute}})
}

// TestReadsBesideARun: every read that was due is made, each server has its turn, and the document says of what.
func TestReadsBesideARun(t *testing.T) {
	for _, hot := range []bool{true, false} {
		urls, came := served(t, 2, everything)
		w := &Work{Clock: hostclock.New(), Seed: 5}
		const left = 30*maxAsked + 1 // more than the reads of the window ask for
		if hot {
			w.Hot = func(n uint64) string { return fmt.Sprint(n % 7) }
		} else {
			w.Board = new(Board)
			for i := range left {
				sent(w.Board, fmt.Sprint(i), 1)
			}
		}
		r, err := Start(t.Context(), nil, Config{URLs: urls, Load: short(), Work: w, Keys: "some"})
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.End()
		if err != nil {
			t.Fatal(err)
		}
		o := d.Operation
		if o.Name != "read" || o.Scheduled != 20 || o.OK != 20 || o.Bytes < 20*int64(len(`{"keys":{"1":{"value":"of 1"}}}`)) ||
			d.Keys != "some" || d.RatePerS != 200 || d.Readers != 10 || len(d.Series) == 0 || d.Asked != d.Found {
			t.Errorf("%+v", d)
		}
		if a, b := came[0].Load(), came[1].Load(); hot && (a != 10 || b != 10) || a < 10 || b < 10 {
			t.Errorf("one server was asked %d times, the other %d", a, b)
		}
		switch {
		case hot && (d.Batches != nil || d.Asked != 20):
			t.Errorf("%d keys, %+v", d.Asked, d.Batches)
		case !hot && (d.Batches == nil || d.Batches.Batches != left || d.Batches.Seen != left || d.Batches.Wrong != 0):
			t.Errorf("%d keys, %+v", d.Asked, d.Batches)
		}
	}
}

// TestFailedReadsAreCounted: why, as often as they do, and none of their keys was asked for.
func TestFailedReadsAreCounted(t *testing.T) {
	urls, _ := served(t, 1, refuses)
	r, err := Start(t.Context(), nil, Config{URLs: urls, Load: short(),
		Work: &Work{Clock: hostclock.New(), Hot: func(uint64) string { return "k" }}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.End()
	if err != nil {
		t.Fatal(err)
	}
	if o := d.Operation; o.Failed != 20 || len(o.Causes) != 1 || o.Causes[0].Cause != "slow-down" || d.Asked != 0 || d.Found != 0 {
		t.Errorf("%+v", d)
	}
}

// TestAbandonedReadsEnd: those of a run that came to nothing end when they are abandoned, and those that were stopped before
// they began say so; where a server is none there are none.
func TestAbandonedReadsEnd(t *testing.T) {
	urls, _ := served(t, 1, everything)
	w := func() *Work { return &Work{Clock: hostclock.New(), Hot: func(uint64) string { return "k" }} }
	long := short()
	long.Duration = time.Hour
	r, err := Start(t.Context(), nil, Config{URLs: urls, Load: long, Work: w()})
	if err != nil {
		t.Fatal(err)
	}
	r.Abandon()
	stop := make(chan struct{})
	close(stop)
	long.WarmupTime, long.WarmupClients = time.Hour, long.Clients
	if r, err = Start(t.Context(), stop, Config{URLs: urls, Load: long, Work: w()}); err != nil {
		t.Fatal(err)
	}
	if d, err := r.End(); d != nil || err == nil {
		t.Errorf("%+v, %v", d, err)
	}
	if r, err := Start(t.Context(), nil, Config{URLs: []string{urls[0], "gopher://x"}, Load: long, Work: w()}); r != nil || err == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRestReadsUntilTheRunIsOver: a look at each distance, with what came meanwhile.
func TestRestReadsUntilTheRunIsOver(t *testing.T) {
	over := make(chan struct{})
	b := new(Board)
	sent(b, "first", 1)
	var came atomic.Int64
	w := &Work{Board: b, Clock: hostclock.New()}
	w.Servers = []*kvapi.Reader{asking(t, &came, func(w http.ResponseWriter, r *http.Request) {
		if came.Load() == 3 { // nothing is left, and nothing is asked for
			everything(w, r)
			close(over)
			return
		}
		_, _ = w.Write([]byte(`{"keys":{}}`))
	})}
	w.Rest(t.Context(), time.Nanosecond, time.Minute, over)
	if came.Load() != 3 || b.Open() != 0 {
		t.Errorf("%d reads, %d are left", came.Load(), b.Open())
	}
	// A read is cut off when its time is over, and a run that ends is not gone on with.
	sent(b, "second", 1)
	hangs := make(chan struct{})
	asked := make(chan struct{}, 100)
	w.Servers = []*kvapi.Reader{asking(t, &came, func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-hangs:
		}
	})}
	defer close(hangs)
	came.Store(0)
	w.Rest(t.Context(), time.Hour, 10*time.Millisecond, over)
	if n := came.Load(); n > 2 {
		t.Errorf("asked %d times", n)
	}
}
