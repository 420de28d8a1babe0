package overhead

import (
	"context"
	"io"
	"log"
	"net/http"
	"testing"
	"time"

	"github.com/aws/smithy-go/middleware"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// lab is a run against a server.
type lab struct {
	plan Plan
	dial services.Dial // nil for the system's; else it is run in fake time
	stop chan struct{}
	work *Overhead

	stack []func(*middleware.Stack) error // what is added to the SDK
	cpu   func() time.Duration            // nil for the system's
}

func newLab(t *testing.T, change func(*Plan), operations ...string) *lab {
	t.Helper()
	p := DefaultPlan()
	p.Endpoint, p.Time, p.Calls, p.Warmup, p.Timeout = "http://127.0.0.1:1", 0, 20, 0, time.Minute
	if change != nil {
		change(&p)
	}
	var unknown string
	var ok bool
	if p.Operations, unknown, ok = services.Choose(operations); !ok {
		t.Fatalf("%s is unknown", unknown)
	}
	p.Resolve(func(string) bool { return true })
	if err := p.Settings().Check(); err != nil {
		t.Fatal(err)
	}
	return &lab{plan: p, stop: make(chan struct{})}
}

// withKeys has the SDK find keys, and no settings of the machine's user.
func withKeys(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush-hush-hush")
}

// run carries the plan out, and clears away.
func (l *lab) run(t *testing.T) (*record.Run, Result) {
	t.Helper()
	withKeys(t)
	ctx := t.Context()
	soft, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := context.AfterFunc(soft, func() { close(l.stop) })
	defer stopped()
	remote, err := services.Connect(ctx, ctx, l.plan.access(l.plan.Endpoint, nil))
	if err != nil {
		t.Fatal(err)
	}
	remote.Dial, remote.Stack = l.dial, l.stack
	l.work = New(Config{Plan: l.plan, Remote: remote, Soft: soft, Hard: ctx})
	if l.cpu != nil {
		l.work.cpu.clock = l.cpu
	}
	config := engine.Config{Load: l.plan.Load, Workload: l.work}
	if l.dial != nil {
		config.Alarms = wake.NewPortable()
		defer config.Alarms.Close()
	}
	run, err := engine.Run(ctx, l.stop, config)
	l.work.CleanUp()
	if err != nil {
		t.Logf("the engine: %v", err)
	}
	return run, l.work.Result()
}

// inFakeTime makes a lab of a server on a network of pipes, for a test inside a bubble.
func inFakeTime(t *testing.T, h http.Handler, change func(*Plan), operations ...string) *lab {
	t.Helper()
	network := make(peertest.Pipes)
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(network) }()
	t.Cleanup(func() { _ = server.Close() })
	l := newLab(t, func(p *Plan) {
		p.Endpoint = "http://pipe"
		if change != nil {
			change(p)
		}
	}, operations...)
	l.dial = network.Dial
	return l
}
