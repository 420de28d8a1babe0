package kv

import (
	"math/rand/v2"
	"testing"
)

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
