package units

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Dash stands for a figure that is absent.
const Dash = "–"

// Unit is a unit of time.
type Unit struct {
	Name string
	ns   float64
}

// The units of time.
const (
	nanosecond  = 1
	microsecond = 1e3
	millisecond = 1e6
	second      = 1e9
)

// Micros, Millis and Seconds are the units that a whole table may be in.
func Micros() Unit  { return Unit{"µs", microsecond} }
func Millis() Unit  { return Unit{"ms", millisecond} }
func Seconds() Unit { return Unit{"s", second} }

// UnitFor is the largest unit in which ns is at least 1, after rounding to three digits.
func UnitFor(ns int64) Unit {
	u := Unit{"ns", nanosecond}
	for _, larger := range []Unit{Micros(), Millis(), Seconds()} {
		if math.Abs(float64(ns)) >= 0.9995*larger.ns {
			u = larger
		}
	}
	return u
}

// In is the time in the unit, with three significant digits, but not more than four decimals
// for what is small beside it.
func (u Unit) In(ns int64) string {
	v := u.Of(float64(ns))
	if v >= 0.00005 && v < 0.01 {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return Digits3(v)
}

// Of is how many of the unit so many nanoseconds are.
func (u Unit) Of(ns float64) float64 { return ns / u.ns }

// Duration is a time in nanoseconds with three significant digits and the unit that suits it:
// "679 µs".
func Duration(ns int64) string {
	u := UnitFor(ns)
	return u.In(ns) + " " + u.Name
}

// Range formats the interval from low to high beside a value. The unit is left out where both ends have the unit of the
// value: "37.0–64.1", "488 µs–14.5 ms".
func Range(low, high, value int64) string {
	u := UnitFor(value)
	if u == UnitFor(low) && u == UnitFor(high) {
		return u.In(low) + Dash + u.In(high)
	}
	return Duration(low) + Dash + Duration(high)
}

// Optional is a time, or a dash.
func Optional(ns *int64) string {
	if ns == nil {
		return Dash
	}
	return Duration(*ns)
}

// Nonzero is a time, or a dash for 0, which stands for a time that is not known.
func Nonzero(ns int64) string {
	if ns == 0 {
		return Dash
	}
	return Duration(ns)
}

// Setting is a duration as a person sets it: 10s, 50ms.
func Setting(ns int64) string { return time.Duration(ns).String() }

// Length is how long a phase or a run took: as seconds, or as hours and minutes.
func Length(ns int64) string {
	if ns < int64(2*time.Minute) {
		return Duration(ns)
	}
	return time.Duration(ns).Round(time.Second).String()
}

// Took is how long a transfer took, to the millisecond if it was long.
func Took(ns int64) string {
	switch {
	case ns < int64(time.Second):
		return Duration(ns)
	case ns < int64(2*time.Minute):
		return Decimals3(float64(ns)/1e9) + " s"
	}
	return Decimals3(float64(ns)/1e9) + " s (" + Length(ns) + ")"
}

// UTC is a time of day for people.
func UTC(t time.Time) string {
	if t.IsZero() {
		return Dash
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// Clock is h:mm:ss or m:ss since the start of something.
func Clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// ClockEnd is a clock time that shows parts of a second if there are any.
func ClockEnd(d time.Duration) string {
	whole := d.Truncate(time.Second)
	if part := (d - whole).Round(10 * time.Millisecond); part > 0 && part < time.Second {
		return Clock(whole) + fmt.Sprintf("%.2f", part.Seconds())[1:]
	}
	return Clock(d)
}
