package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
)

// warmupShare bounds the warm-up of a foreign client's operation when none was asked for, so
// that there are figures of a short program, too.
const warmupShare = 0.2

// commandTrace is the name of the trace of what the command did.
const commandTrace = "client.csv"

// Consequence is what follows from the end of the responder.
const Consequence = "all further calls will fail"

// Config is what is measured, and how.
type Config struct {
	Command string        // in the shell's language
	Warmup  time.Duration // of each operation
	AtMost  bool          // the warm-up is no longer than a share of an operation's time
	Latency time.Duration // of the responder
	TLS     bool
	Timeout time.Duration // ends the command
	Idle    time.Duration // without a request ends it
}

// Program is the passive measurement of a client that is not ours.
type Program struct {
	Config
	life *run.Run
	dir  string // of the traces and the certificate

	certificate string // its file; "" without TLS
	url         string // of the responder that the command called
	trace       *Trace
	found       *Result
	ending      ending
	reading     instrument.Reading // while the command ran
	clockStep   time.Duration

	null     Null
	imitated string // the operation that the null client called, with its service
}

// Measure runs the command, and then the null client. The plan is not in what it gives.
func (f *Program) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	f.life = life
	var err error
	if f.dir, err = os.MkdirTemp("", "plimsoll-"); err != nil {
		return nil, fault.New(fault.RunFailed, "cannot create a directory for the trace: %w", err)
	}
	life.Hold(func() error { return os.RemoveAll(f.dir) })
	if err := f.measure(soft, hard); err != nil {
		return nil, err
	}
	doc, err := f.document()
	return &run.Found{Doc: doc, Detail: f.detail()}, err
}

// Shown is the command as it may be shown and kept.
func (f *Program) Shown() string { return redact.Command(f.Command) }

// Failed is how the command failed after it had been measured; nil when it ended well.
func (f *Program) Failed() error { return f.ending.fault() }

