package show

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// threeIterations has uploads at 0 to 2.1 s and 5 to 7 s, with a download in between, and a
// third that lasts only from 9.9 to 10 s.
func threeIterations() *rundoc.BandwidthDetail {
	const s = 1_000_000_000
	block := func(operation string, iteration int, bytes, from, took int64) rundoc.Block {
		return rundoc.Block{Operation: operation, Stream: 1, Iteration: iteration, Bytes: bytes, StartNS: from, DurationNS: took}
	}
	return &rundoc.BandwidthDetail{
		Upload: &rundoc.Transfer{Course: []rundoc.CoursePoint{
			{Second: 0, Client: 7, Network: 400}, {Second: 1, Client: 7, Network: 400}, {Second: 2, Network: 40}, {Second: 5, Network: 500}, {Second: 6, Network: 500},
		}},
		Download: &rundoc.Transfer{Course: []rundoc.CoursePoint{{Second: 2, Client: 900}, {Second: 3, Client: 1000}, {Second: 4, Client: 100}}},
		Blocks: []rundoc.Block{
			block(rundoc.OperationUploadBlock, 1, 600, 0, 3*s/2),
			block(rundoc.OperationCloseUpload, 1, 0, 3*s/2, 6*s/10),
			block(rundoc.OperationDownloadBlock, 1, 2000, 21*s/10, 2*s),
			block(rundoc.OperationUploadBlock, 2, 300, 5*s, 0),
			block(rundoc.OperationUploadBlock, 2, 300, 5*s, 2*s),
			block(rundoc.OperationUploadBlock, 2, 77, 5*s, 2*s), // failed, see below
			block(rundoc.OperationUploadBlock, 3, 50, 99*s/10, s/10),
		},
	}
}

