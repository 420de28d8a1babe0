package chart

import (
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"

	"github.com/plimsoll/plimsoll/internal/units"
)

// timeSteps are the distances of ticks that people count time in, in seconds.
var timeSteps = [...]float64{
	0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
	3600, 7200, 10800, 21600, 43200, 86400,
}

// timeTicks are at most 13 ticks from 0 to end, in seconds.
func timeTicks(end float64) []plot.Tick {
	const most = 12
	step := timeSteps[0]
	for _, s := range timeSteps {
		step = s
		if end/s <= most {
			break
		}
	}
	for end/step > most {
		step *= 2
	}
	var ticks []plot.Tick
	for i := 0.0; i*step <= end*(1+1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: timeLabel(i*step, end)})
	}
	return ticks
}

func timeLabel(s, end float64) string {
	if end <= 120 {
		return strconv.FormatFloat(math.Round(s*1000)/1000, 'f', -1, 64) + " s"
	}
	return units.Clock(time.Duration(s * 1e9))
}

// LinearTicks are at most 5 steps of 1, 2 or 5 times a power of ten, from 0 up to the first
// tick that is not below highest, which is the top of the axis.
func LinearTicks(highest float64, label func(float64) string) (bottom, top float64, ticks []plot.Tick) {
	const least, most = 1e-100, 1e100 // a figure beyond them is of a document that makes no sense
	if highest < least || math.IsNaN(highest) {
		highest = 1
	}
	highest = min(highest, most)
	power := math.Pow10(int(math.Floor(math.Log10(highest / 5))))
	step := power
	for _, f := range []float64{1, 2, 5, 10} {
		if step = f * power; highest/step <= 5 {
			break
		}
	}
	n := math.Ceil(highest/step - 1e-9)
	for i := 0.0; i <= n; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return 0, n * step, ticks
}

// LogTicks are ticks for a logarithmic axis of times in ns, with labels at both ends.
func LogTicks(lowest, highest float64) (bottom, top float64, ticks []plot.Tick) {
	const room = 10 // labels
	a := logAxis(lowest, highest, TickDuration, room)
	return a.from, a.to, a.ticks
}

// TickDuration is a round time without needless digits: 5 ms.
func TickDuration(ns float64) string {
	if ns == 0 {
		return "0"
	}
	u := units.UnitFor(int64(math.Round(ns)))
	return units.Digits(u.Of(ns)) + " " + u.Name
}
