package kv

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// sequences are those that were received of one publisher: all below next, and the
// spans beyond it. What it takes in memory grows with the gaps, not with the sequences.
type sequences struct {
	next   uint64
	beyond []kvapi.Span // ascending, and never adjacent
}

// maxSequence bounds sequences, so that the one after the last can be counted. Publishers begin
// with 0.
const maxSequence = 1<<63 - 1

// span finds the first span that does not end before sequence.
func (s *sequences) span(sequence uint64) int {
	i, _ := slices.BinarySearchFunc(s.beyond, sequence, func(span kvapi.Span, v uint64) int {
		if span.Last < v {
			return -1
		}
		return 1
	})
	return i
}

func (s *sequences) has(sequence uint64) bool {
	if sequence < s.next {
		return true
	}
	i := s.span(sequence)
	return i < len(s.beyond) && s.beyond[i].First <= sequence
}

// add enters a sequence that is not there, and returns by how many spans there are more.
func (s *sequences) add(sequence uint64) int {
	if sequence == s.next {
		s.next++
		if len(s.beyond) > 0 && s.beyond[0].First == s.next {
			s.next = s.beyond[0].Last + 1
			s.beyond = slices.Delete(s.beyond, 0, 1)
			return -1
		}
		return 0
	}
	i := s.span(sequence)
	before := i > 0 && s.beyond[i-1].Last+1 == sequence
	after := i < len(s.beyond) && s.beyond[i].First == sequence+1
	switch {
	case before && after:
		s.beyond[i-1].Last = s.beyond[i].Last
		s.beyond = slices.Delete(s.beyond, i, i+1)
		return -1
	case before:
		s.beyond[i-1].Last = sequence
	case after:
		s.beyond[i].First = sequence
	default:
		s.beyond = slices.Insert(s.beyond, i, kvapi.Span{First: sequence, Last: sequence})
		return 1
	}
	return 0
}

// whole says whether no sequence is missing below the highest.
func (s *sequences) whole() bool { return len(s.beyond) == 0 }
