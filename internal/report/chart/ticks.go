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
	var step float64
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

// tickDuration is a round time without needless digits: 5 ms.
func tickDuration(ns float64) string {
	if ns == 0 {
		return "0"
	}
	u := units.UnitFor(int64(math.Round(ns)))
	return units.Digits(u.Of(ns)) + " " + u.Name
}
