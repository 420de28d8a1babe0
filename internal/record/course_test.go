package record

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestOfferedCountsWhatWasDue has operations that end long after they were due, and some that are never sent.
func TestOfferedCountsWhatWasDue(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}}, Open: true, Start: 1000 * ms, Series: true})
	r.End(31_000 * ms)
	for sec := range int64(30) {
		r.Collect((1000 + 1000*sec) * ms)
		due := (1000 + 1000*(sec/3)) * ms // a third of the load is kept up with
		r.Record(int(sec), &Operation{Intended: due, Start: due, End: (1000 + 1000*sec) * ms, Attempts: 1})
	}
	r.Unsent(1500 * ms)
	r.Unsent(30_999 * ms)
	doc := courseOf(t, r, 30_000*ms)
	for i, p := range doc.Series {
		want := int64(0)
		if i < 10 {
			want = 3
		}
		if i == 0 || i == 29 {
			want++
		}
		if *p.Offered != want || p.OK != 1 {
			t.Errorf("second %d: %d offered, want %d; %d ok", i, *p.Offered, want, p.OK)
		}
	}
}

// courseOf is the document of what was recorded, in a window of this length.
func courseOf(t *testing.T, r *Recorder, length int64) *rundoc.Run {
	t.Helper()
	run := Run{Clients: 1, Slots: 1, Window: r, Start: r.start, End: r.start + length, Connections: NewConnections()}
	for range r.causes {
		run.Kinds, run.Begun, run.Unsent = append(run.Kinds, Kind{}), append(run.Begun, 0), append(run.Unsent, 0)
	}
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestCausesPerSecond(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}}, Series: true})
	r.End(2000 * ms)
	for i := range 10 {
		for range i + 1 {
			r.Cause(0, fmt.Sprintf("cause %d", i), 1500*ms)
		}
	}
	r.Cause(0, "cause 0", 999*ms)
	r.Cause(0, "late", 2001*ms) // in the drain
	var want []rundoc.Cause
	want = append(want, rundoc.Cause{Cause: rundoc.OtherCauses, Count: 9 + 10})
	for i := 7; i >= 0; i-- {
		want = append(want, rundoc.Cause{Cause: fmt.Sprintf("cause %d", i), Count: int64(i + 1)})
	}
	doc := courseOf(t, r, 2000*ms)
	if diff := cmp.Diff(want, doc.Series[1].Causes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]rundoc.Cause{{Cause: "cause 0", Count: 1}}, doc.Series[0].Causes); diff != "" {
		t.Error(diff)
	}
}

// TestGeneratorDelayPerSecond leaves out what was carried in, and what is too short to be told from none.
func TestGeneratorDelayPerSecond(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}}, Start: 1000 * ms, Series: true})
	r.End(4000 * ms)
	for range rundoc.Needs(990) {
		r.Record(0, &Operation{Intended: 1100 * ms, End: 1200 * ms, Own: 20 * ms, Attempts: 1})
		r.Record(0, &Operation{Intended: 2100 * ms, End: 2200 * ms, Own: 100, Attempts: 1})
		r.Carry(0, &Operation{Intended: 500 * ms, Start: 500 * ms, End: 3500 * ms, Own: 30 * ms, Attempts: 1})
	}
	doc := courseOf(t, r, 3000*ms)
	if own := doc.Series[0].OwnP99NS; own < 194*ms/10 || own > 206*ms/10 {
		t.Errorf("%d ns of 20 ms", own)
	}
	if doc.Series[1].OwnP99NS != 0 || doc.Series[2].OwnP99NS != 0 || doc.Series[2].P99NS == 0 {
		t.Errorf("%+v", doc.Series)
	}
}

