package until

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// Batch is what a stretch of the window came to.
type Batch struct {
	Length     time.Duration
	OK, Failed int64 // operations that ended in it, and those that did not end ok
	Count      int64 // of the times, which failed operations may have, too
	Sum        float64
	Times      []uint32 // by stats.Bin; nil where the figure is none of a percentile
}

// mostBatches bounds how many there are: beyond it, each two become one. A power of two.
const mostBatches = 128

// Batches are those of a window, in their order: equally long, but for what the machine held up.
type Batches struct {
	list []Batch
	open Batch // that is not full yet
	each int   // stretches that make one
	has  int   // of them, in the open one
}

// Add adds a stretch. Each is as long as the first, about.
func (b *Batches) Add(s Batch) {
	b.each = max(b.each, 1)
	b.open.merge(&s)
	if b.has++; b.has < b.each {
		return
	}
	b.list = append(b.list, b.open)
	b.open, b.has = Batch{}, 0
	if len(b.list) == mostBatches {
		b.list = pairs(b.list)
		b.each *= 2
	}
}

// All are those that are full.
func (b *Batches) All() []Batch { return b.list }

// Length is how long they are together.
func (b *Batches) Length() (all time.Duration) {
	for i := range b.list {
		all += b.list[i].Length
	}
	return all
}

// merge adds another batch, whose times it takes where it has none of its own.
func (b *Batch) merge(o *Batch) {
	b.Length += o.Length
	b.OK, b.Failed, b.Count, b.Sum = b.OK+o.OK, b.Failed+o.Failed, b.Count+o.Count, b.Sum+o.Sum
	if b.Times == nil {
		b.Times = o.Times
		return
	}
	for i, n := range o.Times {
		if n != 0 {
			b.Times[i] += n
		}
	}
}

// pairs makes one of each two. A last one without another is left out.
func pairs(list []Batch) []Batch {
	half := make([]Batch, len(list)/2)
	for i := range half {
		half[i].merge(&list[2*i])
		half[i].merge(&list[2*i+1])
	}
	return half
}

// sum is what batches came to together.
func sum(list []Batch) (all Batch) {
	for i := range list {
		b := list[i]
		if all.Times == nil && b.Times != nil {
			all.Times = make([]uint32, stats.Bins)
		}
		all.merge(&b)
	}
	return all
}
