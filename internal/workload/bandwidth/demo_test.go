package bandwidth

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Without a URL the store is the demo's, which has a limit unless the user says another.
func TestDemo(t *testing.T) {
	type outcome struct {
		Size, Limit int64
		Duration    time.Duration
		Repeat      int
	}
	const mib = 1 << 20
	for _, c := range []struct {
		name   string
		args   []string
		flags  []string
		target []string
		want   outcome
	}{
		{"nothing", nil, nil, nil, outcome{demoSize, 250e6, demoTime, 0}},
		{"a size", []string{"64m"}, nil, nil, outcome{64 * mib, 250e6, 0, 1}},
		{"as often as that", nil, []string{"iterations"}, nil, outcome{demoSize, 250e6, 0, 1}},
		{"a limit", nil, nil, []string{"bandwidth=20MB"}, outcome{demoSize, 20e6, demoTime, 0}},
		{"no limit", nil, nil, []string{"bandwidth=0"}, outcome{demoSize, 0, demoTime, 0}},
		{"a fault", nil, nil, []string{"latency=50ms", "--discard"}, outcome{demoSize, 250e6, demoTime, 0}},
		{"a URL", []string{"mem:"}, nil, nil, outcome{1 << 30, 0, 0, 1}},
	} {
		command := Command{Plan: DefaultPlan(), targetFlags: c.target}
		if err := command.Resolve(c.args, func(flag string) bool { return slices.Contains(c.flags, flag) }); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := command.Plan
		if diff := cmp.Diff(c.want, outcome{p.Size, p.StoreLimit, p.Duration, p.Repeat}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		// What the store is started with says the same.
		started := ""
		for _, arg := range command.serverArgs {
			if text, found := strings.CutPrefix(arg, "--bandwidth="); found {
				started = text
			}
		}
		if limit, err := setting.ParseSize(started); p.URL == "" && (err != nil || limit != p.StoreLimit) {
			t.Errorf("%s: the store is started with a limit of %q, and the plan has %d", c.name, started, p.StoreLimit)
		}
		if p.URL != "" && len(command.serverArgs) > 0 {
			t.Errorf("%s: %v", c.name, command.serverArgs)
		}
	}
}

// Less load is the same with fewer streams; and no command where that cannot be said.
func TestLessLoadCommand(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		flags  string // those that are given
		target []string
		edit   func(*Plan)
		want   string
	}{
		{"the demo", nil, "streams", nil, func(*Plan) {}, "plimsoll bandwidth --streams 2"},
		{"of a size", []string{"64m"}, "streams", nil, func(*Plan) {}, "plimsoll bandwidth 64MiB --streams 2"},
		{"as often as that", nil, "streams iterations", nil, func(p *Plan) { p.Repeat = 3 }, "plimsoll bandwidth --iterations 3 --streams 2"},
		{"a limit", nil, "streams", []string{"bandwidth=20MB"}, func(*Plan) {},
			"plimsoll bandwidth --target-flag bandwidth=20MB --streams 2"},
		{"another server of its own", nil, "streams", []string{"latency=5ms"}, func(*Plan) {}, ""},
		{"a URL", []string{"s3://b/k"}, "streams", nil, func(*Plan) {}, "plimsoll bandwidth s3://b/k --streams 2"},
		{"a download elsewhere", []string{"1000", "s3://b/k"}, "streams only endpoint region", nil, func(p *Plan) {
			p.Only, p.Endpoint, p.Region, p.PathStyle = OnlyDownload, "https://minio.example.com", "eu-north-1", true
		}, "plimsoll bandwidth 1000B s3://b/k --only download --endpoint https://minio.example.com --region eu-north-1 " +
			"--path-style --streams 2"},
		{"how it is written", []string{"s3://b/k"}, "streams block", nil, func(p *Plan) {
			p.Block, p.PartSize, p.Checksum, p.Timeout, p.Retries = 1000, 16<<20, ChecksumNone, time.Minute, 0
		}, "plimsoll bandwidth s3://b/k --block 1000B --part-size 16MiB --checksum none --max-retries 0 --timeout 1m0s --streams 2"},
		{"kept", []string{"s3://b/k"}, "streams keep", nil, func(p *Plan) { p.Keep = true }, ""},
		{"settings of Hadoop", []string{"s3://b/k"}, "streams define", nil, func(p *Plan) { p.Properties = []string{"a=hush"} }, ""},
		{"a secret", []string{"http://h/k?token=hush"}, "streams", nil, func(*Plan) {}, ""},
		{"a user", []string{"s3://me:hush@b/k"}, "streams", nil, func(*Plan) {}, ""},
		{"a user of the endpoint", []string{"s3://b/k"}, "streams endpoint", nil, func(p *Plan) { p.Endpoint = "http://me@h" }, ""},
	} {
		command := Command{Plan: DefaultPlan(), targetFlags: c.target}
		command.Plan.Streams = 4
		c.edit(&command.Plan)
		given := func(flag string) bool { return slices.Contains(strings.Fields(c.flags), flag) }
		if err := command.Resolve(c.args, given); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text, err := json.Marshal(command.Plan)
		if err != nil {
			t.Fatal(err)
		}
		run := &rundoc.Run{Plan: text, Target: rundoc.Target{Embedded: command.Plan.URL == ""}}
		run.Detail = &rundoc.BandwidthDetail{Streams: 4, Store: rundoc.StoreUsed{LimitBytesPerS: command.Plan.StoreLimit}}
		if got := show.Kind().Less(run, 0.5); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
