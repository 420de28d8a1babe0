package setting

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a size in bytes: "512", "128k", "8MiB", "1g". The single letters and the
// IEC forms are powers of 1024, as dd and the JVM take them; KB, MB, GB and TB are powers of
// 1000. Case does not matter. A fraction is allowed when the result is a whole number.
func ParseSize(s string) (int64, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	number, unit := text, ""
	if end >= 0 {
		number, unit = text[:end], strings.TrimSpace(text[end:])
	}
	factor, ok := sizeUnit(unit)
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is not a size: write it as 512, 128k, 8MiB or 1g", s)
	}
	bytes := n * factor
	if bytes != math.Trunc(bytes) {
		return 0, fmt.Errorf("%q is not a whole number of bytes", s)
	}
	if bytes >= 1<<63 {
		return 0, fmt.Errorf("%q is too large: at most 8 EiB", s)
	}
	return int64(bytes), nil
}

// sizeUnit is the number of bytes of a unit in lower case.
func sizeUnit(unit string) (factor float64, known bool) {
	if unit == "" || unit == "b" {
		return 1, true
	}
	power := strings.IndexByte("kmgt", unit[0]) + 1
	if power == 0 {
		return 0, false
	}
	switch unit[1:] {
	case "", "ib":
		return math.Pow(1024, float64(power)), true
	case "b":
		return math.Pow(1000, float64(power)), true
	}
	return 0, false
}

// FormatSize leaves 0 out, which stands for "none" or "decided later".
func FormatSize(n int64) string {
	if n == 0 {
		return ""
	}
	for _, unit := range []struct {
		shift  int
		suffix string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n%(1<<unit.shift) == 0 {
			return fmt.Sprintf("%d%s", n>>unit.shift, unit.suffix)
		}
	}
	return strconv.FormatInt(n, 10)
}
