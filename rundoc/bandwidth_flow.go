package rundoc

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/units"
)

// Flow is what a bandwidth run moved over its time, counted where it crossed the sockets, or by the calls of the
// system of a store without any. Headers of requests are in it, and so is what tls or ssh adds.
type Flow struct {
	// Counted says how: one of the Counted constants.
	Counted   string `json:"counted"`
	Encrypted bool   `json:"encrypted,omitempty"` // what was counted is ciphertext
	// BinNS is the width of a bin, FromNS where the first begins, since the start of the window: a little before it.
	BinNS  int64 `json:"bin_ns"`
	FromNS int64 `json:"from_ns"`
	// Sent and Received are bytes, bin by bin; what is beyond the end is none.
	Sent     []int64 `json:"sent,omitempty"`
	Received []int64 `json:"received,omitempty"`
	// LongestLookNS is the longest time between two looks at the counts. What moved in it is spread evenly over it,
	// and over no longer time.
	LongestLookNS int64 `json:"longest_look_ns"`
}

// How a Flow was counted.
const (
	// CountedKernel: what the other side had acknowledged by the kernel's count, and what had come.
	CountedKernel = "kernel"
	// CountedQueue: what sockets were given, less what waited in their queues; what was read from them.
	CountedQueue = "queue"
	// CountedHandedOver: what sockets were given, and may have waited there; what was read from them.
	CountedHandedOver = "handed_over"
	// CountedCalls: what calls of the system wrote and read, when they had returned.
	CountedCalls = "calls"
)

// Direction are the bins of a transfer: what was sent of an upload, what was received of a download.
func (f *Flow) Direction(transfer string) []int64 {
	if transfer == OperationUpload {
		return f.Sent
	}
	return f.Received
}

// Standstill tells when a transfer stood still: not one byte went its way, while it was on.
type Standstill struct {
	// FromNS is where the longest begins, since the start of the window, and DurationNS how long it is.
	FromNS     int64 `json:"from_ns"`
	DurationNS int64 `json:"duration_ns"`
	// AllNS is the time of all that have half a second or more, of the hundred longest.
	AllNS int64 `json:"all_ns"`
}

// SlowRequest is a request that took SlowTimes the median of those of its name, and SlowNS longer, or more.
type SlowRequest struct {
	Name       string `json:"name"`         // such as UploadPart
	Of         string `json:"of,omitempty"` // what of the file, such as part 7; absent where nobody said
	FromNS     int64  `json:"from_ns"`      // since the start of the window
	DurationNS int64  `json:"duration_ns"`  //
	MedianNS   int64  `json:"median_ns"`    // of the attempts of its name
	Failed     bool   `json:"failed,omitempty"`
}

const (
	// SlowTimes is from which multiple of the median on a request is slow. Parts that share a link fairly differ by
	// two or three times, when some begin as others end; one that waited for a retransmission of the kernel's or
	// for a server that stood still takes longer than that.
	SlowTimes = 5
	// SlowNS is how much longer than the median it must have taken too: among requests of milliseconds there always
	// is one of five times the median, and it holds nothing up.
	SlowNS = 500_000_000
	// SlowLeast is of how many requests the median must be.
	SlowLeast = 5
	// MinStandstillNS is the shortest standstill that is warned of.
	MinStandstillNS = 1_000_000_000
)

