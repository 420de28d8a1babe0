package rundoc_test

import (
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// flowingBandwidth is a sound run with a course that was counted.
func flowingBandwidth(t testing.TB) (*rundoc.Run, *rundoc.BandwidthDetail) {
	run, d := soundBandwidth(t)
	run.Detail = d
	d.Flow = &rundoc.Flow{Counted: rundoc.CountedKernel, BinNS: 1e8, FromNS: -5, Sent: []int64{1500, 0, 501},
		Received: []int64{4, 0, 0, 2000}, LongestLookNS: 1e8}
	d.Upload.Course, d.Download.Course = nil, nil
	return run, d
}

func TestJudgeChecksBandwidthFlow(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(d *rundoc.BandwidthDetail)
		want   string // of the law that is broken; "" for none
	}{
		{"sound", func(*rundoc.BandwidthDetail) {}, ""},
		{"all that the files have", func(d *rundoc.BandwidthDetail) { d.Flow.Sent[2] = 500 }, ""},
		{"less than the files", func(d *rundoc.BandwidthDetail) { d.Flow.Sent[2] = 499 },
			"the course of the upload has 1999 bytes, and its files have 2000"},
		{"nothing came", func(d *rundoc.BandwidthDetail) { d.Flow.Received = nil },
			"the course of the download has 0 bytes"},
		{"a negative bin", func(d *rundoc.BandwidthDetail) { d.Flow.Sent[1] = -1 }, "bin 1 of the course has -1 bytes"},
		{"bins of nothing", func(d *rundoc.BandwidthDetail) { d.Flow.BinNS = 0 }, "bins of 0 ns"},
		{"looks back", func(d *rundoc.BandwidthDetail) { d.Flow.LongestLookNS = -1 }, "sampled every -1 ns"},
		{"more than memory holds", func(d *rundoc.BandwidthDetail) {
			d.Flow.Sent = []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}
		}, ""},
		{"a standstill", func(d *rundoc.BandwidthDetail) {
			d.Upload.Standstill = &rundoc.Standstill{FromNS: 1, DurationNS: 6e9, AllNS: 6e9}
		}, ""},
		{"longer than the transfer", func(d *rundoc.BandwidthDetail) {
			d.Upload.Standstill = &rundoc.Standstill{FromNS: 1, DurationNS: 5e9, AllNS: 6e9 + 1}
		}, "the upload was stalled"},
		{"longer than all", func(d *rundoc.BandwidthDetail) {
			d.Download.Standstill = &rundoc.Standstill{DurationNS: 2e9, AllNS: 1e9}
		}, "the download was stalled"},
		{"of no time", func(d *rundoc.BandwidthDetail) { d.Download.Standstill = &rundoc.Standstill{AllNS: 1e9} },
			"the download was stalled"},
	} {
		run, d := flowingBandwidth(t)
		tt.change(d)
		v := rundoc.Judge(run)
		all := strings.Join(v.Reasons, "\n")
		if broken := v.Validity == rundoc.Invalid; broken != (tt.want != "") || !strings.Contains(all, tt.want) {
			t.Errorf("%s: %s, %s; want %q", tt.name, v.Validity, all, tt.want)
		}
	}
}

func TestWarnsOfStandstill(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(d *rundoc.BandwidthDetail)
		want   []string
	}{
		{"none", func(*rundoc.BandwidthDetail) {}, nil},
		{"a short one", func(d *rundoc.BandwidthDetail) {
			d.Upload.Standstill = &rundoc.Standstill{FromNS: 2e9, DurationNS: 1e9 - 1, AllNS: 3e9}
		}, nil},
		{"one", func(d *rundoc.BandwidthDetail) {
			d.Upload.Standstill = &rundoc.Standstill{FromNS: 2e9, DurationNS: 1e9, AllNS: 1e9}
		}, []string{"The upload stalled: no byte moved for 1.00 s, starting 2.00 s after the start."}},
		{"several, in both", func(d *rundoc.BandwidthDetail) {
			d.Upload.Standstill = &rundoc.Standstill{FromNS: 2e9, DurationNS: 2e9, AllNS: 3e9}
			d.Download.Standstill = &rundoc.Standstill{FromNS: 7e9, DurationNS: 2e9, AllNS: 2e9}
		}, []string{
			"The upload stalled: no byte moved for 2.00 s, starting 2.00 s after the start; " +
				"all stalls together lasted 3.00 s of 6.00 s.",
			"The download stalled: no byte moved for 2.00 s, starting 7.00 s after the start.",
		}},
		{"with the part that was on its way", func(d *rundoc.BandwidthDetail) {
			d.Upload.Standstill = &rundoc.Standstill{FromNS: 2e9, DurationNS: 2e9, AllNS: 2e9}
			d.Slow = []rundoc.SlowRequest{
				{Name: "GET", FromNS: 3.5e9, DurationNS: 9e9, MedianNS: 1e9}, // began near its end
				{Name: "PUT", Of: "part 7", FromNS: 1.9e9, DurationNS: 2.2e9, MedianNS: 1e8},
			}
		}, []string{"starting 2.00 s after the start. In flight then: PUT (part 7), which took 2.20 s, 22 times the median."}},
	} {
		run, d := flowingBandwidth(t)
		tt.change(d)
		got := rundoc.Warnings(run)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %+v", tt.name, got)
			continue
		}
		for i, want := range tt.want {
			if got[i].Code != rundoc.WarnStandstill || !strings.Contains(got[i].Message, want) {
				t.Errorf("%s: %+v, want %q", tt.name, got[i], want)
			}
		}
	}
}
