package http

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/http/rates"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

// Plan is what a run does. Settings declares what each field is.
type Plan struct {
	URL     string // as given; "" for the embedded target
	Load    plan.Load
	Request Request
	Auth    Auth
	Dial    Dial
	Output  plan.Output

	TargetFlags []string // names of the demo server's settings that were given

	inputs infile.Files // that were read
}

// Request is the one request of a run without a file of them.
type Request struct {
	Method  string
	Headers []string
	Body    string // @FILE for the contents of a file
	Checks  []string
	Name    string
	File    string // of requests, instead of the one of all the others
	// Recorded says that requests of a log or of a recording keep their times, which are divided by Speed.
	Recorded bool
	Speed    float64
	Table    string // CSV; ${csv.NAME} is a column of it
	// Redirects is how many an operation follows.
	Redirects int
	// Cookies is on or off; "" is on where a client sends several requests one after the other.
	Cookies    string
	Compressed bool
	Rates      string // which bodies have a rate
}

// Dial says how a connection is made and how long it is used.
type Dial struct {
	reach.Options
	HTTP2       bool // by ALPN, or with prior knowledge
	NoKeepAlive bool // a connection for each request
	Churn       int  // requests on a connection; 0: any number
}

// DefaultPlan is the plan of a run for which nothing was given. What depends on other settings is still open: Resolve
// fills it in.
func DefaultPlan() Plan {
	retry := plan.DefaultRetry()
	retry.Max = 0 // who measures a service wants to see each failure
	return Plan{
		Load: plan.Load{Called: called(), Clients: 16, Pipeline: 1, Arrivals: plan.Poisson, Pacing: plan.Auto,
			Retry: retry},
		Request: Request{Speed: 1, Rates: rates.OfLong},
		Output:  plan.DefaultOutput(),
	}
}

// called is what the load's messages call requests, and the flags that count them.
func called() plan.Called {
	return plan.Called{Operation: "request", Operations: "requests", Count: "count", Warmup: "warmup-requests"}
}

// What the demo does, and in words: see the chat's.
const (
	demoThinkTime = 10 * time.Millisecond
	demoWords     = "16 clients with 10ms think time, about 1,500 requests per second"
)

// Resolve fills in what depends on other settings. given reports whether the flag of that name was set by the user.
func (p *Plan) Resolve(given func(flag string) bool) error {
	return p.Load.Resolve(func(flag string) bool {
		// What was recorded has a length of its own.
		return flag == "duration" && p.Load.Arrivals == plan.AsRecorded || given(flag)
	})
}

// demo reports whether the user said neither which server to measure nor how much load to make.
func (p *Plan) demo(given func(flag string) bool) bool {
	l := p.Load.Settings()
	loadSettings(l) // which gives them the names of their flags
	return p.URL == "" && !p.Request.Recorded && !l.Shaped(given)
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return redact.URL(p.URL) }),
		setting.Field(&p.URL).At("url_user").WrittenAs(func() any { return redact.HasUser(p.URL) }).OmitZero(),
		setting.Field(&p.TargetFlags).At("target_flags").OmitZero())
	s.Group("Load", loadSettings(l)...)
	s.Group("Failures", l.Failures("maximum time of one attempt")...)
	s.Group("Request", append(p.Request.settings(), l.Seed.Flag("seed", "seed of all random values; the same "+
		"seed sends the same requests (default: random, shown in the report)"))...)
	s.Group("Authentication", p.Auth.settings()...)
	s.Group("Connection", p.Dial.settings()...)
	s.Group("Output", slices.Insert(p.Output.Settings("request"), 1, p.Output.WarmupSamples())...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkURL).Rules(p.Load.Rules()...).
		Rules(p.checkPipeline, p.checkDial, p.checkRecorded, p.Request.checkFile, p.Auth.check, p.checkHTTP2,
			p.Output.CheckFiles)
}

