package run

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
)

// lookupTime bounds the question whether the target is on this machine. It only decides
// about a doubt in the verdict.
const lookupTime = 2 * time.Second

// Target is the server that is measured.
type Target struct {
	URL      string
	Broker   string // of the message service in an embedded target, with its token; else ""
	Embedded bool
	SameHost bool
	CPU      func() (user, system time.Duration) // nil when not known
	Ended    <-chan struct{}                     // closed when an embedded target has ended; nil for another
	Stop     func() error
}

// Elsewhere is a server that runs already.
func Elsewhere(ctx context.Context, url string) *Target {
	return &Target{URL: url, SameHost: onThisHost(ctx, url), Stop: func() error { return nil }}
}

// Start starts 'plimsoll serve' for a kind of target, as a child process. What nobody else on the machine is to
// read goes into its environment, as NAME=value.
func Start(ctx context.Context, env *Env, kind string, extra []string, secrets ...string) (*Target, error) {
	if env.Executable == "" {
		return nil, fault.New(fault.RunFailed,
			"cannot start the demo server: the path of this program is unknown").
			Hint("start 'plimsoll serve %s' and pass its URL", kind)
	}
	args := append([]string{"serve", kind, "--child", "--listen", "127.0.0.1:0"}, extra...)
	child, err := server.Start(ctx, env.Executable, args, env.Stderr, secrets...)
	if ctx.Err() != nil {
		return nil, fault.New(fault.Interrupted, "interrupted while the demo server started: nothing was measured")
	}
	if err != nil {
		return nil, err
	}
	return &Target{
		URL:      child.URL(),
		Broker:   child.Broker(),
		Embedded: true,
		SameHost: true,
		CPU: func() (user, system time.Duration) {
			user, system, err := child.CPU()
			if err != nil {
				return 0, 0 // not known on this system
			}
			return user, system
		},
		Ended: child.Exited(),
		// The interrupt that ended the run must not cut the target's own end short.
		Stop: func() error { return child.Stop(context.WithoutCancel(ctx)) },
	}, nil
}

// Watch says at once when an embedded target ends while it is measured. The function
// that it returns ends the watch.
func (t *Target) Watch(view *View, consequence string) (end func()) {
	over := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-t.Ended:
			view.Note("the demo server has exited; " + consequence)
		case <-over:
		}
	})
	return func() {
		close(over)
		watcher.Wait()
	}
}

// Start starts a target whose words and the line of the view take turns.
func (r *Run) Start(ctx context.Context, kind string, args []string, secrets ...string) (*Target, error) {
	defer r.View.Begin("starting the demo server", nil)()
	env := *r.Env
	env.Stderr = r.View.Beside()
	return Start(ctx, &env, kind, args, secrets...)
}

// Embedded starts a target that is watched while the run goes on, and ended with it.
func (r *Run) Embedded(
	ctx context.Context, kind string, args []string, consequence string, secrets ...string,
) (*Target, error) {
	t, err := r.Start(ctx, kind, args, secrets...)
	if err != nil {
		return nil, err
	}
	unwatch := t.Watch(r.View, consequence)
	r.Hold(func() error {
		unwatch()
		return t.Stop()
	})
	return t, nil
}

// onThisHost reports whether the host of a URL is this machine, as far as can be told.
func onThisHost(ctx context.Context, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupIPAddr(bounded, u.Hostname())
	if err != nil {
		return false // the run itself will say so
	}
	own, err := ownAddresses()
	for _, a := range addresses {
		if a.IP.IsLoopback() || err == nil && own[a.IP.String()] {
			return true
		}
	}
	return false
}

func ownAddresses() (map[string]bool, error) {
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return nil, errors.New("the addresses of this machine are unknown")
	}
	own := map[string]bool{}
	for _, i := range interfaces {
		if n, ok := i.(*net.IPNet); ok {
			own[n.IP.String()] = true
		}
	}
	return own, nil
}
