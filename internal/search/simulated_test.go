package search_test

import (
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/search"
	"github.com/plimsoll/plimsoll/setdoc"
)

// nightly reports whether simulations may take minutes.
var nightly = os.Getenv("PLIMSOLL_NIGHTLY") != ""

// campaigns returns the number of searches of each simulated server.
func campaigns() int {
	if nightly {
		return 20
	}
	return 10
}

// searched is what some searches of a server came to.
type searched struct {
	covers, within int
	probes         []int
}

func (s *searched) add(truth float64, f search.Found) {
	if f.Low <= truth && truth <= f.High {
		s.covers++
	}
	if math.Abs(f.Load/truth-1) <= 0.05 {
		s.within++
	}
	s.probes = append(s.probes, f.Probes)
}

// good is what is asked of a search.
func (s *searched) good() bool {
	return s.covers >= campaigns()*9/10 && s.within >= campaigns()*9/10 && slices.Max(s.probes) <= 60
}

func TestSearchFindsTheLimitOfSimulatedServers(t *testing.T) {
	for i, s := range servers() {
		t.Run(s.name, func(t *testing.T) {
			if !nightly && i%3 != 0 {
				t.Skip("make nightly runs it: each server takes seconds of simulation")
			}
			var found searched
			for seed := range uint64(campaigns()) {
				r := s.start(seed)
				// Near the line, so that a server that warms up is cold when the bisection begins.
				l := &search.Line{Start: 0.4 * s.capacity, Lowest: s.capacity / 100, Highest: highestRate}
				ends(t, l, r.probe)
				found.add(s.truth, l.Found())
				if f := l.Found(); f.Ending != setdoc.LineFound && f.Ending != setdoc.LineWide {
					t.Errorf("seed %d: %+v", seed, f)
				}
			}
			slices.Sort(found.probes)
			t.Logf("covers %d of %d, within 5%% %d, probes %d to %d, median %d", found.covers, campaigns(), found.within,
				found.probes[0], found.probes[campaigns()-1], found.probes[campaigns()/2])
			if !found.good() {
				t.Errorf("%+v", found)
			}
		})
	}
}

// The simulation has a truth of its own: response times of M/M/1 are exponential, with the mean 1/(capacity − rate).
func TestSimulatedServerFollowsTheory(t *testing.T) {
	s := server{workers: 1, capacity: 2000, p99: 0.0133}
	rate := s.capacity - math.Log(100)/s.p99
	over, n := 0, 0
	for seed := range uint64(100) {
		all, late, _ := s.start(seed).run(rate)
		over, n = over+late, n+all
	}
	if share := float64(over) / float64(n); share < 0.0085 || share > 0.0115 {
		t.Errorf("%.2f%% of the response times are above what 1%% are by theory", 100*share)
	}
}

// TestTruth checks the truth of each simulated server.
func TestTruth(t *testing.T) {
	if !nightly {
		t.Skip("make nightly runs it: it checks the simulation, not the search")
	}
	for _, s := range servers() {
		t.Run(s.name, func(t *testing.T) {
			if share := s.share(s.truth, 400, 7); share < 0.4 || share > 0.6 {
				t.Errorf("%.0f%% of the probes meet it at %v, %v", 100*share, s.truth, s.half(1000))
			}
		})
	}
}

// TestLineInThreeMinutes: as 'loadline' searches unless it is told otherwise, from 1,000 a second on, to ±10% and for three
// minutes at most. What it has by then holds the truth, whether that is precise enough or not.
func TestLineInThreeMinutes(t *testing.T) {
	const most, between = 180, 0.5
	short := search.Lengths{Needs: 1000, Most: time.Minute, Enough: 8500 * time.Millisecond}
	for i, s := range servers() {
		if s.capacity < 100 || testing.Short() && i%3 != 0 {
			continue // a probe of 50 a second takes half a minute
		}
		t.Run(s.name, func(t *testing.T) {
			s.lengths = short
			covers, found, worst := 0, 0, 0.0
			for seed := range uint64(campaigns()) {
				r := s.start(seed)
				l := &search.Line{Start: 1000, Lowest: lowestRate, Highest: highestRate, Within: 0.1}
				for load, ok := l.Next(); ok; load, ok = l.Next() {
					if r.now+short.Of(load).Seconds()+between > most {
						break
					}
					l.Took(load, r.probe(load))
				}
				f := l.Found()
				if f.Low <= s.truth && s.truth <= f.High {
					covers++
				}
				if f.Ending == setdoc.LineFound {
					found++
				}
				worst = max(worst, math.Abs(f.Load/s.truth-1))
			}
			t.Logf("covers %d of %d, precise %d, off by %.1f%% at most", covers, campaigns(), found, 100*worst)
			if covers < campaigns()*9/10 || worst > 0.1 || found < campaigns()/2 {
				t.Errorf("covers %d of %d, precise %d, off by %.1f%% at most", covers, campaigns(), found, 100*worst)
			}
		})
	}
}
