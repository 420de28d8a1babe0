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

// transferSpans are the stretches in which a transfer was on, by its iterations, or else by their single operations,
// in order and disjoint; none when the document does not have all of either.
func transferSpans(d *rundoc.BandwidthDetail, transfer string) []span {
	for _, t := range d.Transfers() {
		if t.Name == transfer {
			if spans := iterationSpans(t.Iterations); len(spans) > 0 {
				return spans
			}
		}
	}
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

// iterationSpans are the times of a transfer's iterations; none when the document does not say all of them.
func iterationSpans(list []rundoc.IterationFigure) []span {
	const listed = 1000 // of more, not all are in the document
	if len(list) >= listed {
		return nil
	}
	var spans []span
	for _, i := range list {
		if i.FromNS == nil || *i.FromNS < 0 || i.DurationNS < 0 {
			return nil
		}
		from := float64(*i.FromNS) / 1e9
		spans = append(spans, span{min(report.LastSecond, from), min(report.LastSecond, from+float64(i.DurationNS)/1e9)})
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

// paces divides a transfer's course into stretches of a width in seconds. A stretch's rate is for the part of it in
// which the transfer was on; one with hardly such a part joins its neighbour.
func paces(d *rundoc.BandwidthDetail, t rundoc.NamedTransfer, width float64) []pace {
	byIndex := map[int64]*pace{}
	at := func(index int64) *pace {
		p := byIndex[index]
		if p == nil {
			p = &pace{span: span{float64(index) * width, float64(index+1) * width}}
			byIndex[index] = p
		}
		return p
	}
	spans := transferSpans(d, t.Name)
	fillPaces(d, t, width, spans, at)
	if len(byIndex) == 0 {
		return nil
	}
	for _, s := range spans {
		for index := int64(s.from / width); float64(index)*width < s.to; index++ {
			p := at(index)
			from, to := max(s.from, float64(index)*width), min(s.to, float64(index+1)*width)
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
			p.active = width
		}
		if d.Flow == nil || p.active > 0 { // what was counted while a transfer was not on is of the others' requests
			list = append(list, p)
		}
	}
	return joinShort(list, minActive*width)
}

// fillPaces gives the stretches their bytes: what was counted at the sockets, and the blocks that ended. In documents
// of before bytes were counted, they are those of requests, and blocks spread likewise.
func fillPaces(d *rundoc.BandwidthDetail, t rundoc.NamedTransfer, width float64, spans []span, at func(int64) *pace) {
	flowing := flowBins(d.Flow, t.Name, width, func(index int64, bytes float64) { at(index).network += bytes })
	spread := !flowing && len(spans) > 0 && spreadBlocks(d, t.Name, width,
		func(index int64, bytes float64) { at(index).client += bytes })
	for _, c := range t.Course {
		if c.Second < 0 || c.Second >= report.LastSecond || c.Client < 0 || c.Network < 0 || c.Client+c.Network <= 0 {
			continue
		}
		p := at(int64(float64(c.Second) / width))
		if !flowing {
			p.network += float64(c.Network)
		}
		if !spread {
			p.client += float64(c.Client)
		}
	}
}

// flowBins gives what was counted of a transfer to the stretches. A bin over a border is divided there: it is no wider
// than a few thousandths of the run. It is false where nothing was counted.
func flowBins(f *rundoc.Flow, transfer string, width float64, give func(index int64, bytes float64)) bool {
	if f == nil || f.BinNS <= 0 {
		return false
	}
	bin := float64(f.BinNS) / 1e9
	for i, bytes := range f.Direction(transfer) {
		from := float64(f.FromNS)/1e9 + float64(i)*bin
		to := from + bin
		if bytes <= 0 || !(to > 0 && to < report.LastSecond) {
			continue
		}
		from = max(from, 0)
		for at := from; at < to; {
			// A border that is one but for the rounding of the numbers is not divided.
			index := int64(at/width + 1e-6)
			end := min(to, float64(index+1)*width)
			if to-end < 1e-6*bin {
				end = to
			}
			give(index, float64(bytes)*(end-at)/(to-from))
			at = end
		}
	}
	return true
}

// spreadBlocks gives each block's bytes to the stretches in which it was on its way, evenly:
// the course has them where the block ended, and slow blocks would come out as single teeth.
// It is false, and gives nothing, when the blocks' times are not those of streams that
// do one after the other.
func spreadBlocks(
	d *rundoc.BandwidthDetail, transfer string, width float64, give func(index int64, bytes float64),
) bool {
	name := transfer + "-block"
	const most = 4 << 20
	pieces := 0.0
	for _, b := range d.Blocks {
		if b.Operation == name {
			pieces += 1 + float64(b.DurationNS)/(width*1e9)
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
		for index := int64(from / width); ; index++ {
			end := float64(index+1) * width
			if end >= to {
				share := 1.0
				if b.DurationNS > 0 {
					share = (to - max(from, end-width)) / (to - from)
				}
				give(index, float64(b.Bytes)*share)
				break
			}
			give(index, float64(b.Bytes)*(end-max(from, end-width))/(to-from))
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
var paceWidths = [...]float64{0.1, 0.2, 0.5,
	1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800}

// paceWidth is the width, no less than least, at which the run's transfers have at most so many stretches.
func paceWidth(d *rundoc.BandwidthDetail, least float64, most int64) float64 {
	var end float64
	for _, t := range d.Transfers() {
		for _, c := range t.Course {
			if c.Second >= 0 && c.Second < report.LastSecond {
				end = max(end, float64(c.Second+1))
			}
		}
		for _, s := range transferSpans(d, t.Name) {
			end = max(end, s.to)
		}
	}
	for _, w := range paceWidths {
		if w >= least && math.Ceil(end)/w < float64(most) {
			return w
		}
	}
	return math.Floor(end/float64(most)) + 1
}

// overTime is a transfer's bandwidth over time.
func (v *shown) overTime(t rundoc.NamedTransfer) report.Section {
	// The width that the command sets by itself was made for runs of another kind.
	width := (v.Options.Bucket / time.Second * time.Second).Seconds()
	if v.Options.Bucket == report.DefaultBucket || width <= 0 {
		width = paceWidth(v.detail, 1, report.MaxRows)
	}
	list := paces(v.detail, t, width)
	if len(list) == 0 {
		return report.Section{} // not begun
	}
	s := report.Section{Title: units.Capital(t.Name) + " bandwidth per " + units.Setting(int64(width*1e9)) + ", in MB/s"}
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
		columns = append(columns, report.Right(v.carrier(),
			func(p pace) string { return units.PerSecond(p.rate(p.network) / 1e6) }))
	}
	columns = append(columns, report.Bars(func(p pace) float64 { return carried(p) / highest }).More())
	s.Tables = []report.Table{report.Ends(list, report.MaxRows, columns...)}
	if f := v.detail.Flow; f != nil && network {
		s.Notes = append([]string{clientBlocks(t.Name) + " " + countedNote(f, t.Name)}, standstillNote(t)...)
	} else if network {
		s.Notes = []string{clientOrNetwork(t.Name), spreadNote}
	}
	return s
}

// carrier is what carried the bytes that were counted.
func (v *shown) carrier() string {
	if f := v.detail.Flow; f != nil && f.Counted == rundoc.CountedCalls {
		return "calls"
	}
	return "network"
}

// spreadNote is for documents of before bytes were counted.
const spreadNote = "This document does not record when bytes moved. The bytes of each request are spread evenly " +
	"over its duration, so stalls within a request are not visible."

func clientBlocks(transfer string) string {
	if transfer == rundoc.OperationDownload {
		return "Client: blocks whose read completed in the interval."
	}
	return "Client: blocks whose write returned in the interval; the store client had then accepted them."
}

// countedNote says what was counted.
func countedNote(f *rundoc.Flow, transfer string) string {
	text := ""
	switch upload := transfer == rundoc.OperationUpload; {
	case f.Counted == rundoc.CountedCalls && upload:
		return "Calls: bytes written by system calls that returned in the interval. The bars show this value."
	case f.Counted == rundoc.CountedCalls:
		return "Calls: bytes read by system calls that returned in the interval. The bars show this value."
	case f.Counted == rundoc.CountedHandedOver && upload:
		text = "Network: bytes handed to the sockets, including bytes still queued there"
	case f.Counted == rundoc.CountedQueue && upload:
		text = "Network: bytes handed to the sockets, less the bytes still queued there"
	case upload:
		text = "Network: bytes acknowledged by the receiver"
	case f.Counted == rundoc.CountedKernel:
		text = "Network: bytes received by the sockets of this machine"
	default:
		text = "Network: bytes read from the sockets"
	}
	text += ", headers included"
	if f.Encrypted {
		text += ", encrypted"
	}
	return text + ". The bars show the network value."
}

// standstillNote tells of the longest time in which nothing moved.
func standstillNote(t rundoc.NamedTransfer) []string {
	s := t.Standstill
	if s == nil || s.DurationNS <= 0 {
		return nil
	}
	text := "Longest stall: " + units.Duration(s.DurationNS) + " at " +
		units.ClockEnd(time.Duration(s.FromNS))
	if s.AllNS > s.DurationNS {
		text += "; all stalls of 0.5 s or more: " + units.Duration(s.AllNS)
	}
	return []string{text + "."}
}

func clientOrNetwork(transfer string) string {
	if transfer == rundoc.OperationDownload {
		return "Client: bytes returned by reads. Network: bytes moved by requests, which run ahead of the reads if " +
			"ranges are prefetched. The bars show the network value."
	}
	return "Client: bytes accepted by the part queue. Network: bytes moved by requests. The bars show the network value."
}

func toDuration(s float64) time.Duration { return time.Duration(s * 1e9) }
