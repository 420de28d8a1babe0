package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// A slow line computes what a Line computes, but without any shortcut: it evaluates every load of a grid.
type slow struct {
	Line
	low, high float64           // of the grid
	believed  []float64         // the posterior: 12 spreads of 600 loads each
	said      []float64         // the same, flattened for probes that are correlated
	normal    [12][2400]float64 // the normal distribution at steps −1,200 to 1,199 of the grid
}

// meets returns the probability that a probe meets the condition at a load this many grid steps below the limit.
func (s *slow) meets(away float64, spread int) float64 {
	whole := math.Floor(away)
	return 0.01 + 0.97*((1-(away-whole))*s.normal[spread][1200+int(whole)]+(away-whole)*s.normal[spread][1201+int(whole)])
}

func (s *slow) spread(j int) float64 {
	return math.Exp(math.Log(0.004) + float64(j)/11*(math.Log(0.3)-math.Log(0.004)))
}

// posterior returns the distribution that these probes lead to.
func (s *slow) posterior(of []probe) []float64 {
	cells := make([]float64, 12*600)
	for j := range 12 {
		for i := range 600 {
			cells[600*j+i] = 1
		}
	}
	for _, p := range of {
		s.take(cells, p)
	}
	return normed(cells)
}

// take multiplies each cell by the likelihood of a probe.
func (s *slow) take(cells []float64, p probe) {
	first := math.Log(s.low/p.load) / math.Log(s.high/s.low) * 600
	for j := range 12 {
		for i := range 600 {
			m := s.meets(first+float64(i)+0.5, j)
			if !p.met {
				m = 1 - m
			}
			cells[600*j+i] *= m
		}
	}
	normed(cells)
}

func normed(cells []float64) []float64 {
	sum := 0.0
	for _, c := range cells {
		sum += c
	}
	for i := range cells {
		cells[i] /= sum
	}
	return cells
}

// shared returns the posterior if the probes are worth only a share of as many independent ones.
func shared(cells []float64, share float64) []float64 {
	less := make([]float64, len(cells))
	for i, c := range cells {
		less[i] = math.Pow(c, share)
	}
	return normed(less)
}

// of returns the marginal distribution over the loads.
func of(cells []float64) []float64 {
	loads := make([]float64, 600)
	for i, c := range cells {
		loads[i%600] += c
	}
	return loads
}

func (s *slow) quantile(cells []float64, q float64) float64 {
	sum := 0.0
	for i, c := range of(cells) {
		if sum+c >= q {
			return s.low * math.Pow(s.high/s.low, (float64(i)+(q-sum)/c)/600)
		}
		sum += c
	}
	return s.high
}

func (s *slow) below(cells []float64, load float64) (sum float64) {
	at := math.Log(load/s.low) / math.Log(s.high/s.low) * 600
	for i, c := range of(cells) {
		switch {
		case float64(i+1) <= at:
			sum += c
		case float64(i) < at:
			sum += c * (at - float64(i))
		}
	}
	return sum
}

func (s *slow) spreadOf(cells []float64) float64 {
	mean := 0.0
	for i, c := range cells {
		mean += c * math.Log(s.spread(i/600))
	}
	return math.Exp(mean)
}

// share returns how many independent probes each probe is worth, by the autocorrelation of the residuals.
func (s *slow) share() float64 {
	line, spread := s.quantile(s.believed, 0.5), s.spreadOf(s.believed)
	var surprises []float64
	squares := 0.0
	for _, p := range s.probes[s.from:] {
		if p.behind {
			m, was := 0.01+0.97*math.Erfc(math.Log(p.load/line)/spread/math.Sqrt2)/2, 0.0
			if p.met {
				was = 1
			}
			of := max(-2, min(2, (was-m)/math.Sqrt(m*(1-m))))
			surprises, squares = append(surprises, of), squares+of*of
		}
	}
	n, inflation := float64(len(surprises)), 1.0
	for range 4 {
		sum := 0.0
		for lag := 1; 3*lag <= len(surprises); lag++ {
			products := 0.0
			for i := lag; i < len(surprises); i++ {
				products += surprises[i] * surprises[i-lag]
			}
			alike, least := products/max(squares, n/2)*n/(n-float64(lag)), 0.7/math.Sqrt(n)
			if lag > 1 || alike >= least {
				alike += inflation / n
			}
			if alike < least {
				break
			}
			sum += alike
		}
		inflation = 1 + 2*sum
	}
	return 1 / inflation
}