// measure runs the command, and then the null client.
func (f *Program) measure(soft, hard context.Context) error {
	var err error
	f.trace, err = f.traced(soft, commandTrace, func(t *run.Target) error {
		f.url = t.URL
		settings := filepath.Join(f.dir, "no-settings")
		if err := os.WriteFile(settings, nil, 0o600); err != nil {
			return fault.New(fault.RunFailed, "cannot create a file for the command: %w", err)
		}
		command := shell{
			line: f.Command, variables: ClientVariables(t.URL, f.certificate, settings),
			out: f.life.View.Beside(), tell: f.life.View.Note, wait: interruptWait,
			limits: []limit{
				{flag: "--exec-timeout", after: f.Timeout},
				{flag: "--exec-idle", after: f.Idle, progress: sizeOf(filepath.Join(f.dir, commandTrace))},
			},
		}
		end := f.life.View.BeginBeside("the command", following(filepath.Join(f.dir, commandTrace)))
		f.reading, f.clockStep = watched(hard, sizeOf(filepath.Join(f.dir, commandTrace)), func() {
			f.ending, err = command.run(soft, hard)
		})
		end()
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
func (f *Program) traced(ctx context.Context, name string, use func(*run.Target) error) (*Trace, error) {
	path := filepath.Join(f.dir, name)
	args := []string{"--trace", path}
	if l := f.Latency; l > 0 {
		args = append(args, "--delay", l.String())
	}
	if f.TLS {
		f.certificate = filepath.Join(f.dir, "certificate.pem")
		args = append(args, "--tls", "--cert-out", f.certificate)
	}
	t, err := f.life.Start(ctx, "aws", args)
	if err != nil {
		return nil, err
	}
	unwatch := t.Watch(f.life.View, Consequence)
	err = use(t)
	unwatch()
	defer f.life.View.Begin("reading the trace", nil)()
	if stopped := t.Stop(); err == nil && stopped != nil {
		f.life.View.Note(stopped.Error())
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "the responder wrote no trace: %w", outfile.Reason(err))
	}
	defer file.Close()
	trace, err := Read(file)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot evaluate the trace of the responder: %w", err)
	}
	return trace, nil
}

// sort finds the times between the calls, and refuses a client that has several at once.
func (f *Program) sort() error {
	options := Options{Warmup: f.Warmup}
	if f.AtMost {
		options.Share = warmupShare
	}
	var err error
	f.found, err = Measure(f.trace.Exchanges, options)
	var overlap *Overlap
	if errors.As(err, &overlap) {
		return fault.New(fault.RunFailed, "the command makes concurrent calls: %w", overlap).
			Hint("--exec can measure only sequential calls: use one thread and one process")
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot evaluate the trace of the responder: %w", err)
	}
	if len(f.found.gaps()) > 0 {
		return nil
	}
	r := f.found
	warm := int64(0)
	for _, op := range r.Measured() {
		warm += op.Warm
	}
	if f.ending.interrupted {
		return fault.New(fault.Interrupted, "interrupted before a call could be measured (%d requests)",
			len(f.trace.Exchanges))
	}
	if r.Unknown == int64(len(f.trace.Exchanges)) {
		return fault.New(fault.RunFailed,
			"none of the command's %d requests can be measured%s: the responder supports none of their operations",
			r.Unknown, f.ending.clause()).Hint("use operations listed by 'plimsoll serve aws --help'")
	}
	if r.Beside > 0 {
		return fault.New(fault.RunFailed, "cannot measure concurrent processes that make a single call each").
			Hint("run them one after the other, or let each make several calls in a row")
	}
	return fault.New(fault.RunFailed, "none of the command's %d requests can be measured%s: of the gaps between them, "+
		"%d are between different operations, %d follow an error, and %d are in the warm-up",
		len(f.trace.Exchanges), f.ending.clause(), r.Mixed, r.Failed, warm).
		Hint("call the same operation several times in a row for longer than --warmup-time (%v)", f.Warmup)
}

// silent is the error of a command that made no request.
func (f *Program) silent() error {
	if f.ending.interrupted {
		return fault.New(fault.Interrupted, "interrupted before the command made a request; nothing was measured")
	}
	e := fault.New(fault.RunFailed, "the command made no request to the demo server%s", f.ending.clause())
	if f.ending.limit != nil {
		return e.Hint("the command must call AWS_ENDPOINT_URL (%s); if it starts slowly, raise %s",
			f.url, f.ending.limit.flag)
	}
	if f.ending.status == notFound {
		return e.Hint("check that the shell can find the program")
	}
	if f.ending.bad() {
		return e.Hint("see the output of the command above")
	}
	return e.Hint("the command must call AWS_ENDPOINT_URL (%s); check that it does not set another endpoint", f.url)
}

// measureNull runs the null client against a responder with the same settings.
//
// An interrupt makes it short, and does not end it: without it what was measured would be lost. A
// third signal ends the process.
func (f *Program) measureNull(hard context.Context) error {
	ctx := context.WithoutCancel(hard)
	request := nullShape(f.trace.Exchanges[len(f.trace.Exchanges)-1])
	trace, err := f.traced(ctx, "null.csv", func(t *run.Target) error {
		defer f.life.View.Begin("null client", during(nullTime))()
		return callNull(ctx, hard.Done(), t.URL, f.certificate, request)
	})
	if err != nil {
		return err
	}
	result, err := Measure(trace.Exchanges, Options{Warmup: nullTime, Share: warmupShare})
	if err != nil {
		return fault.New(fault.RunFailed, "cannot measure the null client: %w", err)
	}
	if f.null = NewNull(result); f.null.Sample.N == 0 {
		return fault.New(fault.RunFailed, "cannot measure the null client: none of its %d calls is usable",
			len(trace.Exchanges))
	}
	f.imitated = requestOf(&trace.Exchanges[0])
	return nil
}

// ending is how the command ended.
type ending struct {
	status      int    // 0 when it ended well or was ended by a signal
	signal      string // that ended it
	interrupted bool   // by the user
	limit       *limit // that ended it; nil for none
}

// notFound is the shell's exit status for a command that it does not find.
const notFound = 127

// bad reports whether the command failed by itself.
func (e ending) bad() bool {
	return !e.interrupted && (e.limit != nil || e.status != 0 || e.signal != "")
}

// clause says how the command ended, to follow a sentence; "" when it ended well.
func (e ending) clause() string {
	switch {
	case !e.bad():
		return ""
	case e.limit != nil:
		return ", and was stopped: " + e.limit.reason()
	case e.signal != "":
		return fmt.Sprintf(", and was terminated by signal %q", e.signal)
	}
	return fmt.Sprintf(", and exited with status %d", e.status)
}

// fault is the error of a command that failed after it had been measured.
func (e ending) fault() error {
	if !e.bad() {
		return nil
	}
	err := fault.New(fault.RunFailed, "the command made calls%s; the report covers these calls", e.clause())
	if e.limit != nil {
		return err.Hint("let the command exit by itself, or raise %s", e.limit.flag)
	}
	return err
}
