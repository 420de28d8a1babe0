package setting

import (
	"strings"
	"testing"
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
	if got, err := ParseCount[int64]("-0900"); err != nil || got != -900 {
		t.Errorf("%d, %v", got, err)
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

// A share is written as it is read.
func TestFormatShare(t *testing.T) {
	for _, text := range []string{"5%", "100%", "0.5%", "12.345%"} {
		if v, err := ParseShare(text); err != nil || FormatShare(v) != text {
			t.Errorf("%s is written %s: %v", text, FormatShare(v), err)
		}
	}
	if FormatShare(0) != "" {
		t.Error(FormatShare(0))
	}
}
