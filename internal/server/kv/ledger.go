package kv

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// ledger is the set of sequences that were received of one publisher: all below next, and the
// spans beyond it. What it takes in memory grows with the gaps, not with the sequences.
type ledger struct {
	next   uint64
	beyond []kvapi.Span // ascending, and never adjacent
}

// maxSequence bounds sequences, so that the one after the last can be counted. Publishers begin
// with 0.
const maxSequence = 1<<63 - 1

// span finds the first span that does not end before sequence.
func (l *ledger) span(sequence uint64) int {
	i, _ := slices.BinarySearchFunc(l.beyond, sequence, func(s kvapi.Span, v uint64) int {
		if s.Last < v {
			return -1
		}
		return 1
	})
	return i
}

func (l *ledger) has(sequence uint64) bool {
	if sequence < l.next {
		return true
	}
	i := l.span(sequence)
	return i < len(l.beyond) && l.beyond[i].First <= sequence
}

// add enters a sequence that is not there, and returns by how many spans there are more.
func (l *ledger) add(sequence uint64) int {
	if sequence == l.next {
		l.next++
		if len(l.beyond) > 0 && l.beyond[0].First == l.next {
			l.next = l.beyond[0].Last + 1
			l.beyond = slices.Delete(l.beyond, 0, 1)
			return -1
		}
		return 0
	}
	i := l.span(sequence)
	before := i > 0 && l.beyond[i-1].Last+1 == sequence
	after := i < len(l.beyond) && l.beyond[i].First == sequence+1
	switch {
	case before && after:
		l.beyond[i-1].Last = l.beyond[i].Last
		l.beyond = slices.Delete(l.beyond, i, i+1)
		return -1
	case before:
		l.beyond[i-1].Last = sequence
	case after:
		l.beyond[i].First = sequence
	default:
		l.beyond = slices.Insert(l.beyond, i, kvapi.Span{First: sequence, Last: sequence})
		return 1
	}
	return 0
}

// whole says whether no sequence is missing below the highest.
func (l *ledger) whole() bool { return len(l.beyond) == 0 }
