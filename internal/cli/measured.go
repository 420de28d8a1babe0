package cli

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

// measured is the server that is measured.
type measured struct {
	url      string
	broker   string // of the message service in an embedded target, with its token; else ""
	embedded bool
	sameHost bool
	cpu      func() (user, system time.Duration) // nil when not known
	ended    <-chan struct{}                     // closed when an embedded target has ended; nil for another
	stop     func() error
}

// elsewhere is a server that runs already.
func elsewhere(ctx context.Context, url string) *measured {
	return &measured{url: url, sameHost: onThisHost(ctx, url), stop: func() error { return nil }}
}

// embedded starts 'plimsoll serve' for a kind of target, as a child process.
func embedded(ctx context.Context, env *Env, kind string, extra []string) (*measured, error) {
	if env.Executable == "" {
		return nil, fault.New(fault.RunFailed, "cannot start the embedded target: this program does not know its own file").
			Hint("run 'plimsoll serve %s' and give its URL", kind)
	}
	args := append([]string{"serve", kind, "--child", "--listen", "127.0.0.1:0"}, extra...)
	child, err := server.Start(ctx, env.Executable, args, env.Stderr)
	if ctx.Err() != nil {
		return nil, fault.New(fault.Interrupted, "interrupted while the embedded target started: nothing was measured")
	}
	if err != nil {
		return nil, err
	}
	return &measured{
		url:      child.URL(),
		broker:   child.Broker(),
		embedded: true,
		sameHost: true,
		cpu: func() (user, system time.Duration) {
			user, system, err := child.CPU()
			if err != nil {
				return 0, 0 // not known on this system
			}
			return user, system
		},
		ended: child.Exited(),
		// The interrupt that ended the run must not cut the target's own end short.
		stop: func() error { return child.Stop(context.WithoutCancel(ctx)) },
	}, nil
}

// watchTarget says at once when an embedded target ends while it is measured. The function
// that it returns ends the watch.
func watchTarget(t *measured, view *liveView, consequence string) (end func()) {
	over := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-t.ended:
			view.note("the embedded target has ended; " + consequence)
		case <-over:
		}
	})
	return func() {
		close(over)
		watcher.Wait()
	}
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
		return nil, errors.New("the addresses of this machine are not known")
	}
	own := map[string]bool{}
	for _, i := range interfaces {
		if n, ok := i.(*net.IPNet); ok {
			own[n.IP.String()] = true
		}
	}
	return own, nil
}
