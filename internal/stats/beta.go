package stats

import "math"

// StudentP is the two-sided p of Student's t, for few degrees of freedom, too: studentP, with which reports were made,
// is near enough for many.
func StudentP(t, freedom float64) float64 { return betaBelow(freedom/(freedom+t*t), freedom/2, 0.5) }

// Student975 is the 97.5% quantile of Student's t distribution, for one degree of freedom or more.
func Student975(freedom float64) float64 {
	low, high := 0.0, 13.0 // it is 12.7 for one
	for range 60 {
		t := (low + high) / 2
		if StudentP(t, freedom) > 0.05 { // two-sided
			low = t
		} else {
			high = t
		}
	}
	return high
}

// fisherP is the chance that F is at least as large, with these degrees of freedom.
func fisherP(f, free, freePure float64) float64 {
	if !(f > 0) {
		return 1
	}
	return betaBelow(freePure/(freePure+free*f), freePure/2, free/2)
}

// betaBelow is the share of the beta distribution with the parameters a and b below x: the regularized incomplete beta
// function, by its continued fraction (Press et al., Numerical Recipes, section 6.4). golang.org/x/perf has it from
// go-moremath, which panics where the fraction is slow.
func betaBelow(x, a, b float64) float64 {
	switch {
	case !(x > 0):
		return 0
	case x > (a+1)/(a+b+2):
		return 1 - betaBelow(1-x, b, a)
	}
	logA, _ := math.Lgamma(a)
	logB, _ := math.Lgamma(b)
	logAB, _ := math.Lgamma(a + b)
	front := math.Exp(logAB-logA-logB+a*math.Log(x)+b*math.Log1p(-x)) / a
	const least = 1e-300
	nonzero := func(v float64) float64 {
		if math.Abs(v) < least {
			return least
		}
		return v
	}
	c, d := 1.0, 1/nonzero(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 500; m++ {
		var last float64
		for _, part := range []float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			c, d = nonzero(1+part/c), 1/nonzero(1+part*d)
			last = c * d
			h *= last
		}
		if math.Abs(last-1) < 1e-14 {
			break
		}
	}
	return min(1, front*h)
}
