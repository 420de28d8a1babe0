package show

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// span is a stretch of the window, in seconds since its start.
type span struct{ from, to float64 }

// pace is what a transfer moved in a stretch of the window.
type pace struct {
	span
	active          float64 // seconds of it in which the transfer was on
	client, network float64 // bytes
}

func (p pace) rate(bytes float64) float64 { return bytes / p.active }

// transferSpans are the stretches in which a transfer was on, by the single operations of its
// iterations, in order and disjoint; none when the document does not have all operations.
func transferSpans(d *rundoc.BandwidthDetail, transfer string) []span {
	if d.BlocksOmitted > 0 {
		return nil
	}
	byIteration := map[int]span{}
	for _, b := range d.Blocks {
		if transferOf(b.Operation) != transfer || b.StartNS < 0 || b.DurationNS < 0 {
			continue
		}
		from := float64(b.StartNS) / 1e9
		to := from + float64(b.DurationNS)/1e9
		s, begun := byIteration[b.Iteration]
		if !begun {
			s = span{from, to}
		}
		byIteration[b.Iteration] = span{min(s.from, from), min(report.LastSecond, max(s.to, to))}
	}
	var spans []span
	for _, s := range byIteration {
		spans = append(spans, s)
	}
	return disjoint(spans)
}

// disjoint is what spans cover together, in order.
func disjoint(spans []span) (all []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range spans {
		if n := len(all); n > 0 && s.from <= all[n-1].to {
			all[n-1].to = max(all[n-1].to, s.to)
			continue
		}
		all = append(all, s)
	}
	return all
}

// minActive is the least share of a stretch that a transfer must be on for the stretch to
// have a rate of its own.
const minActive = 0.2

// paces divides a transfer's course into stretches of width seconds. A stretch's rate is for
// the part of it in which the transfer was on; one with hardly such a part joins its neighbour.
func paces(d *rundoc.BandwidthDetail, t rundoc.NamedTransfer, width int64) []pace {
	byIndex := map[int64]*pace{}
	at := func(index int64) *pace {
		p := byIndex[index]
		if p == nil {
			from := float64(index * width)
			p = &pace{span: span{from, from + float64(width)}}
			byIndex[index] = p
		}
		return p
	}
	spans := transferSpans(d, t.Name)
	spread := len(spans) > 0 && spreadBlocks(d, t.Name, width,
		func(index int64, bytes float64) { at(index).client += bytes })
	for _, c := range t.Course {
		if c.Second < 0 || c.Second >= report.LastSecond || c.Client < 0 || c.Network < 0 || c.Client+c.Network <= 0 {
			continue
		}
		p := at(c.Second / width)
		p.network += float64(c.Network)
		if !spread {
			p.client += float64(c.Client)
		}
	}
	if len(byIndex) == 0 {
		return nil
	}
	for _, s := range spans {
		for index := int64(s.from) / width; float64(index*width) < s.to; index++ {
			p := at(index)
			from, to := max(s.from, float64(index*width)), min(s.to, float64((index+1)*width))
			if p.active == 0 {
				p.from = from
			}
			p.to = to
			p.active += to - from
		}
	}
	var list []pace
	for _, index := range slices.Sorted(maps.Keys(byIndex)) {
		p := *byIndex[index]
		if len(spans) == 0 {
			p.active = float64(width)
		}
		list = append(list, p)
	}
	return joinShort(list, minActive*float64(width))
}

// spreadBlocks gives each block's bytes to the stretches in which it was on its way, evenly:
// the course has them where the block ended, and slow blocks would come out as single teeth.
// It is false, and gives nothing, when the blocks' times are not those of streams that
// do one after the other.
func spreadBlocks(d *rundoc.BandwidthDetail, transfer string, width int64, give func(index int64, bytes float64)) bool {
	name := transfer + "-block"
	const most = 4 << 20
	pieces := 0.0
	for _, b := range d.Blocks {
		if b.Operation == name {
			pieces += 1 + float64(b.DurationNS)/float64(width*1e9)
			if b.StartNS < 0 || b.DurationNS < 0 || b.Bytes < 0 ||
				float64(b.StartNS)+float64(b.DurationNS) > report.LastSecond*1e9 || pieces > most {
				return false
			}
		}
	}
	for _, b := range d.Blocks {
		if b.Operation != name || b.Cause != "" {
			continue
		}
		from, to := float64(b.StartNS)/1e9, float64(b.StartNS+b.DurationNS)/1e9
		for index := int64(from) / width; ; index++ {
			end := float64((index + 1) * width)
			if end >= to {
				share := 1.0
				if b.DurationNS > 0 {
					share = (to - max(from, end-float64(width))) / (to - from)
				}
				give(index, float64(b.Bytes)*share)
				break
			}
			give(index, float64(b.Bytes)*(end-max(from, end-float64(width)))/(to-from))
		}
	}
	return true
}

