package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Buckets of each layout: where a time is counted, and the shortest that is counted there.
func TestEdgesOfBuckets(t *testing.T) {
	for _, test := range []struct {
		p     precision
		ns    int64
		index int
		low   int64
	}{
		{fine, -1, 0, 0}, {fine, 0, 0, 0}, {fine, 1, 1, 1}, {fine, 2047, 2047, 2047}, {fine, 2048, 2048, 2048}, {fine, 2049, 2048, 2048},
		{fine, 2050, 2049, 2050}, {fine, 4095, 3071, 4094}, {fine, 4096, 3072, 4096}, {fine, 1<<42 - 1, fine.size() - 1, 2047 << 31},
		{fine, 1 << 50, fine.size() - 1, 2047 << 31}, {coarse, 0, 0, 0}, {coarse, 127, 0, 0}, {coarse, 128, 1, 128},
		{coarse, 255 << 7, 255, 255 << 7}, {coarse, 256 << 7, 256, 256 << 7}, {coarse, 258<<7 - 1, 256, 256 << 7}, {coarse, 258 << 7, 257, 258 << 7},
		{coarse, 1 << 60, coarse.size() - 1, 255 << 34}, {rough, 511, 0, 0}, {rough, 512, 1, 512}, {rough, 64 << 9, 64, 64 << 9},
		{rough, 1 << 60, rough.size() - 1, 63 << 36},
	} {
		if index := test.p.index(test.ns); index != test.index || test.p.low(index) != test.low {
			t.Errorf("%+v: %d is in %d, from %d on", test.p, test.ns, index, test.p.low(index))
		}
	}
	for p, size := range map[precision]int{fine: 33 << 10, coarse: 29 << 7, rough: 29 << 5} {
		if p.size() != size {
			t.Errorf("%+v: %d", p, p.size())
		}
	}
}

// What histograms come to together: counts, and exact figures beside them.
func TestEdgesOfHistograms(t *testing.T) {
	a, b, none := newHist(fine), newHist(fine), newHist(fine)
	for _, ns := range []int64{30, 10, 50} {
		a.add(ns)
	}
	for _, ns := range []int64{20, 4000} {
		b.add(ns)
	}
	m := merge(none, a, none, b)
	if m.n != 5 || m.sum != 4110 || m.min != 10 || m.max != 4000 || m.mean() != 822 {
		t.Errorf("%d, sum %d, %d to %d, mean %d", m.n, m.sum, m.min, m.max, m.mean())
	}
	for q, want := range map[float64]int64{0: 10, 0.2: 10, 0.21: 20, 0.4: 20, 0.6: 30, 0.8: 50, 0.81: 4000, 1: 4000, 2: 4000} {
		if got := m.quantile(q); got != want {
			t.Errorf("quantile %v: %d", q, got)
		}
	}
	for ns, want := range map[int64][2]int64{9: {5, 5}, 10: {4, 5}, 49: {2, 2}, 50: {1, 2}, 3999: {1, 1}, 4000: {0, 1}, 4001: {0, 1}, 4002: {0, 0}} {
		if above, from := m.above(ns), m.from(ns); above != want[0] || from != want[1] {
			t.Errorf("%d above %d, %d from it on", above, ns, from)
		}
	}
	m.favour(3)
	if m.n != 8 || m.sum != 4140 || m.quantile(0.5) != 10 {
		t.Errorf("favoured: %d, sum %d, median %d", m.n, m.sum, m.quantile(0.5))
	}
	m.add(merge(a))
	if m.n != 11 || m.sum != 4140 || m.counts[fine.index(30)] != 2 {
		t.Errorf("added: %d, sum %d", m.n, m.sum)
	}
	empty := merge()
	empty.favour(3)
	if empty.n != 0 || empty.sum != 0 || empty.min != 0 || empty.mean() != 0 || empty.quantile(0.5) != 0 || empty.p != fine {
		t.Errorf("of none: %+v", empty)
	}
	// A time of 0 is a shortest time, too; of times without exact figures the middle of the bucket is told.
	zero := newHist(coarse)
	zero.add(0)
	zero.add(1000)
	if m := merge(none, zero); m.min != 0 || m.n != 2 {
		t.Errorf("from 0: %+v", m)
	}
	tallied := newHist(coarse)
	tallied.tally(300)
	if m := merge(tallied); m.n != 1 || m.sum != 0 || m.max != 0 || m.quantile(0.5) != (256+384)/2 || m.quantile(0) != (256+384)/2 {
		t.Errorf("tallied: %d, %d", m.n, m.quantile(0.5))
	}
	short := newHist(coarse)
	for ns, want := range []int64{0, 1} {
		if short.add(int64(ns)); merge(short).quantile(1) != 64*(1-want)+want {
			t.Errorf("the longest of %d: %d", ns, merge(short).quantile(1))
		}
	}
	for _, ns := range []int64{10, 9, 9, 11, 12} {
		zero.add(ns)
		a.add(ns)
	}
	if m := merge(a); m.min != 9 || m.max != 50 || merge(zero).min != 0 {
		t.Errorf("from %d to %d", m.min, m.max)
	}
	for n, want := range map[int64]int64{999: 0, 1000: 7} {
		h := newHist(fine)
		for range n {
			h.add(7)
		}
		if got := merge(h).percentile(990); got != want || (want > 0) != rundoc.Supports(n, 990) {
			t.Errorf("p99 of %d: %d", n, got)
		}
	}
	if d := drain(a, b); d.n != 10 || d.sum != 4110+51 || d.min != 9 || d.max != 4000 {
		t.Errorf("drained: %+v", d)
	}
	if m := merge(a, b); m.n != 0 || m.sum != 0 || m.min != 0 || m.max != 0 {
		t.Errorf("and then: %d", m.n)
	}
	a.add(5)
	if m := merge(a); m.min != 5 || m.max != 5 {
		t.Errorf("anew: %d to %d", m.min, m.max)
	}
}