// A percentile of a second, of a room or of the start delays is there from the first operation on that makes it one,
// and no sooner.
func TestPercentilesNeedEnoughTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for _, c := range []struct {
		n        int64
		p50, p99 bool
	}{{19, false, false}, {20, true, false}, {999, true, false}, {1000, true, true}} {
		r := New(Config{Kinds: []Kind{{}}, Groups: 1, Open: true, Start: 0, Series: true})
		r.End(1000 * ms)
		for i := range c.n {
			r.Record(0, &Operation{Intended: i, Start: 20*ms + i, End: 40*ms + i, Own: 20 * ms, Attempts: 1})
		}
		run := Run{Clients: 1, Slots: 1, Window: r, End: 1000 * ms, Connections: NewConnections(),
			Kinds: []Kind{{}}, Begun: []int64{c.n}, Unsent: []int64{0}}
		doc, err := run.Document()
		if err != nil {
			t.Fatal(err)
		}
		p, g, room := &doc.Series[0], &doc.Generator, run.Groups()[0]
		for name, f := range map[string]struct {
			ns   int64
			told bool
		}{
			"p50 of a second": {p.P50NS, c.p50}, "p99 of a second": {p.P99NS, c.p99},
			"own p99 of a second": {p.OwnP99NS, c.p99}, "send delay": {g.SendDelayP99NS, c.p99},
			"own start delay": {g.OwnDelayP99NS, c.p99}, "p50 of a room": {room.P50, c.p50}, "p99 of a room": {room.P99, c.p99},
		} {
			if f.told != (f.ns != 0) {
				t.Errorf("%d operations, %s: %d ns", c.n, name, f.ns)
			}
		}
		if room.Times != c.n || room.Mean != 40*ms {
			t.Errorf("room %+v", room)
		}
	}
}

// TestSlicesMatchTheSummaries holds the slices of a random run against its summaries by the laws, whatever
// ended in the drain or did not end, and leaves out what was carried in.
func TestSlicesMatchTheSummaries(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	list := operations(seed, 3000)
	doc := document(t, list, 3, seed)
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	var count int64
	all := rundoc.NewSliceHistogram()
	for i, s := range doc.Slices {
		if s.FromS != int64(i) || s.Seconds != 1 {
			t.Errorf("slice %d: %d s from %d", i, s.Seconds, s.FromS)
		}
		h, err := s.ResponseTime.Histogram()
		if err != nil {
			t.Fatal(err)
		}
		count += s.ResponseTime.Count
		all.Merge(h)
	}
	if len(doc.Slices) != 3 || count != total.ResponseTime.Count {
		t.Errorf("%d slices with %d times, want %d", len(doc.Slices), count, total.ResponseTime.Count)
	}
	for p, want := range map[float64]int64{50: *total.ResponseTime.P50NS, 99: *total.ResponseTime.P99NS} {
		if got := all.ValueAtPercentile(p); float64(got) < .97*float64(want) || float64(got) > 1.03*float64(want) {
			t.Errorf("p%v is %d, want %d", p, got, want)
		}
	}

	r := New(Config{Kinds: []Kind{{}}, Start: 1000 * ms, Series: true})
	r.End(3000 * ms)
	r.Carry(0, &Operation{Start: 500 * ms, Intended: 500 * ms, End: 1500 * ms, Attempts: 1})
	r.Record(0, &Operation{Start: 1500 * ms, Intended: 1500 * ms, End: 9000 * ms, Attempts: 1})
	if s := courseOf(t, r, 2000*ms).Slices; s[0].ResponseTime.Count != 0 || s[1].ResponseTime.Count != 1 {
		t.Errorf("%+v", s)
	}
}

