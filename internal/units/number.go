package units

import (
	"math"
	"strconv"
	"strings"
)

// Number is a whole number with separators of thousands: 48,112.
func Number(n int64) string { return Grouped(strconv.FormatInt(n, 10)) }

// Count is "1 message" or "5 messages".
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Grouped puts separators of thousands into a number.
func Grouped(s string) string {
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

// Digits3 is a number with three significant digits and separators of thousands.
func Digits3(v float64) string {
	if v == 0 {
		return "0"
	}
	// Rounded first, so that 9.996 is 10.0 and not 10.00.
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	places := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return Grouped(strconv.FormatFloat(v, 'f', max(0, min(places, 12)), 64))
}

// Decimals3 is a figure with three decimals and separators of thousands, or with three digits
// where those decimals would be 0.
func Decimals3(v float64) string {
	switch {
	case !known(v):
		return Dash
	case v < 0.1:
		return Digits3(v)
	}
	return Grouped(strconv.FormatFloat(v, 'f', 3, 64))
}

// Digits is a number with as many decimals as it needs.
func Digits(v float64) string {
	return Grouped(strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64))
}

// PerSecond is a rate's figure without its unit: whole from 100 on ("48,112"), three digits
// below ("56.7").
func PerSecond(v float64) string {
	if math.Abs(v) >= 99.5 {
		return Grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return Digits3(v)
}

// Percent is a share of 1 with one decimal, or more where that would be 0; what is not all
// is never shown as 100 %.
func Percent(share float64) string {
	p := 100 * share
	places := 1
	switch a := math.Abs(p); {
	case math.IsInf(p, 0), math.IsNaN(p):
		return Dash // of a document that makes no sense
	case a == 0:
		return "0%"
	case a < 0.001:
		return "< 0.001%"
	case a < 0.01:
		places = 3
	case a < 0.1:
		places = 2
	case a >= 99.95 && a < 100:
		return "> 99.9%"
	}
	return strconv.FormatFloat(p, 'f', places, 64) + "%"
}

// Percent3 is a share of 1 with at most three digits, as it stands in a sentence: 1%, 12.3%; above 1,000% without
// decimals.
func Percent3(share float64) string {
	if share >= 9.995 && !math.IsInf(share, 0) {
		return Number(int64(100*share+0.5)) + "%"
	}
	return strconv.FormatFloat(100*share, 'g', 3, 64) + "%"
}

// Share is part ÷ whole as a percentage, or a dash.
func Share(part, whole float64) string {
	if whole <= 0 {
		return Dash
	}
	return Percent(part / whole)
}

// known reports whether a rate is one: the division that made it was not by 0.
func known(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
