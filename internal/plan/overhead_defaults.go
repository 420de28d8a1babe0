package plan

import (
	"net/url"
	"strconv"
	"time"
)

// Bounds of an overhead run.
const (
	maxOverheadClients = 1000
	maxOverheadCalls   = 1_000_000_000
	maxResponseLatency = time.Minute // of the embedded responder
)

// DefaultOverhead is the plan of an overhead run for which nothing was given.
func DefaultOverhead() Overhead {
	return Overhead{
		Warmup: 5 * time.Second, Time: 15 * time.Second, Concurrency: 1, Timeout: 10 * time.Second,
		MinEffect: 0.03,
		Output:    Output{Bucket: 10 * time.Second},
		Load:      Load{Pipeline: 1, Retry: Retry{MaxBackoff: time.Second}},
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that
// name was set by the user.
func (o *Overhead) Resolve(given func(flag string) bool) {
	o.Load.Clients = o.Concurrency
	// No call is tried again, and the last one may take as long as any other.
	o.Load.Retry.Timeout, o.Load.Drain = o.Timeout, o.Timeout
	if given("calls") && !given("time") {
		o.Time = 0
	}
	if o.HTTP2 && o.Endpoint == "" && !o.Real() {
		o.TLS = true // the embedded responder has HTTP/2 only with TLS
	}
}

// Real reports whether the services of AWS itself are called.
func (o *Overhead) Real() bool { return o.Endpoint == "" && (o.Profile != "" || o.Region != "") }

// Embedded reports whether the embedded responder is called.
func (o *Overhead) Embedded() bool { return o.Endpoint == "" && !o.Real() }

// Validate says what is wrong with a resolved plan, as a usage error that names the flag.
func (o *Overhead) Validate() error {
	return first(o.checkLength(), o.checkTimes(), o.checkEndpoint(), o.checkResponder(), o.checkComparison(), o.Output.Validate())
}

func (o *Overhead) checkLength() error {
	switch {
	case o.Calls < 0 || o.Calls > maxOverheadCalls:
		return usage("--calls is %d: it must be from 1 to %d", o.Calls, maxOverheadCalls)
	case o.Time < 0 || o.Time > MaxTime:
		return usage("--time is %v: it must be more than 0 and at most %v", o.Time, MaxTime)
	case o.Calls > 0 && o.Time > 0:
		return usage("--time and --calls are both given: only one can end the measurement of an operation").
			Hint("leave one of them out")
	case o.Calls == 0 && o.Time == 0:
		return usage("there is neither a --time nor a number of --calls: nothing would be measured").Hint("give --time 15s, or --calls 1000")
	case o.Concurrency < 1 || o.Concurrency > maxOverheadClients:
		return usage("--concurrency is %d: it must be from 1 to %d", o.Concurrency, maxOverheadClients)
	case o.Calls > 0 && o.Calls < int64(o.Concurrency):
		return usage("--calls is %d: fewer than the %d clients of --concurrency", o.Calls, o.Concurrency)
	}
	return nil
}

func (o *Overhead) checkTimes() error {
	switch {
	case o.Warmup < 0 || o.Warmup > MaxTime:
		return usage("--warmup is %v: it must be from 0 to %v", o.Warmup, MaxTime)
	case o.Timeout <= 0 || o.Timeout > MaxTime:
		return usage("--timeout is %v: it must be more than 0 and at most %v", o.Timeout, MaxTime)
	case o.Latency < 0 || o.Latency > maxResponseLatency:
		return usage("--latency is %v: it must be from 0 to %v", o.Latency, maxResponseLatency)
	case o.Latency > 0 && o.Latency >= o.Timeout:
		return usage("--latency is %v, and --timeout %v: every call would end too early", o.Latency, o.Timeout).
			Hint("give a longer --timeout")
	}
	return nil
}

func (o *Overhead) checkEndpoint() error {
	if o.Endpoint == "" {
		return nil
	}
	shown := RedactURL(o.Endpoint)
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil:
		return usage("--endpoint %q is not a URL: %s", shown, URLTrouble(o.Endpoint, err)).
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
	case o.HTTP2 && u.Scheme == "http":
		return usage("--http2 needs TLS, and the scheme of --endpoint is http").Hint("give an https URL, or leave --http2 out")
	}
	return nil
}

// portExists reports whether a port, "" for the scheme's own, is one that can be called.
func portExists(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// checkResponder refuses what means something for the embedded responder alone.
func (o *Overhead) checkResponder() error {
	if o.Embedded() {
		return nil
	}
	switch {
	case o.TLS:
		return usage("--tls is about the embedded responder, which is not called").
			Hint("leave it out: the scheme of --endpoint says whether there is TLS, and AWS always has it")
	case o.Latency > 0:
		return usage("--latency is about the embedded responder, which is not called").Hint("leave it out")
	}
	return nil
}

func (o *Overhead) checkComparison() error {
	if !(o.MinEffect >= 0 && o.MinEffect <= 1) {
		return usage("--min-effect is %g: it must be from 0 to 100%%", o.MinEffect).Hint("give a share, such as 3%%")
	}
	return nil
}
