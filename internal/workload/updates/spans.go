package updates

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// spans are sequences as ranges with both ends included, in order, apart from each other.
type spans []kvapi.Span

// received are the sequences that a server says it received of a publisher. What it says may be
// nonsense: ranges that are backwards are left out, and those that overlap are joined.
func received(r *kvapi.Received) spans {
	var list spans
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

// joined puts ranges in order and joins those that overlap or follow on one another.
func joined(list spans) spans {
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

// unused are the sequences that a publisher's manifest says were never sent.
func unused(p *rundoc.Published) spans {
	var list spans
	for _, s := range p.Unused {
		if s.First <= s.Last {
			list = append(list, kvapi.Span(s))
		}
	}
	return joined(list)
}

// and are the sequences of either.
func (s spans) and(other spans) spans { return joined(slices.Concat(s, other)) }

// missing are the sequences of a publisher that were acknowledged and are not in s.
func (s spans) missing(p *rundoc.Published) spans {
	return s.and(unused(p)).gaps(p.Next).without(slices.Sorted(slices.Values(p.Unsure)))
}

// has reports whether a sequence is in the spans.
func (s spans) has(sequence uint64) bool {
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

// count is how many sequences there are, or the largest number when that has no room.
func (s spans) count() int64 {
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
func (s spans) gaps(next uint64) spans {
	var list spans
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
func (s spans) from(first uint64) spans {
	var list spans
	for _, r := range s {
		if r.Last >= first {
			list = append(list, kvapi.Span{First: max(r.First, first), Last: r.Last})
		}
	}
	return list
}

// without are the sequences of s that are not in the sorted list.
func (s spans) without(sorted []uint64) spans {
	var list spans
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
