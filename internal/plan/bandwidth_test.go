package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestValidateBandwidth(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Bandwidth)
		want   string // in the message; "" for a valid plan
	}{
		{"the default", func(*Bandwidth) {}, ""},
		{"an empty file", func(b *Bandwidth) { b.Size = 0 }, ""},
		{"a block larger than the file", func(b *Bandwidth) { b.Size, b.Block = 1, 8<<20 }, ""},
		{"a negative size", func(b *Bandwidth) { b.Size = -1 }, "size is -1"},
		{"no block", func(b *Bandwidth) { b.Block = 0 }, "--block is 0"},
		{"a huge block", func(b *Bandwidth) { b.Block = 5 << 30 }, "at most 4 GiB"},
		{"too many blocks", func(b *Bandwidth) { b.Size, b.Block = 1<<40, 1 }, "more than 100000000 blocks"},
		{"a negative part", func(b *Bandwidth) { b.PartSize = -1 }, "--part-size"},
		{"no stream", func(b *Bandwidth) { b.Streams = 0 }, "--streams is 0"},
		{"too many streams", func(b *Bandwidth) { b.Streams = 10_001 }, "--streams is 10001"},
		{"a negative queue", func(b *Bandwidth) { b.ActiveBlocks = -1 }, "--active-blocks is -1"},
		{"too many retries", func(b *Bandwidth) { b.Retries = 1001 }, "--max-retries"},
		{"a negative timeout", func(b *Bandwidth) { b.Timeout = -1 }, "--timeout"},
		{"unknown data", func(b *Bandwidth) { b.Data = "noise" }, `--data is "noise": it must be one of random, text, zero`},
		{"an unknown checksum", func(b *Bandwidth) { b.Checksum = "md5" }, "crc32c, sha256, none"},
		{"unknown only", func(b *Bandwidth) { b.Only = "both" }, "one of upload, download"},
		{"an iteration of no file", func(b *Bandwidth) { b.CSVIteration = true }, "--csv-iteration"},
		{"an iteration of a file", func(b *Bandwidth) { b.CSVIteration, b.CSV = true, "x.csv" }, ""},
		{"an upload with a read policy", func(b *Bandwidth) { b.Only, b.Policy = OnlyUpload, "vector" }, "--policy"},
		{"a download of nothing", func(b *Bandwidth) { b.Only = OnlyDownload }, "needs the URL"},
		{"a download", func(b *Bandwidth) { b.Only, b.URL = OnlyDownload, "mem:/x" }, ""},
		{"a download that keeps", func(b *Bandwidth) { b.Only, b.URL, b.Keep = OnlyDownload, "mem:/x", true }, "--keep"},
		{"a download that renames", func(b *Bandwidth) { b.Only, b.URL, b.Rename = OnlyDownload, "mem:/x", true }, "--rename"},
		{"no iteration", func(b *Bandwidth) { b.Repeat = 0 }, "--repeat is 0"},
		{"both ends", func(b *Bandwidth) { b.Duration = time.Second }, "--repeat and --duration"},
		{"a time", func(b *Bandwidth) { b.Repeat, b.Duration = 0, time.Second }, ""},
		{"a negative time", func(b *Bandwidth) { b.Repeat, b.Duration = 0, -time.Second }, "--duration"},
		{"a chart of no known form", func(b *Bandwidth) { b.Chart = "x.gif" }, "--chart"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := DefaultBandwidth()
			test.change(&b)
			err := b.Validate()
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

func TestResolveBandwidth(t *testing.T) {
	b := DefaultBandwidth()
	b.Streams, b.Duration = 3, time.Second
	b.Resolve(func(flag string) bool { return flag == "duration" })
	if b.Load.Clients != 3 || b.Repeat != 0 || b.Validate() != nil {
		t.Errorf("%+v", b)
	}
	b.Repeat = 2
	b.Resolve(func(string) bool { return true })
	if b.Validate() == nil {
		t.Error("both ends were asked for, and one was dropped silently")
	}
}

// What stands in a plan for "not given" cannot be given.
func TestBandwidthGiven(t *testing.T) {
	for flag, want := range map[string]string{
		"timeout": "--timeout is 0", "max-retries": "--max-retries is -1: it must be from 0 to 1000",
		"duration": "--duration is 0", "part-size": "--part-size is 0 bytes", "active-blocks": "",
	} {
		b := DefaultBandwidth()
		err := b.CheckGiven(func(given string) bool { return given == flag })
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%v, want %q", err, want)
		}
	}
	b := DefaultBandwidth()
	b.Timeout, b.Retries, b.Duration, b.PartSize = 1, 0, 1, 1
	if err := b.CheckGiven(func(string) bool { return true }); err != nil {
		t.Error(err)
	}
}
