package search

import "math"

// Search is a search that goes on.
type Search struct {
	Start           float64 // the first load to try
	Lowest, Highest float64 // it stays within these
	Precise         float64 // how far the smallest load that fails may be from the answer, as a ratio above 1

	Held     float64 // the largest load that met the condition; 0 for none
	Exceeded float64 // the smallest that did not; 0 for none
}

// Next is the load to try, or false when there is nothing more to find.
func (s *Search) Next() (load float64, ok bool) {
	switch {
	case s.Held == 0 && s.Exceeded == 0:
		return min(max(s.Start, s.Lowest), s.Highest), true
	case s.Exceeded == 0:
		return min(2*s.Held, s.Highest), s.Held < s.Highest
	case s.Held == 0:
		return max(s.Exceeded/2, s.Lowest), s.Exceeded > s.Lowest
	}
	return math.Sqrt(s.Held * s.Exceeded), s.Exceeded/s.Held > s.Precise
}

// Found takes the result of a trial.
func (s *Search) Found(load float64, met bool) {
	if met {
		s.Held = max(s.Held, load)
		return
	}
	if s.Exceeded == 0 || load < s.Exceeded {
		s.Exceeded = load
	}
}

// Lower is the load to try after n that failed where the search had found one, such as at full
// length: at first a step of the search's precision below it, and then more and more.
func (s *Search) Lower(load float64, n int) float64 { return load / (1 + float64(n)*(s.Precise-1)) }
