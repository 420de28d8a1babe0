package contrast

import (
	"math"
	"math/rand/v2"
)

// A noise is how far the logarithm of a launch's ratio is from the true one. Where both sides are the same it is the
// difference of two that are drawn alike: symmetric, and never as flat as a uniform distribution.
type noise struct {
	name string
	draw func(*rand.Rand) float64
}

// noises are those by which the levels are tuned.
func noises() []noise {
	sides := func(name string, side func(*rand.Rand) float64) noise {
		return noise{name, func(r *rand.Rand) float64 { return 0.05 * (side(r) - side(r)) }}
	}
	return []noise{
		sides("normal", (*rand.Rand).NormFloat64),
		{"contaminated", contaminated},
		sides("skewed", (*rand.Rand).ExpFloat64),
		sides("very skewed", func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }),
		sides("heavy tails", func(r *rand.Rand) float64 { // Student's t with two degrees of freedom
			return r.NormFloat64() / math.Sqrt(r.ExpFloat64())
		}),
		sides("no tails", (*rand.Rand).Float64),
		sides("two peaks", func(r *rand.Rand) float64 { // a server that is fast or slow for a whole launch
			return 3*float64(r.IntN(2)) + 0.5*r.NormFloat64()
		}),
	}
}

// contaminated is nine tenths N(0, 5%) and a tenth N(0, 40%).
func contaminated(r *rand.Rand) float64 {
	if r.IntN(10) == 0 {
		return 0.4 * r.NormFloat64()
	}
	return 0.05 * r.NormFloat64()
}
