package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// squaresOf is the sum of squares of the logarithms around the law.
func squaresOf(points []Point, logLambda, sigma, kappa float64) (sum float64) {
	for _, p := range points {
		off := math.Log(p.Throughput/p.Load) + math.Log(1+sigma*(p.Load-1)+kappa*p.Load*(p.Load-1)) - logLambda
		sum += off * off
	}
	return sum
}

// lambdaOf is the logarithm of the λ that is best for a pair.
func lambdaOf(points []Point, sigma, kappa float64) (mean float64) {
	for _, p := range points {
		mean += math.Log(p.Throughput/p.Load) + math.Log(1+sigma*(p.Load-1)+kappa*p.Load*(p.Load-1))
	}
	return mean / float64(len(points))
}

// leastOf looks for the minimum of a function of 0…1 on finer and finer grids, which are finer where values are small.
func leastOf(of func(v float64) float64) (at, least float64) {
	from, to := 0.0, 1.0
	for range 13 {
		const parts = 6
		best, step := 0, (to-from)/parts
		least = math.Inf(1)
		for i := range parts + 1 {
			v := math.Pow(from+float64(i)*step, 4)
			if got := of(v); got < least {
				best, at, least = i, v, got
			}
		}
		from, to = from+step*float64(max(best-1, 0)), from+step*float64(min(best+1, parts))
	}
	return at, least
}

// pureOf is the sum of squares around the means of the loads, and how many loads there are.
func pureOf(points []Point) (pure float64, levels int) {
	logs := map[float64][]float64{}
	for _, p := range points {
		logs[p.Load] = append(logs[p.Load], math.Log(p.Throughput/p.Load))
	}
	for _, list := range logs {
		mean := 0.0
		for _, v := range list {
			mean += v / float64(len(list))
		}
		for _, v := range list {
			pure += (v - mean) * (v - mean)
		}
	}
	return pure, len(logs)
}