// A state is charged what lies in the window, and a client's slots share its time.
func TestEdgesOfLedgers(t *testing.T) {
	for _, test := range []struct{ from, to, want int64 }{
		{0, 100, 0}, {0, 101, 1}, {100, 200, 100}, {150, 160, 10}, {199, 300, 1}, {200, 300, 0}, {50, 250, 100}, {160, 150, 0},
	} {
		var l Ledger
		if l.Add(Sending, test.from, test.to, 100, 200); l[Sending] != test.want {
			t.Errorf("%+v: %d", test, l[Sending])
		}
	}
	l, other := Ledger{Waiting: 10, Pausing: 20}, Ledger{Waiting: 5, Idle: 7}
	l.Merge(&other)
	want := map[string]int64{}
	for s, name := range rundoc.States {
		want[name] = map[State]int64{Waiting: 5, Pausing: 6, Idle: 2}[State(s)]
	}
	if diff := cmp.Diff(want, l.document(3, true)); diff != "" {
		t.Error(diff)
	}
	delete(want, rundoc.States[Pausing])
	if diff := cmp.Diff(want, l.document(3, false)); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct {
		c    Stamps
		want string
	}{
		{Stamps{Used: 19, Missing: 1}, ""}, {Stamps{Used: 18, Missing: 1}, "18 of 19 answers have one"},
		{Stamps{Used: 38, Missing: 1, Refused: 1}, ""}, {Stamps{Used: 37, Missing: 1, Refused: 1}, "37 of 39 answers have one"},
		{Stamps{}, ""}, {Stamps{Used: 100, Unseen: "switched off"}, "switched off"},
	} {
		if got := test.c.unseen(); got != test.want {
			t.Errorf("%+v: %q", test.c, got)
		}
	}
	var c Stamps
	c.Count(true, false)
	c.Count(true, true)
	c.Count(false, true)
	for range 3 {
		c.Count(false, false)
	}
	c.Add(&Stamps{Used: 10, Missing: 20, Refused: 30})
	if c != (Stamps{Used: 12, Missing: 23, Refused: 31}) {
		t.Errorf("%+v", c)
	}
}
