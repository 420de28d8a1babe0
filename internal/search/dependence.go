package search

import "math"

// independent is the share of the probes of which as many independent ones would tell as much: 1 unless what a probe
// found, against what was to be expected at its load, is like what the ones before it did, as where a server is slower
// for some minutes and then faster.
func (l *Line) independent() float64 {
	surprises, squares := l.surprises(), 0.0
	for _, s := range surprises {
		squares += s * s
	}
	n, sum := float64(len(surprises)), 0.0
	for lag := 1; lag <= len(surprises)/3; lag++ {
		products := 0.0
		for i, s := range surprises[lag:] {
			products += s * surprises[i]
		}
		alike := products / max(squares, n/2) // few surprises are no measure of anything
		if alike < 1/math.Sqrt(n) {           // its standard error
			break
		}
		sum += alike
	}
	return 1 / (1 + 2*sum)
}

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
