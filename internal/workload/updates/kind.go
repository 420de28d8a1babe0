package updates

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/topic"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/internal/workload/updates/manifest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/reads"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Command is one call of the updates command: the plan, and what the plan does not hold.
type Command struct {
	Plan        Plan
	patience    time.Duration // --timeout, where it was given; else 0
	length      time.Duration // --duration, where it was given; else 0
	targetFlags []string
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

// Run makes the run, or several.
func (c *Command) Run(ctx context.Context, env *run.Env) error {
	switch {
	case c.Plan.Check != "":
		return c.checkRun(ctx, env)
	case c.Plan.Grid:
		return runGrid(ctx, env, c)
	}
	job, err := c.Job(env)
	if err != nil {
		return err
	}
	return run.Once(ctx, env, job)
}

// oneRun is one run of the command.
type oneRun struct {
	c    *Command
	plan Plan // of this run
	life *run.Run

	number  uint64      // names the run in its messages
	server  *kvServer   // the first of servers; nil for a run that only publishes
	servers []*kvServer // each of which has to get every batch
	data    Data
	topic   topic.Topic
	work    *Updates
	log     *manifest.Writer // nil: what is published is not written down
	board   *reads.Board     // has what reads look for; nil: nothing
	clock   *hostclock.Clock
	detail  rundoc.UpdatesDetail
	fates   rundoc.Fates // of the window's batches

	from, to int64         // the window, on the machine's clock
	backlog  time.Duration // from the end of the window to the last batch applied anywhere; 0 when that came before
}

// ending has a person told what an interrupt of several runs does.
func (c *Command) ending(env *run.Env) func() {
	return run.NewView(env, c.Quiet, show.Kind()).Ending
}

// newRun begins a run of a plan, which is shown and kept as forms have it.
func (c *Command) newRun(env *run.Env, p Plan, forms run.Forms) *oneRun {
	r := &oneRun{c: c, plan: p}
	r.life = run.New(env, r.job(forms))
	return r
}

// job is what the life of the run has to know.
func (r *oneRun) job(forms run.Forms) run.Job {
	return run.Job{
		Workload: rundoc.WorkloadUpdates, Operations: "batches", Kind: show.Kind(), Forms: forms,
		Files: run.OutputFiles(&r.plan.Output, show.Kind()), Work: r,
	}
}

// Job is one run of the plan.
func (c *Command) Job(*run.Env) (run.Job, error) {
	for _, other := range []struct {
		flag  string
		given bool
		makes string
	}{
		{"verify", c.Plan.Check != "", "no run, but one is needed here"},
		{"grid", c.Plan.Grid, "several runs, but only one is allowed here"},
		{"max", c.Plan.Max, "several runs, but only one is allowed here"},
	} {
		if other.given {
			return run.Job{}, fault.New(fault.Usage, "--%s makes %s", other.flag, other.makes).Hint("remove it")
		}
	}
	return (&oneRun{c: c, plan: c.Plan}).job(c.Forms), nil
}

// Measure publishes the batches, and waits until the server has them all.
func (r *oneRun) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	r.life, r.number = life, randomRun()
	if err := r.makeData(soft); err != nil {
		return nil, err
	}
	defer r.forgetUnused()
	life.Hold(func() error { r.data.Close(); return nil })
	t, err := r.assemble(soft, life)
	if err != nil {
		return nil, err
	}
	reading, err := r.startReads(soft, hard)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot read from the servers: %w", err)
	}
	got, err := life.Drive(soft, hard, run.Load{
		Load: r.plan.Load, Workload: r.work, Target: t,
		Samples: run.Samples{Path: r.plan.Output.Samples, Header: samplesHeader, Format: sampleRow},
	})
	if err != nil {
		reading.Abandon()
		return nil, r.cannotRun(err)
	}
	r.from = r.clock.At(got.Started.Add(time.Duration(got.Start)))
	r.to = r.clock.At(got.Started.Add(time.Duration(got.End)))
	r.detail.Samples = got.Samples
	if err := r.conclude(soft, hard); err != nil {
		reading.Abandon()
		return nil, err
	}
	if r.detail.Reads, err = reading.End(); err != nil {
		r.detail.Notes = append(r.detail.Notes, "The reads failed: "+fault.OneLine(err.Error())+".")
	}
	r.describe(got.Doc)
	return &run.Found{Doc: got.Doc, Plan: r.plan, Detail: &r.detail}, nil
}

