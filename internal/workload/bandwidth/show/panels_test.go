package show_test

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestPanels(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := fixture(t, f.Name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, show.Kind()))
			reporttest.GoldenPanels(t, f.Name+".panels.json", reporttest.OwnPanels(t, run, show.Kind()), *update)
		})
	}
}

// Each block of a document that has few is a dot, at its start and as high as it took.
func TestEachBlockIsADot(t *testing.T) {
	for _, f := range fixtures {
		run := fixture(t, f.Name)
		d := run.Bandwidth()
		if d == nil || len(d.Blocks) == 0 {
			continue
		}
		want := map[[2]float64]int{}
		for _, b := range d.Blocks {
			switch b.Operation {
			case rundoc.OperationUploadBlock, rundoc.OperationDownloadBlock, rundoc.OperationCloseUpload:
				want[[2]float64{float64(b.StartNS) / 1e9, float64(b.DurationNS)}]++
			default:
				if b.Cause != "" {
					want[[2]float64{float64(b.StartNS) / 1e9, float64(b.DurationNS)}]++
				}
			}
		}
		for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "blocks").Series {
			for i := range s.X {
				want[[2]float64{s.X[i], s.Y[i]}]--
			}
		}
		for at, n := range want {
			if n != 0 {
				t.Errorf("%s: %d dots too few at %v", f.Name, n, at)
			}
		}
	}
}

// The areas below the bandwidth are the bytes that were counted: what the network carried, or what the client moved.
func TestBandwidthIsTheBytes(t *testing.T) {
	run := fixture(t, "bandwidth-reference")
	d := run.Bandwidth()
	var all graph.Series
	for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "bandwidth").Series {
		if s.Name == "upload, network" || s.Name == "upload" || s.Name == "upload, client" {
			all = s
		}
	}
	area, client, network := 0.0, 0.0, 0.0
	for i := range all.X {
		area += (all.To[i] - all.X[i]) * all.Y[i] * 1e6
	}
	for _, c := range d.Upload.Course {
		client, network = client+float64(c.Client), network+float64(c.Network)
	}
	if area == 0 || math.Abs(area-client) > 0.01*client && math.Abs(area-network) > 0.01*network {
		t.Errorf("%s has %.0f bytes, of %.0f and %.0f", all.Name, area, client, network)
	}
}

// The parts of the mean request follow each other, and end where their sum is.
func TestRequestsEndWhereTheirStagesDo(t *testing.T) {
	run := fixture(t, "bandwidth-s3")
	ends := map[string]float64{}
	for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "requests").Spans {
		if s.From != ends[s.Row] {
			t.Errorf("%s, %s begins at %v, behind %v", s.Row, s.Part, s.From, ends[s.Row])
		}
		ends[s.Row] = s.To
	}
	d := run.Bandwidth()
	for i := range d.Requests {
		r := &d.Requests[i]
		sum := float64(r.SetupNS+r.SendNS+r.WaitNS+r.ReceiveNS) / float64(r.Attempts)
		if math.Abs(ends[r.Name]-sum) > 1 {
			t.Errorf("%s ends at %v, not %v", r.Name, ends[r.Name], sum)
		}
	}
}
