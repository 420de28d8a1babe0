package http_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/runtest"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// file writes a file for the time of a test.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// resolved is the command of these flags, as the command line makes it.
func resolved(flags map[string]string, args ...string) (*room.Command, error) {
	c := &room.Command{Plan: room.DefaultPlan()}
	known := map[string]bool{}
	for _, s := range c.Settings().All() {
		known[s.Name] = true
		if value, is := flags[s.Name]; is {
			if err := s.Set(value); err != nil {
				return c, err
			}
		}
	}
	for name := range flags {
		if !known[name] {
			return c, fmt.Errorf("there is no --%s", name)
		}
	}
	return c, c.Resolve(args, func(name string) bool { _, is := flags[name]; return is })
}

// TestLogSetsTheLengthOfTheRun: the run is as long as the log, at the speed that is asked for, unless the user cuts it.
func TestLogSetsTheLengthOfTheRun(t *testing.T) {
	var b strings.Builder
	for second := range 20 { // four a second
		for range 4 {
			fmt.Fprintf(&b, "h - - [10/Oct/2000:13:55:%02d -0700] \"GET /%d HTTP/1.1\" 200 1\n", second, second)
		}
	}
	log := file(t, "access.log", b.String())
	for name, c := range map[string]struct {
		flags     map[string]string
		duration  time.Duration
		count     int64
		rate      float64
		at        time.Duration // of the last
		warmUpFor time.Duration
	}{
		"as it was":           {nil, 20 * time.Second, 0, 4, 19750 * time.Millisecond, 2 * time.Second},
		"twice as fast":       {map[string]string{"speed": "2"}, 10 * time.Second, 0, 8, 9875 * time.Millisecond, 2 * time.Second},
		"cut":                 {map[string]string{"duration": "5s"}, 5 * time.Second, 0, 4, 19750 * time.Millisecond, 2 * time.Second},
		"cut behind its end":  {map[string]string{"duration": "1h"}, 20 * time.Second, 0, 4, 19750 * time.Millisecond, 2 * time.Second},
		"so many":             {map[string]string{"count": "10"}, 0, 10, 4, 19750 * time.Millisecond, 250 * time.Millisecond},
		"more than there are": {map[string]string{"count": "999"}, 20 * time.Second, 0, 4, 19750 * time.Millisecond, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			flags := map[string]string{"requests": log, "recorded-times": "true"}
			for flag, value := range c.flags {
				flags[flag] = value
			}
			got, err := resolved(flags, "http://h/")
			if err != nil {
				t.Fatal(err)
			}
			l := got.Plan.Load
			if l.Duration != c.duration || l.Operations != c.count || l.Rate != c.rate || l.Arrivals != plan.AsRecorded ||
				l.WarmupTime != c.warmUpFor {
				t.Errorf("%v, %d requests at %v, %s, a warm-up of %v; want %v, %d at %v, of %v", l.Duration, l.Operations,
					l.Rate, l.Arrivals, l.WarmupTime, c.duration, c.count, c.rate, c.warmUpFor)
			}
			data, _ := os.ReadFile(log)
			s, err := script.Load(log, bytes.NewReader(data), script.Options{Base: "http://h/"})
			if err != nil {
				t.Fatal(err)
			}
			w, err := room.New(got.Plan, s)
			if err != nil {
				t.Fatal(err)
			}
			if last, ok := w.At(79); !ok || last != c.at {
				t.Errorf("the last comes at %v, %v; want %v", last, ok, c.at)
			}
			if _, ok := w.At(80); ok {
				t.Error("there is one behind the last")
			}
		})
	}
}

