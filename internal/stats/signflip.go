package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// mostExact is the number of values up to which the sign-flip test goes through all signs there are.
	mostExact = 32
	// flips is how many signs it draws of more values.
	flips = 9999
)

// SignFlip is the two-sided p of a sample being symmetric about 0: the share of all ways to give its values signs that
// make their sum at least as far from 0 as it is (Fisher, The Design of Experiments, 1935, section 21). It is exact
// whatever the shape of the distribution, as long as that is the same on both sides of 0. The largest two fifths of the
// values, whatever their signs, are taken for as large as the next one: so a value counts for as much as it does in a
// mean without a fifth at each end (the two have the same influence function), and the two tests mostly agree.
//
// Not that mean itself: signs that are trimmed away would be as good as the sample's own, and ten values had no p below
// 0.008.
//
// Of more than 32 values the signs are drawn, by the seed, and those of the sample itself are one of them.
func SignFlip(values []float64, seed uint64) float64 {
	sizes, sum := bounded(values)
	least := math.Abs(sum) * (1 - 1e-9) // the same signs may add up otherwise in the last digits
	switch n := len(sizes); {
	case !(least > 0):
		return 1
	case n <= mostExact:
		return 2 * float64(atLeast(signed(sizes[:n/2]), signed(sizes[n/2:]), least)) / math.Ldexp(1, n)
	}
	rng := rand.New(rand.NewPCG(seed, 0x7369_676e_666c_6970))
	count := 1
	for range flips {
		var sum float64
		var signs uint64
		for i, v := range sizes {
			if i%64 == 0 {
				signs = rng.Uint64()
			}
			if signs&1 == 1 {
				v = -v
			}
			sum += v
			signs >>= 1
		}
		if math.Abs(sum) >= least {
			count++
		}
	}
	return float64(count) / (flips + 1)
}

// LeastSignFlip is the least p that so many values can have.
func LeastSignFlip(n int) float64 {
	if n <= mostExact {
		return math.Ldexp(1, 1-max(1, n))
	}
	return 1. / (flips + 1)
}

// bounded are the sizes of the values, without the zeros and none above the next after the largest two fifths, and
// their sum with the signs that the values have.
func bounded(values []float64) (sizes []float64, sum float64) {
	for _, v := range values {
		sizes = append(sizes, math.Abs(v))
	}
	slices.Sort(sizes)
	var bound float64
	if n := len(sizes); n > 0 {
		bound = sizes[n-1-2*int(trimmedShare*float64(n))]
	}
	sizes = sizes[:0]
	for _, v := range values {
		if size := min(math.Abs(v), bound); size > 0 {
			sizes = append(sizes, size)
			sum += math.Copysign(size, v)
		}
	}
	return sizes, sum
}

// signed are the sums of the sizes with all signs there are, from the least to the greatest.
func signed(sizes []float64) []float64 {
	sums := []float64{0}
	for _, size := range sizes {
		wider := make([]float64, 0, 2*len(sums))
		less := 0 // both the sums less the size and those and the size are in order
		for _, v := range sums {
			for less < len(sums) && sums[less]-size <= v+size {
				wider = append(wider, sums[less]-size)
				less++
			}
			wider = append(wider, v+size)
		}
		sums = wider
	}
	return sums
}

// atLeast is how many sums of one value of each list are at least so much.
func atLeast(a, b []float64, least float64) (count int64) {
	from := len(b) // of those that are enough for a
	for _, v := range a {
		for from > 0 && v+b[from-1] >= least {
			from--
		}
		count += int64(len(b) - from)
	}
	return count
}
