package setting

import (
	"strings"
	"testing"
	"time"
)

// A count is decimal, whatever it is kept in; one that has no room is told to be too large, and none to be none.
func TestParseCount(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, " 12 ": 12, "1_000_000": 1000000, "0018": 18, "18446744073709551615": 1<<64 - 1,
	} {
		if got, err := ParseCount[uint64](text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]int64{"-0900": -900, "9223372036854775807": 1<<63 - 1} {
		if got, err := ParseCount[int64](text); err != nil || got != want {
			t.Errorf("%d, %v", got, err)
		}
	}
	for text, want := range map[string]string{
		"18446744073709551616": "is too large", "-1": "is not a whole number", "0x10": "is not a whole number", "": "is not a whole",
		"a": "is not a whole number", "1.5": "is not a whole number", "-99999999999999999999": "is not a whole number",
	} {
		if _, err := ParseCount[uint64](text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := ParseCount[int]("-9223372036854775809"); err == nil || !strings.Contains(err.Error(), "is not a whole number") {
		t.Error(err)
	}
	if _, err := ParseCount[int]("9223372036854775808"); err == nil || !strings.Contains(err.Error(), "is too large") {
		t.Error(err)
	}
}

// A length of time has no zeros at its end, and reads back as it was.
func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", 1: "1ns", time.Second: "1s", 10 * time.Second: "10s", time.Minute: "1m", 90 * time.Second: "1m30s",
		10 * time.Minute: "10m", time.Hour: "1h", time.Hour + time.Second: "1h0m1s", 10*time.Hour + 10*time.Minute: "10h10m",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%s is written %s, want %s", d, got, want)
		}
		if back, err := ParseDuration(FormatDuration(d)); d != 0 && (err != nil || back != d) {
			t.Errorf("%s reads back as %s, %v", d, back, err)
		}
	}
}
