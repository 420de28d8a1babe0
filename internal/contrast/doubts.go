package contrast

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/setdoc"
)

// doubts are what should be known before the rows are used.
func (a *analysis) doubts() {
	say := func(format string, args ...any) { a.Doubts = append(a.Doubts, fmt.Sprintf(format, args...)) }
	for _, left := range a.LeftOut {
		say("%s", left)
	}
	lost, unknown, began, made := map[string]int{}, 0, 0, 0
	for i := range a.Launches {
		l := &a.Launches[i]
		switch {
		case l.Lost != "":
			lost[l.Lost]++
			continue
		case a.BusyLimit > 0 && l.Others == nil:
			unknown++
		}
		if !l.Dropped {
			made++
			began += l.First
		}
	}
	if why := mostFrequent(lost); why != "" {
		n := 0
		for _, times := range lost {
			n += times
		}
		say("%s discarded because of an error: %s", were(n), why)
	}
	if a.Dropped > 0 && a.Dropped >= made {
		say("%s dropped, at least half of all, because other programs used more than %.3g%% of the CPUs: stop them, or keep "+
			"all launches with --busy-limit 0", were(a.Dropped), 100*a.BusyLimit)
	}
	if unknown > 0 {
		say("the CPU use of other programs is unknown for %s, which were kept", launches(unknown))
	}
	if least := made / 3; made >= Least && (began < least || made-began < least) {
		say("B went first in %d of %s, so an effect of the order looks like a difference", began, launches(made))
	}
	for i := range a.Rows {
		r, name := &a.Rows[i], a.Figures[i].Name
		if r.P != nil && r.Launches < a.Judged && a.samples[i].merged {
			say("%s has %d values from %s after merging their times: %s", name, r.Launches, launches(a.Judged), a.samples[i].why)
		} else if r.P != nil && r.Launches < a.Judged {
			say("%s has values from %d of %s: %s", name, r.Launches, launches(a.Judged), a.samples[i].why)
		}
		if a.weights[i].vetoed {
			say("%s: the t test finds a difference, but the sign-flip test does not, so none is reported", name)
		}
	}
}

// roundsOf is how far the ratios of rounds go within launches.
func roundsOf(counted []*setdoc.Launch, length int64) *setdoc.Rounds {
	r := setdoc.Rounds{LengthNS: length}
	squares, freedom := 0.0, 0
	for _, l := range counted {
		var logs []float64
		mean := 0.0
		for _, ratio := range l.Rounds {
			if ratio > 0 && ratio <= math.MaxFloat64 {
				logs = append(logs, math.Log(ratio))
				mean += math.Log(ratio)
			}
		}
		if len(logs) < 2 {
			continue
		}
		mean /= float64(len(logs))
		for _, v := range logs {
			squares += (v - mean) * (v - mean)
		}
		r.Count += len(logs)
		freedom += len(logs) - 1
	}
	if freedom == 0 {
		return nil
	}
	r.Stddev = math.Sqrt(squares / float64(freedom))
	return &r
}