// edge returns the permitted load nearest to load.
func (s *slow) edge(load float64) float64 {
	if s.Whole {
		return min(max(math.Round(load), math.Ceil(s.Lowest)), math.Floor(s.Highest))
	}
	return min(max(load, s.Lowest), s.Highest)
}

// sides returns the largest load that met the condition and the smallest that did not, since the doubling began.
func (s *slow) sides() (held, exceeded float64) {
	exceeded = math.Inf(1)
	for _, p := range s.probes[s.climb:] {
		if p.behind {
			break
		}
		if p.met {
			held = max(held, p.load)
		} else {
			exceeded = min(exceeded, p.load)
		}
	}
	return held, exceeded
}

func (s *slow) next() float64 {
	if s.inside {
		return s.edge(s.quantile(s.believed, []float64{0.5, 0.25, 0.75}[s.behind%3]))
	}
	held, exceeded := s.sides()
	switch {
	case len(s.probes) == 0:
		return s.edge(s.Start)
	case math.IsInf(exceeded, 1):
		return s.edge(2 * held)
	}
	return s.edge(exceeded / 2)
}

func (s *slow) took(load float64, met bool) {
	s.probes = append(s.probes, probe{load, met, s.inside})
	if s.inside {
		s.behind++
		s.take(s.believed, s.probes[len(s.probes)-1])
		if n := len(s.probes) - s.from; n >= 16 && n%4 == 0 {
			half, share := s.from+n/2, s.share()
			first, second := of(shared(s.posterior(s.probes[s.from:half]), share)), of(shared(s.posterior(s.probes[half:]), share))
			above, lower := 0.0, 0.0
			for i := range first {
				above += first[i] * (lower + second[i]/2)
				lower += second[i]
			}
			if above > 0.99 || above < 0.01 {
				s.from, s.drift = half, append(s.drift, half)
				s.believed = s.posterior(s.probes[s.from:])
			}
		}
		at, low, high := s.quantile(s.believed, 0.5), 4*s.low, s.high/4
		if at <= low/2 && low > s.Lowest || at >= 2*high && high < s.Highest {
			s.inside, s.climb = false, len(s.probes)-1
			s.probes[s.climb].behind = false
		}
	}
	if !s.inside {
		held, exceeded := s.sides()
		if held == 0 && exceeded <= s.edge(s.Lowest) {
			held = exceeded
		}
		if math.IsInf(exceeded, 1) && held >= s.edge(s.Highest) {
			exceeded = held
		}
		if held > 0 && !math.IsInf(exceeded, 1) {
			s.inside, s.low, s.high = true, min(held, exceeded)/4, max(held, exceeded)*4
			for j := range s.normal {
				for i := range s.normal[j] {
					s.normal[j][i] = 1 - math.Erfc(float64(i-1200)*math.Log(s.high/s.low)/600/s.spread(j)/math.Sqrt2)/2
				}
			}
			s.believed = s.posterior(s.probes[s.from:])
		}
	}
	if s.inside {
		s.said = shared(s.believed, s.share())
		s.over()
	}
}

// over sets the ending if the search is over.
func (s *slow) over() {
	low, at, high := s.quantile(s.said, 0.01), s.quantile(s.said, 0.5), s.quantile(s.said, 0.99)
	within, most := s.Within, s.Most
	if within == 0 {
		within = 0.045
	}
	if most == 0 {
		most = 60
	}
	narrow := high <= at*(1+within) && low >= at*(1-within) ||
		s.Whole && math.Ceil(high-0.02)-math.Floor(low+0.02) <= 1
	var met, failed int
	for _, p := range s.probes[s.from:] {
		if p.behind && p.met {
			met++
		} else if p.behind {
			failed++
		}
	}
	switch {
	case s.below(s.said, s.edge(s.Lowest)) > 0.99:
		s.ending = setdoc.LineBelow
	case s.below(s.said, s.edge(s.Highest)) < 0.01:
		s.ending = setdoc.LineAbove
	case narrow && met+failed >= 8 && met >= 3 && failed >= 3:
		s.ending = setdoc.LineFound
	case s.behind >= most:
		s.ending = setdoc.LineWide
	}
}

func (s *slow) found() Found {
	f := Found{Ending: s.ending, Probes: s.behind, Drift: s.drift}
	if !s.inside || !s.bothSides() {
		return f
	}
	f.Load, f.Low, f.High = s.quantile(s.said, 0.5), s.quantile(s.said, 0.01), s.quantile(s.said, 0.99)
	f.Spread = s.spreadOf(s.said)
	if s.Whole {
		f.Load, f.Low, f.High = math.Floor(f.Load+0.02), math.Floor(f.Low+0.02), math.Ceil(f.High-0.02)
	}
	return f
}

