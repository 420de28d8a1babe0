package search

import "math"

// independent is the share of the probes of which as many independent ones would tell as much: 1 unless what a probe
// found, against what was to be expected at its load, is like what the ones before it did, as where a server is slower
// for some minutes and then faster.
//
// Surprises are those against the line that these same probes have found, which makes them less alike than they are, by
// what their mean varies: 1/n of the inflation that is looked for, which is put back in some rounds. Without that the
// interval of noise that lasts eight probes was right in 87 of 100 searches, and with it in 94.
func (l *Line) independent() float64 {
	surprises, inflation := l.surprises(), 1.0
	const rounds = 4
	for range rounds {
		inflation = 1 + 2*alikeness(surprises, inflation)
	}
	return 1 / inflation
}

// alikeness is the sum of the autocorrelation of surprises, over the lags until it is nothing that chance alone would
// not make, where their mean varies by so much more than that of independent ones.
func alikeness(surprises []float64, inflation float64) (sum float64) {
	squares, n := 0.0, float64(len(surprises))
	for _, s := range surprises {
		squares += s * s
	}
	least := chance / math.Sqrt(n)
	for lag := 1; lag <= len(surprises)/3; lag++ {
		products := 0.0
		for i, s := range surprises[lag:] {
			products += s * surprises[i]
		}
		alike := products / max(squares, n/2) * n / (n - float64(lag)) // few surprises are no measure of anything
		if lag > 1 || alike >= least {
			alike += inflation / n
		}
		if alike < least {
			break
		}
		sum += alike
	}
	return sum
}

// chance is how many standard errors of an autocorrelation are believed. One is too many: what it takes for chance is
// mostly there, and two probes more are what the smaller number costs where it is not.
const chance = 0.7

// surprises has how far each probe behind the doubling was from what was to be expected, in standard deviations.
func (l *Line) surprises() (of []float64) {
	line, spread := l.belief.quantile(0.5), l.belief.spread()
	for _, p := range l.probes[l.from:] {
		if !p.behind {
			continue
		}
		meets, met := falselyMet+meaningful*math.Erfc(math.Log(p.load/line)/spread/math.Sqrt2)/2, 0.0
		if p.met {
			met = 1
		}
		// One of six standard deviations, such as after a pause of the machine, would hide all others.
		of = append(of, min(max((met-meets)/math.Sqrt(meets*(1-meets)), -2), 2))
	}
	return of
}
