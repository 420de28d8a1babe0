package proof

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// TestSpanOperationsMatchSets holds every operation on Spans against sets of numbers.
func TestSpanOperationsMatchSets(t *testing.T) {
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
		got := Received(&answer)
		var left []uint64
		for range r.IntN(8) {
			left = append(left, r.Uint64N(top))
		}
		slices.Sort(left)
		next := r.Uint64N(top)
		gaps, without, from := got.gaps(next), got.without(left), got.from(next)
		if got.Count() != int64(len(in)) {
			t.Fatalf("%+v: count %d, want %d", answer, got.Count(), len(in))
		}
		for s := range uint64(top + 2) {
			if got.Has(s) != in[s] ||
				gaps.Has(s) != (s < next && !in[s]) ||
				without.Has(s) != (in[s] && !slices.Contains(left, s)) ||
				from.Has(s) != (s >= next && in[s]) {
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

// TestSpansAtMaxUint64 is what a server may say that means harm.
func TestSpansAtMaxUint64(t *testing.T) {
	const end = math.MaxUint64
	all := Received(&kvapi.Received{Next: 5,
		Beyond: []kvapi.Span{{First: 5, Last: end}, {First: end, Last: end}, {First: 9, Last: 3}}})
	if diff := cmp.Diff(Spans{{First: 0, Last: end}}, all); diff != "" {
		t.Error(diff)
	}
	if all.Count() != math.MaxInt64 || !all.Has(end) || all.gaps(end) != nil || all.gaps(0) != nil {
		t.Errorf("count %d, gaps %v", all.Count(), all.gaps(end))
	}
	if got := all.without([]uint64{0, end}); got.Has(0) || got.Has(end) || !got.Has(end-1) {
		t.Errorf("%v", got)
	}
	two := Received(
		&kvapi.Received{Beyond: []kvapi.Span{{First: 0, Last: math.MaxInt64 - 1}, {First: end - 1, Last: end}}})
	if two.Count() != math.MaxInt64 {
		t.Errorf("count %d", two.Count())
	}
}

// TestSpansHas is what a server says that it received, asked batch by batch.
func TestSpansHas(t *testing.T) {
	if Has(nil)(1, 1) {
		t.Error("a server that said nothing has a batch")
	}
	has := Has(&kvapi.Run{Publishers: []kvapi.Received{{Publisher: 1, Next: 2, Beyond: []kvapi.Span{{First: 4, Last: 5}}}}})
	for sequence, want := range []bool{true, true, false, false, true, true, false} {
		if has(1, uint64(sequence)) != want || has(2, uint64(sequence)) {
			t.Errorf("batch %d: %v, and of another publisher %v", sequence, has(1, uint64(sequence)), has(2, uint64(sequence)))
		}
	}
}
