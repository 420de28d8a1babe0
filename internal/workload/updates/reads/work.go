package reads

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Work is the workload: each operation is a read, from one server after the other.
type Work struct {
	Servers []*kvapi.Reader
	Board   *Board                // nil: the keys are those that Hot makes
	Hot     func(n uint64) string // a key by a random number
	Seed    uint64
	Clock   *hostclock.Clock

	asked, found atomic.Int64 // keys
}

// Kinds is the one kind of operation.
func (w *Work) Kinds() []workload.Kind { return []workload.Kind{{Name: "read"}} }

// Groups is 0: there is no breakdown.
func (w *Work) Groups() int { return 0 }

// Kind is the only one.
func (w *Work) Kind(uint64) int { return 0 }

// Keys is how many keys were asked for, and how many of them had a value.
func (w *Work) Keys() (asked, found int64) { return w.asked.Load(), w.found.Load() }

// NewClient makes a client that reads.
func (w *Work) NewClient(_, slots int) workload.Client {
	return &client{w: w, slots: make([]slot, slots)}
}

type client struct {
	workload.Connectionless
	w     *Work
	slots []slot
}

// slot is a read that is prepared or on its way, and its memory.
type slot struct {
	index   uint64
	keys    []string
	batches []*Batch
	values  map[string]kvapi.Value
}

func (c *client) Prepare(n int, index uint64) workload.Operation {
	c.slots[n].index = index
	return workload.Operation{}
}

func (c *client) Do(ctx context.Context, n int, a *op.Attempt) *op.Failure {
	ctx, cancel := context.WithDeadline(ctx, a.Deadline())
	defer cancel()
	size, err := c.w.read(ctx, &c.slots[n], c.w.Clock.At(a.Began()), a.Sent)
	if err != nil {
		return failure(ctx, err)
	}
	a.Moved(size)
	return nil
}

func (c *client) Close() {}

// nobodys is a key that no update has: those that are generated are longer, or are numbers.
const nobodys = "-"

// read asks the server whose turn it is.
func (w *Work) read(ctx context.Context, s *slot, began int64, sent func()) (int, error) {
	if w.Board != nil {
		if s.keys, s.batches = w.Board.Ask(s.keys, s.batches); len(s.keys) == 0 {
			s.keys = append(s.keys, nobodys) // a server refuses a read without a key
		}
	} else {
		s.keys = append(s.keys[:0], w.Hot(rand.New(rand.NewPCG(w.Seed, s.index)).Uint64()))
	}
	if s.values == nil {
		s.values = map[string]kvapi.Value{}
	}
	clear(s.values)
	sent()
	size, err := w.Servers[s.index%uint64(len(w.Servers))].Values(ctx, s.keys, s.values)
	if err != nil {
		return 0, err
	}
	ended := w.Clock.Now()
	w.asked.Add(int64(len(s.keys)))
	w.found.Add(int64(len(s.values)))
	if w.Board != nil {
		w.Board.Answer(s.batches, s.values, began, ended)
	}
	return size, nil
}

// failure is an error as the engine takes it.
func failure(ctx context.Context, err error) *op.Failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return op.ErrUnfinished
	}
	why := cause.Of(err)
	if refused := (*kvapi.StatusError)(nil); errors.As(err, &refused) {
		if why = cause.OfStatus(refused.Status); why == "" {
			why = cause.Status(refused.Status)
		}
	}
	return &op.Failure{Cause: why, Timeout: why == cause.Timeout, Err: err}
}

// Rest goes on to look for what was not read in the window, at the same distances. Once over is closed each server is
// asked for all of it once more, unless it fails to answer. timeout bounds each read.
func (w *Work) Rest(ctx context.Context, distance, timeout time.Duration, over <-chan struct{}) {
	if w.Board == nil {
		return
	}
	s := &slot{}
	look := func() error {
		if w.Board.Open() == 0 {
			return nil
		}
		one, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		_, err := w.read(one, s, w.Clock.Now(), func() {}) // one that fails finds nothing
		s.index++
		return err
	}
	tick := time.NewTicker(distance)
	defer tick.Stop()
	for ended := false; !ended; {
		_ = look()
		select {
		case <-tick.C:
		case <-over:
			ended = true
		case <-ctx.Done():
			return
		}
	}
	// Thousands of reads may be left. One that has no answer is enough to know that of a server that hangs.
	mute := make([]bool, len(w.Servers))
	for range (w.Board.Open() + maxAsked - 1) / maxAsked * len(w.Servers) {
		if ctx.Err() != nil {
			return
		}
		if turn := s.index % uint64(len(mute)); mute[turn] {
			s.index++
		} else {
			mute[turn] = look() != nil
		}
	}
}
