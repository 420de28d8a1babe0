package updates

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSequencesAreRemembered(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var s sequences
	var want []uint64
	index := uint64(1 << 62)
	for i := range 20000 {
		switch r.IntN(100) {
		case 0:
			index = r.Uint64()
		default:
			index += r.Uint64N(40) - 10
		}
		if got := s.add(index); got != uint64(i) {
			t.Fatalf("sequence %d at place %d", got, i)
		}
		want = append(want, index)
	}
	var got []uint64
	for sequence, index := range s.all() {
		if sequence != uint64(len(got)) {
			t.Fatalf("sequence %d at place %d", sequence, len(got))
		}
		got = append(got, index)
	}
	if !slices.Equal(got, want) {
		t.Error("another index came back")
	}
	for range s.all() { // a loop that ends early
		break
	}
	bytes := 0
	for _, c := range s.chunks {
		bytes += cap(c)
	}
	if bytes > 20000*3 {
		t.Errorf("%d bytes for 20000 sequences", bytes)
	}
}