// The figures of a fit are those that one finds who looks at all pairs, and the ends of each interval are where the least
// sum of squares is as great as it may be.
func TestEdgesOfScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 23))
	doubled := []float64{1, 2, 4, 8, 16, 32}
	uneven := runsOf(rng, []float64{3, 5, 9, 20, 40}, 2, 0.02, law{7, 0.1, 0.002}.at)
	uneven = append(uneven, runsOf(rng, []float64{9, 40}, 3, 0.02, law{7, 0.1, 0.002}.at)...)
	const none, beyond = "κ may be 0", "its upper limit lies beyond 2 times the highest level"
	for _, test := range []struct {
		name   string
		points []Point
		noPeak string
	}{
		{"a peak within", runsOf(rng, doubled, 3, 0.03, law{1000, 0.05, 0.004}.at), ""},
		{"a peak near", runsOf(rng, doubled, 3, 0.002, law{1000, 0.02, 0.00033}.at), ""},
		{"a peak beyond", runsOf(rng, doubled, 3, 0.002, law{1000, 0.02, 0.00018}.at), beyond},
		{"no peak", runsOf(rng, doubled, 3, 0.03, func(n float64) float64 { return n / (1 + 0.1*(n-1) - 0.0003*n*(n-1)) }), none},
		{"no contention", runsOf(rng, doubled, 3, 0.01, func(n float64) float64 { return n / (1 - 0.005*(n-1) + 0.001*n*(n-1)) }), ""},
		{"neither", runsOf(rng, doubled, 4, 0.1, func(n float64) float64 { return n * math.Pow(n, 0.01) }), none},
		{"of one", runsOf(rng, doubled, 2, 0.001, law{5, 0.4, 0.3}.at), ""},
		{"all contention", runsOf(rng, doubled, 2, 0.1, func(n float64) float64 { return 5 * math.Pow(n, 0.03) }), none},
		{"much noise", runsOf(rng, doubled, 2, 0.5, law{5, 0.1, 0.01}.at), ""},
		{"uneven", uneven, ""},
		{"more contention than can be", runsOf(rng, doubled, 3, 0.1, func(n float64) float64 { return 5 * math.Pow(n, -0.02) }), none},
		{"a peak of one", runsOf(rng, doubled, 3, 0.01, law{5, 0.4, 0.8}.at), ""},
		{"a peak of two", runsOf(rng, doubled, 3, 0.01, law{5, 0.6, 0.1}.at), ""},
	} {
		points := test.points
		s := FitScaling(points)
		n := float64(len(points))
		withSigma := func(sigma float64) (float64, float64) {
			return leastOf(func(k float64) float64 { return squaresOf(points, lambdaOf(points, sigma, k), sigma, k) })
		}
		sigma, rss := leastOf(func(v float64) float64 { _, least := withSigma(v); return least })
		kappa, _ := withSigma(sigma)
		pure, levels := pureOf(points)
		free := float64(levels) - 1
		for _, v := range []float64{sigma, kappa} {
			if v > 0 && v < 1 {
				free--
			}
		}
		freePure := n - float64(levels)
		fit := fisherP((rss-pure)/free/(pure/freePure), free, freePure)
		close := func(got, want float64) bool { return math.Abs(got-want) <= 1e-5*max(want, 1e-4) }
		if !close(*s.LackOfFit, fit) || (s.Refused != "") != (fit < 0.01) || !close(s.Spread, math.Sqrt(rss/(n-3))) {
			t.Errorf("%s: p %v, not %v, spread %v, not %v", test.name, *s.LackOfFit, fit, s.Spread, math.Sqrt(rss/(n-3)))
		}
		if s.Refused != "" {
			t.Errorf("%s: %s", test.name, s.Refused)
			continue
		}
		if !close(s.Sigma.Value, sigma) || !close(s.Kappa.Value, kappa) || !close(s.Lambda.Value, math.Exp(lambdaOf(points, sigma, kappa))) {
			t.Errorf("%s: %+v, not %v, %v", test.name, s, sigma, kappa)
		}
		tRSS, tPure := Student975(n-3), Student975(freePure)
		limit := rss + 4.24/3.84*max(tRSS*tRSS*rss/(n-3), tPure*tPure*pure/freePure)
		ends := func(what string, e Estimate, low, high float64, least func(v float64) float64) {
			for _, end := range []struct{ at, bound float64 }{{e.Low, low}, {e.High, high}} {
				if at := least(end.at); math.Abs(at/limit-1) > 1e-5 && (!close(end.at, end.bound) || at > limit) {
					t.Errorf("%s: %s is %+v, where the squares are %v at %v, and not %v", test.name, what, e, at, end.at, limit)
				}
			}
		}
		ends("σ", s.Sigma, 0, 1, func(v float64) float64 { _, least := withSigma(v); return least })
		ends("κ", s.Kappa, 0, 1, func(k float64) float64 {
			_, least := leastOf(func(v float64) float64 { return squaresOf(points, lambdaOf(points, v, k), v, k) })
			return least
		})
		ends("λ", s.Lambda, -1, -1, func(lambda float64) float64 {
			_, least := leastOf(func(v float64) float64 {
				_, least := leastOf(func(k float64) float64 { return squaresOf(points, math.Log(lambda), v, k) })
				return least
			})
			return least
		})
		withPeak := func(peak float64) float64 {
			_, least := leastOf(func(v float64) float64 {
				k := (1 - v) / (peak * peak)
				return squaresOf(points, lambdaOf(points, v, k), v, k)
			})
			return least
		}
		if !strings.HasPrefix(s.NoPeak, test.noPeak) || (s.NoPeak == "") != (test.noPeak == "") {
			t.Errorf("%s: %+v, %q", test.name, s.Peak, s.NoPeak)
		}
		if s.NoPeak != "" {
			continue
		}
		if kappa > 1-sigma { // more is never more, which is a peak of one client
			if !close(s.Peak.Value, 1) || !close(s.Peak.Low, 1) || !close(s.Peak.High, 1) {
				t.Errorf("%s: the peak is %+v", test.name, s.Peak)
			}
			continue
		}
		ends("the peak", s.Peak, 1, math.Inf(1), withPeak)
		if want := math.Sqrt((1 - sigma) / kappa); !close(s.Peak.Value, want) {
			t.Errorf("%s: the peak is %+v, not %v", test.name, s.Peak, want)
		}
	}
}

// The law is refused where its levels lie off it as by chance in fewer than 1 of 100 sweeps, and how few is said by powers
// of ten.
func TestEdgesOfTheLackOfFit(t *testing.T) {
	// sweep has one level that is off by a twentieth, and runs that differ by so much.
	sweep := func(by float64) (points []Point) {
		for _, n := range []float64{1, 2, 4, 8, 16, 32} {
			x := law{10, 0.05, 0.001}.at(n)
			if n == 8 {
				x *= 1.05
			}
			points = append(points, Point{n, x * math.Exp(by)}, Point{n, x * math.Exp(-by)})
		}
		return points
	}
	for _, test := range []struct {
		p    float64
		want string // "" for none
	}{
		{0.5, ""}, {0.0101, ""}, {0.0099, " 100 sweeps"}, {0.0011, " 100 sweeps"}, {0.0009, " 1,000 sweeps"}, {0.00011, " 1,000 sweeps"},
		{0.00009, " 10,000 sweeps"}, {0.00001, " 10,000 sweeps"},
	} {
		by := bisect(0, 0.2, test.p, func(by float64) float64 {
			f, _ := newFit(sweep(by))
			return f.lackOfFit(f.best())
		})
		s := FitScaling(sweep(by))
		if !near(*s.LackOfFit, test.p) || (s.Refused == "") != (test.want == "") || !strings.HasSuffix(s.Refused, test.want) {
			t.Errorf("p %v: %v, %q", test.p, *s.LackOfFit, s.Refused)
		}
		if (s.Lambda != Estimate{}) != (test.want == "") {
			t.Errorf("p %v: %+v", test.p, s)
		}
	}
	for p, want := range map[float64]string{0: "10,000", 0.0001: "1,000", 0.001: "100"} {
		if got := oneOf(p); got != want {
			t.Errorf("%v is one of %s", p, got)
		}
	}
}
