package bandwidth

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Plan)
		want   string // in the message; "" for a valid plan
	}{
		{"the default", func(*Plan) {}, ""},
		{"an empty file", func(b *Plan) { b.Size = 0 }, ""},
		{"a block larger than the file", func(b *Plan) { b.Size, b.Block = 1, 8<<20 }, ""},
		{"a negative size", func(b *Plan) { b.Size = -1 }, "size is negative"},
		{"no block", func(b *Plan) { b.Block = 0 }, "--block 0 is out of range"},
		{"a huge block", func(b *Plan) { b.Block = 5 << 30 }, "at most 4 GiB"},
		{"too many blocks", func(b *Plan) { b.Size, b.Block = 1<<40, 1 }, "exceed 100000000 blocks"},
		{"a negative part", func(b *Plan) { b.PartSize = -1 }, "--part-size"},
		{"no stream", func(b *Plan) { b.Streams = 0 }, "--streams 0 is out of range"},
		{"too many streams", func(b *Plan) { b.Streams = 10_001 }, "--streams 10001 is out of range"},
		{"a negative queue", func(b *Plan) { b.ActiveBlocks = -1 }, "--active-blocks is -1"},
		{"too many retries", func(b *Plan) { b.Retries = 1001 }, "--max-retries"},
		{"a negative timeout", func(b *Plan) { b.Timeout = -1 }, "--timeout"},
		{"unknown data", func(b *Plan) { b.Data = "noise" }, `--data is "noise": it must be one of random, text, zero`},
		{"an unknown checksum", func(b *Plan) { b.Checksum = "md5" }, "crc32c, sha256, none"},
		{"unknown only", func(b *Plan) { b.Only = "both" }, "one of upload, download"},
		{"an iteration of no file", func(b *Plan) { b.CSVIteration = true }, "--csv-iteration"},
		{"an iteration of a file", func(b *Plan) { b.CSVIteration, b.CSV = true, "x.csv" }, ""},
		{"a stream of no file", func(b *Plan) { b.CSVStream = true }, "--csv-stream"},
		{"a stream of a file", func(b *Plan) { b.CSVStream, b.CSV = true, "x.csv" }, ""},
		{"an upload with a read policy", func(b *Plan) { b.Only, b.Policy = OnlyUpload, "vector" }, "--policy"},
		{"a download of nothing", func(b *Plan) { b.Only = OnlyDownload }, "needs the URL"},
		{"a download", func(b *Plan) { b.Only, b.URL = OnlyDownload, "mem:/x" }, ""},
		{"a download that keeps", func(b *Plan) { b.Only, b.URL, b.Keep = OnlyDownload, "mem:/x", true }, "--keep"},
		{"a download that renames", func(b *Plan) { b.Only, b.URL, b.Rename = OnlyDownload, "mem:/x", true },
			"--rename"},
		{"a certificate, and any", func(b *Plan) { b.CAFile, b.Insecure = "ca.pem", true }, "--ca and --insecure"},
		{"any certificate of none", func(b *Plan) { b.Insecure, b.URL = true, "http://h/x" }, "need TLS"},
		{"a certificate of an endpoint without",
			func(b *Plan) { b.CAFile, b.URL, b.Endpoint = "ca.pem", "s3://b/x", "http://h" }, "need TLS"},
		{"a certificate", func(b *Plan) { b.CAFile, b.URL, b.Endpoint = "ca.pem", "s3://b/x", "https://h" }, ""},
		{"no iteration", func(b *Plan) { b.Repeat = 0 }, "--iterations 0 is out of range"},
		{"both ends", func(b *Plan) { b.Duration = time.Second }, "--iterations and --duration"},
		{"a time", func(b *Plan) { b.Repeat, b.Duration = 0, time.Second }, ""},
		{"a negative time", func(b *Plan) { b.Repeat, b.Duration = 0, -time.Second }, "--duration"},
		{"a chart of no known form", func(b *Plan) { b.Chart = "x.gif" }, "--chart"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := DefaultPlan()
			test.change(&b)
			err := b.Settings().Check()
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && err == nil:
				t.Error("accepted")
			case err != nil && (!strings.Contains(err.Error(), test.want) || fault.CodeOf(err) != fault.Usage):
				t.Errorf("%v (status %d), want %q", err, fault.CodeOf(err), test.want)
			}
		})
	}
}

func TestResolvePlan(t *testing.T) {
	b := DefaultPlan()
	b.Streams, b.Duration = 3, time.Second
	b.Resolve(func(flag string) bool { return flag == "duration" })
	if b.Load.Clients != 3 || b.Repeat != 0 || b.Settings().Check() != nil {
		t.Errorf("%+v", b)
	}
	b.Repeat = 2
	b.Resolve(func(string) bool { return true })
	if b.Settings().Check() == nil {
		t.Error("both ends were asked for, and one was dropped silently")
	}
}

// What stands in a plan for "not given" cannot be given.
func TestCheckGiven(t *testing.T) {
	for flag, want := range map[string]string{
		"timeout": "--timeout must be above 0", "max-retries": "--max-retries -1 is out of range: it must be between 0 and 1000",
		"duration": "--duration must be above 0", "part-size": "--part-size must be at least 1 byte", "active-blocks": "",
	} {
		b := DefaultPlan()
		err := b.CheckGiven(func(given string) bool { return given == flag })
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || fault.CodeOf(err) != fault.Usage ||
			fault.HintOf(err) == "" {
			t.Errorf("%v, want %q", err, want)
		}
	}
	b := DefaultPlan()
	b.Timeout, b.Retries, b.Duration, b.PartSize = 1, 0, 1, 1
	if err := b.CheckGiven(func(string) bool { return true }); err != nil {
		t.Error(err)
	}
}

// The plan document of earlier runs reads as that of new ones: the same members, and the same left out.
func TestPlanDocument(t *testing.T) {
	full := Plan{
		URL: "u", Size: 1, Block: 2, PartSize: 3, ActiveBlocks: 4, Streams: 5, Repeat: 6, Duration: 7,
		Data: "d", Checksum: "c", PayloadSigning: true, Only: "o", Policy: "p",
		Flush: true, HFlush: true, Keep: true, Rename: true, Overwrite: true, Retries: 8, Timeout: 9, MaxSilence: 19,
		Endpoint: "e", Region: "r", PathStyle: true, XMLFile: "x", TokenFile: "t", Properties: []string{"a=hush"},
		CSV: "csv", CSVIteration: true, CSVStream: true, Chart: "ch", Verbose: true,
		Load: plan.Load{
			Seed: 1, Clients: 2, Pipeline: 3, Operations: 4, Duration: 5, ThinkTime: 6, Rate: 7.5, Arrivals: plan.Burst,
			Stages: []plan.Stage{{Duration: time.Second, Rate: 8}}, MaxWaiting: 9, Ramp: 10,
			WarmupClients: 11, WarmupOperations: 12, WarmupTime: 13, Drain: 14,
			Retry: plan.Retry{Timeout: 15, Max: 16, InitialBackoff: 17, MaxBackoff: 18},
		},
	}
	secret := DefaultPlan()
	secret.URL, secret.Endpoint = "http://user:hush@b/k?token=hush", "https://user:hush@h/?token=hush"
	if b, err := json.Marshal(secret); err != nil || strings.Contains(string(b), "hush") {
		t.Errorf("%s, %v", b, err)
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
