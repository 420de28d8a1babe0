package show

import (
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Drawing shows what moved over time, and how long each operation took.
func (v *shown) Drawing() report.Drawing {
	return report.Drawing{Line: v.line(), Graphs: v.movedPanels()}
}

const (
	// mostPaces is how many stretches there are at most of what was not counted, about one a pixel.
	mostPaces = 1000
	// mostSteps is how many stretches are drawn of what was counted: more are narrower than a line is wide.
	mostSteps = 400
)

// moved is a transfer in the panel of bandwidth.
type moved struct {
	name       string
	list       []pace
	network    bool       // what the network carried is drawn
	alone      bool       // and not beside what the client saw
	role, pale graph.Role // of the network, or of the client where that is alone; of the client beside it
}

// movements are the transfers that there were. What the network carried in a download is drawn
// where it differs from what the client got: where ranges are fetched ahead of the reads. What was counted is drawn
// alone: the blocks of the client have no course but their ends.
func movements(lines [2][]pace, counted bool) (all []moved) {
	for i, list := range lines {
		carried := slices.ContainsFunc(list, func(s pace) bool { return s.network > 0 })
		switch {
		case len(list) == 0:
		case i == 0:
			all = append(all, moved{rundoc.OperationUpload, list, carried, counted, "1", "5"})
		default:
			all = append(all, moved{rundoc.OperationDownload, list, carried && (counted || differ(list)), counted,
				"2", "6"})
		}
	}
	return all
}

// differ reports whether network and client differ in any stretch by a tenth of the highest rate.
func differ(list []pace) bool {
	highest, most := 0.0, 0.0
	for _, s := range list {
		highest = max(highest, s.rate(s.network), s.rate(s.client))
		most = max(most, math.Abs(s.rate(s.network)-s.rate(s.client)))
	}
	return most > 0.1*highest
}

// ceiling is how high the panel goes; 0: as high as its values. A queue takes its first parts as fast as memory does.
// That must not press flat what the network carried.
func ceiling(all []moved) float64 {
	highest, burst := 0.0, 0.0
	for _, m := range all {
		for _, s := range m.list {
			carried, client := s.rate(s.network), s.rate(s.client)
			switch {
			case !m.network:
				carried, client = client, 0
			case m.alone:
				client = 0
			}
			highest, burst = max(highest, carried), max(burst, client)
		}
	}
	if burst > 2.5*highest && highest > 0 {
		return 1.6 * highest
	}
	return 0
}

// every says at which width bytes are shown, and where they were counted.
func every(d *rundoc.BandwidthDetail, width float64) string {
	text := "every " + units.Setting(int64(width*1e9))
	switch {
	case d.Flow == nil && len(d.Requests) > 0:
		return text + ", bytes of each request spread evenly over its duration"
	case d.Flow == nil:
		return text
	case d.Flow.Counted == rundoc.CountedCalls:
		return text + ", counted per system call"
	case d.Flow.Encrypted:
		return text + ", counted at the sockets, encrypted"
	}
	return text + ", counted at the sockets"
}

// drawable reports whether a block has a place on the chart.
func drawable(b rundoc.Block) bool {
	return b.StartNS >= 0 && b.DurationNS > 0 && b.StartNS <= math.MaxInt64-b.DurationNS &&
		float64(b.StartNS) < report.LastSecond*1e9
}

func operationIs(name string) func(rundoc.Block) bool {
	return func(b rundoc.Block) bool { return b.Operation == name && b.Cause == "" }
}

// line is the answer in one line.
func (v *shown) line() string {
	var parts []string
	for _, t := range v.detail.Transfers() {
		parts = append(parts, t.Name+" "+v.transferAnswer(t).Value)
	}
	return strings.Join(parts, "  ·  ")
}
