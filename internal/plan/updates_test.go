package plan

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func resolvedUpdates(edit func(*Updates), given ...string) Updates {
	u := DefaultUpdates()
	edit(&u)
	u.Resolve(flags(given...))
	return u
}

func TestResolveUpdates(t *testing.T) {
	type outcome struct {
		Duration, WarmupTime, Drain, Settle time.Duration
		WarmupClients                       int
		MaxWaiting                          int64
		Listeners, KeyLength                int
		Broker, Server                      bool
	}
	for _, c := range []struct {
		name  string
		edit  func(*Updates)
		given []string
		want  outcome
	}{
		{"nothing given", func(*Updates) {}, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 4, 30, true, true}},
		{"no warm-up", func(*Updates) {}, []string{"warmup-time"},
			outcome{10 * time.Second, 0, 5 * time.Second, 30 * time.Second, 0, 10000, 4, 30, true, true}},
		{"another broker", func(u *Updates) { u.URL = "nats://h:4222/updates" }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 4, 30, false, true}},
		{"the embedded broker's other protocol", func(u *Updates) { u.URL = "nats+js://" }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 4, 30, true, true}},
		{"another server", func(u *Updates) { u.KV = "http://h:1" }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 0, 30, false, false}},
		{"only publishing", func(u *Updates) { u.URL, u.PublishOnly = "kafka://h/t", true }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 0, 2, 10000, 0, 30, false, false}},
		{"files", func(u *Updates) { u.From = "dir" }, nil,
			outcome{0, 0, 5 * time.Second, 30 * time.Second, 0, 10000, 4, 0, true, true}},
		{"a high rate", func(u *Updates) { u.Load.Rate = 5000 }, []string{"rate"},
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 50000, 4, 30, true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := resolvedUpdates(c.edit, c.given...)
			got := outcome{
				u.Load.Duration, u.Load.WarmupTime, u.Load.Drain, u.Settle, u.Load.WarmupClients, u.Load.MaxWaiting,
				u.Listeners, u.KeyLength, u.EmbeddedBroker(), u.EmbeddedServer(),
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if err := u.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestValidateUpdates(t *testing.T) {
	for _, c := range []struct {
		edit func(*Updates)
		want string
	}{
		{func(u *Updates) { u.URL = "updates" }, `"updates" is not the URL of a topic: it has no scheme`},
		{func(u *Updates) { u.URL = "nats://us er:secret@h" }, `its user name, password or host cannot be read`},
		{func(u *Updates) { u.PublishOnly = true }, "--publish-only needs the URL of a topic"},
		{func(u *Updates) { u.URL, u.PublishOnly = "nats://", true }, "--publish-only needs the URL of a topic"},
		{func(u *Updates) { u.KV = "localhost:8080" }, `is not the URL of a key/value server`},
		{func(u *Updates) { u.KV, u.PublishOnly, u.URL = "http://h", true, "kafka://h/t" }, "--kv and --publish-only are both given"},
		{func(u *Updates) { u.KV, u.URL = "http://h", "nats://" }, "the server of --kv has its own"},
		{func(u *Updates) { u.Load.Clients = 0 }, "--publishers is 0: it must be from 1 to 1000"},
		{func(u *Updates) { u.Load.Pipeline = 1001 }, "--in-flight is 1001"},
		{func(u *Updates) { u.Batch = 0 }, "--batch is 0"},
		{func(u *Updates) { u.HotKeys = -1 }, "--hot-keys is -1"},
		{func(u *Updates) { u.Listeners = 0 }, "--listeners is 0"},
		{func(u *Updates) { u.Receive = 100000 }, "--receive-batch is 100000"},
		{func(u *Updates) { u.Codec = "xml" }, `--codec is "xml": it must be compact, json or avro`},
		{func(u *Updates) { u.KeyLength = 0 }, "--key-length is 0"},
		{func(u *Updates) { u.ValueLength = -1 }, "--value-length is -1"},
		{func(u *Updates) { u.Deletes = math.NaN() }, "--deletes is NaN"},
		{func(u *Updates) { u.Sets = 2 }, "--sets is 2"},
		{func(u *Updates) { u.Load.Clients, u.Load.Pipeline, u.Batch = 1000, 1000, 1_000_000 }, "1000000 batches of 1000000 updates can be in flight"},
		{func(u *Updates) { u.Load.Rate = 0 }, "--rate is 0: it must be above 0"},
		{func(u *Updates) { u.Load.Rate = math.NaN() }, "--rate is NaN"},
		{func(u *Updates) { u.Load.Rate = 2e6 }, "--rate is 2e+06"},
		{func(u *Updates) { u.Load.Arrivals = "all" }, `--arrivals is "all": it must be constant, burst or poisson`},
		{func(u *Updates) { u.Load.Duration = 0 }, "--duration is 0: nothing would be measured"},
		{func(u *Updates) { u.Load.Duration = -1 }, "--duration is -1ns: it cannot be negative"},
		{func(u *Updates) { u.Settle = 0 }, "--settle is 0s"},
		{func(u *Updates) { u.Load.Retry.Timeout = 0 }, "--timeout is 0"},
		{func(u *Updates) { u.Load.Retry.Max = -1 }, "--max-retries is -1"},
		{func(u *Updates) { u.Grid, u.Max = true, true }, "--grid and --max are both given"},
		{func(u *Updates) { u.Grid, u.KV, u.URL = true, "http://h", "" }, "--grid starts servers"},
		{func(u *Updates) { u.Max, u.From = true, "dir" }, "--max publishes generated data, and --from names files"},
		{func(u *Updates) { u.Max, u.URL, u.PublishOnly = true, "kafka://h/t", true }, "--max needs a server to ask"},
		{func(u *Updates) { u.Grid, u.Output.Samples = true, "f" }, "--samples is a file of one run, and --grid makes several"},
		{func(u *Updates) { u.Output.Bucket = 1 }, "--bucket is 1ns"},
	} {
		u := resolvedUpdates(func(*Updates) {})
		c.edit(&u)
		err := u.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		} else if fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error()+fault.HintOf(err), "secret") {
			t.Errorf("%v has the code %v, or tells a secret", err, fault.CodeOf(err))
		}
	}
}

