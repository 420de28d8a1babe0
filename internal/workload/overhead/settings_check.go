package overhead

import (
	"net/url"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// Bounds of an overhead run.
const (
	maxClients = 1000
	maxCalls   = 1_000_000_000
	maxLatency = time.Minute // of the embedded responder
)

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

func (p *Plan) checkWarmup(flag string) error {
	if p.Warmup < 0 || p.Warmup > plan.MaxTime {
		return usage("%s %v is out of range: it must be between 0 and %v", flag, p.Warmup, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkTime(flag string) error {
	if p.Time < 0 || p.Time > plan.MaxTime {
		return usage("%s %v is out of range: it must be above 0 and at most %v", flag, p.Time, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkCalls(flag string) error {
	if p.Calls < 0 || p.Calls > maxCalls {
		return usage("%s %d is out of range: it must be between 1 and %d", flag, p.Calls, maxCalls)
	}
	return nil
}

func (p *Plan) checkTimeout(flag string) error {
	if p.Timeout <= 0 || p.Timeout > plan.MaxTime {
		return usage("%s %v is out of range: it must be above 0 and at most %v", flag, p.Timeout, plan.MaxTime)
	}
	return nil
}

// minIdle is well above how long requests may be on their way to the trace that tells of them.
const minIdle = 5 * time.Second

func (p *Plan) checkExecTimeout(flag string) error {
	if !p.noExec() && (p.ExecTimeout <= 0 || p.ExecTimeout > plan.MaxTime) {
		return usage("%s %v is out of range: it must be above 0 and at most %v", flag, p.ExecTimeout, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkExecIdle(flag string) error {
	if !p.noExec() && (p.ExecIdle < minIdle || p.ExecIdle > plan.MaxTime) {
		return usage("%s %v is out of range: it must be between %v and %v", flag, p.ExecIdle, minIdle, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkLatency(flag string) error {
	if p.Latency < 0 || p.Latency > maxLatency {
		return usage("%s %v is out of range: it must be between 0 and %v", flag, p.Latency, maxLatency)
	}
	return nil
}

func (p *Plan) checkMinEffect(flag string) error {
	if !(p.MinEffect >= 0 && p.MinEffect <= 1) {
		return usage("%s %g is out of range: it must be between 0 and 100%%", flag, p.MinEffect).Hint("for example 3%%")
	}
	return nil
}

func (p *Plan) checkLength() error {
	switch {
	case p.Calls > 0 && p.Time > 0:
		return usage("--duration and --calls cannot be combined").
			Hint("use one of them")
	case p.Calls == 0 && p.Time == 0:
		return usage("neither --duration nor --calls is set").
			Hint("set --duration 15s or --calls 1000")
	case p.Calls > 0 && p.Calls < int64(p.Concurrency):
		return usage("--calls %d is less than --clients %d", p.Calls, p.Concurrency)
	}
	return nil
}

func (p *Plan) checkTimes() error {
	if p.Latency > 0 && p.Latency >= p.Timeout {
		return usage("--delay %v is not below --timeout %v: every call would time out", p.Latency, p.Timeout).
			Hint("raise --timeout")
	}
	return nil
}

func (p *Plan) checkEndpoint() error {
	if p.Endpoint == "" {
		return nil
	}
	shown := redact.URL(p.Endpoint)
	u, err := url.Parse(p.Endpoint)
	switch {
	case err != nil:
		return usage("--endpoint %q is not a URL: %s", shown, plan.URLTrouble(p.Endpoint, err)).
			Hint("write http://HOST:PORT, for example http://localhost:5000")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return usage("--endpoint %q is not an HTTP URL", shown).
			Hint("write http://HOST:PORT or https://HOST:PORT")
	case !portExists(u.Port()):
		return usage("--endpoint %q has the invalid port %s", shown, u.Port()).Hint("ports range from 1 to 65535")
	case u.User != nil:
		return usage("--endpoint %q contains a user name or password, which is not used", shown).
			Hint("remove it; credentials come from the environment or from --profile")
	case u.RawQuery != "" || u.Fragment != "":
		return usage("--endpoint %q contains a query or a fragment", shown).
			Hint("write only scheme, host, port and path")
	case p.HTTP2 && u.Scheme == "http":
		return usage("--http2 needs TLS, but --endpoint is an http URL").
			Hint("use an https URL, or remove --http2")
	}
	return nil
}

// portExists reports whether a port, "" for the scheme's own, is one that can be called.
func portExists(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// checkResponder refuses what means something for the embedded responder alone.
func (p *Plan) checkResponder() error {
	if p.Embedded() {
		return nil
	}
	switch {
	case p.TLS:
		return usage("--tls applies only to the demo server").
			Hint("remove it; the scheme of --endpoint selects TLS, and AWS always uses it")
	case p.Latency > 0:
		return usage("--delay applies only to the demo server").Hint("remove it")
	}
	return nil
}
