package overhead

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// Plan is what an overhead run does. Settings declares what each field is.
type Plan struct {
	Load plan.Load

	// Operations are what is measured, each SERVICE/OPERATION; empty for the default table.
	Operations []string
	Exec       string // command of a foreign client
	// ExecTimeout ends the command after so long, and ExecIdle when it makes no request for so long.
	ExecTimeout, ExecIdle time.Duration

	Warmup      time.Duration // of each operation
	Time        time.Duration // of each operation's measurement
	Calls       int64
	Concurrency int
	Timeout     time.Duration // of a call

	Endpoint string // "" for the embedded responder, or for AWS with a profile
	Profile  string
	Region   string
	TLS      bool
	HTTP2    bool
	Latency  time.Duration // of the embedded responder

	Baseline     string  // a run document, or the name of a run
	SaveBaseline string  // file
	MinEffect    float64 // the smallest difference that matters, as a share
	Output       plan.Output

	List bool // show what can be measured, and nothing else
	Yes  bool // ask nobody before something is created on AWS
}

// What the demo does, and in words: long enough to see each operation's figures, and for all of them no longer than
// somebody waits who wants to see what this is.
const (
	demoTime   = 700 * time.Millisecond
	demoWarmup = 150 * time.Millisecond
	demoWords  = "700ms per operation after 150ms of warm-up, about 15 s in total"
)

// demo reports whether the user said neither what to call, nor how, nor what for.
func (p *Plan) demo(operations []string, given func(flag string) bool) bool {
	said := slices.ContainsFunc(slices.Concat(p.measurement(), p.comparison()),
		func(one *setting.Setting) bool { return given(one.Name) })
	return p.Embedded() && len(operations) == 0 && !said
}

// DefaultPlan is the plan of a run for which nothing was given.
func DefaultPlan() Plan {
	return Plan{
		Warmup: 5 * time.Second, Time: 15 * time.Second, Concurrency: 1, Timeout: 10 * time.Second,
		ExecTimeout: 10 * time.Minute, ExecIdle: 2 * time.Minute,
		MinEffect: 0.03,
		Output:    plan.DefaultOutput(),
		Load:      plan.Load{Pipeline: 1, Retry: plan.Retry{MaxBackoff: time.Second}},
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that
// name was set by the user.
func (p *Plan) Resolve(given func(flag string) bool) {
	p.Load.Clients = p.Concurrency
	// No call is tried again, and the last one may take as long as any other.
	p.Load.Retry.Timeout, p.Load.Drain = p.Timeout, p.Timeout
	if given("calls") && !given("duration") {
		p.Time = 0
	}
	if p.HTTP2 && p.Endpoint == "" && !p.Real() {
		p.TLS = true // the embedded responder has HTTP/2 only with TLS
	}
}

// noExec reports whether no program is measured.
func (p *Plan) noExec() bool { return p.Exec == "" }

// Real reports whether the services of AWS itself are called.
func (p *Plan) Real() bool { return p.Endpoint == "" && (p.Profile != "" || p.Region != "") }

// Embedded reports whether the embedded responder is called.
func (p *Plan) Embedded() bool { return p.Endpoint == "" && !p.Real() }

// access is which server is called: the one at this endpoint, or AWS itself.
func (p *Plan) access(endpoint string, certificate []byte) services.Access {
	return services.Access{
		Real: p.Real(), Embedded: p.Embedded(), Endpoint: endpoint, Certificate: certificate,
		Profile: p.Profile, Region: p.Region, HTTP2: p.HTTP2, Timeout: p.Timeout,
	}
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	return setting.New(l.Rest()...).
		Group("", setting.Field(&p.Operations).At("operations").OmitZero(),
			setting.Field(&p.Output.Bucket).At("output.bucket_ns")).
		Group("Measurement", p.measurement()...).
		Group("Server", p.server()...).
		Group("Comparison", p.comparison()...).
		Rules(p.checkLength, p.checkTimes, p.checkEndpoint, p.checkResponder)
}

func (p *Plan) measurement() []*setting.Setting {
	return []*setting.Setting{
		setting.Duration(&p.Warmup, "warmup-time",
			"warm-up of each operation, at least one call; in the demo "+demoWarmup.String()).Formerly("warmup").
			At("warmup_ns").Rule(p.checkWarmup),
		setting.Duration(&p.Time, "duration", "how long to measure each operation; in the demo "+demoTime.String()).
			Formerly("time").
			At("time_ns").Rule(p.checkTime),
		setting.Count(&p.Calls, "calls", "count", "instead of --duration: number of measured calls per operation").
			At("calls").OmitZero().Rule(p.checkCalls),
		setting.Count(&p.Concurrency, "clients", "count", "number of parallel callers").Formerly("concurrency").
			At("concurrency").Between(1, maxClients).SaysConcurrency(),
		setting.Duration(&p.Timeout, "timeout", "maximum time of a call").At("timeout_ns").Rule(p.checkTimeout),
		setting.Text(&p.Exec, "exec", "command",
			"run this shell command and measure the calls that it makes, one at a time").
			At("exec").OmitZero().ShownBy(redact.Command),
		setting.Duration(&p.ExecTimeout, "exec-timeout", "with --exec: stop the command after this time").
			At("exec_timeout_ns").OmitIf(p.noExec).Rule(p.checkExecTimeout),
		setting.Duration(&p.ExecIdle, "exec-idle", "with --exec: stop the command after this time without a request").
			At("exec_idle_ns").OmitIf(p.noExec).Rule(p.checkExecIdle),
		setting.Switch(&p.List, "list", "list all operations and exit").OfResults(),
	}
}

func (p *Plan) server() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&p.Endpoint, "endpoint", "url", "call this server (default: a local demo server)").
			WrittenAs(func() any { return redact.URL(p.Endpoint) }).At("endpoint").OmitZero(),
		setting.Text(&p.Profile, "profile", "name",
			"call AWS with the credentials of this profile; with --endpoint: sign with them").At("profile").OmitZero(),
		setting.Text(&p.Region, "region", "name", "call AWS in this region; with --endpoint: sign for it").
			At("region").OmitZero(),
		setting.Switch(&p.Yes, "yes", "create resources on AWS without asking").OfResults(),
		setting.Switch(&p.TLS, "tls", "demo server: use TLS").At("tls").OmitZero(),
		setting.Switch(&p.HTTP2, "http2", "use HTTP/2 over TLS").At("http2").OmitZero(),
		setting.Duration(&p.Latency, "delay", "demo server: delay of each response").Formerly("latency").
			At("latency_ns").OmitZero().Rule(p.checkLatency),
	}
}

func (p *Plan) comparison() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&p.Baseline, "baseline", "run",
			"compare with this run (last, an id, a file); exit status 3 if a median got worse").
			At("baseline").OmitZero().NamesRun().
			OfResults(),
		setting.Share(&p.MinEffect, "min-effect", "with --baseline and --against: smallest relevant difference").
			At("min_effect").OmitZero().Rule(p.checkMinEffect).OfResults(),
		setting.Output(&p.SaveBaseline, "save-baseline", "file",
			"write the run document to this file for a later --baseline").At("save_baseline").OmitZero().Ending("json").
			OfResults(),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
