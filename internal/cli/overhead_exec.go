package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/passive"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// warmupShare bounds the warm-up of a foreign client's operation when none was asked for, so
// that there are figures of a short program, too.
const warmupShare = 0.2

// commandTrace is the name of the trace of what the command did.
const commandTrace = "client.csv"

// foreign is the passive measurement of a client that is not ours.
type foreign struct {
	o      *overheadOptions
	life   *run.Run
	warmup bool   // was given
	dir    string // of the traces and the certificate

	certificate string // its file; "" without TLS
	url         string // of the responder that the command called
	trace       *passive.Trace
	found       *passive.Result
	ending      ending
	used        record.Usage // while the command ran
	clock       record.Usage

	null     passive.Null
	imitated string // the operation that the null client called, with its service

	before *rundoc.Run // the baseline; nil without one
}

// resolveExec checks the settings of a run with --exec. It refuses what has no meaning for a
// foreign client, or what that decides itself.
func (o *overheadOptions) resolveExec(args []string, given func(flag string) bool) error {
	p := &o.plan
	if strings.TrimSpace(p.Exec) == "" {
		return fault.New(fault.Usage, "--exec is empty").Hint("give a command, such as --exec 'python3 loop.py'")
	}
	if len(args) > 0 {
		return fault.New(fault.Usage, "--exec and operations are both given: the command decides what it calls").
			Hint("leave the operations out")
	}
	for _, flag := range []string{"time", "calls", "concurrency", "timeout", "endpoint", "profile", "region", "yes", "http2", "list"} {
		if given(flag) {
			return fault.New(fault.Usage, "--%s says nothing to the command of --exec, which is a program of its own", flag).
				Hint("leave it out, or have the command do it; the embedded responder takes --tls and --latency")
		}
	}
	if p.Latency > time.Second {
		return fault.New(fault.Usage, "--latency is %v: with --exec it is at most 1s", p.Latency).Hint("give a shorter one")
	}
	p.Resolve(given)
	if err := p.Settings().Check(); err != nil {
		return err
	}
	return o.Check()
}

// runForeign runs the command of the plan against the embedded responder and shows what its
// calls cost it. warmup says whether the warm-up was given.
func runForeign(ctx context.Context, env *Env, o *overheadOptions, warmup bool) error {
	f := &foreign{o: o, warmup: warmup}
	f.life = run.New(env, o.job(f))
	err := f.life.Prepare()
	if err == nil {
		f.before, err = o.baseline(env)
	}
	if err != nil {
		return err
	}
	return f.life.Live(ctx)
}

// Measure runs the command, and then the null client.
func (f *foreign) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	var err error
	if f.dir, err = os.MkdirTemp("", "plimsoll-"); err != nil {
		return nil, fault.New(fault.RunFailed, "cannot make a directory for the trace: %w", err)
	}
	life.Hold(func() error { return os.RemoveAll(f.dir) })
	if err := f.measure(soft, hard); err != nil {
		return nil, err
	}
	return f.document()
}

// Conclude says how the command ended.
func (f *foreign) Conclude(doc *rundoc.Run) run.Conclusion {
	return f.o.conclude(doc, f.before, f.ending.fault())
}

// measure runs the command, and then the null client.
func (f *foreign) measure(soft, hard context.Context) error {
	var err error
	f.trace, err = f.traced(soft, commandTrace, func(t *run.Target) error {
		f.url = t.URL
		settings := filepath.Join(f.dir, "no-settings")
		if err := os.WriteFile(settings, nil, 0o600); err != nil {
			return fault.New(fault.RunFailed, "cannot make a file for the command: %w", err)
		}
		epoch := time.Now()
		before := record.ReadUsage(epoch)
		command := shell{
			line: f.o.plan.Exec, variables: clientVariables(t.URL, f.certificate, settings),
			out: f.life.View.Beside(), tell: f.life.View.Note, wait: interruptWait,
		}
		unfollow := f.life.View.Follow("the command", (&growingTrace{path: filepath.Join(f.dir, commandTrace)}).calls)
		f.ending, err = command.run(soft, hard)
		unfollow()
		f.clock = record.ReadUsage(epoch)
		f.used = f.clock.Sub(before)
		return err
	})
	if err != nil {
		return err
	}
	if len(f.trace.Exchanges) == 0 {
		return f.silent()
	}
	if err := f.sort(); err != nil {
		return err
	}
	return f.measureNull(hard)
}

