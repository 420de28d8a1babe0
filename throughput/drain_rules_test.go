package throughput

import (
	"math"
	"testing"
	"time"
)

const micro = time.Microsecond

// near allows for the rounding of what was computed with fractions.
func near(got, want time.Duration) bool {
	return (got - want).Abs() <= max(want.Abs()/1e6, micro/10)
}

// The next look is when a share of what is left should have gone, within what the tolerance asks for: 4 % of a window
// of 100 ms without 200 µs are 1.72 ms between two looks.
func TestDrainWaitsForTheNextLook(t *testing.T) {
	known := func(rate float64, left int64) drain { return drain{measured: 2, rate: rate, mean: rate, left: left} }
	steadily := func(rate, mean float64, left int64) drain {
		return drain{measured: 3, rate: rate, mean: mean, left: left}
	}
	still := func(looks int) drain {
		return drain{measured: 3, rate: 1e6, mean: 1e6, left: 1000, still: looks}
	}
	for _, c := range []struct {
		name  string
		drain drain
		at    time.Duration
		want  time.Duration
	}{
		{"no rate is known", drain{}, 100 * milli, 1720 * micro},
		{"it began later", drain{first: 50 * milli}, 150 * milli, 1720 * micro},
		{"without a round trip and what it hides", drain{minRTT: 10 * milli}, 100 * milli, 1140 * micro},
		{"without what the round trip may be off", drain{astray: milli}, 100 * milli, 1320 * micro},
		{"the least", drain{}, 5 * milli, 100 * micro},
		{"three tenths of what is left", known(1e6, 100_000), 100 * milli, 30 * milli},
		{"at the mean, if that is more", drain{measured: 3, mean: 1e6, left: 100_000}, 100 * milli, 30 * milli},
		{"half of it at a steady rate", steadily(1e6, 1e6, 100_000), 100 * milli, 50 * milli},
		{"5 % above the mean is steady", steadily(1.05e6, 1e6, 105_000), 100 * milli, 50 * milli},
		{"more is not", steadily(1.06e6, 1e6, 106_000), 100 * milli, 30 * milli},
		{"5 % below the mean is steady", steadily(0.95e6, 1e6, 100_000), 100 * milli, 50 * milli},
		{"less is not", steadily(0.94e6, 1e6, 100_000), 100 * milli, 30 * milli},
		{"just after the end", steadily(1e6, 1e6, 1000), 100 * milli, 1100 * micro},
		{"but the least", steadily(1e6, 1e6, 10), 100 * milli, 100 * micro},
		{"no longer than twice what has passed", known(1e6, 1e6), milli, 2 * milli},
		{"nor than that of a rate of next to nothing", known(0.5, 1e6), 100 * milli, 200 * milli},
		{"but for a steady one", steadily(1e-3, 1e-3, 1e6), 100 * milli, 5e7 * time.Second},
		{"what has passed is without the round trip",
			drain{measured: 2, rate: 1e6, left: 1e6, minRTT: milli}, 3 * milli, 4 * milli},
		{"and a round trip at least",
			drain{measured: 2, rate: 1e6, left: 1e6, minRTT: milli}, 1200 * micro, 1100 * micro},
		{"nothing comes before a round trip and a half",
			drain{measured: 3, rate: 1e6, mean: 1e6, minRTT: 40 * milli}, 10 * milli, 50 * milli},
		{"or not all of it", drain{minRTT: 40 * milli}, 10 * milli, 40*milli + 100*micro},
		{"nor before the least after a round trip", drain{minRTT: 100 * micro}, 50 * micro, 150 * micro},
		{"six looks at the same", still(6), 100 * milli, 1100 * micro},
		{"seven", still(7), 100 * milli, 2 * 1720 * micro},
		{"eight", still(8), 100 * milli, 4 * 1720 * micro},
		{"sixteen", still(16), 100 * milli, 1024 * 1720 * micro},
		{"and any more", still(17), 100 * milli, 1024 * 1720 * micro},
	} {
		if got := c.drain.wait(c.at); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The rate is that of what was acknowledged between two looks, if it is eight segments, from when the first could come;
// the mean is that since then. The kernel's own is taken until then.
func TestDrainMeasures(t *testing.T) {
	var d drain
	d.start(milli, 2*milli, 2*milli, 1_000_000)
	for _, c := range []struct {
		at       time.Duration
		moved    int64 // in all
		rate     float64
		mean     float64
		fastest  float64
		measured int
	}{
		{3 * milli, 0, 7, 0, 0, 0},
		{4 * milli, 10, 7, 0, 0, 0}, // when the first acknowledgement can come
		{5 * milli, 0, 7, 0, 0, 0},
		{6 * milli, 1, 500, 500, 500, 1},
		{7 * milli, 11_584, 500, 11_584 / 0.003, 11_584 / 0.003, 1},
		{8 * milli, 11_585, 11_584 / 0.002, 11_585 / 0.004, 11_584 / 0.002, 2},
		{18 * milli, 23_169, 11_584 / 0.010, 23_169 / 0.014, 11_584 / 0.002, 3},
		{18 * milli, 123_169, 11_584 / 0.010, 123_169 / 0.014, 123_169 / 0.014, 3}, // no time has passed
	} {
		d.measure(c.at, look{minRTT: milli, queue: 1_000_000 - c.moved, rate: 7})
		same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }
		if !same(d.rate, c.rate) || !same(d.mean, c.mean) || !same(d.fastest, c.fastest) || d.measured != c.measured {
			t.Errorf("%v: %v, mean %v, fastest %v, %d times; want %+v", c.at, d.rate, d.mean, d.fastest, d.measured, c)
		}
	}
}

// A receiver has four segments and what comes at once: a packet of 64 KiB, or what a path of which the eighth is
// ours brings in half a millisecond, once its rate is known from two looks and 20 round trips.
func TestDrainHeldByTheReceiver(t *testing.T) {
	const any = 4*1448 + 65536
	for _, c := range []struct {
		measured int
		fastest  float64
		trips    time.Duration // and a nanosecond less
		want     int64
	}{
		{1, 1e6, 21 * milli, any},
		{2, 1e6, 20 * milli, any},
		{2, 1e6, 20*milli + 1, 4*1448 + 4000},
		{3, 1e6, 21 * milli, 4*1448 + 4000},
		{2, 15e6, 21 * milli, 4*1448 + 60_000},
		{2, 16.5e6, 21 * milli, any},
		{2, 1e9, 21 * milli, any},
	} {
		d := drain{first: 5 * milli, minRTT: milli, measured: c.measured, fastest: c.fastest}
		if got := d.held(5*milli + c.trips - 1); got != c.want {
			t.Errorf("%+v: %d, want %d", c, got, c.want)
		}
	}
}

// Not all had arrived at a look before one that saw the queue shrink, or a little before one that found more in it than
// a receiver holds; how late the looks are is how late all else may be, and is forgotten by a fifth each time.
func TestDrainHoldsTheMoment(t *testing.T) {
	const big, small, started = 71_329, 71_328, 50 * milli
	for _, c := range []struct {
		name        string
		left, queue int64
		at, late    time.Duration
		was         time.Duration // late
		want        time.Duration // no earlier
	}{
		{"shrinks, and much is left", big + 1, big, 60 * milli, 0, 0, 58 * milli},
		{"soon after the look before", big + 1, big, 56 * milli, 0, 0, 55 * milli},
		{"shrinks to what may be held", big, small, 60 * milli, 0, 0, 55 * milli},
		{"stands still with much", big, big, 80 * milli, 0, 0, 60 * milli},
		{"stands still with much, soon", big, big, 60 * milli, 0, 0, started},
		{"stands still with what may be held", small, small, 80 * milli, 0, 0, started},
		{"grows to what may be held", small - 1, small, 80 * milli, 0, 0, started},
		{"late, and much is left", big + 1, big, 60 * milli, milli, 0, 57 * milli},
		{"late, soon after the one before", big + 1, big, 56 * milli, milli, 0, 54 * milli},
		{"late, of what may be held", big, small, 60 * milli, milli, 0, 54 * milli},
		{"late, standing still", big, big, 80 * milli, milli, 0, 59 * milli},
		{"the one before was late", big, small, 60 * milli, 0, 5 * milli, 51 * milli},
		{"that was later", big, small, 60 * milli, 3 * milli, 5 * milli, 51 * milli},
		{"this is later", big, small, 60 * milli, 4500 * micro, 5 * milli, 50500 * micro},
		{"later than all", big, small, 60 * milli, 30 * milli, 0, started},
	} {
		d := drain{lower: started, looked: 55 * milli, left: c.left, bytes: 1 << 20, unsent: -1, late: c.was,
			polls: 1, rateQueued: c.left}
		d.saw(look{asked: c.at, told: c.at, queue: c.queue, late: c.late, unsent: segment - 1})
		if !near(d.lower, c.want) || d.looked != c.at || d.unsent != -1 {
			t.Errorf("%s: not before %v, want %v; %+v", c.name, d.lower, c.want, d)
		}
	}
}

// A look that finds the queue shorter is remembered with it, and so is the first; others are counted, from when an
// acknowledgement could come, and so are those that found something unsent.
func TestDrainRemembersProgress(t *testing.T) {
	var d drain
	d.start(2*milli, 3*milli, 0, 1000)
	for i, c := range []struct {
		at     time.Duration
		queue  int64
		unsent int64
		want   drain // seen, left, still and unsent of it
	}{
		{5 * milli, 1200, 1447, drain{seen: 5 * milli, left: 1200, unsent: -1}}, // with framing
		{6 * milli, 1200, 1448, drain{seen: 5 * milli, left: 1200, unsent: 6 * milli}},
		{7 * milli, 1200, 0, drain{seen: 5 * milli, left: 1200, unsent: 6 * milli}},
		{7*milli + 1, 1200, 9000, drain{seen: 5 * milli, left: 1200, still: 1, unsent: 7*milli + 1}},
		{8 * milli, 1300, 0, drain{seen: 5 * milli, left: 1200, still: 2, unsent: 7*milli + 1}},
		{9 * milli, 1199, 0, drain{seen: 9 * milli, left: 1199, unsent: 7*milli + 1}},
		{10 * milli, 1199, 0, drain{seen: 9 * milli, left: 1199, still: 1, unsent: 7*milli + 1}},
	} {
		d.saw(look{asked: c.at, told: c.at + milli, queue: c.queue, unsent: c.unsent, minRTT: 5 * milli, minRTTError: milli})
		got := drain{seen: d.seen, left: d.left, still: d.still, unsent: d.unsent}
		if got != c.want || d.polls != i+1 || d.looked != c.at || d.minRTT != 5*milli || d.astray != milli {
			t.Errorf("%v: %+v, want %+v", c.at, d, c.want)
		}
	}
}

// There are 64 looks, and then the answer is awaited.
func TestDrainLooksSoOften(t *testing.T) {
	var d drain
	d.start(0, 0, 0, 1000)
	for i := range 64 {
		at := time.Duration(i+1) * milli
		if _, more := d.saw(look{asked: at, told: at, queue: 1000}); more != (i < 63) {
			t.Errorf("another look after %d: %t", i+1, more)
		}
	}
}

// The moment is where the rate foretells it, between what is held, if that is good enough or nothing is, and else in
// the middle. Of a window of 98 ms, 4.5 % without 200 µs are 4.21 ms.
func TestDrainedIsForetold(t *testing.T) {
	at := func(ms float64) time.Duration { return time.Duration(math.Round(ms * float64(milli))) }
	for _, c := range []struct {
		name               string
		lower, upper       float64 // in ms
		foretold           float64
		edit               func(*drain)
		wantMoment, wantIn float64
	}{
		{"good enough", 97, 100, 99.5, nil, 99.5, 2.5},
		{"at its latest", 97, 100, 100, nil, 100, 3},
		{"later", 97, 100, 130, nil, 100, 3},
		{"earlier", 97, 100, 40, nil, 97, 3},
		{"too early", 94, 102, 95, nil, 98, 4},
		{"too late", 94, 102, 101.5, nil, 98, 4},
		{"just good enough", 97, 102.21, 98, nil, 98, 4.21},
		{"not quite", 97, 102.2101, 98, nil, 99.60505, 2.60505},
		{"the middle is just good enough", 93.79, 102.21, 95, nil, 98, 4.21},
		{"the middle is not", 93.7899, 102.2101, 95, nil, 95, 7.2101},
		{"nothing is good enough", 80, 100, 85, nil, 85, 15},
		{"nor later than all", 80, 100, 110, nil, 100, 20},
		{"no rate was measured", 80, 100, 85, func(d *drain) { d.measured = 0 }, 90, 10},
		{"nothing moved", 80, 100, 85, func(d *drain) { d.rate = 0 }, 90, 10},
		{"next to nothing moved", 80, 100, 85, func(d *drain) { d.rate = 0.5 }, 100, 20},
		{"something was unsent", 80, 100, 85, func(d *drain) { d.unsent = at(88) }, 88, 12},
		{"unsent until late", 80, 100, 85, func(d *drain) { d.unsent = at(300) }, 100, 0},
		{"unsent at the beginning", -20, 0, -20, func(d *drain) { d.unsent, d.measured = 0, 0 }, 0, 0},
		{"held for longer", 103, 100, 85, nil, 103, 0},
	} {
		d := drain{lower: at(c.lower), unsent: -1, measured: 1, rate: 1e6, left: 1000, seen: at(c.foretold) - milli}
		if c.edit != nil {
			c.edit(&d)
		}
		moment, doubt := d.empty(look{asked: at(c.upper), told: at(c.upper)})
		if !near(moment, at(c.wantMoment)) || !near(doubt, at(c.wantIn)) || d.polls != 1 {
			t.Errorf("%s: %v ± %v, want %v ± %v", c.name, moment, doubt, at(c.wantMoment), at(c.wantIn))
		}
	}
}

// Of what nothing was seen unsent, no round trip is waited for; of what was, one is.
func TestDrainedAfterARoundTrip(t *testing.T) {
	for unsent, want := range map[int64]time.Duration{0: 6 * milli, segment: 9 * milli} {
		var d drain
		d.start(0, 2*milli, 0, 10_000)
		d.saw(look{asked: 3 * milli, told: 3 * milli, queue: 10_000, unsent: unsent, minRTT: 5 * milli})
		moment, doubt := d.empty(look{asked: 10 * milli, told: 10 * milli, minRTT: 5 * milli})
		if moment != want || doubt != 10*milli-want {
			t.Errorf("%d unsent: %v ± %v, want %v", unsent, moment, doubt, want)
		}
	}
}
