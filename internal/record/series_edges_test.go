package record

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Where there would be too many points, each two become one; what lies behind the last second is that second's.
func TestEdgesOfPoints(t *testing.T) {
	s := points{width: 1}
	for sec := range int64(5) {
		s.at(sec).absorb(&Point{OK: sec + 1})
	}
	s.halve()
	told := func() (list []int64) {
		for _, p := range s.list {
			list = append(list, p.Second, p.OK)
		}
		return list
	}
	if got := told(); !slices.Equal(got, []int64{0, 3, 2, 7, 4, 5}) || s.width != 2 || s.list[:4][3].OK != 0 {
		t.Errorf("halved: %v, %d s each", got, s.width)
	}
	even := points{width: 1, list: []Point{{OK: 1}, {OK: 2}, {OK: 3}, {OK: 4}}}
	if even.halve(); len(even.list) != 2 || even.list[1].OK != 7 || even.list[:4][2].OK != 0 {
		t.Errorf("four halved: %+v", even.list)
	}
	s.at(7).OK = 9
	for last, want := range map[int64][]int64{7: {0, 3, 2, 7, 4, 5, 6, 9}, 6: {0, 3, 2, 7, 4, 5, 6, 9}, 5: {0, 3, 2, 7, 4, 14}, 3: {0, 3, 2, 21}} {
		whole := s
		s.list = slices.Clone(s.list)
		if s.end(last); !slices.Equal(told(), want) {
			t.Errorf("to second %d: %v", last, told())
		}
		s = whole
	}
	for last, want := range map[int64]int64{7: 2, 6: 0, 8: 2} {
		doc := s.document(last)
		if doc[3].Second != 6 || doc[3].Seconds != want || doc[0].Seconds != 2 || doc[3].InFlight != nil {
			t.Errorf("to second %d: %+v", last, doc[3])
		}
	}
	s = points{width: 1}
	if s.at(maxPoints - 1).OK = 1; s.width != 1 || len(s.list) != maxPoints {
		t.Errorf("%d points of %d s", len(s.list), s.width)
	}
	if s.at(7200).OK = 2; s.width != 2 || len(s.list) != 3601 || s.list[3600].OK != 2 || s.list[3599].OK != 1 {
		t.Errorf("%d points of %d s", len(s.list), s.width)
	}
	p := Point{OK: 1, Failed: 2, Bytes: 3, Offered: 4, P50: 5, P99: 60, OwnP99: 7, Gap: 8, samples: 9, inFlight: 10}
	p.absorb(&Point{OK: 10, Failed: 20, Bytes: 30, Offered: 40, P50: 50, P99: 6, OwnP99: 70, Gap: 80, samples: 90, inFlight: 100,
		causes: causeCounts{{Cause: "a", Count: 2}}})
	want := Point{OK: 11, Failed: 22, Bytes: 33, Offered: 44, P50: 50, P99: 60, OwnP99: 70, Gap: 88, samples: 99, inFlight: 110,
		causes: causeCounts{{Cause: "a", Count: 2}}}
	if diff := cmp.Diff(want, p, cmp.AllowUnexported(Point{})); diff != "" {
		t.Error(diff)
	}
	if got := p.sampled(); got == nil || *got != 110.0/99 {
		t.Errorf("%v in flight", got)
	}
}

// Where there would be too many slices, each two become one; what lies behind the last second is that second's.
func TestEdgesOfSlices(t *testing.T) {
	of := func(ns int64) *merged {
		h := newHist(coarse)
		h.tally(ns)
		return merge(h)
	}
	s := newStretches()
	told := func(last int64) (list []int64) {
		doc, err := s.document(last)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range doc {
			list = append(list, one.FromS, one.Seconds, one.ResponseTime.Count)
		}
		return list
	}
	for _, sec := range []int64{0, 1, 1, 4} {
		s.add(sec, of(1000))
	}
	if got := told(4); !slices.Equal(got, []int64{0, 1, 1, 1, 1, 2, 2, 1, 0, 3, 1, 0, 4, 1, 1}) {
		t.Errorf("%v", got)
	}
	s.end(5)
	if s.end(4); s.number != 5 {
		t.Errorf("%d slices of five seconds", s.number)
	}
	if s.end(3); !slices.Equal(told(3), []int64{0, 1, 1, 1, 1, 2, 2, 1, 0, 3, 1, 1}) {
		t.Errorf("to second 3: %v", told(3))
	}
	if s.add(4, of(1000)); s.number != 5 {
		t.Errorf("%d", s.number)
	}
	s.halve()
	if got := told(4); !slices.Equal(got, []int64{0, 2, 3, 2, 2, 1, 4, 1, 1}) {
		t.Errorf("halved: %v", got)
	}
	if s.add(4, of(1000)); s.number != 3 || told(5)[8] != 2 || told(5)[7] != 2 {
		t.Errorf("more: %v", told(5))
	}
	s = newStretches()
	s.add(3, of(1000))
	if s.halve(); !slices.Equal(told(3), []int64{0, 2, 0, 2, 2, 1}) {
		t.Errorf("four halved: %v", told(3))
	}
	s = newStretches()
	s.add(0, of(1000))
	if s.add(rundoc.MaxSlices-1, of(1000)); s.width != 1 || s.number != rundoc.MaxSlices {
		t.Errorf("%d slices of %d s", s.number, s.width)
	}
	if s.add(rundoc.MaxSlices, of(1000)); s.width != 2 || s.number != rundoc.MaxSlices/2+1 {
		t.Errorf("%d slices of %d s", s.number, s.width)
	}
	// A time is the middle of its bucket, of 128 ns below 4 µs and of 3 % above.
	for ns, middle := range map[int64]int64{0: 64, 127: 64, 128: 192, 8191: 8064, 8192: 8320, 8447: 8320, 8448: 8576, 8960: 9088} {
		s = newStretches()
		s.add(0, of(ns))
		doc, err := s.document(0)
		if err != nil {
			t.Fatal(err)
		}
		h, err := doc[0].ResponseTime.Histogram()
		if want := rundoc.NewSliceHistogram(); err != nil || want.RecordValue(middle) != nil || !h.Equals(want) {
			t.Errorf("%d ns are told as %d, %v", ns, h.Max(), err)
		}
	}
}

