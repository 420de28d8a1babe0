package cli

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
	"github.com/plimsoll/plimsoll/rundoc"
)

// updatesRun is one run of the updates command.
type updatesRun struct {
	env  *Env
	o    *updatesOptions
	plan plan.Updates // of this run
	id   string
	view *liveView

	number uint64         // names the run in its messages
	server *updatesServer // nil for a run that only publishes
	data   updates.Data
	topic  topic.Topic
	work   *updates.Updates
	clock  *hostclock.Clock
	detail rundoc.UpdatesDetail

	drift    int64         // of the clocks, from the start to the end
	from, to int64         // the window, on the machine's clock
	backlog  time.Duration // from the end of the window to the last batch applied; 0 when that came before
}

// runUpdates makes sure that the results can be written, measures, and shows what came of it.
func runUpdates(ctx context.Context, env *Env, o *updatesOptions) error {
	r := &updatesRun{env: env, o: o, plan: o.plan, id: newID(time.Now())}
	saving, err := prepareSaving(env, &o.forms, r.id)
	if err != nil {
		return err
	}
	out := &o.plan.Output
	if err := checkFiles(outputFile{"samples", out.Samples}, outputFile{"buckets", out.Buckets}, outputFile{"chart", out.Chart}); err != nil {
		return err
	}
	soft, hard, release := interrupts(ctx, env)
	defer release()
	r.view = newLiveView(env, o.quiet, rundoc.WorkloadUpdates)
	doc, err := r.measure(soft, hard)
	r.view.close()
	if err != nil {
		return err
	}
	return r.finish(doc, saving)
}

// measure has the engine carry the plan out, waits until the server has it all, and makes the run
// document.
func (r *updatesRun) measure(soft, hard context.Context) (doc *rundoc.Run, err error) {
	r.number = randomRun()
	if err := r.makeData(soft); err != nil {
		return nil, err
	}
	t, end, err := r.begin(soft)
	if err != nil {
		return nil, err
	}
	unwatch := watchTarget(t, r.view, "nothing is received from here on")
	defer func() {
		unwatch()
		// The server has served: what it says of its own end cannot change the results.
		if stopErr := end(); stopErr != nil && err == nil {
			r.view.note(oneLine(stopErr.Error()))
		}
	}()
	samples, err := openSamples(r.plan.Output.Samples, updatesSamplesHeader, updatesSample, r.view)
	if err != nil {
		return nil, err
	}
	result, err := engine.Run(hard, soft.Done(), engine.Config{
		Load: r.plan.Load, Workload: r.work, Samples: samples, Progress: r.view.progress, TargetCPU: t.cpu,
	})
	file := closeSamples(samples, r.plan.Output.Samples)
	if err != nil {
		return nil, r.cannotRun(err)
	}
	r.from = r.clock.At(result.Started.Add(time.Duration(result.Start)))
	r.to = r.clock.At(result.Started.Add(time.Duration(result.End)))
	if doc, err = result.Document(); err != nil {
		return nil, fault.New(fault.RunFailed, "cannot make the run document: %w", err)
	}
	r.detail.Samples = file
	if err := r.conclude(soft, hard); err != nil {
		return nil, err
	}
	return doc, r.describe(doc, t)
}

// randomRun is a number that no other run has. 0 stands for files.
func randomRun() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return max(1, binary.BigEndian.Uint64(b[:]))
}

// makeData makes ready what is to be published.
func (r *updatesRun) makeData(ctx context.Context) error {
	p := &r.plan
	if p.Generated() {
		g := delta.Generation{
			Seed: p.Load.Seed, Batch: p.Batch, KeyLength: p.KeyLength, ValueLength: p.ValueLength,
			Keys: uint64(p.HotKeys), Deletes: p.Deletes, Sets: p.Sets, Commit: p.CommitBase,
		}
		longest := max(p.Load.Duration, p.Load.WarmupTime)
		data, err := updates.Generate(g, int64(p.Load.Rate*longest.Seconds())+1)
		if err != nil {
			return fault.New(fault.Usage, "--key-length %d: %w", p.KeyLength, err)
		}
		r.data = data
		return nil
	}
	paths, err := files.Expand([]string{p.From})
	if err != nil {
		return fault.New(fault.Usage, "--from: %w", err).Hint("make files with 'plimsoll deltas generate'")
	}
	codec, err := delta.ParseCodec(p.Codec)
	if err != nil {
		return err
	}
	data, batches, err := updates.FromFiles(ctx, paths, p.Batch, codec)
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.Interrupted, "interrupted while the files were read: nothing was published")
	case err != nil:
		return fault.New(fault.Usage, "--from: %w", err).Hint("'plimsoll deltas inspect' tells what is in a file")
	}
	r.data = data
	p.SetBatches(batches)
	return nil
}

