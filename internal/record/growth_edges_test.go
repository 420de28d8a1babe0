package record

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// oneShard is a recorder that counts in one place, whatever processors there are.
func oneShard(c Config) *Recorder {
	r := New(c)
	r.shards = r.shards[:1]
	return r
}

// How long the first stretches are, and how many there may be, by what there is to look at.
func TestEdgesOfHowOftenItIsLooked(t *testing.T) {
	for _, tt := range []struct {
		kinds, flows int
		open, stages bool
		width        int64 // ms
		most         int
	}{
		{1, 0, false, false, 20, 128}, {8, 0, false, false, 20, 128}, {9, 0, false, false, 20, 64}, {10, 0, false, false, 20, 64},
		{11, 0, false, false, 22, 64}, {7, 1, false, false, 20, 128}, {8, 1, false, false, 20, 64}, {5, 0, true, false, 20, 128},
		{5, 1, true, false, 21, 128}, {6, 0, true, false, 24, 128}, {3, 0, true, true, 21, 128}, {4, 0, false, true, 20, 128},
		{5, 0, false, true, 25, 128},
	} {
		c := Config{Open: tt.open}
		for i := range tt.kinds {
			c.Kinds = append(c.Kinds, Kind{Name: fmt.Sprint(i), Stages: tt.stages})
		}
		for i := range tt.flows {
			c.Flows = append(c.Flows, fmt.Sprint(i))
		}
		r := oneShard(c)
		if r.Stretch(0); r.growth.width != tt.width*ms || r.growth.most != tt.most || len(r.growth.ends) != 0 {
			t.Errorf("%+v: %d ns, %d of them", tt, r.growth.width, r.growth.most)
		}
	}
}

// A look comes when a stretch is over; behind a late one half of a stretch is left at least. Beyond the most there are,
// each two become one, and looks come half as often.
func TestEdgesOfWhenItIsLooked(t *testing.T) {
	const start = 7e9
	r := oneShard(Config{Kinds: []Kind{{}}, Start: start})
	for i, tt := range []struct {
		at   float64 // ms
		ends []int64
		next int64
	}{
		{0, nil, 20}, {19.999999, nil, 20}, {20, []int64{20}, 40}, {54, []int64{20, 54}, 64}, {63.999999, []int64{20, 54}, 64},
		{64, []int64{20, 54, 64}, 80}, {80, []int64{20, 54, 64, 80}, 100}, {100, []int64{54, 80, 100}, 120}, {119, []int64{54, 80, 100}, 120},
		{158, []int64{54, 80, 100, 158}, 178}, {180, []int64{80, 158, 180}, 240},
	} {
		r.Stretch(start + int64(tt.at*1e6))
		r.growth.most = 4
		var ends []int64
		for _, stamp := range r.growth.ends {
			ends = append(ends, (stamp-start)/ms)
		}
		if next := (r.growth.next.Load() - start) / ms; !slices.Equal(ends, tt.ends) || next != tt.next {
			t.Errorf("%d, at %v ms: %v, and the next at %d", i, tt.at, ends, next)
		}
	}
}

var ofGrowth = cmp.AllowUnexported(counted{})

// What came to two histograms from one look to the next, by bucket of 128 ns.
func TestEdgesOfALook(t *testing.T) {
	a, b := newHist(fine), newHist(fine)
	g := &grown{of: []*hist{a, newHist(fine), b}, seen: make([]uint32, coarse.size())}
	scratch := make([]uint32, coarse.size())
	for i, tt := range []struct {
		a, b []int64
		want counted
	}{
		{nil, nil, counted{}}, {[]int64{130}, []int64{301}, counted{2, 1, []uint32{1, 1}}}, {[]int64{0}, nil, counted{1, 0, []uint32{1}}},
		{[]int64{300, 299}, []int64{256}, counted{3, 2, []uint32{3}}}, {nil, nil, counted{}},
		{[]int64{700}, []int64{130}, counted{2, 1, []uint32{1, 0, 0, 0, 1}}}, {nil, []int64{1 << 41}, counted{1, coarse.index(1 << 41), []uint32{1}}},
		{[]int64{1 << 50}, nil, counted{1, coarse.size() - 1, []uint32{1}}},
	} {
		for _, ns := range tt.a {
			a.add(ns)
		}
		for _, ns := range tt.b {
			b.add(ns)
		}
		if diff := cmp.Diff(tt.want, g.look(scratch), ofGrowth); diff != "" {
			t.Errorf("look %d: %s", i, diff)
		}
	}
	edge := newHist(fine)
	edge.add(127) // the last of its bucket
	edge.add(300)
	first := (&grown{of: []*hist{edge}, seen: make([]uint32, coarse.size())}).look(make([]uint32, coarse.size()))
	if diff := cmp.Diff(counted{2, 0, []uint32{1, 0, 1}}, first, ofGrowth); diff != "" {
		t.Error(diff)
	}
	a.counts[fine.index(300)].Add(1<<32 - 2) // and the count that is looked at wraps around
	if diff := cmp.Diff(counted{1<<32 - 2, 2, []uint32{1<<32 - 2}}, g.look(scratch), ofGrowth); diff != "" {
		t.Error(diff)
	}
}

