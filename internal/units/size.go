package units

import (
	"math"
	"strconv"
)

// Size is a number of bytes in binary units, three digits.
func Size(n int64) string {
	v, name := float64(n), "B"
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if math.Abs(v) < 1000 {
			break
		}
		v, name = v/1024, larger
	}
	if name == "B" {
		return Number(n) + " B"
	}
	return Digits3(v) + " " + name
}

// ExactSize is a size as a person sets it: in the largest binary unit that leaves at most two
// decimals, or in bytes.
func ExactSize(n int64) string {
	for _, u := range []struct {
		name string
		of   int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.of && n < 1<<50 && n*100%u.of == 0 && n/u.of < 10_000 {
			return Grouped(strconv.FormatFloat(float64(n)/float64(u.of), 'f', -1, 64)) + " " + u.name
		}
	}
	return Count(n, "byte", "bytes")
}

// Megabytes is a bandwidth in MB/s, 10^6 bytes per second.
func Megabytes(bytesPerS float64) string {
	if !known(bytesPerS) {
		return Dash
	}
	return PerSecond(bytesPerS/1e6) + " MB/s"
}

// Megabits is a bandwidth in Mbit/s, 10^6 bits per second.
func Megabits(bytesPerS float64) string {
	if !known(bytesPerS * 8) {
		return Dash
	}
	return PerSecond(bytesPerS*8/1e6) + " Mbit/s"
}
