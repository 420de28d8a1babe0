package show

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Of a demo whose server has a limit the answer says so; and less load is fewer streams, or less of that server.
func TestDemo(t *testing.T) {
	for _, c := range []struct {
		name     string
		embedded bool
		streams  int
		limit    int64
		says     string // "": nothing
		less     string
	}{
		{"the demo", true, 1, 250e6, "share this machine; the demo server is limited to 250 MB/s",
			"plimsoll bandwidth --target-flag bandwidth=100MB"},
		{"without a limit", true, 4, 0, "share this machine",
			"plimsoll bandwidth --target-flag bandwidth=0 --streams 2"},
		{"streams and the limit", true, 4, 250e6, "share this machine; the demo server is limited to", "plimsoll bandwidth --streams 2"},
		{"a store", false, 4, 0, "", "plimsoll bandwidth s3://b/k --streams 2"},
		{"a stream to a store", false, 1, 0, "", ""},
	} {
		d := &rundoc.BandwidthDetail{Streams: c.streams, Upload: &rundoc.Transfer{BytesPerS: 200e6}}
		d.Store.LimitBytesPerS = c.limit
		run := &rundoc.Run{Workload: "bandwidth", Detail: d}
		run.Target = rundoc.Target{URL: "s3://b/k", Embedded: c.embedded}
		run.Plan = []byte(`{"url":"s3://b/k","size_bytes":1073741824,"repeat":1}`)
		if c.embedded {
			run.Plan = []byte(`{"url":"","size_bytes":268435456,"repeat":0,"repeat_for_ns":8000000000}`)
		}
		v := report.NewView(run, Kind(), report.Options{})
		f := (&shown{v, d}).demoAnswer()
		if !strings.Contains(f.Value, c.says) || (f.Value == "") != (c.says == "") {
			t.Errorf("%s: %q, want %q in it", c.name, f.Value, c.says)
		}
		if got := lessLoad(run, 0.5); got != c.less {
			t.Errorf("%s: less is %q, want %q", c.name, got, c.less)
		}
	}
}
