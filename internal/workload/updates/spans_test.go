package updates

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// TestSpansAreSets holds every operation on spans against sets of numbers.
func TestSpansAreSets(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		const top = 40
		answer := kvapi.Received{Next: r.Uint64N(10)}
		in := map[uint64]bool{}
		for s := range answer.Next {
			in[s] = true
		}
		for range r.IntN(6) {
			span := kvapi.Span{First: r.Uint64N(top), Last: r.Uint64N(top)}
			answer.Beyond = append(answer.Beyond, span)
			for s := span.First; s <= span.Last; s++ {
				in[s] = true
			}
		}
		got := received(&answer)
		var left []uint64
		for range r.IntN(8) {
			left = append(left, r.Uint64N(top))
		}
		slices.Sort(left)
		next := r.Uint64N(top)
		gaps, without, from := got.gaps(next), got.without(left), got.from(next)
		if got.count() != int64(len(in)) {
			t.Fatalf("%+v: count %d, want %d", answer, got.count(), len(in))
		}
		for s := range uint64(top + 2) {
			if got.has(s) != in[s] ||
				gaps.has(s) != (s < next && !in[s]) ||
				without.has(s) != (in[s] && !slices.Contains(left, s)) ||
				from.has(s) != (s >= next && in[s]) {
				t.Fatalf("%+v, next %d, left out %v: wrong about %d: %v %v %v %v",
					answer, next, left, s, got, gaps, without, from)
			}
		}
		for i := 1; i < len(got); i++ {
			if got[i].First <= got[i-1].Last+1 {
				t.Fatalf("%v are not apart", got)
			}
		}
	}
}

// TestSpansAtTheEndOfTheNumbers is what a server may say that means harm.
func TestSpansAtTheEndOfTheNumbers(t *testing.T) {
	const end = math.MaxUint64
	all := received(&kvapi.Received{Next: 5,
		Beyond: []kvapi.Span{{First: 5, Last: end}, {First: end, Last: end}, {First: 9, Last: 3}}})
	if diff := cmp.Diff(spans{{First: 0, Last: end}}, all); diff != "" {
		t.Error(diff)
	}
	if all.count() != math.MaxInt64 || !all.has(end) || all.gaps(end) != nil || all.gaps(0) != nil {
		t.Errorf("count %d, gaps %v", all.count(), all.gaps(end))
	}
	if got := all.without([]uint64{0, end}); got.has(0) || got.has(end) || !got.has(end-1) {
		t.Errorf("%v", got)
	}
	two := received(
		&kvapi.Received{Beyond: []kvapi.Span{{First: 0, Last: math.MaxInt64 - 1}, {First: end - 1, Last: end}}})
	if two.count() != math.MaxInt64 {
		t.Errorf("count %d", two.count())
	}
}

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
