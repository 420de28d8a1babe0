package updates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// checkRun holds the manifest of a saved run against what a server has.
func (c *Command) checkRun(ctx context.Context, env *run.Env) error {
	what, err := c.published(ctx, env)
	if err != nil {
		return err
	}
	view := run.NewView(env, c.Quiet, show.Kind())
	soft, hard, release := run.Interrupts(ctx, env, view.Ending)
	defer release()
	var worst error // of all servers
	for _, url := range c.Plan.KV {
		came, err := c.checkServer(soft, hard, view, url, what)
		if err == nil {
			if err := c.showProof(env, what, url, came); err != nil {
				return fault.New(fault.RunFailed, "cannot write the verification: %w", err)
			}
			err = outcomeOf(came)
		}
		if err != nil && (worst == nil || run.Graver(err, worst)) {
			worst = err
		}
		if soft.Err() != nil {
			break
		}
	}
	return worst
}

// outcomeOf is the error of what a check came to; nil where all is right.
func outcomeOf(came *rundoc.Proof) error {
	switch {
	case came.Interrupted:
		return interruptedWait(came)
	case !came.Complete:
		return incomplete(came, nil)
	}
	return nil
}

// checked is what is held against a server.
type checked struct {
	due         int64 // batches, the warm-up included; 0 when that is not known
	id          string
	killed      bool // and left no document
	number      uint64
	publishers  []rundoc.Published
	atLeastOnce bool
	prove       func(proof.Answer) (rundoc.Proof, error)
}

// published is what the run published that is to be checked. It may be one that was killed: no older one is taken
// for it.
func (c *Command) published(ctx context.Context, env *run.Env) (*checked, error) {
	s, err := saved.Open(env.Getenv)
	if err != nil {
		return nil, err
	}
	path, name, err := s.Unfinished(c.Plan.Check)
	if err != nil {
		return nil, err
	}
	if path != "" {
		k, err := afterKill(ctx, path)
		if err != nil {
			return nil, err
		}
		return &checked{
			id: k.head.ID, killed: true, number: k.head.Run, publishers: k.work.Published(), atLeastOnce: k.head.AtLeastOnce,
			prove: func(a proof.Answer) (rundoc.Proof, error) {
				_, p, err := k.work.Conclude(a)
				return p, err
			},
		}, nil
	}
	doc, err := s.LoadRun(name)
	if err != nil {
		return nil, err
	}
	d := doc.Updates()
	if d == nil || d.Manifest.Run == 0 {
		return nil, fault.New(fault.Usage, "--verify: %s is a run of %s, which has no manifest", doc.ID, doc.Workload).
			Hint("use a run of 'plimsoll updates'")
	}
	due := int64(0)
	for i := range doc.Phases {
		due += doc.Phases[i].Operations
	}
	return &checked{
		due: due,
		id:  doc.ID, number: d.Manifest.Run, publishers: d.Manifest.Publishers, atLeastOnce: d.AtLeastOnce,
		prove: func(a proof.Answer) (rundoc.Proof, error) { return proof.Check(&d.Manifest, a), nil },
	}, nil
}

// checkServer holds what a server has against what a run published.
func (c *Command) checkServer(soft, hard context.Context, view *run.View, url string, w *checked) (
	*rundoc.Proof, error) {
	server := &kvServer{Target: run.Elsewhere(soft, url)}
	var err error
	if server.client, err = kvapi.NewClient(url, c.Plan.Load.Retry.Timeout); err != nil {
		return nil, fault.New(fault.Usage, "--kv: %w", err)
	}
	defer server.client.Close()
	defer view.Begin("waiting for the server", nil)()
	return c.ask(soft, hard, server, w)
}

