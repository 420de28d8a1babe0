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
			return fault.New(fault.RunFailed, "cannot compute what the updates lead to: %w", err)
		}
		r.detail.Manifest, r.fates = m, r.work.Fates(nil, false)
		r.detail.Notes = append(r.detail.Notes, "No server was asked whether anything received these batches. "+
			"What is published before a subscription is there, most brokers acknowledge and throw away.")
		return nil
	}
	enough := soft
	if soft.Err() != nil {
		enough = hard
	}
	found, failed := r.settle(enough, hard)
	defer r.life.View.Begin("proof", nil)()
	why := early(found, failed, enough.Err() != nil)
	r.fates = r.work.Fates(found, why == "")
	m, came, err := r.work.Conclude(proof.Answer{
		Found: found, Early: why,
		Instance: r.server.info.Instance, AtLeastOnce: r.topic.Describe().AtLeastOnce,
	})
	if err != nil {
		return fault.New(fault.RunFailed, "cannot compute what the updates lead to: %w", err)
	}
	came.Interrupted = enough.Err() != nil
	r.detail.Manifest, r.detail.Proof = m, &came
	if found != nil {
		r.server.addTimes(&r.detail, found, r.from, r.to)
	}
	return nil
}

// early says why the server's last answer is not that of the end; "" when it is.
func early(found *kvapi.Run, failed error, interrupted bool) string {
	var said []string
	if interrupted {
		said = append(said, "The wait for the server was interrupted: what is missing may still have come.")
	}
	switch {
	case failed == nil:
	case found == nil:
		said = append(said, "The server could not be asked what it received: "+fault.OneLine(failed.Error())+".")
	default:
		said = append(said, "The server could not be asked for all that it knows: "+fault.OneLine(failed.Error())+
			". What is told of it is from its last answer.")
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

// settle waits for the server until it has it all or enough is done, and then asks for all that it
// knows. With an error it gives the last answer, if there was one. A server that was started for the
// run and has ended does not come back.
func (r *oneRun) settle(enough, hard context.Context) (*kvapi.Run, error) {
	there, gone := context.WithCancelCause(context.WithoutCancel(hard))
	defer gone(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	over := make(chan struct{})
	defer close(over)
	watcher.Go(func() {
		select {
		case <-r.server.Ended:
			gone(errors.New("it has ended"))
		case <-over:
		}
	})
	waiting, stop := either(there, enough)
	how, far := r.settling()
	end := r.life.View.Begin("waiting for the server", far)
	last, err := proof.Settle(waiting, how, r.work.Published())
	end()
	stop()
	if enough.Err() != nil {
		err = nil // the wait was cut short, and the server is asked once more
	}
	var found *kvapi.Run
	if err == nil {
		end := r.life.View.Begin("asking for the proof", nil)
		found, err = r.askAll(there, enough, hard)
		end()
	}
	switch {
	case err == nil:
		return found, nil
	case there.Err() != nil:
		err = context.Cause(there)
	case enough.Err() != nil && errors.Is(err, context.Canceled):
		err = errors.New("it was interrupted")
	}
	return last, err
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

// settling is how to wait for the server, and how far that is.
func (r *oneRun) settling() (proof.Settling, func() run.Live) {
	published, arrived := mostBatches(r.work.Published()), new(atomic.Int64)
	return proof.Settling{
		Bound: r.plan.Settle, AtLeastOnce: r.topic.Describe().AtLeastOnce,
		Ask: func(ctx context.Context) (*kvapi.Run, error) {
			before := r.clock.Now()
			run, err := r.server.client.Run(ctx, r.number, kvapi.RunOptions{Batches: published})
			if err == nil {
				arrived.Store(proof.Batches(&run))
			}
			if err == nil && run.LastNS >= 0 {
				asked := before + (r.clock.Now()-before)/2
				r.backlog = time.Duration(max(0, asked-run.LastNS-r.to))
			}
			return &run, err
		},
	}, func() run.Live { return arriving(arrived.Load(), published) }
}

// arriving is how far a wait is for batches.
func arriving(n, of int64) run.Live {
	l := run.Live{Count: units.Number(n) + " of " + units.Number(of) + " batches", Done: -1, Left: -1}
	if n > 0 && of > 0 {
		l.Done = float64(n) / float64(of)
	}
	return l
}

// askAll asks for all that the server knows, and does not wait for long for one that hangs. After an
// interrupt it takes less, and the next one ends it.
func (r *oneRun) askAll(ctx, enough, hard context.Context) (*kvapi.Run, error) {
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
		if !r.server.offset.Shared {
			now, err := r.server.client.Offset(ctx, clockProbes, r.clock.Now, r.clock.ID())
			if err != nil {
				return nil, err
			}
			r.drift = now.OffsetNS - r.server.offset.OffsetNS
		}
		return r.server.asker(r.number, kvapi.RunOptions{
			State: true, Times: true, Within: bound,
			Batches: mostBatches(r.work.Published()), Seconds: (r.clock.Now()-r.server.met)/int64(time.Second) + 2,
		})(ctx)
	})
}
