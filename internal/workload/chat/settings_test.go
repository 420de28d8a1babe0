package chat

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// flags pretends that the user gave these.
func flags(names ...string) func(string) bool {
	return func(flag string) bool {
		for _, n := range names {
			if n == flag {
				return true
			}
		}
		return false
	}
}

func resolved(t *testing.T, edit func(*Plan), given ...string) Plan {
	t.Helper()
	c := DefaultPlan()
	edit(&c)
	if err := c.Resolve(flags(given...)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestResolve(t *testing.T) {
	type outcome struct {
		Duration, WarmupTime, Drain time.Duration
		WarmupClients               int
		WarmupOperations            int64
		Arrivals                    plan.Arrivals
		MaxWaiting                  int64
	}
	for _, c := range []struct {
		name  string
		edit  func(*Plan)
		given []string
		want  outcome
	}{
		{"nothing given", func(*Plan) {}, nil,
			outcome{Duration: 10 * time.Second, WarmupTime: 2 * time.Second, Drain: 5 * time.Second, WarmupClients: 32,
				WarmupOperations: 1000}},
		{"few clients", func(c *Plan) { c.Load.Clients = 3 }, []string{"clients"},
			outcome{Duration: 10 * time.Second, WarmupTime: 2 * time.Second, Drain: 5 * time.Second, WarmupClients: 3,
				WarmupOperations: 1000}},
		{"the reference's load", func(c *Plan) { c.Load.Operations = 500000; c.Load.WarmupOperations = 1000 },
			[]string{"messages", "warmup-messages"},
			outcome{Drain: 5 * time.Second, WarmupClients: 32, WarmupOperations: 1000}},
		{"few messages shrink the warm-up", func(c *Plan) { c.Load.Operations = 1000 }, []string{"messages"},
			outcome{WarmupTime: 2 * time.Second, Drain: 5 * time.Second, WarmupClients: 32, WarmupOperations: 3}},
		{"very few messages leave none", func(c *Plan) { c.Load.Operations = 100 }, []string{"messages"},
			outcome{Drain: 5 * time.Second}},
		{"warm-up by time", func(c *Plan) { c.Load.WarmupTime = 3 * time.Second }, []string{"warmup-time"},
			outcome{Duration: 10 * time.Second, WarmupTime: 3 * time.Second, Drain: 5 * time.Second,
				WarmupClients: 32}},
		{"no warm-up, by time", func(*Plan) {}, []string{"warmup-time"},
			outcome{Duration: 10 * time.Second, Drain: 5 * time.Second}},
		{"no warm-up, by messages", func(*Plan) {}, []string{"warmup-messages"},
			outcome{Duration: 10 * time.Second, Drain: 5 * time.Second}},
		{"no warm-up, by clients", func(*Plan) {}, []string{"warmup-clients"},
			outcome{Duration: 10 * time.Second, Drain: 5 * time.Second}},
		{"open", func(c *Plan) { c.Load.Rate = 2000 }, []string{"rate"},
			outcome{Duration: 10 * time.Second, WarmupTime: 2 * time.Second, Drain: 5 * time.Second, WarmupClients: 32,
				Arrivals: plan.Poisson, MaxWaiting: 20000}},
		{"open, few messages", func(c *Plan) { c.Load.Rate = 1000; c.Load.Operations = 1000 },
			[]string{"rate", "messages"},
			outcome{WarmupTime: 100 * time.Millisecond, Drain: 5 * time.Second, WarmupClients: 32,
				Arrivals: plan.Poisson, MaxWaiting: 10000}},
		{"stages", func(c *Plan) {
			c.Load.Stages = []plan.Stage{{Duration: time.Second, Rate: 10}, {Duration: 2 * time.Second, Rate: 5000}}
		}, []string{"stages"},
			outcome{WarmupTime: 2 * time.Second, Drain: 5 * time.Second, WarmupClients: 32, Arrivals: plan.Poisson,
				MaxWaiting: 50000}},
		{"stages that begin with nothing", func(c *Plan) {
			c.Load.Stages = []plan.Stage{{Duration: time.Second, Rate: 0}, {Duration: time.Second, Rate: 10}}
		}, []string{"stages"},
			outcome{Drain: 5 * time.Second, Arrivals: plan.Poisson, MaxWaiting: 10000}},
		{"drain follows the timeout", func(c *Plan) { c.Load.Retry.Timeout = time.Second }, []string{"timeout"},
			outcome{Duration: 10 * time.Second, WarmupTime: 2 * time.Second, Drain: time.Second, WarmupClients: 32,
				WarmupOperations: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := resolved(t, c.edit, c.given...)
			l := p.Load
			got := outcome{l.Duration, l.WarmupTime, l.Drain, l.WarmupClients, l.WarmupOperations, l.Arrivals,
				l.MaxWaiting}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if err := p.Settings().Check(); err != nil {
				t.Errorf("Check: %v", err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		want string // a part of the message
		edit func(*Plan)
	}{
		{"--clients is 0", func(c *Plan) { c.Load.Clients = 0 }},
		{"--clients is 2000000", func(c *Plan) { c.Load.Clients = 2000000 }},
		{"--pipeline is 0", func(c *Plan) { c.Load.Pipeline = 0 }},
		{"--pipeline is 10001", func(c *Plan) { c.Load.Pipeline = 10001 }},
		{"--clients times --pipeline", func(c *Plan) { c.Load.Clients, c.Load.Pipeline = 1000000, 100 }},
		{"1000000 messages in flight for 1h17m0s: the sum of their times exceeds the limit, which is reached after 1h16m51s",
			func(c *Plan) { c.Load.Clients, c.Load.Duration = 1000000, 77*time.Minute }},
		{"--duration is -1s", func(c *Plan) { c.Load.Duration = -time.Second }},
		{"--drain is 721h0m0s: at most 720h0m0s", func(c *Plan) { c.Load.Drain = 721 * time.Hour }},
		{"--think-time is -1s", func(c *Plan) { c.Load.ThinkTime = -time.Second }},
		{"--ramp is -1s", func(c *Plan) { c.Load.Ramp = -time.Second }},
		{"--warmup-time is -1s", func(c *Plan) { c.Load.WarmupTime = -time.Second }},
		{"--drain is -1s", func(c *Plan) { c.Load.Drain = -time.Second }},
		{"--timeout is -1s", func(c *Plan) { c.Load.Retry.Timeout = -time.Second }},
		{"--timeout is 0", func(c *Plan) { c.Load.Retry.Timeout = 0 }},
		{"--max-retries is -1", func(c *Plan) { c.Load.Retry.Max = -1 }},
		{"--initial-backoff is 2s, longer than --max-backoff, 1s",
			func(c *Plan) { c.Load.Retry.InitialBackoff = 2 * time.Second }},
		{"--messages is -1", func(c *Plan) { c.Load.Operations = -1 }},
		{"--messages and --duration are both given", func(c *Plan) { c.Load.Operations = 500000 }},
		{"the run has no end", func(c *Plan) { c.Load.Duration = 0 }},
		{"--messages and --stages", func(c *Plan) {
			open(c)
			c.Load.Duration, c.Load.Operations = 0, 5000
			c.Load.Stages = []plan.Stage{{Duration: time.Second, Rate: 1}}
		}},
		{"--duration and --stages",
			func(c *Plan) { open(c); c.Load.Stages = []plan.Stage{{Duration: time.Second, Rate: 1}} }},
		{"stage 1: its duration is 0s",
			func(c *Plan) { open(c); c.Load.Stages = []plan.Stage{{Duration: 0, Rate: 1}}; c.Load.Duration = 0 }},
		{"--stages never", func(c *Plan) {
			open(c)
			c.Load.Rate = 0
			c.Load.WarmupClients = 0
			c.Load.Stages = []plan.Stage{{Duration: 10 * time.Second, Rate: 0}}
		}},
		{"--rate is -5", func(c *Plan) { c.Load.Rate = -5 }},
		{"--rate is NaN", func(c *Plan) { c.Load.Rate = math.NaN() }},
		{"--rate is +Inf", func(c *Plan) { open(c); c.Load.Rate = math.Inf(1) }},
		{`--arrivals is "bursty"`, func(c *Plan) { open(c); c.Load.Arrivals = "bursty" }},
		{`--pacing is "busy"`, func(c *Plan) { open(c); c.Load.Pacing = "busy" }},
		{"--pacing and --realtime have no effect without --rate", func(c *Plan) { c.Load.Pacing = plan.Spin }},
		{"--pacing and --realtime have no effect without --rate", func(c *Plan) { c.Load.Realtime = true }},
		{"--arrivals has no effect without --rate", func(c *Plan) { c.Load.Arrivals = plan.Constant }},
		{"--max-waiting has no effect", func(c *Plan) { c.Load.MaxWaiting = 5 }},
		{"--max-waiting is 0", func(c *Plan) { open(c); c.Load.MaxWaiting = 0 }},
		{"--think-time has no effect with --rate", func(c *Plan) { open(c); c.Load.ThinkTime = time.Second }},
		{"--ramp and --stages", func(c *Plan) {
			open(c)
			c.Load.Stages = []plan.Stage{{Duration: 10 * time.Second, Rate: 1}}
			c.Load.Ramp, c.Load.Duration = time.Second, 0
		}},
		{"--warmup-clients is -1", func(c *Plan) { c.Load.WarmupClients = -1 }},
		{"--warmup-messages is -1", func(c *Plan) { c.Load.WarmupOperations = -1 }},
		{"the warm-up needs a rate", func(c *Plan) {
			open(c)
			c.Load.Rate = 0
			c.Load.Duration = 0
			c.Load.Stages = []plan.Stage{{Duration: 10 * time.Second, Rate: 0}, {Duration: 10 * time.Second, Rate: 5}}
		}},
		{"32 clients × 1000 messages = 32000", func(c *Plan) {
			c.Load.Duration, c.Load.Operations, c.Load.WarmupTime = 0, 32000, 0
		}},
		{"warm-up (about 2000) and ramp (about 5000) need all of them", func(c *Plan) {
			open(c)
			c.Load.Duration, c.Load.Operations = 0, 7000
			c.Load.Rate, c.Load.Ramp = 1000, 10*time.Second
			c.Load.WarmupOperations = 0
		}},
		{"--rooms 20 exceeds the 10 messages", func(c *Plan) {
			c.Load.Duration, c.Load.Operations, c.Load.WarmupOperations = 0, 10, 0
		}},
		{"--rooms is 0", func(c *Plan) { c.Mix.Rooms = 0 }},
		{"--users is 100001", func(c *Plan) { c.Mix.Users = 100001 }},
		{"--templates is 0", func(c *Plan) { c.Mix.Templates = 0 }},
		{"--message-size 501 is out of range", func(c *Plan) { c.Mix.MessageSize = 501 }},
		{"--message-size -1 is out of range", func(c *Plan) { c.Mix.MessageSize = -1 }},
		{"the shares add up to 110%, not to 100%", func(c *Plan) { c.Mix.TextShare = 1 }},
		{"--join-share NaN is out of range", func(c *Plan) { c.Mix.JoinShare = math.NaN() }},
		{"--leave-share -0.1 is out of range", func(c *Plan) { c.Mix.LeaveShare = -0.1 }},
		{"--bucket is 1.5s", func(c *Plan) { c.Output.Bucket = 1500 * time.Millisecond }},
		{"--bucket is 0s", func(c *Plan) { c.Output.Bucket = 0 }},
		{`--chart "a.gif" must end in .png or .svg`, func(c *Plan) { c.Output.Chart = "a.gif" }},
		{"--samples and --buckets name the same file",
			func(c *Plan) { c.Output.Samples, c.Output.Buckets = "a.csv", "./a.csv" }},
		{"--samples-warmup needs --samples", func(c *Plan) { c.Output.Warmup = true }},
		{"--ca needs TLS", func(c *Plan) { c.URL, c.Dial.CAFile = "ws://h/", "ca.pem" }},
		{"--insecure needs TLS", func(c *Plan) { c.Dial.Insecure = true }},
		{"not supported with TLS", func(c *Plan) { open(c); c.URL, c.Load.Pacing = "wss://h/", plan.Spin }},
		{"not supported with TLS", func(c *Plan) { open(c); c.URL, c.Load.Realtime = "wss://h/", true }},
		{"--ca and --insecure", func(c *Plan) { c.URL, c.Dial.CAFile, c.Dial.Insecure = "wss://h/", "ca.pem", true }},
		{`--origin "nowhere"`, func(c *Plan) { c.Dial.Origin = "nowhere" }},
		{`--subprotocol "a b"`, func(c *Plan) { c.Dial.Subprotocol = []string{"a b"} }},
		{`"localhost:8080" is not a URL`, func(c *Plan) { c.URL = "localhost:8080" }},
		{`"http://h/chat" has the scheme http,`, func(c *Plan) { c.URL = "http://h/chat" }},
		{`"ftp://h/" has the scheme "ftp",`, func(c *Plan) { c.URL = "ftp://h/" }},
		{"has no host", func(c *Plan) { c.URL = "ws:///chat" }},
		{"has no host", func(c *Plan) { c.URL = "ws://:80/chat" }},
		{"has the invalid port 99999", func(c *Plan) { c.URL = "ws://h:99999/chat" }},
		{"invalid port", func(c *Plan) { c.URL = "ws://h:port/chat" }},
		{"has a fragment", func(c *Plan) { c.URL = "ws://h/chat#top" }},
		{"a placeholder other than {room}", func(c *Plan) { c.URL = "ws://h/chat/{user}" }},
		{"a placeholder other than {room}", func(c *Plan) { c.URL = "ws://h/chat/{room" }},
		{"invalid character \"{\" in host name", func(c *Plan) { c.URL = "ws://{room}/chat" }},
	} {
		p := resolved(t, func(*Plan) {})
		c.edit(&p)
		err := p.Settings().Check()
		if err == nil {
			t.Errorf("accepted; want an error with %q", c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %q; want %q in it", err, c.want)
		}
		if fault.CodeOf(err) != fault.Usage {
			t.Errorf("%v: exit code %d, want 2", err, fault.CodeOf(err))
		}
		if strings.Contains(err.Error()+fault.HintOf(err), "\n") {
			t.Errorf("%q has more than one line", err)
		}
	}
}

// open makes the default plan an open model of 1000 messages per second.
func open(c *Plan) {
	c.Load.Rate, c.Load.Arrivals, c.Load.MaxWaiting = 1000, plan.Poisson, 10000
}

func TestPlanJSONHoldsNoSecret(t *testing.T) {
	c := DefaultPlan()
	c.URL = "ws://user:hunter2@h/chat?token=hunter2"
	c.Dial.Headers = ws.Headers{}
	if err := c.Dial.Headers.Add("Authorization: hunter2"); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("a secret is in %s", text)
	}
	var back struct{ URL string }
	if err := json.Unmarshal(text, &back); err != nil || back.URL != "ws://h/chat?token=…" {
		t.Errorf("url = %q, %v", back.URL, err)
	}
}