// flowLaws checks what was counted.
func (d *BandwidthDetail) flowLaws(j *judgement) {
	if f := d.Flow; f != nil {
		if f.BinNS <= 0 || f.LongestLookNS < 0 {
			j.broken("bandwidth: the course has bins of %d ns, looked at every %d ns", f.BinNS, f.LongestLookNS)
		}
		for _, bins := range [][]int64{f.Sent, f.Received} {
			for i, bytes := range bins {
				if bytes < 0 {
					j.broken("bandwidth: bin %d of the course has %d bytes", i, bytes)
					break
				}
			}
		}
	}
	for _, t := range d.Transfers() {
		// Everything that the complete files have has been sent or received, and more: headers, what was sent again.
		if d.Flow != nil {
			if all := total(d.Flow.Direction(t.Name)); all < float64(t.Bytes) {
				j.broken("bandwidth: the course of the %s has %.0f bytes, and its files have %d", t.Name, all, t.Bytes)
			}
		}
		// A standstill is within the iterations, which the duration sums up.
		if s := t.Standstill; s != nil && (s.DurationNS <= 0 || s.AllNS < s.DurationNS || s.AllNS > t.DurationNS) {
			j.broken("bandwidth: the %s stood still for %s, of %s in all, and took %s", t.Name,
				units.Duration(s.DurationNS), units.Duration(s.AllNS), units.Duration(t.DurationNS))
		}
	}
}

func total(bins []int64) (sum float64) { // of any document: this does not overflow
	for _, bytes := range bins {
		sum += float64(bytes)
	}
	return sum
}

// standstill tells of the time in which a transfer stood still. Where nothing was counted, it tells of whole seconds
// in which not one block ended and no request was on its way.
func (d *BandwidthDetail) standstill(w *warnings) {
	if d.Flow == nil {
		d.standstillOfSeconds(w)
		return
	}
	for _, t := range d.Transfers() {
		s := t.Standstill
		if s == nil || s.DurationNS < MinStandstillNS {
			continue
		}
		text := ""
		if s.AllNS > s.DurationNS {
			text = fmt.Sprintf("; all such times together are %s, of %s", units.Duration(s.AllNS),
				units.Duration(t.DurationNS))
		}
		if r := d.SlowIn(s); r != nil {
			of := ""
			if r.Of != "" {
				of = " (" + units.Clean(r.Of) + ")"
			}
			text += fmt.Sprintf(". On its way then: %s%s, which took %s, %.0f times the median", units.Clean(r.Name), of,
				units.Duration(r.DurationNS), r.Times())
		}
		w.add(WarnStandstill, "The %s stood still: not one byte moved for %s, from %s after the start on%s.", t.Name,
			units.Duration(s.DurationNS), units.Duration(s.FromNS), text)
	}
}

// Times is how many times the median a slow request took.
func (r *SlowRequest) Times() float64 { return float64(r.DurationNS) / float64(max(r.MedianNS, 1)) }

// SlowIn is the longest of the slow requests that went on for half of a standstill or more; nil when there is none.
func (d *BandwidthDetail) SlowIn(s *Standstill) *SlowRequest {
	for i := range d.Slow {
		r := &d.Slow[i]
		within := min(r.FromNS+r.DurationNS, s.FromNS+s.DurationNS) - max(r.FromNS, s.FromNS)
		if within >= s.DurationNS/2 {
			return r
		}
	}
	return nil
}

// standstillOfSeconds tells of whole seconds in which not one byte moved, neither for the client nor on the network,
// between the first byte and the last. It is only told of stores whose requests are known, and when there were so
// many of them that it is not chance.
func (d *BandwidthDetail) standstillOfSeconds(w *warnings) {
	var requests int64
	for _, r := range d.Requests {
		requests += r.Attempts
	}
	moved := map[int64]bool{}
	first, last := int64(math.MaxInt64), int64(-1)
	for _, t := range d.Transfers() {
		for _, p := range t.Course {
			// A million seconds are 12 days; a document cannot make the loop below longer.
			if (p.Client > 0 || p.Network > 0) && p.Second >= 0 && p.Second < 1_000_000 {
				moved[p.Second], first, last = true, min(first, p.Second), max(last, p.Second)
			}
		}
	}
	if last < first || float64(requests)/float64(last-first+1) < MinDeadRate {
		return
	}
	var still, since int64
	for s := first; s <= last; s++ {
		if moved[s] {
			continue
		}
		if still++; still == 1 {
			since = s
		}
	}
	if still > 0 {
		w.add(WarnStandstill, "Not one byte moved in %d s of %d, the first of them %d s after the start.", still,
			last-first+1, since)
	}
}
