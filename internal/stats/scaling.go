package stats

import (
	"fmt"
	"math"
	"slices"
)

const (
	// minScalingLevels is the least number of loads for the law: three parameters, and one more to see whether it has
	// this form at all.
	minScalingLevels = 4
	// minScalingPure is the least number of repeats beyond the first of each level, over all levels: the noise that the
	// lack of fit is held against is known from these alone.
	minScalingPure = 4
	// maxLackOfFit is the p of the lack of fit below which the law is refused.
	maxLackOfFit = 0.01
	// maxPeakBeyond is how many times the highest load the upper limit of the peak may be: beyond it nobody has looked.
	maxPeakBeyond = 2
	// atBound makes the region larger than one whose parameters have no bounds. Where contention is 0, its bound, the
	// plain region of the coherency covers 0.938 only: of the excess over the least sum of squares a quarter is 0, a half
	// is a square of one normal variable and a quarter one of two, since the two parameters are all but the same. With
	// 4.24 instead of 3.84 as the limit, this share is 0.95 there, and 0.96 where no bound is near.
	atBound = 4.24 / 3.84
	// maxScalingLoad keeps the square of a load finite, and what can be told of it by sums of logarithms.
	maxScalingLoad = 1e9
)

// Point is a throughput at a load: one run.
type Point struct{ Load, Throughput float64 }

// Estimate is a parameter with its 95% interval.
type Estimate struct{ Value, Low, High float64 }

// Scaling is the Universal Scalability Law fitted to single runs: X(N) = λN ÷ (1 + σ(N−1) + κN(N−1)).
type Scaling struct {
	Refused string // why there are no parameters; "" if there are

	Lambda Estimate // throughput of one
	Sigma  Estimate // contention
	Kappa  Estimate // coherency
	Peak   Estimate // √((1−σ)/κ), the load of the highest throughput; zero where NoPeak says why
	NoPeak string

	LackOfFit *float64 // p of the test that the law has this form; nil where that could not be tested
	Spread    float64  // residual standard deviation of log X; 0 where nothing was fitted
}

// FitScaling fits the law to runs, the repeats of a level as points of their own, in any order.
//
// It is the least squares of log X (Gunther, Guerrilla Capacity Planning, 2007, has the law), since the noise of a
// throughput is a share of it. σ and κ are taken to lie between 0 and 1: with σ = 1 or κ = ½ two do no more than one
// alone. The interval of a parameter is the likelihood region, with Student's t for the small sample: the values for
// which the others can be chosen so that RSS ≤ RSS_min·(1 + t²/(n−p)), and somewhat more for the bounds (Bates and
// Watts, Nonlinear Regression Analysis and Its Applications, 1988, section 6.1). That of the peak is found in the same
// way, over pairs (σ, κ) with this peak. A bootstrap over the repeats was tried elsewhere and covers only 0.78 to 0.96.
//
// Whether the law has this form is tested against the repeats: F of what the levels' means lie off the curve to how
// runs of one level differ. Without repeats a plateau gets parameters as good as any other sweep's, so there are none.
func FitScaling(points []Point) Scaling {
	f, refused := newFit(points)
	if refused != "" {
		return Scaling{Refused: refused}
	}
	best := f.best()
	s := Scaling{LackOfFit: new(f.lackOfFit(best)), Spread: math.Sqrt(f.rss(best) / float64(f.runs-parameters))}
	if *s.LackOfFit < maxLackOfFit {
		s.Refused = fmt.Sprintf("the results do not follow the law: such a deviation has a chance of less than 1 in %s",
			oneOf(*s.LackOfFit))
		return s
	}
	limit := f.limit(best)
	s.Lambda = f.lambda(best, limit)
	s.Sigma = within(best.sigma, f.scaleSigma(), limit, f.withSigma)
	s.Kappa = within(best.kappa, f.scaleKappa(), limit, f.withKappa)
	s.Peak, s.NoPeak = f.peak(best, limit)
	return s
}

// limit bounds the likelihood region. Around the curve and around the means of the levels the noise is known twice,
// each time with its own t: the wider of the two regions is taken, because levels that lie close to the curve by chance
// pass the test for lack of fit most easily, and would make all intervals too narrow.
func (f *fit) limit(best pair) float64 {
	rss := f.rss(best)
	free, freePure := float64(f.runs-parameters), float64(f.runs-len(f.loads))
	t, tPure := Student975(free), Student975(freePure)
	const rounding = 1e-24 // runs without any noise have a region, too
	return rss + atBound*max(t*t*rss/free, tPure*tPure*f.pure/freePure) + rounding
}

