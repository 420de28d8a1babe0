package record

import (
	"sync/atomic"
	"time"
)

// Picker picks some of the window's operations as they end, for somebody who takes them out from time to time. Whoever
// records waits for nothing and allocates nothing: what there is no room for is counted and gone.
type Picker struct {
	picked chan Sample
	pause  int64   // between two that are picked, ns; 0: by share
	share  float64 // of the operations, where pause is 0

	next atomic.Int64 // a stamp: from when on one is picked
	seen atomic.Int64
	lost atomic.Int64
}

// NewPicker picks so many operations a second at most, or where that is 0 a share of all of them; up to room of them
// wait to be taken out.
func NewPicker(perSecond, share float64, room int) *Picker {
	p := &Picker{picked: make(chan Sample, room), share: share}
	if perSecond > 0 {
		p.pause = max(1, int64(float64(time.Second)/perSecond))
	}
	return p
}

// Offer may pick an operation that has ended, whose actual start was this moment.
func (p *Picker) Offer(o *Operation, began func(stamp int64) time.Time) {
	if !p.picks(o.End) {
		return
	}
	select {
	case p.picked <- Sample{Operation: *o, Began: began(o.Start)}:
	default:
		p.lost.Add(1)
	}
}

// picks reports whether the operation that ended at a stamp is picked.
func (p *Picker) picks(stamp int64) bool {
	n := p.seen.Add(1)
	if p.pause == 0 {
		return int64(float64(n)*p.share) > int64(float64(n-1)*p.share)
	}
	next := p.next.Load()
	if stamp < next {
		return false
	}
	// Those that are picked are as far apart as they would be in the mean, whatever the load does.
	return p.next.CompareAndSwap(next, max(next+p.pause, stamp-stamp%p.pause+p.pause))
}

// Take takes out what was picked.
func (p *Picker) Take() (list []Sample) {
	for {
		select {
		case s := <-p.picked:
			list = append(list, s)
		default:
			return list
		}
	}
}

// Counts are how many operations were offered so far, and how many of those that were picked there was no room for.
func (p *Picker) Counts() (seen, lost int64) { return p.seen.Load(), p.lost.Load() }
