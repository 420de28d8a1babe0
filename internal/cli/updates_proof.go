package cli

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
	"github.com/plimsoll/plimsoll/rundoc"
)

// conclude waits for the server, and compares what it has with what was published.
func (r *updatesRun) conclude(ctx context.Context) error {
	if r.server == nil {
		m, err := r.work.Manifest()
		if err != nil {
			return fault.New(fault.RunFailed, "cannot compute what the updates lead to: %w", err)
		}
		r.detail.Manifest = m
		return nil
	}
	found, err := r.settle(ctx)
	if err != nil {
		// Without the answer there is no proof, and the rest of the report is as good as ever.
		r.failed = err
		found = &kvapi.Run{Backlog: -1, Unacked: -1, LastNS: -1}
	}
	m, proof, err := r.work.Conclude(found, r.server.info.Instance, r.topic.Describe().AtLeastOnce)
	if err != nil {
		return fault.New(fault.RunFailed, "cannot compute what the updates lead to: %w", err)
	}
	if r.failed != nil {
		proof = unproved(&m, r.failed)
	}
	r.detail.Manifest, r.detail.Proof = m, &proof
	r.server.addTimes(&r.detail, found, r.from, r.to)
	return nil
}

// unproved is the proof of a run whose server does not answer.
func unproved(m *rundoc.Manifest, err error) rundoc.Proof {
	return rundoc.Proof{
		Published: m.Batches, Expected: rundoc.StateSum{Live: m.Live, Digest: m.Digest},
		Problems: []string{"The server could not be asked what it received: " + oneLine(err.Error()) + "."},
	}
}

// settle waits for the server, and then asks for all that it knows. A server that was started for
// the run and has ended does not come back.
func (r *updatesRun) settle(hard context.Context) (*kvapi.Run, error) {
	ctx, cancel := context.WithCancelCause(hard)
	defer cancel(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	over := make(chan struct{})
	defer close(over)
	watcher.Go(func() {
		select {
		case <-r.server.ended:
			cancel(errors.New("it has ended"))
		case <-over:
		}
	})
	found, err := r.ask(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if hard.Err() != nil {
		err = errors.New("interrupted twice")
	}
	return found, err
}

// ask waits until the server has it all, and asks for all that it knows.
func (r *updatesRun) ask(ctx context.Context) (*kvapi.Run, error) {
	s := updates.Settling{
		Bound: r.plan.Settle, AtLeastOnce: r.topic.Describe().AtLeastOnce,
		Ask: func(ctx context.Context) (*kvapi.Run, error) {
			before := r.clock.Now()
			run, err := r.server.client.Run(ctx, r.number, kvapi.RunOptions{})
			if err == nil && run.LastNS >= 0 {
				asked := before + (r.clock.Now()-before)/2
				r.backlog = time.Duration(max(0, asked-run.LastNS-r.to))
			}
			return &run, err
		},
	}
	if _, err := updates.Settle(ctx, s, r.work.Published()); err != nil {
		return nil, err
	}
	if !r.server.offset.Shared {
		now, err := r.server.client.Offset(ctx, clockProbes, r.clock.Now, r.clock.ID())
		if err != nil {
			return nil, err
		}
		r.drift = now.OffsetNS - r.server.offset.OffsetNS
	}
	return r.server.asker(r.number, kvapi.RunOptions{State: true, Times: true})(ctx)
}

// updatesOutcome is nil for a run that went as it should.
func updatesOutcome(doc *rundoc.Run, proof *rundoc.Proof) error {
	total, _ := doc.Totals()
	if !doc.Interrupted && total.OK > 0 && proof != nil && !proof.Complete {
		return incomplete(proof)
	}
	return outcomeOf(doc, "batches")
}

// incomplete is the error of a run whose proof has a gap.
func incomplete(p *rundoc.Proof) error {
	e := fault.New(fault.Missed, "the proof is incomplete: %s", strings.TrimSuffix(p.Problems[0], "."))
	if more := len(p.Problems) - 1; more > 0 {
		return e.Hint("the report has %d more of what is wrong", more)
	}
	return e
}

// proofLine is the proof in one line.
func proofLine(p *rundoc.Proof) string {
	switch {
	case p == nil:
		return "the run only published: there is no proof"
	case p.Complete:
		return "nothing lost, nothing twice, final state equal"
	}
	return "the proof is incomplete: " + strings.Join(p.Problems, " ")
}
