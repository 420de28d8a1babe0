package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// dash stands for a figure that is absent.
const dash = "–"

// unit is a unit of time.
type unit struct {
	name string
	ns   float64
}

var units = [...]unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// unitFor is the largest unit in which ns is at least 1, after rounding to three digits.
func unitFor(ns int64) unit {
	u := units[0]
	for _, larger := range units[1:] {
		if math.Abs(float64(ns)) >= 0.9995*larger.ns {
			u = larger
		}
	}
	return u
}

// in is the time in the unit, with three significant digits, but not more than four decimals
// for what is small beside it.
func (u unit) in(ns int64) string {
	v := float64(ns) / u.ns
	if v >= 0.00005 && v < 0.01 {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return digits3(v)
}

// duration is a time with three significant digits and the unit that suits it.
func duration(ns int64) string {
	u := unitFor(ns)
	return u.in(ns) + " " + u.name
}

// Duration is a time in nanoseconds as reports show it: "679 µs".
func Duration(ns int64) string { return duration(ns) }

// PerSecond is a rate as reports show it, without its unit: "48,112", "56.7".
func PerSecond(v float64) string { return perSecond(v) }

// optional is a time, or a dash.
func optional(ns *int64) string {
	if ns == nil {
		return dash
	}
	return duration(*ns)
}

// nonzero is a time, or a dash for 0, which stands for a time that is not known.
func nonzero(ns int64) string {
	if ns == 0 {
		return dash
	}
	return duration(ns)
}

// setting is a duration as a person sets it: 10s, 50ms.
func setting(ns int64) string { return time.Duration(ns).String() }

// length is how long a phase or a run took: as seconds, or as hours and minutes.
func length(ns int64) string {
	if ns < int64(2*time.Minute) {
		return duration(ns)
	}
	return time.Duration(ns).Round(time.Second).String()
}

// digits3 is a number with three significant digits and separators of thousands.
func digits3(v float64) string {
	if v == 0 {
		return "0"
	}
	// Rounded first, so that 9.996 is 10.0 and not 10.00.
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	places := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return grouped(strconv.FormatFloat(v, 'f', max(0, min(places, 12)), 64))
}

// number is a whole number with separators of thousands.
func number(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

func grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	s, fraction, found := strings.Cut(s, ".")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if found {
		s += "." + fraction
	}
	return sign + s
}

// perSecond is a rate's figure: whole from 100 on, three digits below.
func perSecond(v float64) string {
	if math.Abs(v) >= 99.5 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return digits3(v)
}

// percent is a share of 1 with one decimal, or more where that would be 0; what is not all
// is never shown as 100 %.
func percent(share float64) string {
	p := 100 * share
	places := 1
	switch a := math.Abs(p); {
	case math.IsInf(p, 0), math.IsNaN(p):
		return dash // of a document that makes no sense
	case a == 0:
		return "0 %"
	case a < 0.001:
		return "< 0.001 %"
	case a < 0.01:
		places = 3
	case a < 0.1:
		places = 2
	case a >= 99.95 && a < 100:
		return "> 99.9 %"
	}
	return strconv.FormatFloat(p, 'f', places, 64) + " %"
}

// shareOf is part ÷ whole as a percentage, or a dash.
func shareOf(part, whole float64) string {
	if whole <= 0 {
		return dash
	}
	return percent(part / whole)
}

// size is a number of bytes in binary units, three digits.
func size(n int64) string {
	v, name := float64(n), "B"
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if math.Abs(v) < 1000 {
			break
		}
		v, name = v/1024, larger
	}
	if name == "B" {
		return number(n) + " B"
	}
	return digits3(v) + " " + name
}

// clean makes text from a document harmless: on one line, without control characters (a
// terminal obeys them), and no longer than a few lines.
func clean(s string) string {
	const most = 500
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// some is "1 message" or "5 messages".
func some(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// utc is a time of day for people.
func utc(t time.Time) string {
	if t.IsZero() {
		return dash
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// clock is h:mm:ss or m:ss since the start of something.
func clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
