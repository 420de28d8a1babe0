package plan

import (
	"errors"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// closed is a load that breaks no rule, and open one at a rate.
func closed() *Load {
	return &Load{Clients: 1, Pipeline: 1, Duration: time.Second, Retry: DefaultRetry()}
}

func open() *Load {
	l := closed()
	l.Rate, l.Arrivals, l.Pacing, l.MaxWaiting = 100, "poisson", "auto", 1
	return l
}

// Each rule of a load at its bounds: what is refused says what is wrong, and the next value to it is taken.
func TestRules(t *testing.T) {
	steady := []Stage{{Duration: time.Second, Rate: 100}}
	calls := Called{Operation: "call", Operations: "calls", Count: "calls", Warmup: "warmup-calls"}
	for name, tt := range map[string]struct {
		of     func() *Load
		change func(*Load)
		want   string // the error and its hint; "": there is none
	}{
		"closed":        {closed, func(*Load) {}, ""},
		"open":          {open, func(*Load) {}, ""},
		"no client":     {closed, func(l *Load) { l.Clients = 0 }, "--clients is 0: at least 1 client is needed"},
		"most clients":  {closed, func(l *Load) { l.Clients = 1_000_000 }, ""},
		"more clients":  {closed, func(l *Load) { l.Clients = 1_000_001 }, "--clients is 1000001: at most 1000000 can be simulated by one process; run several processes on several machines"},
		"no pipeline":   {closed, func(l *Load) { l.Pipeline = 0 }, "--pipeline is 0: a client needs at least 1 message in flight"},
		"most pipeline": {closed, func(l *Load) { l.Pipeline = 10_000 }, ""},
		"more pipeline": {closed, func(l *Load) { l.Pipeline = 10_001 }, "--pipeline is 10001: at most 10000 messages in flight per client"},
		"most slots":    {closed, func(l *Load) { l.Clients, l.Pipeline = 1000, 10_000 }, ""},
		"more slots": {closed, func(l *Load) { l.Called, l.Clients, l.Pipeline = calls, 1001, 10_000 },
			"--clients times --pipeline is 10010000: at most 10000000 calls can be in flight"},

		"negative rate": {open, func(l *Load) { l.Rate = -1 }, "--rate is -1: it must be above 0 and at most 100000000 messages per second; use a rate such as --rate 2000, or remove --rate to run as fast as the clients can"},
		"no rate":       {open, func(l *Load) { l.Rate = math.NaN() }, "--rate is NaN: it must be above 0"},
		"highest rate":  {open, func(l *Load) { l.Rate = 1e8 }, ""},
		"higher rate":   {open, func(l *Load) { l.Rate = 1e8 + 1 }, "--rate is 1.00000001e+08: it must be above 0 and at most 100000000"},
		"a bad stage": {open, func(l *Load) { l.Duration, l.Stages = 0, append(steady, Stage{Duration: -1}) },
			"--stages: stage 2: its duration is -1ns: it must be above 0"},
		"stages of nothing": {open, func(l *Load) { l.Rate, l.Duration, l.Stages = 0, 0, []Stage{{Duration: time.Second}} },
			"--stages never has a rate above 0: nothing would be sent"},
		"stages": {open, func(l *Load) { l.Rate, l.Duration, l.Stages = 0, 0, steady }, ""},

		"constant": {open, func(l *Load) { l.Arrivals = "constant" }, ""},
		"burst":    {open, func(l *Load) { l.Arrivals = "burst" }, ""},
		"recorded": {open, func(l *Load) { l.Arrivals, l.Recorded = "recorded", true }, ""},
		"odd, and recorded": {open, func(l *Load) { l.Arrivals, l.Recorded = "odd", true },
			`--arrivals is "odd": it must be poisson, constant or burst`},
		"recorded, by others": {open, func(l *Load) { l.Recorded, l.Ramp = true, time.Second }, ""},
		"recorded, ramp": {open, func(l *Load) { l.Arrivals, l.Recorded, l.Ramp = "recorded", true, 1 },
			"--ramp and --stages have no effect with recorded times, which set when requests start; remove them, or use --rate instead of the recorded times"},
		"recorded, stages": {open, func(l *Load) { l.Arrivals, l.Recorded, l.Duration, l.Stages = "recorded", true, 0, steady },
			"--ramp and --stages have no effect with recorded times"},
		"no arrivals": {open, func(l *Load) { l.Arrivals = "" }, `--arrivals is "": it must be poisson, constant or burst`},
		"no pacing":   {open, func(l *Load) { l.Pacing = "" }, ""},
		"spin":        {open, func(l *Load) { l.Pacing = "spin" }, ""},
		"sleep":       {open, func(l *Load) { l.Pacing = "sleep" }, ""},
		"odd pacing":  {open, func(l *Load) { l.Pacing = "run" }, `--pacing is "run": it must be auto, spin or sleep`},
		"think time": {open, func(l *Load) { l.ThinkTime = 1 },
			"--think-time has no effect with --rate or --stages, which set when a message starts; remove --think-time, or remove --rate for clients that wait for the response"},
		"ramp":            {open, func(l *Load) { l.Ramp = time.Second }, ""},
		"ramp and stages": {open, func(l *Load) { l.Duration, l.Stages, l.Ramp = 0, steady, 1 }, "--ramp and --stages are both given, but the stages set how the rate rises; start with a rise instead, for example --stages 10s:2000,30s:2000"},
		"no waiting":      {open, func(l *Load) { l.MaxWaiting = 0 }, "--max-waiting is 0: it must be at least 1"},

		"closed with arrivals":   {closed, func(l *Load) { l.Arrivals = "poisson" }, "--arrivals has no effect without --rate or --stages; add --rate, or remove --arrivals"},
		"closed with pacing":     {closed, func(l *Load) { l.Pacing = "spin" }, "--pacing and --realtime have no effect without --rate or --stages; add --rate, or remove them"},
		"closed in real time":    {closed, func(l *Load) { l.Realtime = true }, "--pacing and --realtime have no effect without"},
		"closed with waiting":    {closed, func(l *Load) { l.MaxWaiting = 1 }, "--max-waiting has no effect without --rate or --stages; add --rate, or remove --max-waiting"},
		"closed with think time": {closed, func(l *Load) { l.ThinkTime = time.Second }, ""},

		"less than none": {closed, func(l *Load) { l.Operations = -1 }, "--messages is -1: it cannot be negative"},
		"one and stages": {open, func(l *Load) { l.Duration, l.Stages, l.Operations = 0, steady, 1 },
			"--messages and --stages are both given, but the stages set the length of the run; remove one of them"},
		"time and stages": {open, func(l *Load) { l.Duration, l.Stages = 1, append(steady, steady...) },
			"--duration and --stages are both given, but the stages set the length of the run; remove --duration; the stages last 2s"},
		"one and time": {closed, func(l *Load) { l.Called, l.Duration, l.Operations = calls, 1, 1 },
			"--calls and --duration are both given, but only one can end the run; remove one of them"},
		"no end": {closed, func(l *Load) { l.Duration = 0 },
			"the run has no end: --messages or --duration must be above 0; give --messages 500000, or --duration 10s"},
		"by number": {closed, func(l *Load) { l.Duration, l.Operations = 0, 1 }, ""},

		"much time": {closed, func(l *Load) { l.Clients, l.Pipeline, l.Duration = 1_000_000, 10, 7*time.Minute }, ""},
		"too much time": {closed, func(l *Load) { l.Clients, l.Pipeline, l.Duration = 1_000_000, 10, 8*time.Minute },
			"10000000 messages in flight for 8m0s: the sum of their times exceeds the limit, which is reached after 7m41s; use a shorter run, or several processes on several machines"},

		"less than no warm-up":   {closed, func(l *Load) { l.WarmupClients = -1 }, "--warmup-clients is -1: it cannot be negative; give 0 for no warm-up"},
		"most warm-up":           {closed, func(l *Load) { l.WarmupClients = 1_000_000 }, ""},
		"more warm-up":           {closed, func(l *Load) { l.WarmupClients = 1_000_001 }, "--warmup-clients is 1000001: at most 1000000 can be simulated by one process"},
		"less than none of them": {closed, func(l *Load) { l.WarmupOperations = -1 }, "--warmup-messages is -1: it cannot be negative; give 0 for no warm-up"},
		"warm-up to nothing": {open, func(l *Load) {
			l.WarmupClients, l.Rate, l.Duration, l.Stages = 1, 0, 0, append([]Stage{{Duration: time.Second}}, steady...)
		}, "the warm-up needs a rate, but the first of the --stages leads to 0; add --rate for the warm-up and the start of the stages, or disable the warm-up with --warmup-clients 0"},
		"none to nothing": {open, func(l *Load) {
			l.Rate, l.Duration, l.Stages = 0, 0, append([]Stage{{Duration: time.Second}}, steady...)
		}, ""},
		"warm-up, closed": {closed, func(l *Load) { l.WarmupClients = 1 }, ""},
		"warm-up, open":   {open, func(l *Load) { l.WarmupClients = 1 }, ""},

		"no time to answer":     {closed, func(l *Load) { l.Retry.Timeout = 0 }, "--timeout is 0: it must be above 0; use a timeout such as --timeout 5s"},
		"a nanosecond":          {closed, func(l *Load) { l.Retry.Timeout = 1 }, ""},
		"less than no retry":    {closed, func(l *Load) { l.Retry.Max = -1 }, "--max-retries is -1: it must be from 0 to 1000"},
		"no retry":              {closed, func(l *Load) { l.Retry.Max = 0 }, ""},
		"most retries":          {closed, func(l *Load) { l.Retry.Max = 1000 }, ""},
		"more retries":          {closed, func(l *Load) { l.Retry.Max = 1001 }, "--max-retries is 1001: it must be from 0 to 1000"},
		"one pause":             {closed, func(l *Load) { l.Retry.InitialBackoff = time.Second }, ""},
		"a longer pause before": {closed, func(l *Load) { l.Retry.InitialBackoff = 2 * time.Second }, "--initial-backoff is 2s, longer than --max-backoff, 1s; set --max-backoff to at least 2s"},

		"warm-up and ramp take all": {open, func(l *Load) { l.Duration, l.Operations, l.WarmupTime, l.Ramp = 0, 300, 2*time.Second, 2*time.Second },
			"--messages is 300, but warm-up (about 200) and ramp (about 100) need all of them; use more than --messages 300, or shorten --warmup-time and --ramp"},
		"they leave one": {open, func(l *Load) { l.Duration, l.Operations, l.WarmupTime, l.Ramp = 0, 301, 2*time.Second, 2*time.Second }, ""},
		"a warm-up of few": {open, func(l *Load) {
			l.Duration, l.Operations, l.WarmupTime, l.WarmupClients, l.WarmupOperations = 0, 11, 2*time.Second, 10, 1
		}, ""},
		"that takes all": {open, func(l *Load) {
			l.Duration, l.Operations, l.WarmupTime, l.WarmupClients, l.WarmupOperations = 0, 10, 2*time.Second, 10, 1
		}, "--messages is 10, but warm-up (about 10) and ramp (about 0) need all of them"},
		"a warm-up of more than its time": {open, func(l *Load) {
			l.Duration, l.Operations, l.WarmupTime, l.WarmupClients, l.WarmupOperations = 0, 201, 2*time.Second, 10, 100
		}, ""},
		"a warm-up that is counted": {open, func(l *Load) { l.Duration, l.Operations, l.WarmupClients, l.WarmupOperations = 0, 50, 10, 5 },
			"--messages is 50, but warm-up (about 50) and ramp (about 0) need all of them"},
		"and leaves one": {open, func(l *Load) { l.Duration, l.Operations, l.WarmupClients, l.WarmupOperations = 0, 51, 10, 5 }, ""},
		"one, without a warm-up": {open, func(l *Load) { l.Duration, l.Operations, l.Ramp = 0, 1, time.Second },
			"--messages is 1, but warm-up (about 0) and ramp (about 50) need all of them"},
		"closed, it takes all": {closed, func(l *Load) { l.Duration, l.Operations, l.WarmupClients, l.WarmupOperations = 0, 50, 10, 5 },
			"--messages is 50, but the warm-up needs all of them: 10 clients × 5 messages = 50; use more than --messages 50, or reduce --warmup-messages"},
		"closed, it leaves one": {closed, func(l *Load) { l.Duration, l.Operations, l.WarmupClients, l.WarmupOperations = 0, 51, 10, 5 }, ""},
		"closed, for a short time": {closed, func(l *Load) {
			l.Duration, l.Operations, l.WarmupClients, l.WarmupOperations, l.WarmupTime = 0, 50, 10, 5, 1
		}, ""},
		"closed, no number": {closed, func(l *Load) { l.WarmupClients, l.WarmupOperations = 10, 5 }, ""},
	} {
		l := tt.of()
		tt.change(l)
		checkSays(t, name, setting.New().Rules(l.Rules()...).Check(), tt.want)
	}
}

// checkSays holds an error with its hint against the beginning of what it should say.
func checkSays(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil {
		if want != "" {
			t.Errorf("%s: it is taken, want %q", name, want)
		}
		return
	}
	got := err.Error()
	if hint := fault.HintOf(err); hint != "" {
		got += "; " + hint
	}
	if want == "" || !strings.HasPrefix(got, want) || fault.CodeOf(err) != fault.Usage {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// Rules of single settings, at their bounds.
func TestRulesOfSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		set  func(*Output, *time.Duration)
		want string
	}{
		"as it comes":       {func(*Output, *time.Duration) {}, ""},
		"no time":           {func(_ *Output, d *time.Duration) { *d = 0 }, ""},
		"negative":          {func(_ *Output, d *time.Duration) { *d = -1 }, "--x is -1ns: it cannot be negative"},
		"longest":           {func(_ *Output, d *time.Duration) { *d = 720 * time.Hour }, ""},
		"longer":            {func(_ *Output, d *time.Duration) { *d = 720*time.Hour + 1 }, "--x is 720h0m0.000000001s: at most 720h0m0s"},
		"a bucket of 1 s":   {func(o *Output, _ *time.Duration) { o.Bucket = time.Second }, ""},
		"of less":           {func(o *Output, _ *time.Duration) { o.Bucket = time.Second - 1 }, "--bucket is 999.999999ms: it must be whole seconds, at least 1s"},
		"of none":           {func(o *Output, _ *time.Duration) { o.Bucket = 0 }, "--bucket is 0s: it must be"},
		"no whole seconds":  {func(o *Output, _ *time.Duration) { o.Bucket = 2*time.Second + 1 }, "--bucket is 2.000000001s: it must be"},
		"a chart":           {func(o *Output, _ *time.Duration) { o.Chart = "a.SVG" }, ""},
		"another":           {func(o *Output, _ *time.Duration) { o.Chart = "a.png" }, ""},
		"no chart":          {func(o *Output, _ *time.Duration) { o.Chart = "a.pdf" }, `--chart "a.pdf" must end in .png or .svg`},
		"no ending":         {func(o *Output, _ *time.Duration) { o.Chart = "a" }, `--chart "a" must end in .png or .svg`},
		"rows of warm-up":   {func(o *Output, _ *time.Duration) { o.Warmup, o.Samples = true, "a" }, ""},
		"of no file":        {func(o *Output, _ *time.Duration) { o.Warmup = true }, "--samples-warmup needs --samples"},
		"rows without them": {func(o *Output, _ *time.Duration) { o.Samples = "a" }, ""},
		"two files":         {func(o *Output, _ *time.Duration) { o.Samples, o.Buckets, o.Chart = "a", "b", "c.png" }, ""},
		"twice the same": {func(o *Output, _ *time.Duration) { o.Samples, o.Buckets = "d/a", "d/./a" },
			"--samples and --buckets name the same file, d/./a; use a different file for each"},
	} {
		o, d := DefaultOutput(), time.Second
		tt.set(&o, &d)
		all := append(o.Settings("call"), o.WarmupSamples(), Time(&d, "x", ""))
		checkSays(t, name, setting.New(all...).Rules(o.CheckFiles).Check(), tt.want)
	}
}

// What has a flag is not among the rest.
func TestRestHasNoFlag(t *testing.T) {
	l := new(Load).Settings()
	if l.Shaped(func(string) bool { return true }) {
		t.Error("no setting has a flag, and one was given")
	}
	failures := l.Failures("how long")
	var names []string
	for _, one := range failures {
		names = append(names, one.Name)
	}
	if got := strings.Join(names, " "); got != "timeout max-retries initial-backoff max-backoff" || failures[0].Help != "how long" {
		t.Errorf("%s, %q", got, failures[0].Help)
	}
	rest := l.Rest()
	for _, one := range rest {
		if one.Name != "" || strings.HasPrefix(one.Path, "load.retry.") {
			t.Errorf("%s has the flag %q", one.Path, one.Name)
		}
	}
	if len(rest) != 20 {
		t.Errorf("%d are left", len(rest))
	}
}

// A URL that cannot be read is not told, as it may have a password in it.
func TestURLTrouble(t *testing.T) {
	_, err := new(url.URL).Parse("http://a b/%zz")
	for raw, tt := range map[string]struct {
		err  error
		want string
	}{
		"http://me:secret@a b/": {err, "its user name, password or host cannot be read"},
		"http://a b/%zz":        {err, `invalid character " " in host name`},
		"odd":                   {errors.New("it is odd"), "it is odd"},
	} {
		if got := URLTrouble(raw, tt.err); got != tt.want {
			t.Errorf("%s: %q", raw, got)
		}
	}
	if Room != "{room}" { // as people write it in a URL
		t.Errorf("%q", Room)
	}
}