// TestAllRequestsOfALogAreSent: all of its requests are sent, in their order.
func TestAllRequestsOfALogAreSent(t *testing.T) {
	for name, change := range map[string]func(l *plan.Load){
		"all":          func(*plan.Load) {},
		"by its count": func(l *plan.Load) { l.Duration, l.Operations = 0, 30 },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 30 {
				fmt.Fprintf(&b, "{\"time\":1767323045,\"method\":\"GET\",\"path\":\"/size/%d\"}\n", i+1)
			}
			url := serve(t, nil)
			c, err := resolved(map[string]string{"requests": file(t, "l.jsonl", b.String()), "recorded-times": "true", "speed": "10",
				"warmup-clients": "0"}, url)
			if err != nil {
				t.Fatal(err)
			}
			s, err := script.Load("l.jsonl", strings.NewReader(b.String()), script.Options{Base: url})
			if err != nil {
				t.Fatal(err)
			}
			_, total := run(t, s, 0, func(p *room.Plan) {
				retry := p.Load.Retry
				p.Load, p.Request = c.Plan.Load, c.Plan.Request
				p.Load.Retry, p.Load.Drain = retry, runtest.Patience
				change(&p.Load)
			})
			if server := ask(t, url); total.OK != 30 || server.Requests != 30 || server.SentBytes != 30*31/2 {
				t.Errorf("%d ok of 30; the server has %+v", total.OK, server)
			}
		})
	}
}

// TestSpeedShortensPauses: they are as much shorter as the speed says.
func TestSpeedShortensPauses(t *testing.T) {
	entry := func(at string) string {
		return `{"startedDateTime":"2026-01-02T03:04:0` + at + `Z","time":0,"request":{"method":"GET","url":"http://h/","headers":[]}}`
	}
	har := file(t, "a.har", `{"log":{"entries":[`+entry("1")+`,`+entry("5")+`]}}`)
	c, err := resolved(map[string]string{"requests": har, "recorded-times": "true", "speed": "4"}, "http://h/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Plan.Script()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Flows[0].Steps[1].Pause; got != time.Second || c.Plan.Load.Open() || c.Plan.Load.Duration != plan.DefaultDuration {
		t.Errorf("a pause of %v, for %v", got, c.Plan.Load.Duration)
	}
}

// TestCountEndsTheRun: how many requests there are ends the run, and messages have the words of this kind.
func TestCountEndsTheRun(t *testing.T) {
	c, err := resolved(map[string]string{"count": "5"}, "http://h/")
	if err != nil || c.Plan.Load.Operations != 5 || c.Plan.Load.Duration != 0 {
		t.Errorf("%d requests in %v: %v", c.Plan.Load.Operations, c.Plan.Load.Duration, err)
	}
	log := file(t, "access.log", "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1\n")
	for _, wrong := range []struct {
		flags map[string]string
		want  string
	}{
		{map[string]string{"count": "5", "duration": "1s"}, "--count and --duration "},
		{map[string]string{"count": "5", "stages": "1s:5"}, "--count and --stages "},
		{map[string]string{"count": "0"}, "the run has no end: --count or --duration"},
		{map[string]string{"count": "-1"}, "--count is -1"},
		{map[string]string{"rate": "0"}, "requests per second"},
		{map[string]string{"count": "5", "warmup-requests": "9", "clients": "1"}, "--count is 5, but the warm-up needs all"},
		{map[string]string{"warmup-requests": "-1"}, "--warmup-requests is -1"},
		{map[string]string{"clients": "9999999"}, "--clients"},
		{map[string]string{"think-time": "1s", "rate": "5"}, "when a request starts"},
		{map[string]string{"speed": "2"}, "--speed 2 needs --recorded-times"},
		{map[string]string{"requests": log, "recorded-times": "true", "speed": "0"}, "--speed 0 is out of range"},
		{map[string]string{"requests": log, "recorded-times": "true", "rate": "5"}, "--recorded-times cannot be combined with --rate"},
		{map[string]string{"requests": log, "recorded-times": "true", "arrivals": "burst"}, "--recorded-times and --arrivals"},
		{map[string]string{"requests": log, "recorded-times": "true", "count": "1", "duration": "1s"}, "--count and --duration"},
		{map[string]string{"recorded-times": "true"}, "--recorded-times needs --requests"},
	} {
		_, err := resolved(wrong.flags, "http://h/")
		if err == nil || !strings.Contains(err.Error(), wrong.want) || slices.Contains(strings.Fields(err.Error()), "--messages") ||
			fault.HintOf(err) == "" && wrong.flags["count"] != "-1" && wrong.flags["warmup-requests"] != "-1" &&
				wrong.flags["clients"] == "" {
			t.Errorf("%v: %v, hint %q; want %q", wrong.flags, err, fault.HintOf(err), wrong.want)
		}
	}
}