// After each probe, a Line agrees with the brute-force model.
func TestLineAgreesWithBruteForceModel(t *testing.T) {
	// noisy returns a server with this capacity, which changes to later after from probes.
	noisy := func(seed uint64, capacity, spread float64, from int, later float64) func(load float64) bool {
		r, n := rand.New(rand.NewPCG(seed, 11)), 0
		return func(load float64) bool {
			if n++; n > from {
				capacity = later
			}
			return math.Log(load/capacity) < spread*r.NormFloat64()
		}
	}
	wrong := func(first int, of func(float64) bool) func(float64) bool {
		n := 0
		return func(load float64) bool { n++; return of(load) != (n <= first) }
	}
	endings := map[string]int{}
	drifts, climbs := 0, 0
	for _, test := range []struct {
		name  string
		line  Line
		meets func(load float64) bool
	}{
		{"sharp", Line{Start: 100, Lowest: 2, Highest: 1e6}, noisy(1, 700, 1e-9, 1000, 0)},
		{"wide", Line{Start: 500, Lowest: 2, Highest: 1e6, Most: 40}, noisy(3, 700, 0.2, 1000, 0)},
		{"slower", Line{Start: 500, Lowest: 2, Highest: 1e6, Within: 0.01, Most: 36}, noisy(7, 700, 0.02, 14, 500)},
		{"much faster", Line{Start: 500, Lowest: 2, Highest: 1e6, Most: 30}, noisy(8, 700, 0.02, 5, 9000)},
		{"the first failed", Line{Start: 50, Lowest: 2, Highest: 1e6}, wrong(1, noisy(10, 700, 0.02, 1000, 0))},
		{"all met", Line{Start: 500, Lowest: 2, Highest: 3000}, noisy(12, 1e9, 0.02, 1000, 0)},
		{"none met", Line{Start: 500, Lowest: 20, Highest: 1e6}, noisy(13, 1e-9, 0.02, 1000, 0)},
		{"clients", Line{Start: 4, Lowest: 0.5, Highest: 1000.5, Whole: true}, noisy(18, 9.5, 1e-9, 1000, 0)},
		{"alike", Line{Start: 100, Lowest: 2, Highest: 1e6}, func() func(float64) bool {
			r, n, slower := rand.New(rand.NewPCG(22, 11)), 0, 0.0
			return func(load float64) bool {
				if n++; n%8 == 1 {
					slower = 0.08 * r.NormFloat64()
				}
				return math.Log(load/700) < slower+0.01*r.NormFloat64()
			}
		}()},
	} {
		l, s := test.line, slow{Line: test.line}
		for n := 0; ; n++ {
			load, goes := l.Next()
			if goes != (s.ending == "") {
				t.Fatalf("%s, probe %d: continues: %v; want %+v", test.name, n, goes, s.found())
			}
			if !goes {
				break
			}
			if want := s.next(); math.Abs(load-want) > 1e-6*want {
				t.Fatalf("%s, probe %d: at %v, not %v", test.name, n, load, want)
			}
			if !l.inside && n > 0 && l.behind > 0 {
				climbs++
			}
			met := test.meets(load)
			l.Took(load, met)
			s.took(load, met)
			got, want := l.Found(), s.found()
			for _, pair := range [][2]float64{{got.Load, want.Load}, {got.Low, want.Low}, {got.High, want.High}, {got.Spread, want.Spread}} {
				if math.Abs(pair[0]-pair[1]) > 1e-6*pair[1] {
					t.Fatalf("%s, probe %d: %+v, not %+v", test.name, n, got, want)
				}
			}
			if got.Ending != want.Ending || got.Probes != want.Probes || !slices.Equal(got.Drift, want.Drift) {
				t.Fatalf("%s, probe %d: %+v, not %+v", test.name, n, got, want)
			}
		}
		endings[l.ending]++
		drifts += len(l.drift)
		before := l.Found()
		if l.Took(100, true); l.Found().Load != before.Load || l.Found().Probes != before.Probes {
			t.Errorf("%s: a probe after the end changed the result", test.name)
		}
	}
	if len(endings) != 4 || drifts < 1 || climbs < 1 {
		t.Errorf("endings %v, %d drifts, %d probes of a second doubling", endings, drifts, climbs)
	}
}