// randomRun is a number that no other run has. 0 stands for files.
func randomRun() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return max(1, binary.BigEndian.Uint64(b[:]))
}

// makeData makes ready what is to be published.
func (r *oneRun) makeData(ctx context.Context) error {
	p := &r.plan
	if p.Generated() {
		g := p.generation()
		longest := max(p.Load.Duration, p.Load.WarmupTime)
		data, err := Generate(g, int64(p.Load.Rate*longest.Seconds())+1)
		if err != nil {
			return fault.New(fault.Usage, "--key-length %d: %w", p.KeyLength, err)
		}
		r.data = data
		return nil
	}
	paths, err := files.Expand([]string{p.From})
	if err != nil {
		return fault.New(fault.Usage, "--from: %w", err).Hint("create files with 'plimsoll deltas generate'")
	}
	codec, err := delta.ParseCodec(p.Codec)
	if err != nil {
		return err
	}
	read := r.life.View.Begin("reading the files", nil)
	data, batches, err := FromFiles(ctx, paths, p.Batch, codec)
	read()
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.Interrupted, "interrupted while reading the files; nothing was published")
	case err != nil:
		return fault.New(fault.Usage, "--from: %w", err).Hint("inspect a file with 'plimsoll deltas inspect'")
	}
	r.data = data
	p.SetBatches(batches)
	return nil
}

// assemble makes all that the run needs, and has it hold what is to be ended.
func (r *oneRun) assemble(ctx context.Context, life *run.Run) (t *run.Target, err error) {
	open := func(address string) error {
		address = topics.WithOptions(address, r.plan.publishing())
		if r.topic, err = topics.Open(ctx, address, r.plan.Load.Retry.Timeout); err == nil {
			life.Hold(r.topic.Close)
		} else if ctx.Err() != nil {
			err = fault.New(fault.Interrupted, "interrupted before the run started; nothing was measured")
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
		t = run.Elsewhere(ctx, r.plan.URL)
	} else {
		if r.servers, err = startServers(ctx, life, &r.plan, r.number, r.c.serverArgs); err != nil {
			return nil, err
		}
		r.server = r.servers[0]
		t, r.clock, clockID = together(r.servers), r.server.clock, messageClock(r.servers)
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
	r.seeElsewhere()
	if r.plan.ReadKeys == rundoc.ReadRecent {
		r.board = new(reads.Board)
	}
	r.keepManifest()
	r.work, err = New(Config{
		Plan: r.plan, Run: r.number, Topic: r.topic, Data: r.data, Clock: r.clock, ClockID: clockID, Log: r.log,
		Board: r.board,
	})
	if err != nil {
		return nil, err
	}
	return t, r.ready(ctx)
}

// ready makes sure that batches fit into messages, and tells the server of the run.
func (r *oneRun) ready(ctx context.Context) error {
	err := r.work.Fits()
	var large *TooLarge
	switch {
	case errors.As(err, &large):
		e := fault.New(fault.Usage, "--batch %d: %w over %s", r.plan.Batch, err, r.topic.Describe().Transport)
		if large.Batch == 0 {
			return e.Hint("a single update is too large: lower --key-length or --value-length")
		}
		return e.Hint("set --batch to %d or less", large.Batch)
	case err != nil:
		return fault.New(fault.RunFailed, "cannot create the messages: %w", err)
	}
	return r.register(ctx)
}

// cannotRun words why nothing was measured.
func (r *oneRun) cannotRun(err error) error {
	var known *fault.Error
	var why *op.Failure
	if errors.As(err, &known) || !errors.As(err, &why) {
		return err
	}
	return topics.Fault(redact.URL(r.topic.Describe().Endpoint), err)
}
