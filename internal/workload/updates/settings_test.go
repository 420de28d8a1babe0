package updates

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
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

func resolvedUpdates(edit func(*Plan), given ...string) Plan {
	u := DefaultPlan()
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
		edit  func(*Plan)
		given []string
		want  outcome
	}{
		{"nothing given", func(*Plan) {}, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 4, 30, true, true}},
		{"no warm-up", func(*Plan) {}, []string{"warmup-time"},
			outcome{10 * time.Second, 0, 5 * time.Second, 30 * time.Second, 0, 10000, 4, 30, true, true}},
		{"another broker", func(u *Plan) { u.URL = "nats://h:4222/updates" }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 4, 30,
				false, true}},
		{"the embedded broker's other protocol", func(u *Plan) { u.URL = "nats+js://" }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 4, 30, true, true}},
		{"another server", func(u *Plan) { u.KV = []string{"http://h:1"} }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second, 2, 10000, 0, 30,
				false, false}},
		{"only publishing", func(u *Plan) { u.URL, u.PublishOnly = "kafka://h/t", true }, nil,
			outcome{10 * time.Second, 2 * time.Second, 5 * time.Second, 0, 2, 10000, 0, 30, false, false}},
		{"files", func(u *Plan) { u.From = "dir" }, nil,
			outcome{0, 0, 5 * time.Second, 30 * time.Second, 0, 10000, 4, 0, true, true}},
		{"a high rate", func(u *Plan) { u.Load.Rate = 5000 }, []string{"rate"},
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
			if err := u.Settings().Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestValidateUpdates(t *testing.T) {
	for _, c := range []struct {
		edit func(*Plan)
		want string
	}{
		{func(u *Plan) { u.URL = "updates" }, `"updates" is not a topic URL: it has no scheme`},
		{func(u *Plan) { u.URL = "nats://us er:secret@h" }, `its user name, password or host cannot be read`},
		{func(u *Plan) { u.PublishOnly = true }, "--publish-only needs the URL of a topic"},
		{func(u *Plan) { u.URL, u.PublishOnly = "nats://", true }, "--publish-only needs the URL of a topic"},
		{func(u *Plan) { u.KV = []string{"localhost:8080"} }, `is not a valid server URL`},
		{func(u *Plan) { u.KV, u.PublishOnly, u.URL = []string{"http://h"}, true, "kafka://h/t" },
			"--kv and --publish-only cannot be combined"},
		{func(u *Plan) { u.KV, u.URL = []string{"http://h"}, "nats://" }, "the --kv server has its own"},
		{func(u *Plan) { u.Load.Clients = 0 }, "--publishers is 0"},
		{func(u *Plan) { u.Load.Pipeline = 1001 }, "--in-flight is 1001"},
		{func(u *Plan) { u.Batch = 0 }, "--batch is 0"},
		{func(u *Plan) { u.HotKeys = -1 }, "--hot-keys is -1"},
		{func(u *Plan) { u.Listeners = 0 }, "--listeners 0 is out of range"},
		{func(u *Plan) { u.Receive = 100000 }, "--receive-batch 100000 is out of range"},
		{func(u *Plan) { u.Acks = "all" }, "--acks: nats:// has no publish options"},
		{func(u *Plan) { u.URL, u.Linger = "nats+js://", time.Second }, "--linger is not supported for nats+js://"},
		{func(u *Plan) { u.URL, u.Acks = "kafka://h/t?acks=0", "1" }, "--acks is set, and the topic's URL also contains acks="},
		{func(u *Plan) { u.Codec = "xml" }, `--codec "xml" must be compact, json or avro`},
		{func(u *Plan) { u.KeyLength = 0 }, "--key-length 0 is out of range"},
		{func(u *Plan) { u.ValueLength = -1 }, "--value-length -1 is out of range"},
		{func(u *Plan) { u.Deletes = math.NaN() }, "--deletes NaN is out of range"},
		{func(u *Plan) { u.Sets = 2 }, "--sets 2 is out of range"},
		{func(u *Plan) { u.Load.Clients, u.Load.Pipeline, u.Batch = 1000, 1000, 1_000_000 },
			"1000000 batches of 1000000 updates can be in flight"},
		{func(u *Plan) { u.Load.Rate = 0 }, "--rate 0 is out of range"},
		{func(u *Plan) { u.Load.Rate = math.NaN() }, "--rate NaN is out of range"},
		{func(u *Plan) { u.Load.Rate = 2e6 }, "--rate 2e+06 is out of range"},
		{func(u *Plan) { u.Load.Arrivals = "all" }, `--arrivals "all" must be constant, burst or poisson`},
		{func(u *Plan) { u.Load.Duration = 0 }, "--duration must be above 0"},
		{func(u *Plan) { u.Load.Duration = -1 }, "--duration is -1ns: it cannot be negative"},
		{func(u *Plan) { u.Settle = 0 }, "--settle 0s is out of range"},
		{func(u *Plan) { u.Within = 0 }, "--deadline 0s is out of range"},
		{func(u *Plan) { u.Load.Retry.Timeout = 0 }, "--timeout is 0"},
		{func(u *Plan) { u.Load.Retry.Max = -1 }, "--max-retries is -1"},
		{func(u *Plan) { u.Servers = 65 }, "--servers 65 is out of range: it must be between 1 and 64"},
		{func(u *Plan) { u.Reads = -1 }, "--reads -1 is out of range"},
		{func(u *Plan) { u.Reads = math.NaN() }, "--reads NaN is out of range"},
		{func(u *Plan) { u.Reads, u.PublishOnly, u.URL = 9, true, "kafka://h/t" }, "--reads cannot be combined with --publish-only"},
		{func(u *Plan) { u.Reads, u.From = 9, "dir" }, "--reads needs generated data"},
		{func(u *Plan) { u.Reads, u.KeyLength = 9, 513 }, "--key-length 513 exceeds 512 bytes"},
		{func(u *Plan) { u.Reads, u.ReadKeys = 9, "all" }, `--read-keys "all" must be recent or hot`},
		{func(u *Plan) { u.Reads, u.ReadKeys = 9, "hot" }, "--read-keys hot needs --hot-keys"},
		{func(u *Plan) { u.Reads, u.ReadKeys, u.Deletes = 9, "recent", 1 }, "--deletes 100% leaves none"},
		{func(u *Plan) { u.Reads, u.ReadKeys, u.HotKeys = 9, "recent", 5 }, "other batches may overwrite the key"},
		{func(u *Plan) { u.Load.MaxClients = 1 }, "--max-publishers 1 is out of range: it must be between --publishers (2) and 1000"},
		{func(u *Plan) { u.Load.MaxClients = 1001 }, "--max-publishers 1001 is out of range"},
		{func(u *Plan) { u.Load.MaxClients, u.From = 5, "dir" }, "--max-publishers cannot be combined with --from"},
		{func(u *Plan) { u.Grid, u.Max = true, true }, "--grid and --max cannot be combined"},
		{func(u *Plan) { u.Grid, u.KV, u.URL = true, []string{"http://h"}, "" }, "--grid starts its own servers"},
		{func(u *Plan) { u.Max, u.From = true, "dir" }, "--max needs generated data and cannot be combined with --from"},
		{func(u *Plan) { u.Max, u.URL, u.PublishOnly = true, "kafka://h/t", true }, "--max cannot be combined with --publish-only"},
		{func(u *Plan) { u.Grid, u.Output.Samples = true, "f" },
			"--samples writes a file of one run, but --grid makes several"},
		{func(u *Plan) { u.Output.Bucket = 1 }, "--bucket is 1ns"},
	} {
		u := resolvedUpdates(func(*Plan) {}, "max-publishers")
		c.edit(&u)
		err := u.Settings().Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		} else if fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error()+fault.HintOf(err), "secret") {
			t.Errorf("%v has the code %v, or tells a secret", err, fault.CodeOf(err))
		}
	}
}