// oneOf says a p below maxLackOfFit by the power of ten that it is below one of.
func oneOf(p float64) string {
	switch {
	case p < 1e-4:
		return "10,000"
	case p < 1e-3:
		return "1,000"
	}
	return "100"
}

// parameters of the law.
const parameters = 3

// pair is contention and coherency.
type pair struct{ sigma, kappa float64 }

// fit is what the runs come down to: the mean of log(X/N) at each load, and how the runs of a load differ.
type fit struct {
	loads, logs, weights []float64 // weights are numbers of runs
	runs                 int
	pure                 float64 // sum of squares of the runs around the mean of their load
}

func newFit(points []Point) (*fit, string) {
	index := map[float64]int{}
	f := &fit{runs: len(points)}
	for _, p := range points {
		if !(p.Throughput > 0) || math.IsInf(p.Throughput, 0) || !(p.Load >= 1) || p.Load > maxScalingLoad {
			return nil, "the law needs loads of at least 1 and throughputs above 0"
		}
		if _, known := index[p.Load]; !known {
			index[p.Load] = len(f.loads)
			f.loads, f.logs, f.weights = append(f.loads, p.Load), append(f.logs, 0), append(f.weights, 0)
		}
		f.weights[index[p.Load]]++
	}
	if n := len(f.loads); n < minScalingLevels {
		return nil, fmt.Sprintf("too few settings: %d, at least %d are needed", n, minScalingLevels)
	}
	if pure := f.runs - len(f.loads); pure < minScalingPure {
		return nil, fmt.Sprintf("too few runs to test the law: %d, and %d settings need at least %d",
			f.runs, len(f.loads), len(f.loads)+minScalingPure)
	}
	for _, p := range points {
		i := index[p.Load]
		f.logs[i] += math.Log(p.Throughput/p.Load) / f.weights[i]
	}
	for _, p := range points {
		off := math.Log(p.Throughput/p.Load) - f.logs[index[p.Load]]
		f.pure += off * off
	}
	return f, ""
}

// around gives log λ, which is best for a pair, and the residual sum of squares with it.
func (f *fit) around(p pair) (logLambda, rss float64) {
	var sum, squares float64
	shift := f.logs[0] // keeps the difference of sums exact where the throughput is large
	for i, n := range f.loads {
		v := f.logs[i] - shift + math.Log(1+(n-1)*(p.sigma+p.kappa*n))
		sum += f.weights[i] * v
		squares += f.weights[i] * v * v
	}
	mean := sum / float64(f.runs)
	return mean + shift, f.pure + max(0, squares-sum*mean)
}

func (f *fit) rss(p pair) float64 {
	_, rss := f.around(p)
	return rss
}

// scale maps 0…1 to a parameter's range 0…1 so that its small values have room: linear up to 1/of, then logarithmic.
type scale struct{ of float64 }

func (s scale) at(u float64) float64    { return math.Expm1(u*math.Log1p(s.of)) / s.of }
func (s scale) place(v float64) float64 { return math.Log1p(v*s.of) / math.Log1p(s.of) }

func (f *fit) highest() float64 { return slices.Max(f.loads) }

func (f *fit) scaleSigma() scale { return scale{f.highest()} }
func (f *fit) scaleKappa() scale { return scale{f.highest() * f.highest()} }

// The sum of squares is quasi-convex in (σ, κ), and so along each line: N/X is linear in (1, σ, κ)/λ, the square of a
// logarithm is convex in it up to e times the data, and the division by 1/λ keeps convex sets convex. So a search by
// the golden section finds its one minimum, and the region is an interval for each parameter.

// withSigma is the least sum of squares of all pairs with this σ; those below likewise.
func (f *fit) withSigma(sigma float64) float64 {
	return f.rss(f.bestWithSigma(sigma))
}

func (f *fit) bestWithSigma(sigma float64) pair {
	s := f.scaleKappa()
	return pair{sigma, s.at(golden(func(u float64) float64 { return f.rss(pair{sigma, s.at(u)}) }))}
}

func (f *fit) withKappa(kappa float64) float64 {
	s := f.scaleSigma()
	at := func(u float64) float64 { return f.rss(pair{s.at(u), kappa}) }
	return at(golden(at))
}