// Two stretches together, whichever begins with the shorter times; each two of several become one.
func TestEdgesOfStretchesTogether(t *testing.T) {
	some := counted{3, 5, []uint32{1, 2}}
	for i, tt := range []struct{ other, want counted }{
		{counted{}, some}, {counted{low: 9}, some}, {counted{4, 2, []uint32{4}}, counted{7, 2, []uint32{4, 0, 0, 1, 2}}},
		{counted{4, 6, []uint32{3, 0, 1}}, counted{7, 5, []uint32{1, 5, 0, 1}}}, {counted{2, 9, []uint32{2}}, counted{5, 5, []uint32{1, 2, 0, 0, 2}}},
		{counted{1, 5, []uint32{1}}, counted{4, 5, []uint32{2, 2}}},
	} {
		for _, got := range []counted{some.plus(tt.other), tt.other.plus(some)} {
			if diff := cmp.Diff(tt.want, got, ofGrowth); diff != "" {
				t.Errorf("%d: %s", i, diff)
			}
		}
	}
	one := func(n int64) counted { return counted{n, int(n), []uint32{uint32(n)}} }
	g := growth{width: 20, ends: []int64{1, 2, 3, 4}, times: []*grown{nil, {list: []counted{one(1), one(2), one(3), one(4)}}}}
	g.halve()
	want := []counted{{3, 1, []uint32{1, 2}}, {7, 3, []uint32{3, 4}}}
	if diff := cmp.Diff(want, g.times[1].list, ofGrowth); diff != "" || !slices.Equal(g.ends, []int64{2, 4}) || g.width != 40 {
		t.Errorf("%v, %d: %s", g.ends, g.width, diff)
	}
}

// The time at a rank, as its bucket has it: within the shortest and the longest that there were.
func TestEdgesOfRanks(t *testing.T) {
	h := newHist(fine)
	for _, ns := range []int64{10, 20, 5001, 9000} {
		h.add(ns)
	}
	m := merge(h)
	for rank, want := range map[int64][2]int64{1: {10, 10}, 2: {20, 20}, 3: {5000, 5003}, 4: {9000, 9000}, 5: {9000, 9000}} {
		if low, high := m.atRank(rank); low != want[0] || high != want[1] {
			t.Errorf("rank %d: %d to %d", rank, low, high)
		}
	}
	few := func(float64) []stats.Batch { return nil }
	for q, want := range map[float64]int64{0: 10, 0.25: 10, 0.374: 10, 0.375: 20, 0.624: 20, 0.625: 5003, 0.875: 9000, 1: 9000} {
		if got := m.within(q, few); got.Value != want || got.Absent == "" || got.Low != 0 || got.High != 0 {
			t.Errorf("quantile %v: %+v", q, got)
		}
	}
	two := newHist(fine)
	two.add(5000)
	two.add(9000)
	if got := merge(two).within(0, few).Value; got != 5003 {
		t.Errorf("the shortest of two: %d", got)
	}
	single := newHist(fine)
	single.add(5001)
	if low, high := merge(single).atRank(1); low != 5001 || high != 5001 {
		t.Errorf("the only one: %d to %d", low, high)
	}
	if got := merge(newHist(fine)).within(0.5, few); got != (Quantile{Absent: "there are no times"}) {
		t.Errorf("of none: %+v", got)
	}
	// Of a thousand times that are as long as their rank the interval is that of the ranks.
	thousand := newHist(fine)
	for ns := range int64(1000) {
		thousand.add(ns + 1)
	}
	batches := func(float64) (list []stats.Batch) {
		for i := range int64(100) {
			list = append(list, stats.Batch{N: 10, Above: 1 + i%5})
		}
		return list
	}
	want := stats.QuantileRanks(1000, 0.7, batches)
	got := merge(thousand).within(0.7, batches)
	if want.Absent != "" || got != (Quantile{Value: 700, Low: want.Low, High: want.High, Effective: want.Effective}) || got.Low >= 700 || got.High <= 700 {
		t.Errorf("%+v of %+v", got, want)
	}
}

