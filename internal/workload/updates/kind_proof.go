package updates

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/rundoc"
)

// conclude waits for the server, and compares what it has with what was published. An interrupt ends
// the wait: that which ended the load does not, but the next one.
func (r *oneRun) conclude(soft, hard context.Context) error {
	if r.server == nil {
		m, err := r.work.Manifest()
		if err != nil {
			return fault.New(fault.RunFailed, "cannot compute the expected state: %w", err)
		}
		r.detail.Manifest, r.fates = m, r.work.Fates(Word{})
		r.detail.Notes = append(r.detail.Notes, "No server was queried, so it is unknown whether the batches were "+
			"received. Most brokers acknowledge and discard messages published before a subscription exists.")
		return nil
	}
	enough := soft
	if soft.Err() != nil {
		enough = hard
	}
	all := r.settleAll(enough, hard)
	defer r.life.View.Begin("proof", nil)()
	var servers []rundoc.UpdateServer
	var found []*kvapi.Run
	var words []Word
	for i, s := range r.servers {
		d, err := r.concludeOne(s, &all[i], enough.Err() != nil)
		if err != nil {
			return fault.New(fault.RunFailed, "cannot compute the expected state: %w", err)
		}
		if i == 0 {
			r.detail.Manifest = d.Manifest
		}
		w := Word{all[i].found, early(all[i].found, all[i].failed, enough.Err() != nil) == ""}
		s.fates = r.work.Fates(w)
		servers, found, words = append(servers, rundoc.ServerOf(d)), append(found, all[i].found), append(words, w)
		r.backlog = max(r.backlog, s.backlog)
	}
	r.fates = r.work.Fates(words...)
	everywhere, lost := proof.Everywhere(r.detail.Manifest.Publishers, found)
	if len(servers) > 1 {
		r.between(hard, servers, found)
	}
	r.detail.SetServers(servers, lost, proof.Batches(everywhere))
	return nil
}

// concludeOne holds what a server told against what was published, and gives what a run with it alone would tell.
func (r *oneRun) concludeOne(s *kvServer, t *lastWord, interrupted bool) (*rundoc.UpdatesDetail, error) {
	m, came, err := r.work.Conclude(proof.Answer{
		Found: t.found, Early: early(t.found, t.failed, interrupted), Elsewhere: s.elsewhere,
		Instance: s.info.Instance, AtLeastOnce: r.topic.Describe().AtLeastOnce,
	})
	if err != nil {
		return nil, err
	}
	came.Interrupted = interrupted
	d := &rundoc.UpdatesDetail{Manifest: m, Proof: &came}
	if t.found != nil {
		s.addTimes(d, t.found, r.from, r.to)
	}
	s.describe(d, time.Duration(r.to-r.from))
	return d, nil
}

// early says why the server's last answer is not that of the end; "" when it is.
func early(found *kvapi.Run, failed error, interrupted bool) string {
	var said []string
	if interrupted {
		said = append(said, "The wait for the server was interrupted: missing batches may have arrived later.")
	}
	switch {
	case failed == nil:
	case found == nil:
		said = append(said, "The server could not be queried: "+fault.OneLine(failed.Error())+".")
	default:
		said = append(said, "The final query of the server failed: "+fault.OneLine(failed.Error())+
			". The data is from its last response.")
	}
	return strings.Join(said, " ")
}

// The last question to a server, for the digest of its keys, may take as long as the wait for updates
// that have not arrived, within these bounds: tens of millions of keys take seconds.
const (
	lastAsk = 5 * time.Second // also when somebody wants to see the end
	maxLast = 45 * time.Second
)

// lastBound is the bound on it. Who gave --timeout meant this question, too.
func (c *Command) lastBound(settle time.Duration) time.Duration {
	if c.patience > 0 {
		return c.patience
	}
	return min(max(settle, lastAsk), maxLast)
}

// mostBatches is how many batches were published at most.
func mostBatches(published []rundoc.Published) (n int64) {
	for _, p := range published {
		n += int64(min(p.Next, 1<<40)) // a document that was written by hand may have any number
	}
	return n
}

// lastWord is what a server said last, and why that was not all.
type lastWord struct {
	found  *kvapi.Run // nil when there was nothing
	failed error
}

