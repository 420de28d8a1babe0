package kv

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

func TestSequences(t *testing.T) {
	var l sequences
	for _, step := range []struct {
		add    uint64
		more   int // spans
		next   uint64
		beyond []kvapi.Span
	}{
		{0, 0, 1, nil},
		{5, 1, 1, []kvapi.Span{{First: 5, Last: 5}}},
		{3, 1, 1, []kvapi.Span{{First: 3, Last: 3}, {First: 5, Last: 5}}},
		{4, -1, 1, []kvapi.Span{{First: 3, Last: 5}}},
		{6, 0, 1, []kvapi.Span{{First: 3, Last: 6}}},
		{2, 0, 1, []kvapi.Span{{First: 2, Last: 6}}},
		{maxSequence, 1, 1, []kvapi.Span{{First: 2, Last: 6}, {First: maxSequence, Last: maxSequence}}},
		{1, -1, 7, []kvapi.Span{{First: maxSequence, Last: maxSequence}}},
		{7, 0, 8, []kvapi.Span{{First: maxSequence, Last: maxSequence}}},
	} {
		if l.has(step.add) {
			t.Errorf("%d is there already", step.add)
		}
		if more := l.add(step.add); more != step.more {
			t.Errorf("%d: %d spans more, want %d", step.add, more, step.more)
		}
		if !l.has(step.add) {
			t.Errorf("%d is not there", step.add)
		}
		if diff := cmp.Diff(step.beyond, l.beyond); l.next != step.next || len(step.beyond) > 0 && diff != "" {
			t.Errorf("after %d: next %d, want %d; beyond (-want +got):\n%s", step.add, l.next, step.next, diff)
		}
	}
}

func TestSequencesAgainstMap(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var l sequences
		there := make(map[uint64]bool)
		spans := 0
		for range 300 {
			n := r.Uint64N(400)
			if l.has(n) != there[n] {
				t.Fatalf("%d: %v", n, l.has(n))
			}
			if !there[n] {
				there[n] = true
				spans += l.add(n)
			}
			if spans != len(l.beyond) {
				t.Fatalf("%d spans, %d counted", len(l.beyond), spans)
			}
		}
		for n := range uint64(401) {
			if l.has(n) != there[n] {
				t.Fatalf("%d: %v", n, l.has(n))
			}
		}
		for i, s := range l.beyond {
			if before := l.next; s.First <= before || i > 0 && s.First <= l.beyond[i-1].Last+1 || s.Last < s.First {
				t.Fatalf("spans %v behind %d", l.beyond, before)
			}
		}
	}
}
