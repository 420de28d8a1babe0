package setting

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"5s": 5 * time.Second, "50ms": 50 * time.Millisecond, "1m30s": 90 * time.Second,
		" 2s ": 2 * time.Second, "0": 0, "-1s": -time.Second,
		"PT5S": 5 * time.Second, "PT0.05S": 50 * time.Millisecond, "PT0,05S": 50 * time.Millisecond,
		"PT1M30S": 90 * time.Second, "pt1h": time.Hour, "P1DT2H": 26 * time.Hour, "P2W": 14 * 24 * time.Hour,
		"PT1.5M": 90 * time.Second, "PT9.90S": 9900 * time.Millisecond, "PT9223372036S": 9223372036 * time.Second,
	}
	for in, want := range good {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	bad := map[string]string{
		"":         "no duration given",
		"10":       "write 10s or 10ms",
		"fast":     "is not a duration",
		"P":        "contains no time",
		"PT":       "nothing follows its T",
		"P1DT":     "nothing follows its T",
		"PT5":      "last number has no unit",
		"PTS":      `a number is missing before "S"`,
		"PTT1S":    `a number is missing before "T"`,
		"PT1HT1M":  `a number is missing before "T"`,
		"PT1:S":    "unexpected ':'",
		"PT1S2M":   "unexpected ",
		"PT1S1S":   "unexpected ",
		"P1Y":      "unexpected ",
		"PT1.5M1S": "only the last number",
		"PT1.2.3S": "is not a number",
		"PT-5S":    "a number is missing",
		"P1TT1S":   "unexpected ",
		"P999999W": "longer than 292 years",

		"PT9223372037S": "longer than 292 years",
	}
	for in, want := range bad {
		if got, err := ParseDuration(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseDuration(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	good := map[string]int64{
		"0": 0, "512": 512, "512b": 512, "128k": 128 << 10, "8MiB": 8 << 20, "8 mib": 8 << 20,
		"1g": 1 << 30, "1KB": 1000, "2MB": 2_000_000, "1.5k": 1536, "1t": 1 << 40,
		"9k": 9 << 10, "90": 90, "8388607t": 1<<63 - 1<<40,
	}
	for in, want := range good {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "k", "-1", "1x", "1kx", "1.2.3k", "0.3", "1.0001k", "8388608t", "9999999999g", "inf", "0x10"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("ParseSize(%q) = %d; want an error", in, got)
		}
	}
}

func TestParseShare(t *testing.T) {
	good := map[string]float64{"0": 0, "1": 1, "0.05": 0.05, "5%": 0.05, "100%": 1, "0%": 0}
	for in, want := range good {
		if got, err := ParseShare(in); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("ParseShare(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	bad := map[string]string{"": "is not a share", "x": "is not a share", "-0.1": "from 0 to 1", "NaN": "from 0 to 1",
		"5": "write 5%", "1.5": "write 1.5%", "100": "write 100%", "100.5": "from 0 to 1", "101%": "from 0 to 1", "Inf": "from 0 to 1"}
	for in, want := range bad {
		if got, err := ParseShare(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseShare(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"5s", "PT5S", "P1DT2H3M4.5S", "P", "PT", "-1s", "P2W"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		again, err := ParseDuration(d.String())
		if err != nil || again != d {
			t.Errorf("%q is %v, which reads back as %v, %v", s, d, again, err)
		}
		if strings.HasPrefix(strings.TrimSpace(s), "P") && d < 0 {
			t.Errorf("%q became negative: %v", s, d)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"512", "128m", "8MiB", "1.5k", "9e9g"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseSize(s); err == nil && n < 0 {
			t.Errorf("%q became negative: %d", s, n)
		}
	})
}

func FuzzParseShare(f *testing.F) {
	for _, s := range []string{"0.05", "5%", "NaN", "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseShare(s); err == nil && !(v >= 0 && v <= 1) {
			t.Errorf("%q is %v", s, v)
		}
	})
}
