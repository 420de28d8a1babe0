package sweep

import (
	"slices"

	"github.com/plimsoll/plimsoll/setdoc"
)

const (
	// asGood is the share of the highest throughput from which on a level is as good.
	asGood = 0.97
	// perhapsAsGood is that from which on a level may be as good because the repeats do not tell the two apart: beyond
	// it, runs that differ so much would call any level the best.
	perhapsAsGood = 0.9
	// withoutRepeats is the share of the highest throughput below which a single run has less: nobody knows how much
	// runs differ.
	withoutRepeats = 0.9
	// maxFailed is the share of operations, or of tries to connect, that may fail at a level that can be the best.
	maxFailed = 0.01
)

// judge finds the level with the highest throughput, the best one, how the sweep ends beyond it, and where it fails.
func (a *analysis) judge() {
	peak, top := -1, -1
	for i := range a.levels {
		v := &a.levels[i]
		if !v.usable {
			continue
		}
		if peak < 0 || a.better(v, &a.levels[peak]) {
			peak = i
		}
		if !v.fails() && (top < 0 || a.better(v, &a.levels[top])) {
			top = i
		}
	}
	if a.numeric() {
		if from := slices.IndexFunc(a.levels, func(v level) bool { return v.failsAtAll() }); from >= 0 {
			a.FailsFrom = &from
		}
	}
	if peak >= 0 {
		a.Peak = &peak
	}
	if top < 0 {
		if a.ranked() && (peak >= 0 || a.FailsFrom != nil) {
			a.Ending = setdoc.EndsInFailure
		}
		return
	}
	best := a.best(top)
	a.Best = &best
	if a.ranked() {
		a.Ending = a.ending(best, peak)
	}
}

// better reports whether a level has the better figure.
func (a *analysis) better(v, than *level) bool {
	if a.timed() {
		return *v.Throughput < *than.Throughput
	}
	return *v.Throughput > *than.Throughput
}

// fails reports whether a level fails too much to be the best, or does not keep up with the rate that was offered: its
// throughput is that of a server whose queue grows as long as it is measured. Nor is a level the best of which a run
// could not even begin.
func (v *level) fails() bool {
	return v.Lost > 0 || v.lags || v.FailedShare > maxFailed || v.connectsFail()
}

// lags reports whether less got through than was offered.
func lags(l *setdoc.Level, f setdoc.Figure) bool {
	return f.Name == rateFigure && l.OfferedPerS != nil && l.Throughput != nil && *l.Throughput < asGood**l.OfferedPerS
}

// Failure says why a level of a sweep cannot be the best however much it brings; "": it can.
func Failure(s *setdoc.Sweep, at int) string {
	v := level{Level: &s.Levels[at]}
	if v.lags = lags(v.Level, s.Figure); !v.fails() {
		return ""
	}
	return failure(&v)
}

func (v *level) connectsFail() bool {
	return float64(v.NotOpened) > maxFailed*(float64(v.Opened)+float64(v.NotOpened))
}

// failsAtAll reports whether connects, handshakes or operations fail, be it one.
func (v *level) failsAtAll() bool {
	return v.Lost > 0 || v.Failed > 0 || v.NotOpened > 0 || v.FailedShare > maxFailed
}

// best is the lowest level that is as good as the top, of a numeric setting, and the largest one of a size; names and
// grids have no lower levels.
func (a *analysis) best(top int) int {
	switch {
	case !a.ranked():
		return top
	case a.sized():
		return a.largest(top)
	}
	for i := range top {
		if v := &a.levels[i]; v.usable && !v.fails() && a.asGood(v, &a.levels[top]) {
			return i
		}
	}
	return top
}

// largest is the last level, from the top on, up to which all that can be used are as good: nobody wants the least of
// what there is to do.
func (a *analysis) largest(top int) int {
	best := top
	for i := top; i < len(a.levels) && !a.levels[i].fails(); i++ {
		v := &a.levels[i]
		if !v.usable {
			continue
		}
		if !a.asGood(v, &a.levels[top]) {
			break
		}
		best = i
	}
	return best
}

// asGood reports whether a level is as good as the top, as far as the repeats can tell.
func (a *analysis) asGood(v, top *level) bool {
	share := *v.Throughput / *top.Throughput
	return share >= asGood || share >= perhapsAsGood && a.noise.freedom > 0 && !a.noise.apart(v, top, 1)
}

// ending says what became of the levels beyond the best one.
func (a *analysis) ending(best, peak int) string {
	beyond := a.levels[best+1:]
	var usable []*level
	for i := range beyond {
		if beyond[i].fails() {
			return setdoc.EndsInFailure
		}
		if beyond[i].usable {
			usable = append(usable, &beyond[i])
		}
	}
	switch {
	case len(usable) == 0:
		return setdoc.EndsRising
	case a.lower(usable[len(usable)-1], &a.levels[peak], len(usable)):
		return setdoc.EndsInDecline
	}
	return setdoc.EndsOnPlateau
}

// lower reports whether a level has less than the peak, and not by chance.
func (a *analysis) lower(v, peak *level, pairs int) bool {
	share := *v.Throughput / *peak.Throughput
	if a.noise.freedom == 0 {
		return share < withoutRepeats
	}
	return share < asGood && a.noise.apart(v, peak, pairs)
}
