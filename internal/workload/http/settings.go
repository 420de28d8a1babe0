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
	demoWords     = "16 clients that pause 10ms after each answer, about 1,500 requests a second"
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
	s.Group("Failures", l.Failures("how long one try may wait for its answer")...)
	s.Group("Request", append(p.Request.settings(), l.Seed.Flag("seed", "what the requests are made from: the same "+
		"number, the same requests (default random, shown in the report)"))...)
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
		l.Clients.Flag("clients", "simulated users, each with its own connection; with --rate the number at the start, "+
			"see --max-clients").SaysConcurrency(),
		l.Pipeline.Flag("pipeline", "requests that one connection may have under way; HTTP/2 only").SaysConcurrency(),
		l.Operations.Flag("count",
			"end the run after this many requests, the warm-up's included (default: --duration ends it)"),
		l.Duration.Flag("duration",
			"how long to measure, after the warm-up (default 10s, unless --count or --stages end the run)"),
		l.Rate.Flag("rate", "send this many requests a second, each when it is due, whatever the server does "+
			"(default: each client sends again when it has its answer)"),
		l.Arrivals.Flag("arrivals", "with --rate: how requests are spaced: poisson (at random), constant, "+
			"or burst (all of a second's at its start)").
			Offer(string(plan.Poisson), string(plan.Constant), string(plan.Burst)),
		l.Stages.Flag("stages", "a rate that changes: 10s:2000,30s:2000 rises to 2000 a second within 10 s "+
			"and stays there for 30 s; it starts from --rate, else from 0 (default none)"),
		l.ClientStages.Flag("client-stages", "without --rate: a number of clients that changes: 10s:50,1m:50,10s:0 adds "+
			"clients until there are 50 after 10 s, keeps them for a minute, and removes them over 10 s; it starts from "+
			"--clients, else from 0 (default none)"),
		l.Pacing.Flag("pacing", "with --rate: how to wait until a request is due: spin (exact, and keeps a CPU busy), "+
			"sleep, or auto (spin where there is CPU to spare)"),
		l.Realtime.Flag("realtime", "with --rate: give the thread that sends on time real-time priority (SCHED_FIFO), "+
			"where the system allows it"),
		l.Ramp.Flag("ramp", "raise the load evenly from nothing for this long, before measuring"),
		l.ThinkTime.Flag("think-time",
			"how long a client pauses after each answer (default none; "+demoThinkTime.String()+" in the demo)"),
		l.WarmupClients.Flag("warmup-clients", "clients of the warm-up, 0 for none (default as --clients, at most 32)"),
		l.WarmupOperations.Flag("warmup-requests",
			"requests that each client sends in the warm-up (default 1000, or as many as 2s allow; "+
				"with --count a tenth of those at most)"),
		l.WarmupTime.Flag("warmup-time", "longest time that the warm-up may take (default 2s)"),
		l.Drain.Flag("drain", "how long to wait at the end for requests that are still under way (default as --timeout)"),
		l.MaxClients.Flag("max-clients", "with --rate: add clients up to this number when a request is due and all "+
			"clients are busy (default 10000; give the number of --clients to keep it fixed)"),
		l.MaxWaiting.Flag("max-waiting", "with --rate: requests that may wait when --max-clients is reached; "+
			"more are counted as unsent (default those of 10 s, at least 10000)"),
	}
}

func (r *Request) settings() []*setting.Setting {
	checks := setting.List(&r.Checks, "check", "check", "what must hold of each answer, such as 'status 200' or "+
		"'json ok = true'; may be given several times (default: a status below 400)").
		At("request.checks").OmitZero().
		Offer("status", "header", "cookie", "json", "text", "regexp", "size", "sha256", "not")
	checks.Unended = true // what it must be follows
	return []*setting.Setting{
		setting.Text(&r.Method, "method", "method", "method of the request (default GET; with --body POST)").
			At("request.method").OmitZero().Short("X").Offer("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
		setting.List(&r.Headers, "header", "'Name: value'", "header of the request; may be given several times").
			At("request.headers").WrittenAs(func() any { return names(r.Headers) }).OmitZero().Short("H"),
		setting.Text(&r.Body, "body", "text", "body of the request; @FILE for the contents of a file").
			At("request.body").OmitZero().WrittenAs(func() any { return bodyWritten(r.Body) }),
		checks,
		setting.Text(&r.Name, "name", "text", "what reports call the request (default its method and path)").
			At("request.name").OmitZero(),
		setting.Text(&r.File, "requests", "file", "what to send: YAML or JSON with requests by weight or in "+
			"sequence, an access log, or a HAR file; its paths are of the URL").
			At("request.file").OmitZero().Ending("yaml", "yml", "json", "har", "log", "jsonl"),
		setting.Switch(&r.Recorded, "recorded-times", "with --requests: each request of a log when it came then, "+
			"and those of a HAR file with their pauses; a log of whole seconds has each second's evenly within it").
			At("request.recorded_times").OmitZero(),
		setting.Rate(&r.Speed, "speed", "with --recorded-times: so many times as fast").At("request.speed").
			OmitIf(func() bool { return !r.Recorded }).Rule(r.checkSpeed),
		setting.Text(&r.Table, "csv", "file", "rows for the requests: request n has row n, and ${csv.NAME} stands for "+
			"its column NAME").
			At("request.table").OmitZero().Ending("csv"),
		setting.Count(&r.Redirects, "redirects", "count", "follow so many redirects, within the response time, to places of "+
			"the same service (default none: a 3xx is an answer)").
			At("request.redirects").OmitZero().Rule(r.checkRedirects),
		reach.Cookies(&r.Cookies, "keep the cookies that answers set, for the requests that follow; in the open model "+
			"each arrival begins without (default on where requests come in sequence)").
			At("request.cookies"),
		setting.Switch(&r.Compressed, "compressed", "ask for compressed answers (gzip, deflate, br, zstd), which checks "+
			"see as they were before; bytes are counted as they come").At("request.compressed").OmitZero(),
		setting.Text(&r.Rates, "rates", "which", "bodies whose rate is measured, up and down, over HTTP/1.1: long (of "+
			"64 KiB or more), all, or none").
			At("request.rates").OmitIf(func() bool { return r.Rates == rates.OfLong }).
			OneOf(rates.OfLong, rates.All, rates.None),
	}
}

func (d *Dial) settings() []*setting.Setting {
	return append(d.Options.Settings("https"),
		setting.Switch(&d.HTTP2, "http2", "speak HTTP/2: chosen by ALPN for https://, from the start for http:// (h2c)").
			At("dial.http2").OmitZero(),
		setting.Switch(&d.NoKeepAlive, "no-keep-alive", "a new connection for each request").
			At("dial.no_keep_alive").OmitZero(),
		setting.Count(&d.Churn, "churn", "count", "close each connection after this many requests (default: never)").
			At("dial.churn").OmitZero().Rule(d.checkChurn),
	)
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
