package spread

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const ms = 1_000_000

// told is a moment of a batch of publisher 4 that was due every 10 ms, from 5 s on.
func told(sequence uint64, after int64) kvapi.Moment {
	due := 5_000*ms + int64(sequence)*10*ms
	return kvapi.Moment{Publisher: 4, Sequence: sequence, DueNS: due, AppliedNS: due + after, Updates: 10}
}

func TestSpread(t *testing.T) {
	s := New([]rundoc.Published{{Publisher: 4, Next: 5}}, 3)
	for _, m := range []kvapi.Moment{told(0, 2*ms), told(1, 9*ms), told(2, 1*ms), told(3, 1*ms), told(3, 8*ms)} {
		s.Add(0, m, 0)
	}
	// The second server's clock is a second behind.
	for _, m := range []kvapi.Moment{told(0, 3*ms), told(1, 2*ms), told(2, 1*ms)} {
		m.AppliedNS -= 1000 * ms
		s.Add(1, m, -1000*ms)
		s.Add(1, m, -1000*ms)
	}
	for _, m := range []kvapi.Moment{told(0, 7*ms), told(1, 5*ms), told(2, 990*ms), told(3, 4*ms),
		told(5, 1), {Publisher: 9, Sequence: 1}, {Publisher: 4, Sequence: math.MaxUint64}} {
		s.Add(2, m, 0)
	}
	f := s.Found(5_000 * ms)
	if diff := cmp.Diff(rundoc.UpdateSpread{Batches: 3, Untold: 1}, f.Spread); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int64{{2, 1, 0}, {1, 0, 2}}, [][]int64{f.First, f.Last}); diff != "" {
		t.Errorf("first and last, of servers: %s", diff)
	}
	for i, want := range []struct {
		name           string
		min, mean, max int64
	}{
		{rundoc.StageFirst, 1 * ms, 5*ms/3 + 1, 2 * ms},
		{rundoc.StageE2EScheduled, 7 * ms, 1006 * ms / 3, 990 * ms},
		{rundoc.StageSpread, 5 * ms, 1001*ms/3 + 1, 989 * ms},
	} {
		got := &f.Stages[i]
		if r := got.Summary; got.Name != want.name || r.Count != 3 || r.MinNS != want.min || r.MeanNS != want.mean ||
			r.MaxNS != want.max {
			t.Errorf("%s: %d of %d to %d, mean %d, want %+v", got.Name, r.Count, r.MinNS, r.MaxNS, r.MeanNS, want)
		}
	}
	want := []rundoc.UpdateSecond{{Second: 0, Batches: 2, Applied: 20, E2EMaxNS: 9 * ms},
		{Second: 1, Batches: 1, Applied: 10, E2EMaxNS: 990 * ms}}
	if diff := cmp.Diff(want, f.Series); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNegativeTimes are counted apart, as everywhere: the spread cannot be.
func TestNegativeTimes(t *testing.T) {
	s := New([]rundoc.Published{{Publisher: 4, Next: 5}}, 2)
	for i := range uint64(3) {
		s.Add(0, told(i, 1*ms), 2*ms)
		s.Add(1, told(i, 1*ms), 3*ms)
	}
	f := s.Found(5_000 * ms)
	if f.Stages[0].Negative != 3 || f.Stages[1].NegativeMin != -1*ms || f.Stages[2].Negative != 0 ||
		f.Stages[2].Summary.MaxNS != 1*ms {
		t.Errorf("%+v", f.Stages)
	}
}

func TestPercentilesOfSeconds(t *testing.T) {
	var s second
	for i := range int64(1000) {
		s.add(&batch{due: 0, late: 1000 - i, updates: 2})
	}
	want := rundoc.UpdateSecond{Second: 4, Batches: 1000, Applied: 2000, E2EP50NS: 500, E2EP99NS: 990, E2EMaxNS: 1000}
	if diff := cmp.Diff(want, s.sum(4)); diff != "" {
		t.Error(diff)
	}
	s.times = s.times[:19]
	if got := s.sum(0); got.E2EP50NS != 0 || got.E2EP99NS != 0 {
		t.Errorf("of 19: %+v", got)
	}
}