// traced starts the responder, has it used, and reads its trace once it has ended.
func (f *foreign) traced(ctx context.Context, name string, use func(*run.Target) error) (*passive.Trace, error) {
	path := filepath.Join(f.dir, name)
	args := []string{"--trace", path}
	if l := f.o.plan.Latency; l > 0 {
		args = append(args, "--latency", l.String())
	}
	if f.o.plan.TLS {
		f.certificate = filepath.Join(f.dir, "certificate.pem")
		args = append(args, "--tls", "--certificate", f.certificate)
	}
	t, err := run.Start(ctx, f.life.Env, "aws", args)
	if err != nil {
		return nil, err
	}
	unwatch := t.Watch(f.life.View, callsFail)
	err = use(t)
	unwatch()
	if stopped := t.Stop(); err == nil && stopped != nil {
		f.life.View.Note(stopped.Error())
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "the responder has left no trace: %w", outfile.Reason(err))
	}
	defer file.Close()
	trace, err := passive.Read(file)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot measure by the responder's trace: %w", err)
	}
	return trace, nil
}

// sort finds the times between the calls, and refuses a client that has several at once.
func (f *foreign) sort() error {
	options := passive.Options{Warmup: f.o.plan.Warmup}
	if !f.warmup {
		options.Share = warmupShare
	}
	var err error
	f.found, err = passive.Measure(f.trace.Exchanges, options)
	var overlap *passive.Overlap
	if errors.As(err, &overlap) {
		return fault.New(fault.RunFailed, "the command does not do one call after the other: %w", overlap).
			Hint("what a call costs can be seen from outside only when there is one at a time: use one thread and one process")
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot measure by the responder's trace: %w", err)
	}
	for _, op := range f.found.Operations {
		if len(op.Gaps()) > 0 {
			return nil
		}
	}
	r := f.found
	warm := int64(0)
	for _, op := range r.Operations {
		warm += op.Warm
	}
	if f.ending.interrupted {
		return fault.New(fault.Interrupted, "interrupted before a call could be measured: there were %d requests", len(f.trace.Exchanges))
	}
	if r.Unknown == int64(len(f.trace.Exchanges)) {
		return fault.New(fault.RunFailed, "nothing can be measured of the command's %d requests%s: the responder has no answer for any of them",
			r.Unknown, f.ending.clause()).Hint("call operations that 'plimsoll serve aws --help' lists")
	}
	return fault.New(fault.RunFailed, "nothing can be measured of the command's %d requests%s: of the times between two of them %d are between different operations, %d follow an error, and %d are in the warm-up",
		len(f.trace.Exchanges), f.ending.clause(), r.Mixed, r.Failed, warm).
		Hint("call the same operation several times in a row, and for longer than --warmup (%v)", f.o.plan.Warmup)
}

// silent is the error of a command that made no request.
func (f *foreign) silent() error {
	if f.ending.interrupted {
		return fault.New(fault.Interrupted, "interrupted before the command made a request: nothing was measured")
	}
	e := fault.New(fault.RunFailed, "the command made no request to the responder%s", f.ending.clause())
	if f.ending.status == notFound {
		return e.Hint("see that the shell finds the program that --exec names")
	}
	if f.ending.bad() {
		return e.Hint("see what the command says above")
	}
	return e.Hint("it has to honour AWS_ENDPOINT_URL, which is %s for it; see that it sets no endpoint itself", f.url)
}

// measureNull runs the null client against a responder with the same settings.
//
// An interrupt makes it short, and does not end it: without it what was measured would be lost. A
// third signal ends the process.
func (f *foreign) measureNull(hard context.Context) error {
	ctx := context.WithoutCancel(hard)
	request := nullShape(f.trace.Exchanges[len(f.trace.Exchanges)-1])
	trace, err := f.traced(ctx, "null.csv", func(t *run.Target) error {
		return callNull(ctx, hard.Done(), t.URL, f.certificate, request)
	})
	if err != nil {
		return err
	}
	result, err := passive.Measure(trace.Exchanges, passive.Options{Warmup: nullTime, Share: warmupShare})
	if err != nil {
		return fault.New(fault.RunFailed, "cannot measure the null client: %w", err)
	}
	if f.null = passive.NewNull(result); f.null.Sample.N == 0 {
		return fault.New(fault.RunFailed, "cannot measure the null client: none of its %d calls can be used", len(trace.Exchanges))
	}
	f.imitated = requestOf(&trace.Exchanges[0])
	return nil
}

// ending is how the command ended.
type ending struct {
	status      int    // 0 when it ended well or was ended by a signal
	signal      string // that ended it
	interrupted bool   // by us
}

// notFound is the shell's exit status for a command that it does not find.
const notFound = 127

// bad reports whether the command failed by itself.
func (e ending) bad() bool { return !e.interrupted && (e.status != 0 || e.signal != "") }

// clause says how the command ended, to follow a sentence; "" when it ended well.
func (e ending) clause() string {
	switch {
	case !e.bad():
		return ""
	case e.signal != "":
		return fmt.Sprintf(", and was ended by the signal %q", e.signal)
	}
	return fmt.Sprintf(", and ended with exit status %d", e.status)
}

// fault is the error of a command that failed after it had been measured.
func (e ending) fault() error {
	if !e.bad() {
		return nil
	}
	return fault.New(fault.RunFailed, "the command made calls%s: the report covers those until then", e.clause())
}