func loadSettings(l *plan.LoadSettings) []*setting.Setting {
	return []*setting.Setting{
		l.Clients.Flag("clients", "simulated users, each with a connection of its own; with --rate: the initial "+
			"number").SaysConcurrency(),
		l.Pipeline.Flag("pipeline", "requests in flight per connection; HTTP/2 only").SaysConcurrency(),
		l.Operations.Flag("count",
			"stop after this many requests, including warm-up (default: --duration ends the run)"),
		l.Duration.Flag("duration",
			"length of the measurement, after the warm-up (default 10s, unless --count or --stages is given)"),
		l.Rate.Flag("rate", "start this many requests per second, however fast the server is (default: each "+
			"client waits for the response)"),
		l.Arrivals.Flag("arrivals", "with --rate: distribution of the starts: poisson (random), constant, or "+
			"burst (once per second)").
			Offer(string(plan.Poisson), string(plan.Constant), string(plan.Burst)),
		l.Stages.Flag("stages", "rate over time: 10s:2000,30s:2000 rises to 2000/s within 10s and stays there "+
			"for 30s; it starts at --rate, or 0"),
		l.ClientStages.Flag("client-stages", "without --rate: clients over time: 10s:50,1m:50,10s:0 rises to 50 "+
			"within 10s, stays for 1m, and falls to 0 within 10s; it starts at --clients, or 0"),
		l.Pacing.Flag("pacing", "with --rate: how to wait for the start of a request: spin (exact, occupies a "+
			"CPU), sleep, or auto (spin if CPU is available)"),
		l.Realtime.Flag("realtime", "with --rate: send from a thread with real-time priority (SCHED_FIFO), if "+
			"the system permits"),
		l.Ramp.Flag("ramp", "increase the load linearly from 0 for this long before measuring"),
		l.ThinkTime.Flag("think-time",
			"pause of a client after each response (default 0s; "+demoThinkTime.String()+" in the demo)"),
		l.WarmupClients.Flag("warmup-clients", "clients during warm-up; 0: no warm-up (default: as --clients, at "+
			"most 32)"),
		l.WarmupOperations.Flag("warmup-requests",
			"requests per client during warm-up (default 1000, within --warmup-time; at most a tenth of --count)"),
		l.WarmupTime.Flag("warmup-time", "maximum length of the warm-up (default 2s)"),
		l.Drain.Flag("drain", "how long to wait at the end for requests in flight (default: as --timeout)"),
		l.MaxClients.Flag("max-clients", "with --rate: add clients up to this number while all are busy (default "+
			"10000; set it to --clients for a fixed number)"),
		l.MaxWaiting.Flag("max-waiting", "with --rate and all clients busy: requests that may wait; more count "+
			"as unsent (default: those of 10s, at least 10000)"),
	}
}

func (r *Request) settings() []*setting.Setting {
	checks := setting.List(&r.Checks, "check", "check", "condition that every response must meet, such as "+
		"'status 200' or 'json ok = true'; repeatable (default: a status below 400)").
		At("request.checks").OmitZero().
		Offer("status", "header", "cookie", "json", "text", "regexp", "size", "sha256", "not")
	checks.Unended = true // what it must be follows
	return []*setting.Setting{
		setting.Text(&r.Method, "method", "method", "request method (default: GET; with --body: POST)").
			At("request.method").OmitZero().Short("X").Offer("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
		setting.List(&r.Headers, "header", "'Name: value'", "request header; repeatable").
			At("request.headers").WrittenAs(func() any { return names(r.Headers) }).OmitZero().Short("H"),
		setting.Text(&r.Body, "body", "text", "request body; @FILE reads it from a file").
			At("request.body").OmitZero().WrittenAs(func() any { return bodyWritten(r.Body) }),
		checks,
		setting.Text(&r.Name, "name", "text", "name of the request in reports (default: method and path)").
			At("request.name").OmitZero(),
		setting.Text(&r.File, "requests", "file", "send the requests of this file, with paths relative to the "+
			"URL: YAML or JSON, an access log, or a HAR file").
			At("request.file").OmitZero().Ending("yaml", "yml", "json", "har", "log", "jsonl"),
		setting.Switch(&r.Recorded, "recorded-times", "with --requests: replay at the recorded times; requests "+
			"of a log with whole seconds are spread evenly over each second").
			At("request.recorded_times").OmitZero(),
		setting.Rate(&r.Speed, "speed", "with --recorded-times: replay this many times faster").At("request.speed").
			OmitIf(func() bool { return !r.Recorded }).Rule(r.checkSpeed),
		setting.Text(&r.Table, "data-file", "file", "CSV file with values: request n uses row n, and ${csv.NAME} is "+
			"replaced by its column NAME").Formerly("csv").
			At("request.table").OmitZero().Ending("csv"),
		setting.Count(&r.Redirects, "redirects", "count", "follow up to this many redirects to the same service, "+
			"within the response time (default 0: a 3xx is a response)").
			At("request.redirects").OmitZero().Rule(r.checkRedirects),
		reach.Cookies(&r.Cookies, "send the cookies that responses set; in the open model every arrival starts "+
			"without (default: on for sequences of requests)").
			At("request.cookies"),
		setting.Switch(&r.Compressed, "compressed", "request compressed responses (gzip, deflate, br, zstd); "+
			"checks see the content, byte counts are compressed").At("request.compressed").OmitZero(),
		setting.Text(&r.Rates, "rates", "which", "measure the transfer rate of bodies over HTTP/1.1: long (64 "+
			"KiB or more), all, or none").
			At("request.rates").OmitIf(func() bool { return r.Rates == rates.OfLong }).
			OneOf(rates.OfLong, rates.All, rates.None),
	}
}

func (d *Dial) settings() []*setting.Setting {
	return append(d.Options.Settings("https"),
		setting.Switch(&d.HTTP2, "http2", "use HTTP/2: by ALPN with https://, with prior knowledge (h2c) with "+
			"http://").
			At("dial.http2").OmitZero(),
		setting.Switch(&d.NoKeepAlive, "no-keep-alive", "open a new connection for each request").
			At("dial.no_keep_alive").OmitZero(),
		setting.Count(&d.Churn, "churn", "count", "close a connection after this many requests (default: never)").
			At("dial.churn").OmitZero().Rule(d.checkChurn),
	)
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
