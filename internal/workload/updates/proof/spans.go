package proof

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Spans are sequences as ranges with both ends included, in order, apart from each other.
type Spans []kvapi.Span

// Received are the sequences that a server says it received of a publisher. What it says may be
// nonsense: ranges that are backwards are left out, and those that overlap are joined.
func Received(r *kvapi.Received) Spans {
	var list Spans
	if r.Next > 0 {
		list = append(list, kvapi.Span{First: 0, Last: r.Next - 1})
	}
	for _, s := range r.Beyond {
		if s.First <= s.Last {
			list = append(list, s)
		}
	}
	return joined(list)
}

// Has says of a batch whether a server received it; where it said nothing, nil, of none.
func Has(found *kvapi.Run) func(publisher uint32, sequence uint64) bool {
	got := map[uint32]Spans{}
	if found != nil {
		for i := range found.Publishers {
			p := &found.Publishers[i]
			got[p.Publisher] = Received(p)
		}
	}
	return func(publisher uint32, sequence uint64) bool { return got[publisher].Has(sequence) }
}

// joined puts ranges in order and joins those that overlap or follow on one another.
func joined(list Spans) Spans {
	slices.SortFunc(list, func(a, b kvapi.Span) int { return cmp.Compare(a.First, b.First) })
	whole := list[:0]
	for _, s := range list {
		n := len(whole) - 1
		if n >= 0 && (whole[n].Last == math.MaxUint64 || s.First <= whole[n].Last+1) {
			whole[n].Last = max(whole[n].Last, s.Last)
			continue
		}
		whole = append(whole, s)
	}
	return whole
}

// Unused are the sequences that a publisher's manifest says were never sent.
func Unused(p *rundoc.Published) Spans {
	var list Spans
	for _, s := range p.Unused {
		if s.First <= s.Last {
			list = append(list, kvapi.Span(s))
		}
	}
	return joined(list)
}

// and are the sequences of either.
func (s Spans) and(other Spans) Spans { return joined(slices.Concat(s, other)) }

// missing are the sequences of a publisher that were acknowledged and are not in s.
func (s Spans) missing(p *rundoc.Published) Spans {
	return s.and(Unused(p)).gaps(p.Next).without(slices.Sorted(slices.Values(p.Unsure)))
}

// Has reports whether a sequence is in the Spans.
func (s Spans) Has(sequence uint64) bool {
	_, found := slices.BinarySearchFunc(s, sequence, func(a kvapi.Span, at uint64) int {
		switch {
		case a.Last < at:
			return -1
		case a.First > at:
			return 1
		}
		return 0
	})
	return found
}

// Count is how many sequences there are, or the largest number when that has no room.
func (s Spans) Count() int64 {
	n := int64(0)
	for _, r := range s {
		size := r.Last - r.First
		if size >= math.MaxInt64 {
			return math.MaxInt64
		}
		n = plus(n, int64(size)+1)
	}
	return n
}

// plus is a + b, or the largest number when that has no room. Both are counts.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// gaps are the sequences below next that are not in s.
func (s Spans) gaps(next uint64) Spans {
	var list Spans
	from := uint64(0)
	for _, r := range s {
		if r.First >= next {
			break
		}
		if r.First > from {
			list = append(list, kvapi.Span{First: from, Last: r.First - 1})
		}
		if r.Last >= next-1 {
			return list
		}
		from = r.Last + 1
	}
	if from < next {
		list = append(list, kvapi.Span{First: from, Last: next - 1})
	}
	return list
}

// from are the sequences of s from this one on.
func (s Spans) from(first uint64) Spans {
	var list Spans
	for _, r := range s {
		if r.Last >= first {
			list = append(list, kvapi.Span{First: max(r.First, first), Last: r.Last})
		}
	}
	return list
}

// without are the sequences of s that are not in the sorted list.
func (s Spans) without(sorted []uint64) Spans {
	var list Spans
	for _, r := range s {
		at, _ := slices.BinarySearch(sorted, r.First)
		first, over := r.First, false
		for ; at < len(sorted) && sorted[at] <= r.Last && !over; at++ {
			if sorted[at] > first {
				list = append(list, kvapi.Span{First: first, Last: sorted[at] - 1})
			}
			over = sorted[at] == r.Last
			first = sorted[at] + 1
		}
		if !over {
			list = append(list, kvapi.Span{First: first, Last: r.Last})
		}
	}
	return list
}