// begin opens the topic and starts the server. What it gives must be ended.
func (r *updatesRun) begin(ctx context.Context) (t *measured, end func() error, err error) {
	var held []func() error // the first to be ended last
	end = func() error {
		var all []error
		for _, f := range slices.Backward(held) {
			all = append(all, f())
		}
		return errors.Join(all...)
	}
	t, err = r.assemble(ctx, func(f func() error) { held = append(held, f) })
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return t, end, nil
}

// assemble makes all that the run needs, and has hold keep what is to be ended.
func (r *updatesRun) assemble(ctx context.Context, hold func(func() error)) (t *measured, err error) {
	hold(func() error { r.data.Close(); return nil })
	open := func(address string) error {
		if r.topic, err = openTopic(ctx, address, r.plan.Load.Retry.Timeout); err == nil {
			hold(r.topic.Close)
		} else if ctx.Err() != nil {
			err = fault.New(fault.Interrupted, "interrupted before the run began: nothing was measured")
		}
		return err
	}
	// A topic elsewhere is opened before a server that would say the same about a wrong one.
	if r.plan.URL != "" && !r.plan.EmbeddedBroker() {
		if err := open(r.plan.URL); err != nil {
			return nil, err
		}
	}
	r.clock = hostclock.New()
	clockID := r.clock.ID()
	if r.plan.PublishOnly {
		t = elsewhere(ctx, r.plan.URL)
	} else {
		if r.server, err = startServer(ctx, r.env, &r.plan, r.number, r.o.serverArgs); err != nil {
			return nil, err
		}
		hold(r.server.end)
		t, r.clock, clockID = r.server.measured, r.server.clock, r.server.clockID
	}
	if r.topic == nil {
		address, err := r.server.topicURL(&r.plan)
		if err != nil {
			return nil, err
		}
		if err := open(address); err != nil {
			return nil, err
		}
	}
	r.work, err = updates.New(updates.Config{
		Plan: r.plan, Run: r.number, Topic: r.topic, Data: r.data, Clock: r.clock, ClockID: clockID, Elsewhere: r.elsewhere(),
	})
	if err != nil {
		return nil, err
	}
	return t, r.ready(ctx)
}

// elsewhere is the topic that the server of --kv reads from, if that is another than the one that was
// given, and says so: nothing would arrive.
func (r *updatesRun) elsewhere() string {
	if r.plan.KV == "" || r.plan.URL == "" || !otherTopic(r.plan.URL, r.server.info.Topic) {
		return ""
	}
	shown := redactTopic(r.server.info.Topic)
	note := fmt.Sprintf("The server of --kv says that it reads from %s, and the run publishes to %s.", shown, redactTopic(r.plan.URL))
	r.view.note(note)
	r.detail.Notes = append(r.detail.Notes, note)
	return shown
}

// ready makes sure that batches fit into messages, and tells the server of the run.
func (r *updatesRun) ready(ctx context.Context) error {
	err := r.work.Fits()
	var large *updates.TooLarge
	switch {
	case errors.As(err, &large):
		e := fault.New(fault.Usage, "--batch %d: %w over %s", r.plan.Batch, err, r.topic.Describe().Transport)
		if large.Batch == 0 {
			return e.Hint("not even one update fits: make keys and values shorter")
		}
		return e.Hint("give at most --batch %d", large.Batch)
	case err != nil:
		return fault.New(fault.RunFailed, "cannot make the messages: %w", err)
	case r.server == nil:
		return nil
	}
	o := r.server.offset
	err = r.server.client.Register(ctx, r.number, kvapi.Registration{OffsetNS: o.OffsetNS, BoundNS: o.BoundNS})
	if err != nil {
		return r.server.mute(ctx, "cannot tell the key/value server of the run", err)
	}
	return nil
}

// finish saves and shows a run, and says by its error how it went.
func (r *updatesRun) finish(doc *rundoc.Run, to saving) error {
	written, saveErr := saveRun(doc, to, &r.plan.Output)
	if err := render(r.env, doc, r.o.form(), r.plan.Output.Bucket, written); err != nil {
		// Whatever became of the report: what the proof says is said.
		r.view.note(proofLine(r.detail.Proof))
		return errors.Join(err, saveErr)
	}
	// What became of the updates comes first, also for the exit status.
	return errors.Join(updatesOutcome(doc, r.detail.Proof), saveErr)
}

// cannotRun words why nothing was measured.
func (r *updatesRun) cannotRun(err error) error {
	var known *fault.Error
	var why *op.Failure
	if errors.As(err, &known) || !errors.As(err, &why) {
		return err
	}
	return topicFault(plan.RedactURL(r.topic.Describe().Endpoint), err)
}
