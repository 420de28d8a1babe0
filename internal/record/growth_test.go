package record

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// spells records n operations, one each step ns, in slow and in quick spells of some 200 operations, and looks at
// the growth after each.
func spells(r *Recorder, n int, step int64) {
	rng := rand.New(rand.NewPCG(5, 5))
	slow := false
	for i := range int64(n) {
		if rng.IntN(200) == 0 {
			slow = !slow
		}
		took := int64(1e6 * math.Exp(0.2*rng.NormFloat64()))
		if slow {
			took *= 3
		}
		end := r.start + (i+1)*step
		o := Operation{Attempts: 1, Intended: end - took, Ready: end - took, Start: end - took, End: end, FirstEnd: end}
		r.Record(int(i), &o)
		r.Stretch(end)
	}
	r.lastStretch(r.start + int64(n)*step)
}

func everyKind(int) bool { return true }

func TestStretchesHoldEveryOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for _, tt := range []struct {
		n           int
		step        int64
		least, most int
	}{
		{1000, 1e6, 40, 52},      // a second: of 20 ms each
		{60_000, 1e6, 64, 129},   // a minute
		{40_000, 100e6, 64, 129}, // more than an hour
		{3, 30e6, 3, 4}, {0, 1, 1, 1},
	} {
		r := New(Config{Kinds: []Kind{{}, {}}, Open: true, Series: true})
		r.Begin(7e9)
		spells(r, tt.n, tt.step)
		for _, of := range []Time{Service, Response, SendDelay} {
			c := r.course(of, everyKind)
			if len(c.list) < tt.least || len(c.list) > tt.most || len(c.list) != len(r.growth.ends) {
				t.Errorf("%d operations: %d stretches, want %d to %d", tt.n, len(c.list), tt.least, tt.most)
			}
			sum, last := int64(0), r.start
			for i, s := range c.list {
				sum += s.n
				if r.growth.ends[i] < last {
					t.Errorf("%d operations: a stretch to %d follows %d", tt.n, r.growth.ends[i], last)
				}
				last = r.growth.ends[i]
			}
			if sum != int64(tt.n) || c.all.n != sum {
				t.Errorf("%d operations, %d in stretches, %d in all", tt.n, sum, c.all.n)
			}
		}
	}
}

// The interval is that of the spells, of which there are few, and not that of the operations.
func TestIntervalsAccountForSlowSpells(t *testing.T) {
	const n = 50_000
	r := New(Config{Kinds: []Kind{{}}, Series: true})
	spells(r, n, 1e6)
	c := r.course(Response, everyKind)
	q := c.all.within(0.9, c.above)
	t.Logf("%+v", q)
	if q.Absent != "" || q.Effective > n/20 || q.Effective < n/2000 || q.Low > q.Value || q.High < q.Value {
		t.Errorf("p90: %+v", q)
	}
	doc, err := (&Run{Clients: 1, Slots: 1, Kinds: []Kind{{}}, Window: r, End: n * 1e6, Begun: []int64{n},
		Unsent: []int64{0}, Connections: NewConnections()}).Document()
	if err != nil {
		t.Fatal(err)
	}
	o := doc.Operations[0]
	for _, permille := range []int64{500, 900, 950} {
		i := o.ResponseTime.Interval(permille)
		if i == nil || o.ServiceTime.Interval(permille) == nil || o.ResponseTime.Free.Interval(permille) == nil ||
			o.FirstAttempt.Interval(permille) == nil {
			t.Errorf("%d: the document has no interval", permille)
		}
	}
	if i := o.ResponseTime.Interval(900); i != nil && (i.LowNS != q.Low || i.HighNS != q.High) {
		t.Errorf("%+v is not %+v", i, q)
	}
}

