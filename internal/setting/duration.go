package setting

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration as Go writes it ("5s", "1m30s", "50ms") or as ISO 8601
// does ("PT5S", "PT0.05S", "P1DT2H"; ISO 8601-1:2019, 5.5.2.3). A day is 24 hours; years and
// months have no fixed length and are refused. What it returns may be negative only for the
// Go form, where the caller knows whether that makes sense.
func ParseDuration(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return 0, errors.New("no duration given: write it as 5s, 50ms or PT5S")
	}
	if text[0] == 'P' || text[0] == 'p' {
		return parseISO(text)
	}
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if _, numErr := strconv.ParseFloat(text, 64); numErr == nil {
		return 0, fmt.Errorf("%q has no unit: write %ss or %sms", s, text, text)
	}
	return 0, fmt.Errorf("%q is not a duration: write it as 5s, 50ms, 1m30s or PT5S", s)
}

// isoUnit is a designator of an ISO 8601 duration.
type isoUnit struct {
	letter byte
	length time.Duration
}

// parseISO reads P[nW][nD][T[nH][nM][nS]], the units in this order, each at most once, with
// a fraction (after a point or a comma) in the last only.
func parseISO(s string) (time.Duration, error) {
	bad := func(why string) (time.Duration, error) {
		return 0, fmt.Errorf("%q is not an ISO 8601 duration: %s", s, why)
	}
	rest := strings.ReplaceAll(strings.ToUpper(s[1:]), ",", ".")
	units := []isoUnit{{'W', 7 * 24 * time.Hour}, {'D', 24 * time.Hour}}
	if rest == "" {
		return bad("it contains no time")
	}
	var sum float64
	inTime, fraction := false, false
	for rest != "" {
		if rest[0] == 'T' && !inTime {
			inTime, rest = true, rest[1:]
			units = []isoUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}
			if rest == "" {
				return bad("nothing follows its T")
			}
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if end < 0 {
			return bad("its last number has no unit")
		}
		if end == 0 {
			return bad("a number is missing before " + strconv.Quote(rest[:1]))
		}
		if fraction {
			return bad("only the last number can have a fraction")
		}
		n, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil {
			return bad(strconv.Quote(rest[:end]) + " is not a number")
		}
		unit := slices.IndexFunc(units, func(u isoUnit) bool { return u.letter == rest[end] })
		if unit < 0 {
			return bad(fmt.Sprintf("unexpected %q (write days D, then T, hours H, minutes M, seconds S)", rest[end]))
		}
		sum += n * float64(units[unit].length)
		fraction = strings.Contains(rest[:end], ".")
		units, rest = units[unit+1:], rest[end+1:]
	}
	// 1<<63 is the first float64 that no longer fits.
	if sum = math.Round(sum); sum >= 1<<63 {
		return bad("it is longer than 292 years")
	}
	return time.Duration(sum), nil
}

// FormatDuration leaves 0 out, which stands for "decided later" or "none".
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	s := d.String()
	// 5m0s reads better as 5m.
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