// TestMemoryOfALongRunIsBounded has a run of a week, whose seconds become fewer points and slices.
func TestMemoryOfALongRunIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	const week = 7 * 24 * 3600
	p, l, s := points{width: 1}, newLongCounts(), newStretches()
	for sec := range int64(week) {
		q := Point{OK: 1, P99: sec % 1000, watched: 1, flown: 3}
		if sec < 2 {
			q.causes.add("reset", 1)
		}
		p.at(sec).absorb(&q)
		l.add(sec)
		if sec%60 == 0 {
			h := newHist(coarse)
			h.tally(1000 * sec)
			s.add(sec, merge(h))
		}
	}
	p.end(week - 1)
	l.drain(func(sec, n int64) { p.at(sec).Offered += n })
	doc := p.document(week - 1)
	var sum rundoc.Point
	for i, d := range doc {
		if d.Second != 128*int64(i) || d.Seconds != 128 && i != len(doc)-1 || *d.Offered != d.Seconds || d.OK != d.Seconds ||
			*d.InFlight != 3 {
			t.Fatalf("point %d of %d: %+v, %d offered", i, len(doc), d, *d.Offered)
		}
		sum.OK += d.OK
		for _, c := range d.Causes {
			sum.Failed += c.Count
		}
	}
	if len(doc) != (week+127)/128 || sum.OK != week || sum.Failed != 2 || doc[7].P99NS != 999 {
		t.Errorf("%d points, %+v", len(doc), sum)
	}
	slices, err := s.document(week - 1)
	if err != nil {
		t.Fatal(err)
	}
	var times int64
	for i, d := range slices {
		times += d.ResponseTime.Count
		if d.Seconds != s.width && i != len(slices)-1 {
			t.Errorf("slice %d of %d: %d s", i, len(slices), d.Seconds)
		}
	}
	last := slices[len(slices)-1]
	if len(slices) > rundoc.MaxSlices || len(slices) <= rundoc.MaxSlices/2 || times != week/60 ||
		last.FromS+last.Seconds != week {
		t.Errorf("%d slices of %d s with %d times", len(slices), s.width, times)
	}
	l.add(1 << 60)
	l.add(-5)
	var got []int64
	l.drain(func(sec, n int64) { got = append(got, sec, n) })
	if len(got) != 4 || got[0] != 0 || got[2] < 80*24*3600 {
		t.Errorf("beyond the ends: %v", got)
	}
}

// TestPointsAndSlicesMergeBeyondTheMaximum halves nothing because of what ends on its last stroke, or in the drain.
func TestPointsAndSlicesMergeBeyondTheMaximum(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for length, want := range map[int64][4]int64{
		rundoc.MaxSlices: {rundoc.MaxSlices, rundoc.MaxSlices, 1, 1}, rundoc.MaxSlices + 1: {rundoc.MaxSlices + 1, 61, 2, 1},
		maxPoints: {maxPoints, 113, 64, 1},
	} {
		r := New(Config{Kinds: []Kind{{}}, Series: true})
		end := length * second
		r.End(end)
		for sec := range length {
			r.Collect(sec * second)
			at := sec*second + second/2
			r.Record(0, &Operation{Start: at, Intended: at, End: at + second/2, Attempts: 1})
		}
		r.Cause(0, "reset", end)
		r.Collect(end + 5*second)
		doc := courseOf(t, r, length*second)
		p, s := doc.Series[0], doc.Slices[0]
		got := [4]int64{int64(len(doc.Series)), int64(len(doc.Slices)), s.Seconds, p.Length()}
		last := doc.Series[len(doc.Series)-1]
		if got != want || len(last.Causes) != 1 || last.Second+last.Length() != length {
			t.Errorf("%d s: %v points, slices, seconds of each; want %v; %+v", length, got, want, last)
		}
	}
}

// TestGapsPerSecond has one gap of 1.2 s, and asks for no more of it than lies in the window.
func TestGapsPerSecond(t *testing.T) {
	gaps := func(from, to int64) int64 { return max(0, min(to, 4700*ms)-max(from, 3500*ms)) }
	for _, length := range []int64{2700 * ms, 3400 * ms} {
		r := New(Config{Kinds: []Kind{{}}, Start: 2000 * ms, Series: true, Gaps: gaps})
		r.End(2000*ms + length)
		r.Collect(4200 * ms)
		var got []int64
		for _, p := range courseOf(t, r, length).Series {
			got = append(got, p.GapNS/ms)
		}
		want := []int64{0, 500, 700}
		if length > 3000*ms {
			want = append(want, 0)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	r := New(Config{Kinds: []Kind{{}}, Series: true, Gaps: func(from, to int64) int64 { return to - from }})
	r.End(1400 * ms)
	if s := courseOf(t, r, 1400*ms).Series; s[0].GapNS != 1000*ms || s[1].GapNS != 400*ms {
		t.Errorf("%+v", s)
	}
}