// Counts by the second are exact at first, and then of two seconds, of four, and so on.
func TestEdgesOfLongCounts(t *testing.T) {
	peertest.NothingRaces(t, "one goroutine records")
	const most = 7200
	for sec, want := range map[int64]int64{
		-1: 0, 0: 0, 1: 1, most - 1: most - 1, most: most, most + 1: most, most + 2: most + 2, 2*most - 1: 2*most - 2, 2 * most: 2 * most,
		2*most + 3: 2 * most, 2*most + 4: 2*most + 4, 4*most - 1: 4*most - 4, 4 * most: 4 * most, 4*most + 8: 4*most + 8, 4*most + 7: 4 * most,
		most<<10 - 1: most<<10 - 1024, most << 10: most<<10 - 1024, 1 << 60: most<<10 - 1024,
	} {
		l := newLongCounts()
		l.add(sec)
		l.add(sec)
		for range 2 {
			l.each(func(first, n int64) {
				if first != want || n != 2 {
					t.Errorf("second %d is counted at %d, %d times", sec, first, n)
				}
			})
		}
		seen := 0
		l.drain(func(first, n int64) { seen++ })
		l.each(func(int64, int64) { seen += 100 })
		if seen != 1 {
			t.Errorf("second %d is counted in %d", sec, seen)
		}
	}
}

// Samples and causes are of the second they are in, and what comes before the window is of its first or of none.
func TestEdgesOfSeconds(t *testing.T) {
	peertest.NothingRaces(t, "one goroutine records")
	for length, seconds := range map[int64]int{0: 1, 1: 1, 1e9: 1, 1e9 + 1: 2, 20e9: 20, 20e9 + 1: 21} {
		s := newSeries(1, Config{Start: 5})
		if s.finish(length); len(s.points.list) != seconds || s.last != int64(seconds)-1 {
			t.Errorf("%d ns: %d points to second %d", length, len(s.points.list), s.last)
		}
	}
	s := newSeries(1, Config{Start: 1e9})
	for stamp, n := range map[int64]int64{1e9 - 1: 100, 1e9: 2, 2e9 - 1: 4, 2e9: 6} {
		s.sample(stamp, n)
	}
	for stamp, cause := range map[int64]string{5: "early", 1e9: "first", 2e9 - 1: "first", 2e9: "second"} {
		s.cause(stamp, cause)
	}
	s.finish(2e9)
	doc := s.points.document(s.last)
	if len(doc) != 2 || *doc[0].InFlight != 3 || *doc[1].InFlight != 6 ||
		!cmp.Equal(doc[0].Causes, []rundoc.Cause{{Cause: "first", Count: 2}, {Cause: "early", Count: 1}}) ||
		!cmp.Equal(doc[1].Causes, []rundoc.Cause{{Cause: "second", Count: 1}}) {
		t.Errorf("%+v", doc)
	}
	// A second whose counters one before it has used has nothing of that.
	s = newSeries(1, Config{})
	s.record(0, &Operation{End: 1e6, Bytes: 3})
	s.record(0, &Operation{End: 1e6, Outcome: Failed})
	s.collect((ahead + 1) * second)
	s.record(0, &Operation{End: ahead*second + 2e9, Bytes: 5})
	s.finish((ahead + 3) * second)
	for sec, want := range map[int64][3]int64{0: {1, 1, 3}, 1: {}, ahead: {}, ahead + 2: {1, 0, 5}} {
		if p := s.points.list[sec]; [3]int64{p.OK, p.Failed, p.Bytes} != want || p.P50 != 0 || p.P99 != 0 || p.OwnP99 != 0 {
			t.Errorf("second %d: %+v", sec, p)
		}
	}
	var causes causeCounts
	for i := range rundoc.MaxPointCauses + 2 {
		causes.add(string(rune('a'+i)), 2)
	}
	causes.add("a", 3)
	if n := len(causes); n != rundoc.MaxPointCauses+1 || causes[0].Count != 5 || causes[n-1] != (rundoc.Cause{Cause: rundoc.OtherCauses, Count: 4}) {
		t.Errorf("%+v", causes)
	}
	// A delay of the generator's own that is shorter than its histogram can tell is none.
	for own, want := range map[int64]int64{127: 0, 128: 192} {
		s := newSeries(2, Config{})
		for i := range 1000 {
			s.record(i, &Operation{End: 1e6, Own: own, Bytes: 3})
		}
		if p := s.collect(1e9 - 1); p.OK != 0 {
			t.Errorf("a second that goes on is read: %+v", p)
		}
		if p := s.collect(1e9); p.Second != 0 || p.OK != 1000 || p.Bytes != 3000 || p.OwnP99 != want {
			t.Errorf("%d ns of its own: %+v", own, p)
		}
		if p := s.collect(2e9); p.Second != 1 || p.OK != 0 {
			t.Errorf("the next: %+v", p)
		}
	}
}
