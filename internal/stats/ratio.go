package stats

import "math"

// Part is a stretch's part of a ratio: so many of so many, or so much of so many.
type Part struct{ Of, All float64 }

// leastParts is how many parts an estimate of their scatter is made from at least.
const leastParts = 8

// Ratio is the ratio of all parts together, which are in the order of time and about equally long, and how far it may
// be from the true one, with 95% confidence: the widest that parts of several lengths give (the ratio estimator:
// Cochran, Sampling Techniques, 3rd edition, 6.3; by batch means: Law, Simulation Modeling and Analysis, 5th edition,
// 9.5.3). Of what lasts longer than a short part only long ones tell, and these are few. false: there are too few.
func Ratio(parts []Part) (ratio, half float64, known bool) {
	for ; len(parts) >= leastParts; parts = longer(parts) {
		var of, all, squares, fourths float64
		for _, p := range parts {
			of, all = of+p.Of, all+p.All
		}
		if all <= 0 {
			return 0, 0, false
		}
		if !known {
			ratio, known = of/all, true
		}
		for _, p := range parts {
			d := p.Of - of/all*p.All
			squares, fourths = squares+d*d, fourths+d*d*d*d
		}
		n := float64(len(parts))
		freedom := n - 1
		if squares > 0 { // a variance of so many values varies by 2 ÷ freedom; more where few of them make it up
			kurtosis := n * fourths / (squares * squares) // 1 or more, but for rounding
			freedom = min(freedom, 2*n/max(0, kurtosis-1))
		}
		half = max(half, Student975(freedom)*math.Sqrt(squares*n/(n-1))/all)
	}
	return ratio, half, known
}

// longer are parts that are twice as long. A last one without another goes into the one before it.
func longer(parts []Part) []Part {
	half := make([]Part, len(parts)/2)
	for i, p := range parts {
		to := &half[min(i/2, len(half)-1)]
		to.Of, to.All = to.Of+p.Of, to.All+p.All
	}
	return half
}
