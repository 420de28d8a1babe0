package setting

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseShare reads a share of a whole, "0.05" or "5%", as a number from 0 to 1.
func ParseShare(s string) (float64, error) {
	text := strings.TrimSpace(s)
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a share: write it as 0.05 or 5%%", s)
	}
	if percent {
		v /= 100
	}
	// Written this way round it refuses NaN, too.
	if !(v >= 0 && v <= 1) {
		if !percent && v > 1 && v <= 100 {
			return 0, fmt.Errorf("%q is more than 1: write %s%% for percent", s, text)
		}
		return 0, fmt.Errorf("%q is not a share: it must be from 0 to 1, or from 0%% to 100%%", s)
	}
	return v, nil
}

// FormatShare leaves 0 out, which stands for "none".
func FormatShare(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v*100, 'g', 6, 64) + "%"
}
