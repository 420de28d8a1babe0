package cli

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/target"
)

// lookupTime bounds the question whether the target is on this machine. It only decides
// about a doubt in the verdict.
const lookupTime = 2 * time.Second

// chatTarget is the server that is measured.
type chatTarget struct {
	url      string
	embedded bool
	sameHost bool
	cpu      func() (user, system time.Duration) // nil when not known
	ended    <-chan struct{}                     // closed when an embedded target has ended; nil for another
	stop     func() error
}

// target starts the embedded target, or takes the one that the URL names.
func (r *chatRun) target(ctx context.Context, extra []string) (*chatTarget, error) {
	if u := r.o.plan.URL; u != "" {
		return &chatTarget{url: u, sameHost: onThisHost(ctx, u), stop: func() error { return nil }}, nil
	}
	if r.env.Executable == "" {
		return nil, fault.New(fault.RunFailed, "cannot start the embedded target: this program does not know its own file").
			Hint("run 'plimsoll serve chat' and give its URL")
	}
	args := append([]string{"serve", "chat", "--child", "--listen", "127.0.0.1:0"}, extra...)
	child, err := target.Start(ctx, r.env.Executable, args, r.env.Stderr)
	if ctx.Err() != nil {
		return nil, fault.New(fault.Interrupted, "interrupted while the embedded target started: nothing was measured")
	}
	if err != nil {
		return nil, err
	}
	return &chatTarget{
		url:      child.URL(),
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