// Of several kinds together the intervals do not follow from those of each: the document has them in its totals, and
// keeps them when it is concluded.
func TestIntervalsOfSeveralKindsTogether(t *testing.T) {
	const n = 40_000
	r := New(Config{Kinds: []Kind{{Name: "a"}, {Name: "b"}}, Series: true})
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range int64(n) {
		took, end := int64(1e6*math.Exp(0.2*rng.NormFloat64())), (i+1)*1e6
		o := Operation{Kind: int(i % 2), Attempts: 1, Intended: end - took, Ready: end - took, Start: end - took, End: end,
			FirstEnd: end}
		r.Record(0, &o)
		r.Stretch(end)
	}
	doc, err := (&Run{Clients: 2, Slots: 1, Kinds: []Kind{{Name: "a"}, {Name: "b"}}, Window: r, End: n * 1e6,
		Begun: []int64{n / 2, n / 2}, Unsent: []int64{0, 0}, Connections: NewConnections()}).Document()
	if err != nil {
		t.Fatal(err)
	}
	doc.Conclude()
	sum, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*rundoc.Summary{"free": sum.ResponseTime.Free, "free in totals": doc.Total.ResponseTime.Free,
		"first attempt": &sum.FirstAttempt} {
		if s.Interval(990) == nil || s.MeanInterval() == nil {
			t.Errorf("%s: %+v", name, s.Intervals)
		}
	}
	all, one := sum.ResponseTime.Interval(990), doc.Operations[0].ResponseTime.Interval(990)
	if all == nil || one == nil || doc.Total.ResponseTime.Interval(990) == nil {
		t.Fatalf("%+v of all, %+v of one", all, one)
	}
	if share := all.Effective / one.Effective; share < 1.4 || share > 2.8 {
		t.Errorf("%.0f effective of all, %.0f of one of two", all.Effective, one.Effective)
	}
}

// What the stretches of a long window take, by kind: three times of an open model.
func TestStretchesUseLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	r := New(Config{Kinds: []Kind{{}}, Open: true, Series: true})
	spells(r, 1000, 1e6)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	spells(r, 100_000, 10e6)
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d KiB", grown>>10)
	if grown > 2<<20 {
		t.Errorf("%d KiB more", grown>>10)
	}
	runtime.KeepAlive(r)
}

// BenchmarkStretch is one look at how the histograms of a kind in the open model have grown.
func BenchmarkStretch(b *testing.B) {
	r := New(Config{Kinds: []Kind{{}}, Open: true, Series: true})
	spells(r, 20_000, 1e6)
	g := &r.growth
	for b.Loop() {
		for _, t := range g.times[:1] {
			t.look(g.scratch)
		}
	}
	b.ReportMetric(float64(g.width)/1e6, "ms/width")
}

// The stages of requests and flows have the intervals of their own courses, and the mean that of the spells.
func TestIntervalsOfStagesAndFlows(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	const n = 40_000
	r := New(Config{Kinds: []Kind{{Name: "get", Stages: true}}, Flows: []string{"shop"}, Series: true})
	rng := rand.New(rand.NewPCG(5, 7))
	slow, waited := false, 0.0
	for i := range int64(n) {
		if rng.IntN(200) == 0 {
			slow = !slow
		}
		wait := int64(1e6 * math.Exp(0.2*rng.NormFloat64()))
		if slow {
			wait *= 3
		}
		waited += float64(wait)
		end := (i + 1) * 1e6
		o := Operation{Attempts: 1, Intended: end - wait, Ready: end - wait, Start: end - wait, End: end, FirstEnd: end,
			Stages: Stages{Known: true, Send: 1000 + rng.Int64N(1000), Wait: wait - 5000, Body: 3000}}
		r.Record(0, &o)
		r.RecordFlow(0, &Flow{Intended: end - wait, End: end})
		r.Stretch(end)
	}
	doc, err := (&Run{Clients: 1, Slots: 1, Kinds: []Kind{{Name: "get", Stages: true}}, Flows: []string{"shop"}, Window: r,
		End: n * 1e6, Begun: []int64{n}, Unsent: []int64{0}, Connections: NewConnections()}).Document()
	if err != nil {
		t.Fatal(err)
	}
	o := &doc.Operations[0]
	send, wait, flow := o.Stages.Send.Interval(900), o.Stages.Wait.Interval(900), doc.Flows[0].ResponseTime.Interval(900)
	if send == nil || wait == nil || flow == nil || doc.Flows[0].ResponseTime.Free.Interval(900) == nil {
		t.Fatalf("%v, %v, %v", send, wait, flow)
	}
	if wait.Effective > n/20 || flow.Effective > n/20 || send.Effective < n/4 {
		t.Errorf("worth %.0f, %.0f and %.0f of %d", send.Effective, wait.Effective, flow.Effective, n)
	}
	mean := o.ResponseTime.MeanInterval()
	if mean == nil || mean.Effective > n/20 || float64(mean.LowNS) > waited/n || float64(mean.HighNS) < waited/n {
		t.Errorf("the mean: %+v of %.0f", mean, waited/n)
	}
}