// What a course tells of its stretches: their sums at the middles of the buckets, and how much of each is above a
// quantile.
func TestEdgesOfACourse(t *testing.T) {
	c := &Course{list: []counted{{3, 1, []uint32{1, 1, 1}}, {2, 3, []uint32{1, 1}}, {}}}
	parts := []stats.Part{{Of: 1.5*128 + 2.5*128 + 3.5*128, All: 3}, {Of: 3.5*128 + 4.5*128, All: 2}, {}}
	if diff := cmp.Diff(parts, c.parts()); diff != "" {
		t.Error(diff)
	}
	// Of one, one, two and one times in buckets 1 to 4, the half is nearest to above 2, and a tenth to above 3.
	for q, want := range map[float64][]stats.Batch{
		0.5: {{N: 3, Above: 1}, {N: 2, Above: 2}, {}}, 0.9: {{N: 3, Above: 0}, {N: 2, Above: 1}, {}},
	} {
		if diff := cmp.Diff(want, c.above(q)); diff != "" {
			t.Errorf("above %v: %s", q, diff)
		}
	}
}

// The interval of a mean is as wide as its parts differ, within the shortest and the longest time.
func TestEdgesOfTheMeansInterval(t *testing.T) {
	evenly, seldom := newHist(fine), newHist(fine)
	for range 50 {
		evenly.add(1000) // in a bucket of its own
		evenly.add(3000) // with 3001
	}
	for range 99 {
		seldom.add(1000)
	}
	seldom.add(3000)
	scattered := func(by float64) []stats.Part {
		list := make([]stats.Part, 100)
		for i := range list {
			list[i] = stats.Part{Of: 2000 + by*float64(i*37%100-50), All: 1}
		}
		return list
	}
	for _, tt := range []struct {
		of             *hist
		mean, variance float64
		by             float64 // the parts scatter
		bounded        bool    // by the shortest and the longest time
	}{
		{evenly, 2000, (999.5*999.5 + 1001*1001) / 2, 0, false}, {evenly, 2000, (999.5*999.5 + 1001*1001) / 2, 1, false},
		{evenly, 2000, (999.5*999.5 + 1001*1001) / 2, 20, false}, {evenly, 2000, (999.5*999.5 + 1001*1001) / 2, 150, false},
		{evenly, 2000, (999.5*999.5 + 1001*1001) / 2, 1e6, true}, {seldom, 1020, 0.99*19.5*19.5 + 0.01*1981*1981, 2, false},
	} {
		_, half, _ := stats.MeanOf(scattered(tt.by))
		low, high := max(1000, int64(tt.mean-half)), int64(math.Ceil(tt.mean+half))+1
		if tt.bounded {
			low, high = 1000, 3000
		}
		effective := max(1, min(100, tt.variance/math.Pow(half/1.95996, 2)))
		got := merge(tt.of).meanWithin(scattered(tt.by))
		if got == nil || got.LowNS != low || got.HighNS != high || math.Abs(got.Effective/effective-1) > 1e-4 {
			t.Errorf("%v, by %v: %+v, want %d to %d worth %v", tt.mean, tt.by, got, low, high, effective)
		}
	}
	if got := merge(evenly).meanWithin(scattered(1)[:1]); got != nil {
		t.Errorf("of one part: %+v", got)
	}
	if got := merge(newHist(fine)).meanWithin(scattered(1)); got != nil {
		t.Errorf("of no times: %+v", got)
	}
}

// The course of a time is that of the kinds that are asked for. In the closed model the response time is the service
// time, and nothing is delayed.
func TestEdgesOfWhichCourse(t *testing.T) {
	for _, open := range []bool{true, false} {
		r := oneShard(Config{Kinds: []Kind{{}, {Stages: true}}, Flows: []string{"a", "b"}, Open: open})
		r.Record(0, &Operation{Kind: 0, Attempts: 1, Start: 1000, End: 1007})
		for shard := range 2 {
			r.Record(shard, &Operation{Kind: 1, Attempts: 1 + int64(shard), Start: 1000, Intended: 500, Ready: 500, End: 1100,
				Stages: Stages{Known: true, Send: 20, Wait: 30, Body: 50}})
		}
		r.RecordFlow(0, &Flow{Number: 1, Intended: 500, End: 777})
		r.lastStretch(2000)
		want := map[Time]int64{Service: 100, Response: 600, SendDelay: 500, send: 20, wait: 30, body: 50}
		if !open {
			want[Response], want[SendDelay] = 100, 100
		}
		for of, longest := range want {
			c := r.course(of, func(kind int) bool { return kind == 1 })
			if c.all.n != 2 || c.all.max != longest || len(c.list) != 1 || c.list[0].n != 2 {
				t.Errorf("open %v, time %d: %d, the longest of %d", open, of, c.all.n, c.all.max)
			}
		}
		if c := r.course(Service, func(int) bool { return true }); c.all.n != 3 || c.list[0].n != 3 {
			t.Errorf("of both: %d", c.all.n)
		}
		for flow, count := range []int64{0, 1} {
			if c := r.flowCourse(flow); c.all.n != count || c.list[0].n != count {
				t.Errorf("flow %d: %d", flow, c.all.n)
			}
		}
	}
}