func TestCheckGivenRejectsIgnoredFlags(t *testing.T) {
	for _, c := range []struct {
		edit  func(*Plan)
		given string
		want  string
	}{
		{func(u *Plan) { u.From = "dir" }, "hot-keys", "--hot-keys needs generated data"},
		{func(u *Plan) { u.From = "dir" }, "seed", "--seed needs generated data"},
		{func(u *Plan) { u.From, u.Load.Arrivals = "dir", plan.Poisson }, "seed", ""},
		{func(u *Plan) { u.From = "dir" }, "warmup-time", "--warmup-time cannot be combined with --from"},
		{func(u *Plan) { u.KV = []string{"http://h"} }, "listeners", "--listeners configures the demo server"},
		{func(u *Plan) { u.PublishOnly = true }, "settle", "--settle needs a server"},
		{func(u *Plan) { u.PublishOnly = true }, "deadline", "--deadline needs a server"},
		{func(*Plan) {}, "max-time", "--max-time needs --max"},
		{func(u *Plan) { u.Max = true }, "within", ""},
		{func(*Plan) {}, "max-time", "--max-time needs --max"},
		{func(u *Plan) { u.Max = true }, "within", ""},
		{func(u *Plan) {}, "read-keys", "--read-keys needs --reads"},
		{func(u *Plan) { u.Grid = true }, "rate", "--rate is varied by --grid"},
		{func(u *Plan) { u.Grid = true }, "duration", ""},
		{func(u *Plan) {}, "listeners", ""},
	} {
		u := DefaultPlan()
		c.edit(&u)
		err := u.CheckGiven(flags(c.given))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.given, err, c.want)
		}
	}
}

func TestPlanRedactsURLs(t *testing.T) {
	u := DefaultPlan()
	u.URL, u.KV = "nats://user:secret@h:1/s?token=secret", []string{"http://user:secret@h:2/?key=secret"}
	b, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "secret") || !strings.Contains(string(b), `"nats://h:1/s?token=…"`) {
		t.Errorf("%s", b)
	}
}

// The plan document of earlier runs reads as that of new ones: the same members, and the same left out.
func TestPlanDocument(t *testing.T) {
	full := Plan{
		URL: "nats://u:p@h/s?x=y", KV: []string{"http://u:p@h/"}, PublishOnly: true, Batch: 1, Codec: "c", From: "f",
		KeyLength: 2, ValueLength: 3, HotKeys: 4, Deletes: .5, Sets: .25, CommitBase: 5,
		Listeners: 6, Receive: 7, Settle: 8, Within: 20, Grid: true, Max: true,
		Output: plan.Output{Samples: "s", Buckets: "b", Chart: "c", Bucket: 19},
		Load: plan.Load{
			Seed: 1, Clients: 2, Pipeline: 3, Operations: 4, Duration: 5, ThinkTime: 6, Rate: 7.5, Arrivals: plan.Burst,
			Stages: []plan.Stage{{Duration: time.Second, Rate: 8}}, MaxWaiting: 9, Ramp: 10,
			WarmupClients: 11, WarmupOperations: 12, WarmupTime: 13, Drain: 14,
			Retry: plan.Retry{Timeout: 15, Max: 16, InitialBackoff: 17, MaxBackoff: 18},
		},
	}
	for name, p := range map[string]Plan{"full": full, "default": DefaultPlan(), "zero": {}} {
		want, err := os.ReadFile(filepath.Join("testdata", "plan_"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var wanted, written any
		if err := errors.Join(json.Unmarshal(want, &wanted), json.Unmarshal(got, &written)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, written); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
