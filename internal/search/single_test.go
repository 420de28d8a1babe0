package search_test

import "math"

// single is a bisection that believes each probe, as a person would make it by hand: it doubles the load until one
// fails, and divides what lies between by ratio.
type single struct {
	start, lowest, highest, precise float64

	held, exceeded float64 // the largest load that met the condition and the smallest that did not; 0 for none
}

// next is the load to try; false when there is nothing more to find.
func (s *single) next() (load float64, ok bool) {
	switch {
	case s.held == 0 && s.exceeded == 0:
		return min(max(s.start, s.lowest), s.highest), true
	case s.exceeded == 0:
		return min(2*s.held, s.highest), s.held < s.highest
	case s.held == 0:
		return max(s.exceeded/2, s.lowest), s.exceeded > s.lowest
	}
	return math.Sqrt(s.held * s.exceeded), s.exceeded/s.held > s.precise
}

func (s *single) took(load float64, met bool) {
	switch {
	case met:
		s.held = max(s.held, load)
	case s.exceeded == 0 || load < s.exceeded:
		s.exceeded = load
	}
}