// settleAll waits for all servers at the same time until each has it all, or enough is done, and asks each for all that
// it knows.
func (r *oneRun) settleAll(enough, hard context.Context) []lastWord {
	published := mostBatches(r.work.Published())
	all, arrived := make([]lastWord, len(r.servers)), make([]atomic.Int64, len(r.servers))
	var asking atomic.Int64 // servers that are asked for the last time, or were
	defer r.life.View.Begin("waiting for the server", func() run.Live {
		least := published
		for i := range arrived {
			least = min(least, arrived[i].Load())
		}
		l := arriving(least, published)
		if asking.Load() == int64(len(all)) {
			l = run.Live{Phase: "querying the server", Done: -1, Left: -1}
		}
		return l
	})()
	var waiting sync.WaitGroup
	for i, s := range r.servers {
		waiting.Go(func() { all[i] = r.settle(enough, hard, s, &arrived[i], &asking) })
	}
	waiting.Wait()
	return all
}

// settle waits for a server until it has it all or enough is done, and then asks for all that it
// knows. With an error it gives the last answer, if there was one. A server that was started for the
// run and has ended does not come back.
func (r *oneRun) settle(enough, hard context.Context, s *kvServer, arrived, asking *atomic.Int64) lastWord {
	there, gone := context.WithCancelCause(context.WithoutCancel(hard))
	defer gone(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	over := make(chan struct{})
	defer close(over)
	watcher.Go(func() {
		select {
		case <-s.Ended:
			gone(errors.New("it has exited"))
		case <-over:
		}
	})
	waiting, stop := either(there, enough)
	last, err := proof.Settle(waiting, r.settling(s, arrived), r.work.Published())
	stop()
	asking.Add(1)
	if enough.Err() != nil {
		err = nil // the wait was cut short, and the server is asked once more
	}
	var found *kvapi.Run
	if err == nil {
		found, err = r.askAll(there, enough, hard, s)
	}
	switch {
	case err == nil:
		return lastWord{found: found}
	case there.Err() != nil:
		err = context.Cause(there)
	case enough.Err() != nil && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	return lastWord{last, err}
}

// either is a context that ends with the first of two.
func either(ctx, other context.Context) (context.Context, context.CancelFunc) {
	both, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(other, cancel)
	return both, func() {
		forget()
		cancel()
	}
}

// settling is how to wait for a server.
func (r *oneRun) settling(s *kvServer, arrived *atomic.Int64) proof.Settling {
	published := mostBatches(r.work.Published())
	return proof.Settling{
		Bound: r.plan.Settle, AtLeastOnce: r.topic.Describe().AtLeastOnce,
		Ask: func(ctx context.Context) (*kvapi.Run, error) {
			before := r.clock.Now()
			run, err := s.client.Run(ctx, r.number, kvapi.RunOptions{Batches: published})
			if err == nil {
				arrived.Store(proof.Batches(&run))
			}
			if err == nil && run.LastNS >= 0 {
				asked := before + (r.clock.Now()-before)/2
				s.backlog = time.Duration(max(0, asked-run.LastNS-r.to))
			}
			return &run, err
		},
	}
}

// arriving is how far a wait is for batches.
func arriving(n, of int64) run.Live {
	l := run.Live{Count: units.Number(n) + " of " + units.Number(of) + " batches", Done: -1, Left: -1}
	if n > 0 && of > 0 {
		l.Done = float64(n) / float64(of)
	}
	return l
}

// askAll asks for all that a server knows, and does not wait for long for one that hangs. After an
// interrupt it takes less, and the next one ends it.
func (r *oneRun) askAll(ctx, enough, hard context.Context, s *kvServer) (*kvapi.Run, error) {
	var stop context.CancelFunc
	switch {
	case enough.Err() == nil:
		ctx, stop = either(ctx, enough)
	case hard.Err() == nil:
		ctx, stop = either(ctx, hard)
	default:
		stop = func() {}
	}
	defer stop()
	bound := r.c.lastBound(r.plan.Settle)
	if enough.Err() != nil {
		bound = min(lastAsk, bound)
	}
	return proof.Within(ctx, bound, func(ctx context.Context) (*kvapi.Run, error) {
		if !s.offset.Shared {
			now, err := s.client.Offset(ctx, clockProbes, r.clock.Now, r.clock.ID())
			if err != nil {
				return nil, err
			}
			s.drift = now.OffsetNS - s.offset.OffsetNS
		}
		return s.asker(r.number, kvapi.RunOptions{
			State: true, Times: true, Within: bound,
			Batches: mostBatches(r.work.Published()), Seconds: (r.clock.Now()-s.met)/int64(time.Second) + 2,
		})(ctx)
	})
}