func TestUpdatesRefuseWhatTheyWouldIgnore(t *testing.T) {
	for _, c := range []struct {
		edit  func(*Updates)
		given string
		want  string
	}{
		{func(u *Updates) { u.From = "dir" }, "hot-keys", "--hot-keys is about generated data"},
		{func(u *Updates) { u.From = "dir" }, "seed", "--seed is about generated data"},
		{func(u *Updates) { u.From, u.Load.Arrivals = "dir", Poisson }, "seed", ""},
		{func(u *Updates) { u.From = "dir" }, "warmup-time", "--warmup-time has no meaning with --from"},
		{func(u *Updates) { u.KV = "http://h" }, "listeners", "--listeners is the server's"},
		{func(u *Updates) { u.PublishOnly = true }, "settle", "--settle is about the server"},
		{func(u *Updates) { u.Grid = true }, "rate", "--rate changes from cell to cell"},
		{func(u *Updates) { u.Grid = true }, "duration", ""},
		{func(u *Updates) {}, "listeners", ""},
	} {
		u := DefaultUpdates()
		c.edit(&u)
		err := u.CheckGiven(flags(c.given))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.given, err, c.want)
		}
	}
}

func TestThePlanOfUpdatesHasNoSecrets(t *testing.T) {
	u := DefaultUpdates()
	u.URL, u.KV = "nats://user:secret@h:1/s?token=secret", "http://user:secret@h:2/?key=secret"
	b, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "secret") || !strings.Contains(string(b), `"nats://h:1/s?token=…"`) {
		t.Errorf("%s", b)
	}
}