// joinShort joins what is shorter than least to what is just before it, or else to what is
// just after it. What is short and alone stays, if it is anything.
func joinShort(list []pace, least float64) []pace {
	var joined []pace
	for _, p := range list {
		n := len(joined)
		if n > 0 && p.from-joined[n-1].to < 1e-6 && (p.active < least || joined[n-1].active < least) {
			q := &joined[n-1]
			q.to, q.active = max(q.to, p.to), q.active+p.active
			q.client, q.network = q.client+p.client, q.network+p.network
			continue
		}
		joined = append(joined, p)
	}
	return slices.DeleteFunc(joined, func(p pace) bool { return !(p.active > 0) })
}

// paceWidths are widths of stretches that people count time in, in seconds.
var paceWidths = [...]int64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800}

// paceWidth is the width at which the run's transfers have at most so many stretches.
func paceWidth(d *rundoc.BandwidthDetail, most int64) int64 {
	var end int64
	for _, t := range d.Transfers() {
		for _, c := range t.Course {
			if c.Second >= 0 && c.Second < report.LastSecond {
				end = max(end, c.Second+1)
			}
		}
		for _, s := range transferSpans(d, t.Name) {
			end = max(end, int64(math.Ceil(s.to)))
		}
	}
	for _, w := range paceWidths {
		if end/w < most {
			return w
		}
	}
	return end/most + 1
}

// overTime is a transfer's bandwidth over time.
func (v *shown) overTime(t rundoc.NamedTransfer) report.Section {
	// The width that the command sets by itself was made for runs of another kind.
	width := int64(v.Options.Bucket / time.Second)
	if v.Options.Bucket == report.DefaultBucket || width <= 0 {
		width = paceWidth(v.detail, report.MaxRows)
	}
	list := paces(v.detail, t, width)
	if len(list) == 0 {
		return report.Section{} // not begun
	}
	s := report.Section{Title: units.Capital(t.Name) + " bandwidth per " + units.Setting(width*1e9) + ", in MB/s"}
	network := slices.ContainsFunc(list, func(p pace) bool { return p.network > 0 })
	carried := func(p pace) float64 {
		if network {
			return p.rate(p.network)
		}
		return p.rate(p.client)
	}
	highest := 1.0
	for _, p := range list {
		highest = max(highest, carried(p))
	}
	columns := []report.Column[pace]{
		report.Right("from", func(p pace) string { return units.ClockEnd(toDuration(p.from)) }),
		report.Right("to", func(p pace) string { return units.ClockEnd(toDuration(p.to)) }),
		report.Right("client", func(p pace) string { return units.PerSecond(p.rate(p.client) / 1e6) }),
	}
	if network {
		columns = append(columns, report.Right("network",
			func(p pace) string { return units.PerSecond(p.rate(p.network) / 1e6) }))
	}
	columns = append(columns, report.Bars(func(p pace) float64 { return carried(p) / highest }).More())
	s.Tables = []report.Table{report.Ends(list, report.MaxRows, columns...)}
	if network {
		s.Notes = []string{clientOrNetwork(t.Name)}
	}
	return s
}

func clientOrNetwork(transfer string) string {
	if transfer == rundoc.OperationDownload {
		return "Client: what its reads got. Network: what requests moved, ahead of the reads where ranges are " +
			"fetched beforehand. The bars show the network."
	}
	return "Client: what its writes were rid of, as soon as the queue of parts took it. Network: what requests " +
		"moved. The bars show the network."
}

func toDuration(s float64) time.Duration { return time.Duration(s * 1e9) }
