package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
	"github.com/plimsoll/plimsoll/rundoc"
)

// checkRun holds the manifest of a saved run against what a server has.
func (o *updatesOptions) checkRun(cmd *cobra.Command, env *Env) error {
	if err := o.resolveCheck(cmd); err != nil {
		return err
	}
	s, err := run.OpenRuns(env)
	if err != nil {
		return err
	}
	doc, err := s.Load(o.plan.Check)
	if err != nil {
		return err
	}
	d := doc.Updates()
	if d == nil || d.Manifest.Run == 0 {
		return fault.New(fault.Usage, "--check: %s is a run of %s, which leaves no manifest", doc.ID, doc.Workload).
			Hint("name a run of 'plimsoll updates'")
	}
	soft, hard, release := run.Interrupts(cmd.Context(), env)
	defer release()
	server := &updatesServer{Target: run.Elsewhere(soft, o.plan.KV)}
	if server.client, err = kvapi.NewClient(o.plan.KV, o.plan.Load.Retry.Timeout); err != nil {
		return fault.New(fault.Usage, "--kv: %w", err)
	}
	defer server.client.Close()
	proof, err := o.ask(soft, hard, server, d)
	if err != nil {
		return err
	}
	if err := o.showProof(env, doc, proof); err != nil {
		return fault.New(fault.RunFailed, "cannot write the proof: %w", err)
	}
	switch {
	case proof.Interrupted:
		return interruptedWait(proof)
	case !proof.Complete:
		return incomplete(proof)
	}
	return nil
}

// ask waits until the server has all that a run published, or an interrupt, and asks for its state.
func (o *updatesOptions) ask(soft, hard context.Context, server *updatesServer, d *rundoc.UpdatesDetail) (*rundoc.Proof, error) {
	asker := func(state bool) func(context.Context) (*kvapi.Run, error) {
		a := kvapi.RunOptions{State: state, Batches: sequences(d.Manifest.Publishers)}
		if state {
			a.Within = o.lastBound(o.plan.Settle)
		}
		return server.asker(d.Manifest.Run, a)
	}
	settling := updates.Settling{Bound: o.plan.Settle, AtLeastOnce: d.AtLeastOnce, Ask: asker(false)}
	last, err := updates.Settle(soft, settling, d.Manifest.Publishers)
	within, bound := soft, o.lastBound(o.plan.Settle)
	if soft.Err() != nil {
		within, bound, err = hard, min(lastAsk, bound), nil // the wait was cut short, and the server is asked once more
	}
	if err == nil {
		var found *kvapi.Run
		if found, err = updates.Within(within, bound, asker(true)); err == nil {
			last = found
		}
	}
	interrupted := soft.Err() != nil
	switch {
	case err != nil && interrupted && last == nil:
		return nil, fault.New(fault.Interrupted, "interrupted before the server had said what it received: nothing was checked")
	case err != nil && last == nil:
		return nil, server.mute(soft, "cannot ask the key/value server what it received", err)
	case interrupted && errors.Is(err, context.Canceled):
		err = errors.New("it was interrupted")
	}
	proof := updates.Check(&d.Manifest, updates.Answer{Found: last, Early: early(last, err, interrupted), AtLeastOnce: d.AtLeastOnce})
	proof.Interrupted = interrupted
	return &proof, nil
}

// resolveCheck refuses what has no meaning when nothing is published.
func (o *updatesOptions) resolveCheck(cmd *cobra.Command) error {
	if o.plan.KV == "" {
		return fault.New(fault.Usage, "--check needs a server to ask").Hint("give the URL of a key/value server with --kv")
	}
	if o.plan.URL != "" {
		return fault.New(fault.Usage, "%s is a topic, and --check publishes nothing", redact.URL(o.plan.URL)).Hint("leave it out")
	}
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "check", "kv", "settle", "timeout", "json", "markdown":
		default:
			wrong = fault.New(fault.Usage, "--%s has no meaning with --check, which publishes nothing", f.Name).Hint("leave one of them out")
		}
	})
	if wrong != nil {
		return wrong
	}
	if o.plan.Settle < time.Millisecond {
		return fault.New(fault.Usage, "--settle is %v: it must be at least 1ms", o.plan.Settle)
	}
	u := updates.DefaultPlan()
	u.KV, u.Load.Retry.Timeout = o.plan.KV, o.plan.Load.Retry.Timeout
	u.Resolve(func(string) bool { return false })
	return u.Settings().Check()
}

// showProof prints what the check came to.
func (o *updatesOptions) showProof(env *Env, doc *rundoc.Run, p *rundoc.Proof) error {
	if o.JSON {
		e := json.NewEncoder(env.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(p)
	}
	_, err := fmt.Fprintf(env.Stdout, "Run %s at %s: %s\n", doc.ID, redact.URL(o.plan.KV), proofLine(p))
	if err != nil {
		return err
	}
	unsure := ""
	if p.Unsure > 0 {
		unsure = fmt.Sprintf(", %d of them never acknowledged", p.Unsure)
	}
	_, err = fmt.Fprintf(env.Stdout, "%d batches published, %d received%s, %d deliveries twice; %d updates, %d applied, %d stale; %d keys live, digest %016x\n",
		p.Published, p.Received, unsure, p.Duplicates, p.Updates, p.Applied, p.Stale, p.Found.Live, p.Found.Digest)
	return err
}
