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
		return usage("%s is %v: it must be from 0 to %v", flag, p.Warmup, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkTime(flag string) error {
	if p.Time < 0 || p.Time > plan.MaxTime {
		return usage("%s is %v: it must be more than 0 and at most %v", flag, p.Time, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkCalls(flag string) error {
	if p.Calls < 0 || p.Calls > maxCalls {
		return usage("%s is %d: it must be from 1 to %d", flag, p.Calls, maxCalls)
	}
	return nil
}

func (p *Plan) checkTimeout(flag string) error {
	if p.Timeout <= 0 || p.Timeout > plan.MaxTime {
		return usage("%s is %v: it must be more than 0 and at most %v", flag, p.Timeout, plan.MaxTime)
	}
	return nil
}

// minIdle is well above how long requests may be on their way to the trace that tells of them.
const minIdle = 5 * time.Second

func (p *Plan) checkExecTimeout(flag string) error {
	if !p.noExec() && (p.ExecTimeout <= 0 || p.ExecTimeout > plan.MaxTime) {
		return usage("%s is %v: it must be more than 0 and at most %v", flag, p.ExecTimeout, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkExecIdle(flag string) error {
	if !p.noExec() && (p.ExecIdle < minIdle || p.ExecIdle > plan.MaxTime) {
		return usage("%s is %v: it must be at least %v and at most %v", flag, p.ExecIdle, minIdle, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkLatency(flag string) error {
	if p.Latency < 0 || p.Latency > maxLatency {
		return usage("%s is %v: it must be from 0 to %v", flag, p.Latency, maxLatency)
	}
	return nil
}

func (p *Plan) checkMinEffect(flag string) error {
	if !(p.MinEffect >= 0 && p.MinEffect <= 1) {
		return usage("%s is %g: it must be from 0 to 100%%", flag, p.MinEffect).Hint("give a share, such as 3%%")
	}
	return nil
}

func (p *Plan) checkLength() error {
	switch {
	case p.Calls > 0 && p.Time > 0:
		return usage("--time and --calls are both given: only one can end the measurement of an operation").
			Hint("leave one of them out")
	case p.Calls == 0 && p.Time == 0:
		return usage("there is neither a --time nor a number of --calls: nothing would be measured").
			Hint("give --time 15s, or --calls 1000")
	case p.Calls > 0 && p.Calls < int64(p.Concurrency):
		return usage("--calls is %d: fewer than the %d clients of --concurrency", p.Calls, p.Concurrency)
	}
	return nil
}

func (p *Plan) checkTimes() error {
	if p.Latency > 0 && p.Latency >= p.Timeout {
		return usage("--latency is %v, and --timeout %v: every call would end too early", p.Latency, p.Timeout).
			Hint("give a longer --timeout")
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
			Hint("write http://HOST:PORT, such as http://localhost:5000")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return usage("--endpoint %q is not the URL of a web server", shown).
			Hint("write http://HOST:PORT or https://HOST:PORT")
	case !portExists(u.Port()):
		return usage("--endpoint %q: there is no port %s", shown, u.Port()).Hint("give one from 1 to 65535")
	case u.User != nil:
		return usage("--endpoint %q has a user name or a password: requests are signed, and would not use them", shown).
			Hint("leave them out; credentials come from the environment or from --profile")
	case u.RawQuery != "" || u.Fragment != "":
		return usage("--endpoint %q has a query or a fragment: services are addressed by the path", shown).
			Hint("end it with the host, the port or a path")
	case p.HTTP2 && u.Scheme == "http":
		return usage("--http2 needs TLS, and the scheme of --endpoint is http").
			Hint("give an https URL, or leave --http2 out")
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
		return usage("--tls is about the demo server, which is not called").
			Hint("leave it out: the scheme of --endpoint says whether there is TLS, and AWS always has it")
	case p.Latency > 0:
		return usage("--latency is about the demo server, which is not called").Hint("leave it out")
	}
	return nil
}