// ask waits until the server has all that a run published, or an interrupt, and asks for its state.
func (c *Command) ask(soft, hard context.Context, server *kvServer, w *checked) (*rundoc.Proof, error) {
	asker := func(state bool) func(context.Context) (*kvapi.Run, error) {
		a := kvapi.RunOptions{State: state, Batches: mostBatches(w.publishers)}
		if state {
			a.Within = c.lastBound(c.Plan.Settle)
		}
		return server.asker(w.number, a)
	}
	settling := proof.Settling{Bound: c.Plan.Settle, AtLeastOnce: w.atLeastOnce, Ask: asker(false), Unmet: true}
	last, err := proof.Settle(soft, settling, w.publishers)
	within, bound := soft, c.lastBound(c.Plan.Settle)
	if soft.Err() != nil {
		within, bound, err = hard, min(lastAsk, bound), nil // the wait was cut short, and the server is asked once more
	}
	if err == nil {
		var found *kvapi.Run
		if found, err = proof.Within(within, bound, asker(true)); err == nil {
			last = found
		}
	}
	interrupted := soft.Err() != nil
	switch {
	case err != nil && interrupted && last == nil:
		return nil, fault.New(fault.Interrupted,
			"interrupted before the server reported what it received; nothing was checked")
	case err != nil && last == nil:
		return nil, server.mute(soft, "cannot query the key/value server", err)
	case interrupted && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	answer := proof.Answer{Found: last, Early: early(last, err, interrupted), AtLeastOnce: w.atLeastOnce}
	came, err := w.prove(answer)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot compute the expected state: %w", err)
	}
	came.Interrupted = interrupted
	return &came, nil
}

// resolveCheck refuses what has no meaning when nothing is published.
func (c *Command) resolveCheck(given func(name string) bool) error {
	if len(c.Plan.KV) == 0 {
		return fault.New(fault.Usage, "--verify needs a server").
			Hint("add --kv with the URL of a key/value server")
	}
	if c.Plan.URL != "" {
		return fault.New(fault.Usage, "--verify publishes nothing and takes no topic (%s)", redact.URL(c.Plan.URL)).
			Hint("remove it")
	}
	means := []string{"verify", "kv", "settle", "timeout", "json", "markdown"}
	for _, one := range c.Settings().All() {
		if one.Name != "" && given(one.Name) && !slices.Contains(means, one.Name) {
			return fault.New(fault.Usage, "--%s cannot be combined with --verify, which publishes nothing", one.Name).
				Hint("remove one of them")
		}
	}
	if c.Plan.Settle < time.Millisecond {
		return fault.New(fault.Usage, "--settle %v is out of range: it must be at least 1ms", c.Plan.Settle)
	}
	u := DefaultPlan()
	u.KV, u.Load.Retry.Timeout = c.Plan.KV, c.Plan.Load.Retry.Timeout
	u.Resolve(func(string) bool { return false })
	return u.Settings().Check()
}

// showProof prints what the check came to.
func (c *Command) showProof(env *run.Env, w *checked, url string, p *rundoc.Proof) error {
	if c.JSON {
		e := json.NewEncoder(env.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Run    string `json:"run"`
			Killed bool   `json:"killed,omitempty"`
			*rundoc.Proof
		}{w.id, w.killed, p})
	}
	killed := ""
	if w.killed {
		killed = " (killed)"
	}
	_, err := fmt.Fprintf(env.Stdout, "Run %s%s at %s: %s\n", w.id, killed, redact.URL(url), proofLine(p))
	if err != nil {
		return err
	}
	if line := checkedLine(w.due, p); line != "" {
		if _, err = fmt.Fprintln(env.Stdout, line); err != nil {
			return err
		}
	}
	unsure := ""
	if p.Unsure > 0 {
		unsure = fmt.Sprintf(" (%d never acknowledged)", p.Unsure)
	}
	_, err = fmt.Fprintf(env.Stdout, "%d batches published, %d received%s, %d duplicate deliveries; %d updates, %d "+
		"applied, %d stale; %d live keys, digest %016x\n",
		p.Published, p.Received, unsure, p.Duplicates, p.Updates, p.Applied, p.Stale, p.Found.Live, p.Found.Digest)
	return err
}

// checkedLine is what became of all that was due, the warm-up included, at the server that was asked: how soon a
// batch was applied there, nobody timed.
func checkedLine(due int64, p *rundoc.Proof) string {
	applied, lost, unknown := p.Received-p.Foreign, p.Lost, int64(0)
	if p.Unknown {
		lost, unknown = 0, p.Lost
	}
	never := due - applied - lost - unknown
	if due <= 0 || min(applied, never) < 0 || !p.Answered() {
		return "" // a document that makes no sense, or a server that said nothing
	}
	return fmt.Sprintf("%s scheduled, including warm-up = %s applied + %s lost + %s never published + %s unknown",
		units.Count(due, "batch", "batches"), units.Number(applied), units.Number(lost), units.Number(never),
		units.Number(unknown))
}
