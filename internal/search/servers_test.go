package search_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"github.com/plimsoll/plimsoll/internal/search"
)

// server is one that is computed, with arrivals at random times: its queue, its workers, and what is not the same at
// each probe. Times are in seconds.
type server struct {
	name     string
	workers  int
	capacity float64 // operations a second, of all workers
	fixed    bool    // each operation takes the same time; else exponential
	p99      float64 // the condition: fewer than 1% of the response times above it,
	room     int     // and, if it takes only so many at a time, fewer than 0.1% failed; 0: any number

	noise, remembers float64 // of the capacity: its standard deviation, a share, and the time over which it is the same
	pauses           float64 // mean time from one to the next; they last 15 to 20 ms, and nothing moves meanwhile
	cold, warms      float64 // the share of the capacity that is missing at first, and the time in which 63% of it comes

	truth   float64        // the rate at which half of the probes meet the condition, from many: TestTruth
	lengths search.Lengths // of the probes; zero: those of the tests
}

// running is a server in its own time, which goes on from probe to probe.
type running struct {
	server
	random *rand.Rand
	now    float64
	probed float64 // in probes, without what is between them
	state  float64 // of the noise, standard normal
	stateT float64
	stops  []stop
	free   []float64 // when each worker is free, a heap
}

type stop struct{ from, to float64 }

func (s server) start(seed uint64) *running {
	r := rand.New(rand.NewPCG(seed, 17))
	return &running{server: s, random: r, state: r.NormFloat64(), free: make([]float64, s.workers)}
}

// warm is the same server after a long time.
func (s server) warm() server { s.cold = 0; return s }

// noiseStep is the time in which the capacity stays the same.
const noiseStep = 0.05

// speed is the capacity at a time, as a share of what it is said to be.
func (s *running) speed(t float64) float64 {
	share := 1.0
	if s.noise > 0 {
		for s.stateT+noiseStep <= t {
			keeps := math.Exp(-noiseStep / s.remembers)
			if t-s.stateT > 20*s.remembers {
				s.stateT, keeps = t-noiseStep, 0
			}
			s.state = keeps*s.state + math.Sqrt(1-keeps*keeps)*s.random.NormFloat64()
			s.stateT += noiseStep
		}
		share = math.Exp(s.noise * s.state)
	}
	if s.cold > 0 {
		share *= 1 - s.cold*math.Exp(-t/s.warms)
	}
	return share
}

// done is when work that takes a time is done that begins at another.
func (s *running) done(begin, takes float64) float64 {
	if s.pauses == 0 {
		return begin + takes
	}
	for last := len(s.stops) - 1; last < 0 || s.stops[last].from < begin+takes+1; last++ {
		from := s.now
		if last >= 0 {
			from = s.stops[last].to
		}
		from += s.random.ExpFloat64() * s.pauses
		s.stops = append(s.stops, stop{from, from + 0.015 + 0.005*s.random.Float64()})
	}
	i := sort.Search(len(s.stops), func(i int) bool { return s.stops[i].to > begin })
	begin = max(begin, min(begin, s.stops[i].from)) // as it is, where no pause lasts
	if s.stops[i].from <= begin {
		begin = s.stops[i].to
		i++
	}
	end := begin + takes
	for ; s.stops[i].from < end; i++ {
		end += s.stops[i].to - s.stops[i].from
	}
	return end
}

// probe is a run at a rate, with nothing left of the one before.
func (s *running) probe(rate float64) (met bool) {
	all, late, failed := s.run(rate)
	return float64(late) < 0.01*float64(all-failed) && float64(failed) < 0.001*float64(all)
}

// run is one of as many operations as a probe has.
func (s *running) run(rate float64) (all, late, failed int) {
	length := cmp.Or(s.lengths, lengths).Of(rate).Seconds()
	s.probed += length
	for i := range s.free {
		s.free[i] = s.now
	}
	s.stops = s.stops[:0]
	var waiting []float64 // the ends of those taken in, where the room is limited
	for at := s.now; ; {
		at += s.random.ExpFloat64() / rate
		if at > s.now+length {
			break
		}
		all++
		if s.room > 0 {
			for len(waiting) > 0 && waiting[0] <= at {
				waiting = waiting[1:]
			}
			if len(waiting) >= s.room {
				failed++
				continue
			}
		}
		takes := float64(s.workers) / s.capacity / s.speed(at)
		if !s.fixed {
			takes *= s.random.ExpFloat64()
		}
		end := s.done(max(at, s.free[0]), takes)
		s.work(end)
		if s.room > 0 {
			i := sort.SearchFloat64s(waiting, end)
			waiting = append(waiting, 0)
			copy(waiting[i+1:], waiting[i:])
			waiting[i] = end
		}
		if end-at > s.p99 {
			late++
		}
	}
	s.now += length + 0.3 // what it takes to begin the next
	return all, late, failed
}

// work gives the worker that is free first what ends at a time.
func (s *running) work(end float64) {
	i := 0
	for {
		next := 2*i + 1
		if next >= len(s.free) {
			break
		}
		if next+1 < len(s.free) && s.free[next+1] < s.free[next] {
			next++
		}
		if s.free[next] >= end {
			break
		}
		s.free[i] = s.free[next]
		i = next
	}
	s.free[i] = end
}

var lengths = search.Lengths{Needs: 1000, Most: time.Minute}

// share is how many of n probes of a warm server meet the condition; the noise is another one for each.
func (s server) share(rate float64, n int, seed uint64) float64 {
	met := 0
	for i := range n {
		if s.warm().start(seed + uint64(i)*1_000_003).probe(rate) {
			met++
		}
	}
	return float64(met) / float64(n)
}

// half is the rate at which half of the probes meet the condition, from some thousands of them.
func (s server) half(n int) float64 {
	low, high := s.capacity*0.01, s.capacity*1.2
	for step := 0; high/low > 1.0005; step++ {
		middle := math.Sqrt(low * high)
		probes := n
		if high/low > 1.3 {
			probes = 31
		}
		share := s.share(middle, probes, uint64(step)<<32)
		switch {
		case math.Abs(share-0.5) < 0.25/math.Sqrt(float64(probes)):
			return middle
		case share > 0.5:
			low = middle
		default:
			high = middle
		}
	}
	return math.Sqrt(low * high)
}

// servers are those of the tests.
func servers() []server {
	return []server{
		{name: "M/M/1", workers: 1, capacity: 2000, p99: 0.0133, truth: 1682.3},
		{name: "M/M/4", workers: 4, capacity: 2000, p99: 0.0212, truth: 1810},
		{name: "M/D/1", workers: 1, capacity: 2000, fixed: true, p99: 0.0305, truth: 1969.8},
		{name: "M/D/16", workers: 16, capacity: 2000, fixed: true, p99: 0.018, truth: 1826.8},
		{name: "M/M/8 that takes 40", workers: 8, capacity: 1500, p99: 0.2, room: 40, truth: 1331.6},
		{name: "M/M/2, 50 a second", workers: 2, capacity: 50, p99: 0.5, truth: 42.45},
		{name: "capacity noise", workers: 4, capacity: 3000, p99: 0.03, noise: 0.05, remembers: 2, truth: 2901.2},
		{name: "pauses", workers: 4, capacity: 3000, p99: 0.03, pauses: 1, truth: 2809.9},
		{name: "warm-up", workers: 4, capacity: 3000, p99: 0.03, cold: 0.22, warms: 20, truth: 2944.4},
	}
}