func TestPaces(t *testing.T) {
	d := threeIterations()
	d.Blocks[5].Cause = "reset"
	up := rundoc.NamedTransfer{Name: "upload", Transfer: d.Upload}
	down := rundoc.NamedTransfer{Name: "download", Transfer: d.Download}
	approximately := cmp.Options{cmp.AllowUnexported(pace{}, span{}), cmpopts.EquateApprox(1e-9, 1e-6)}
	for _, tt := range []struct {
		name  string
		t     rundoc.NamedTransfer
		width float64
		want  []pace
	}{
		// The tenth of a second at the end joins the second before it, but not what is on the
		// other side of the download; and the third iteration stays alone.
		{"uploads by the second", up, 1, []pace{
			{span{0, 1}, 1, 400, 400}, {span{1, 2.1}, 1.1, 200, 440}, {span{5, 6}, 1, 450, 500}, {span{6, 7}, 1, 150, 500}, {span{9.9, 10}, 0.1, 50, 0},
		}},
		{"the download by the second", down, 1, []pace{{span{2.1, 3}, 0.9, 900, 0}, {span{3, 4.1}, 1.1, 1100, 0}}},
		{"uploads in stretches of 4 s", up, 4, []pace{{span{0, 2.1}, 2.1, 600, 840}, {span{5, 7}, 2, 600, 1000}, {span{9.9, 10}, 0.1, 50, 0}}},
	} {
		if diff := cmp.Diff(tt.want, paces(d, tt.t, tt.width), approximately); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	// Without all blocks the course is all that is known, by whole seconds.
	d.BlocksOmitted = 1
	want := []pace{
		{span{0, 1}, 1, 7, 400}, {span{1, 2}, 1, 7, 400}, {span{2, 3}, 1, 0, 40}, {span{5, 6}, 1, 0, 500}, {span{6, 7}, 1, 0, 500},
	}
	if diff := cmp.Diff(want, paces(d, up, 1), approximately); diff != "" {
		t.Error(diff)
	}
}

// However wide the stretches are, they hold all bytes, and their time is that of the transfer.
func TestPacesLoseNothing(t *testing.T) {
	d := threeIterations()
	for width := 1.0; width < 12; width++ {
		var client, network, active float64
		for _, p := range paces(d, rundoc.NamedTransfer{Name: "upload", Transfer: d.Upload}, width) {
			client, network, active = client+p.client, network+p.network, active+p.active
		}
		if math.Abs(client-1327) > 1e-6 || network != 1840 || math.Abs(active-4.2) > 1e-9 {
			t.Errorf("width %g: %g bytes for the client, %g on the network, in %g s", width, client, network, active)
		}
	}
}

func TestPaceWidth(t *testing.T) {
	for seconds, want := range map[int64]float64{1: 1, 39: 1, 40: 2, 79: 2, 80: 5, 3600: 120, 1 << 19: 14400, 1<<20 - 1: 28800} {
		d := &rundoc.BandwidthDetail{Upload: &rundoc.Transfer{Course: []rundoc.CoursePoint{{Second: seconds - 1, Client: 1}}}}
		if got := paceWidth(d, 1, report.MaxRows); got != want {
			t.Errorf("%d s: width %g, want %g", seconds, got, want)
		}
	}
}

// counted is an upload of 10 s that stands still for 4 s of them, and two downloads around another iteration's upload.
func counted() *rundoc.BandwidthDetail {
	const s = 1_000_000_000
	d := &rundoc.BandwidthDetail{
		Flow: &rundoc.Flow{Counted: rundoc.CountedKernel, BinNS: s / 10, FromNS: -s / 1000},
		Upload: &rundoc.Transfer{
			Iterations: []rundoc.IterationFigure{{Bytes: 7100, FromNS: new(int64(0)), DurationNS: 10 * s}},
			Course:     []rundoc.CoursePoint{{Second: 9, Client: 7100}},
		},
		Download: &rundoc.Transfer{Iterations: []rundoc.IterationFigure{
			{Bytes: 1000, FromNS: new(int64(10 * s)), DurationNS: s}, {Bytes: 1000, FromNS: new(int64(13 * s)), DurationNS: s},
		}},
		BlocksOmitted: 5, // so that the iterations alone say when a transfer was on
	}
	for i := range 100 {
		bytes := int64(0)
		switch {
		case i < 30:
			bytes = 90
		case i >= 70:
			bytes = 150
		}
		d.Flow.Sent, d.Flow.Received = append(d.Flow.Sent, bytes), append(d.Flow.Received, bytes/90)
	}
	for i := range 41 {
		bytes := int64(100)
		if i >= 10 && i < 30 {
			bytes = 2
		}
		d.Flow.Received = append(d.Flow.Received, bytes)
	}
	return d
}

// What was counted is shown where it was: a standstill is one, a step a step, and answers to uploads are no download.
func TestPacesOfWhatWasCounted(t *testing.T) {
	d := counted()
	rates := func(t rundoc.NamedTransfer, width float64) (list []float64) {
		for _, p := range paces(d, t, width) {
			list = append(list, math.Round(p.rate(p.network)))
		}
		return list
	}
	up := rundoc.NamedTransfer{Name: "upload", Transfer: d.Upload}
	down := rundoc.NamedTransfer{Name: "download", Transfer: d.Download}
	// 1 ms of each bin was before its border.
	if diff := cmp.Diff([]float64{899, 900, 899, 0, 0, 0, 2, 1500, 1500, 1485}, rates(up, 1),
		cmpopts.EquateApprox(0, 16)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1000, 1000}, rates(down, 1), cmpopts.EquateApprox(0, 20)); diff != "" {
		t.Error(diff)
	}
	if tenths := rates(up, 0.1); len(tenths) != 100 || tenths[50] != 0 || math.Abs(tenths[80]-1500) > 20 {
		t.Errorf("by tenths of a second: %v", tenths)
	}
	for _, width := range []float64{0.1, 0.2, 0.5, 1, 2, 5} {
		all := 0.0
		for _, p := range paces(d, up, width) {
			all += p.network
		}
		if want := 30*90 + 30*150 - 0.9; math.Abs(all-want) > 1 {
			t.Errorf("width %g: %g bytes, want %g", width, all, want)
		}
	}
	d.Flow.BinNS = 0 // a document that was made by hand
	if paces(d, up, 1); len(rates(up, 1)) != 10 {
		t.Error("no stretches without bins")
	}
}