// withPeak takes 1/N² for the peak N.
func (f *fit) withPeak(inverse float64) float64 {
	s := f.scaleSigma()
	at := func(u float64) float64 { return f.rss(pair{s.at(u), inverse * (1 - s.at(u))}) }
	return at(golden(at))
}

func (f *fit) best() pair {
	s := f.scaleSigma()
	return f.bestWithSigma(s.at(golden(func(u float64) float64 { return f.withSigma(s.at(u)) })))
}

// lackOfFit is the p of the levels' means lying so far off the curve. A parameter at a bound was not fitted.
func (f *fit) lackOfFit(best pair) float64 {
	fitted := 1
	for _, v := range []float64{best.sigma, best.kappa} {
		if v > 0 && v < 1 {
			fitted++
		}
	}
	off, free := f.rss(best)-f.pure, float64(len(f.loads)-fitted)
	freePure := float64(f.runs - len(f.loads))
	switch {
	case off <= 1e-14*float64(f.runs):
		return 1 // by no more than 0.00001%: the search leaves so much of levels that follow the law
	case f.pure == 0:
		return 0
	}
	return fisherP(off/free/(f.pure/freePure), free, freePure)
}

// lambda finds its interval from the pairs in the region: the sum of squares with another λ than the best for a pair
// is greater by the squares of the difference of the logarithms.
func (f *fit) lambda(best pair, limit float64) Estimate {
	end := func(sign float64) float64 {
		sigma, kappa := f.scaleSigma(), f.scaleKappa()
		reach := func(p pair) float64 { // the lower, the farther out
			logLambda, rss := f.around(p)
			if rss > limit {
				return 1e6 + rss - limit
			}
			return -sign*(logLambda-f.logs[0]) - math.Sqrt((limit-rss)/float64(f.runs))
		}
		inner := func(u float64) pair {
			s := sigma.at(u)
			return pair{s, kappa.at(golden(func(v float64) float64 { return reach(pair{s, kappa.at(v)}) }))}
		}
		out := inner(golden(func(u float64) float64 { return reach(inner(u)) }))
		return f.logs[0] - sign*reach(out)
	}
	at, _ := f.around(best)
	return Estimate{math.Exp(at), math.Exp(min(at, end(-1))), math.Exp(max(at, end(1)))}
}

// within gives the values around the best one for which the least sum of squares is within the limit.
func within(best float64, s scale, limit float64, least func(v float64) float64) Estimate {
	at := s.place(best)
	return Estimate{best, s.at(edge(at, 0, s, limit, least)), s.at(edge(at, 1, s, limit, least))}
}

// edge bisects from a place in the region towards a bound.
func edge(in, out float64, s scale, limit float64, least func(v float64) float64) float64 {
	if least(s.at(out)) <= limit {
		return out
	}
	for range 40 {
		middle := (in + out) / 2
		if least(s.at(middle)) <= limit {
			in = middle
		} else {
			out = middle
		}
	}
	return in
}

// peak is found as 1/N², which is 0 where there is none.
func (f *fit) peak(best pair, limit float64) (Estimate, string) {
	if best.kappa == 0 || best.sigma >= 1 {
		return Estimate{}, "κ may be 0, and then throughput has no maximum"
	}
	inverse := min(1, best.kappa/(1-best.sigma))
	e := within(inverse, f.scaleKappa(), limit, f.withPeak)
	most := maxPeakBeyond * f.highest()
	if e.Low*most*most < 1 {
		return Estimate{}, fmt.Sprintf("its upper limit is above %g times the highest setting", float64(maxPeakBeyond))
	}
	return Estimate{1 / math.Sqrt(e.Value), 1 / math.Sqrt(e.High), 1 / math.Sqrt(e.Low)}, ""
}

// golden finds where a function of 0…1 that has one minimum has it, the bounds included.
func golden(of func(u float64) float64) float64 {
	const part = 0.6180339887498949
	low, high := 0.0, 1.0
	a, b := high-part, part
	atA, atB := of(a), of(b)
	for range 40 {
		if atA <= atB {
			high, b, atB = b, a, atA
			a = high - part*(high-low)
			atA = of(a)
		} else {
			low, a, atA = a, b, atB
			b = low + part*(high-low)
			atB = of(b)
		}
	}
	u := (low + high) / 2
	at := of(u)
	for _, bound := range []float64{0, 1} {
		if v := of(bound); v <= at {
			u, at = bound, v
		}
	}
	return u
}
