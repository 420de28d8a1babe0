package throughput

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A step is from when on a share of a path's rate is ours, in bytes per second.
type step struct {
	from time.Duration
	rate float64
}

// share lets others use the model's path, which begin before and after it and end when they have sent what they
// have: each has an equal part of the rate as long as it goes on. What a sender has in its turn goes at once, as the
// pieces do that a kernel gives to a network card, and then it is the others' turn.
func (m *model) share(starts []time.Duration, bytes []float64, turn int64) {
	m.turn = turn
	left, ours := append([]float64(nil), bytes...), float64(m.size)
	var now time.Duration // the earliest of the others' starts
	for _, s := range starts {
		now = min(now, s)
	}
	for ours > 0 {
		active, next := 0, time.Duration(math.MaxInt64)
		for i, s := range starts {
			switch {
			case s > now:
				next = min(next, s-now)
			case left[i] > 0:
				active++
			}
		}
		if now < 0 {
			next = min(next, -now)
		} else {
			active++
			m.steps = append(m.steps, step{now, m.rate / float64(active)})
		}
		rate := m.rate / float64(max(active, 1))
		needs := func(bytes float64) time.Duration {
			return time.Duration(math.Ceil(bytes / rate * float64(time.Second)))
		}
		for i, s := range starts {
			if s <= now && left[i] > 0 {
				next = min(next, needs(left[i]))
			}
		}
		if now >= 0 {
			next = min(next, needs(ours))
			ours -= rate * next.Seconds()
		}
		for i, s := range starts {
			if s <= now {
				left[i] -= rate * next.Seconds()
			}
		}
		now += next
	}
}

// fluid is when n bytes had left if all shares were of water.
func (m *model) fluid(n float64) time.Duration {
	for i, s := range m.steps {
		if i+1 < len(m.steps) {
			if part := s.rate * (m.steps[i+1].from - s.from).Seconds(); part < n {
				n -= part
				continue
			}
		}
		return s.from + time.Duration(n/s.rate*float64(time.Second))
	}
	return 0
}

// inTurn is when the n-th byte left: its turn ends when the water would have had it all.
func (m *model) inTurn(n int64) time.Duration {
	end := min((n+m.turn-1)/m.turn*m.turn, m.size)
	return max(m.fluid(float64(end))-time.Duration(float64(end-n)/m.rate*float64(time.Second)), 0)
}

// sharedModel is a path that one to seven others use, too, as the parts of one upload do.
func sharedModel(random *rand.Rand, seed uint64) *model {
	m := randomModel(random, seed)
	m.slowStart = false
	m.size = int64(64e3 * math.Exp(random.Float64()*math.Log(256)))
	others := 1 + random.IntN(7)
	whole := float64(m.size) * float64(others+1) / m.rate
	var starts []time.Duration
	var bytes []float64
	for range others {
		starts = append(starts, time.Duration((random.Float64()*2-1)*whole*float64(time.Second)))
		bytes = append(bytes, float64(m.size)*math.Exp((random.Float64()*2-1)*math.Log(4)))
	}
	turns := []int64{1448, 2 * 1448, 16 << 10, 64 << 10}
	m.share(starts, bytes, turns[random.IntN(len(turns))])
	m.lump = min(m.lump, max(2*1448, m.turn))
	m.opened, m.others = 0, nil
	switch random.IntN(4) {
	case 0: // opened while the others filled the path, as most of them were
		m.opened = time.Duration(random.Float64() * float64(200*time.Millisecond))
		m.others = []time.Duration{m.rtt + time.Microsecond, m.rtt + 2*m.opened}
	case 1: // the address leads to another machine sometimes, which is nearer
		m.others = []time.Duration{max(m.rtt/2, time.Microsecond)}
	}
	if random.IntN(3) == 0 {
		most := float64(m.buffer/2) / m.rate // what has to wait for an acknowledgement has not left
		m.waits = time.Duration(random.Float64() * min(heldBusy.Seconds(), most) * float64(time.Second))
		m.every = m.waits + time.Duration((1+random.Float64()*9)*float64(time.Millisecond))
	}
	if random.IntN(2) == 0 {
		m.device = int64(random.IntN(256 << 10))
	}
	return m
}

// The same rule where up to eight uploads go on at once, and the rate of each changes when others begin and end.
func TestDeliveredOnSharedModels(t *testing.T) {
	qualities, outside, large := map[Quality]int{}, 0, map[Quality]int{}
	for _, seed := range seedsOfModels(t) {
		random := rand.New(rand.NewPCG(7, seed))
		for range 1000 {
			m := sharedModel(random, seed)
			quality, off := measureModel(t, m, seed)
			qualities[quality]++
			if m.size >= 1<<20 && m.late == 0 && m.opened == 0 && m.departed(m.size) > max(10*time.Millisecond, 5*m.rtt) {
				large[quality]++
			}
			if off {
				outside++
			}
		}
	}
	t.Logf("%v, of large bodies %v, %d of those that are ok outside", qualities, large, outside)
	if float64(outside) > mostOutside*float64(qualities[OK]) {
		t.Errorf("%d of %d that are ok are outside", outside, qualities[OK])
	}
	if all := large[OK] + large[BelowResolution]; float64(large[OK]) < 0.8*float64(all) {
		t.Errorf("too few are ok: %v", large)
	}
}
