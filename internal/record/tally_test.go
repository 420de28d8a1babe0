package record

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/rundoc"
)

// ten are operations of which 3, 1 and none are ok, 1, 1 and none failed, and 4 are unfinished.
func ten() (list []Operation) {
	for kind, outcomes := range [][]Outcome{{OK, OK, OK, Failed, Unfinished, Unfinished, Unfinished, Unfinished}, {Failed, OK}} {
		for _, o := range outcomes {
			list = append(list, Operation{Kind: kind, Outcome: o, Attempts: 1, Bytes: 100, End: 1e6})
		}
	}
	return list
}

// The best that may yet be, worked out by hand: of 12 in flight that is 9, 5 and 1, as 4, 2 and none of 6 have ended, and
// ten more of each kind.
func TestBestPossibleDocument(t *testing.T) {
	s := soFar(3, ten(), 12)
	s.Unsent = []int64{5, 0, 7}
	s.Connections.Opened(1e6)
	s.Connections.Failed()
	doc, err := s.Document(Times{})
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	want := []rundoc.Operation{
		{OK: 3 + 9 + 10, Failed: 1, Unsent: 5, Scheduled: 28, Attempts: 8, Bytes: 300, RatePerS: 12, BytesPerS: 1200},
		{OK: 1 + 5 + 10, Failed: 1, Scheduled: 17, Attempts: 2, Bytes: 100, RatePerS: 6, BytesPerS: 600},
		{OK: 1 + 10, Unsent: 7, Scheduled: 18, RatePerS: 1, BytesPerS: inf},
	}
	if diff := cmp.Diff(want, doc.Operations); diff != "" {
		t.Error(diff)
	}
	if doc.Connections.Opened != 1 || doc.Connections.Failed != 1 || doc.Connections.ConnectTime.Count != 1 {
		t.Errorf("%+v", doc.Connections)
	}
	s.InFlight = 0
	if doc, err = s.Document(Times{}); err != nil || doc.Operations[2].BytesPerS != 0 || doc.Operations[2].OK != 10 {
		t.Errorf("with nothing in flight: %+v, %v", doc.Operations[2], err)
	}
	groups := s.Groups()
	if len(groups) != 1 || groups[0].OK != 4 || groups[0].Failed != 2 || groups[0].Rate != 4 || groups[0].Times != 8 {
		t.Errorf("%+v", groups)
	}
}

// A tally has each operation of the kinds that are asked for, and each time of theirs once, at the middle of the bucket
// that has it: of a time of so many bits, one of 2^11 values or half a bucket of it.
func TestTally(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for _, one := range []struct{ open, response bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		s := &SoFar{Clients: 2, Slots: 1, Kinds: []Kind{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Connections: NewConnections(),
			Now: 1e9, Unsent: []int64{3, 1000, 4}}
		s.Window = New(Config{Kinds: s.Kinds, Open: one.open})
		want, times := Tally{Failed: 7}, map[int64]int{}
		for i := range 3000 {
			start := random.Int64N(1e9)
			o := Operation{Kind: random.IntN(3), Attempts: 1 + random.Int64N(2), Outcome: Outcome(random.IntN(3)), Start: start,
				Ready: start, Intended: start}
			if o.End = start + ends(random); one.open {
				o.Intended -= random.Int64N(1 << 20)
			}
			s.Window.Record(i, &o)
			if o.Kind == 1 {
				continue
			}
			switch o.Outcome {
			case OK:
				want.OK++
			case Failed:
				want.Failed++
				continue
			}
			ns := o.End - o.Start
			if one.response {
				ns = o.End - o.Intended
			}
			want.Count, want.Sum = want.Count+1, want.Sum+float64(ns)
			times[middle(ns)]++
		}
		seen, numbers := map[int64]int{}, map[int64]int{}
		got := s.Tally(Times{Response: one.response}, func(k Kind) bool { return k.Name != "b" }, 1<<16, func(ns int64) int {
			if _, known := numbers[ns]; !known {
				numbers[ns] = len(numbers)
			}
			return numbers[ns]
		})
		for ns, i := range numbers {
			seen[ns] = int(got.Times[i])
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Tally{}, "Times")); diff != "" {
			t.Errorf("seed %d, %+v: %s", seed, one, diff)
		}
		if diff := cmp.Diff(times, seen); diff != "" {
			t.Errorf("seed %d, %+v: %s", seed, one, diff)
		}
	}
}

// ends is a time, as often as not at the end of a bucket.
func ends(random *rand.Rand) int64 {
	ns := random.Int64N(1 << (20 + random.IntN(15)))
	return ns + random.Int64N(2)*(2*(middle(ns)-ns))
}

// middle is that of the bucket of a time.
func middle(ns int64) int64 {
	width := int64(1) << max(0, bits.Len64(uint64(ns))-11)
	return (ns/width*width + ns/width*width + width) / 2
}
