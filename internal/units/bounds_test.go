package units

import (
	"math"
	"strings"
	"testing"
	"time"
)

// What is written changes at a bound, and on the right side of it.
func TestBounds(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Decimals3(0.0999), "0.0999"},
		{Decimals3(0.1004), "0.100"},
		{Decimals3(0.15), "0.150"},
		{Decimals3(0.0712), "0.0712"},
		{Decimals3(math.Inf(1)), Dash},
		{Digits(12345.6), "12,345.6"},
		{Digits(0.1234564), "0.123456"},
		{Digits(0.1234565001), "0.123457"},
		{Digits(1e7), "10,000,000"},
		{Digits3(1.234e-13), "0.000000000000"},
		{Digits3(1.234e-11), "0.000000000012"},
		{PerSecond(99.5), "100"},
		{PerSecond(150.4), "150"},
		{PerSecond(9.876), "9.88"},
		{Percent(math.Inf(1)), Dash},
		{Percent(math.Inf(-1)), Dash},
		{Percent(math.NaN()), Dash},
		{Percent(0.0000099), "< 0.001%"},
		{Percent(0.000007), "< 0.001%"},
		{Percent(0.0000101), "0.001%"},
		{Percent(0.000015), "0.002%"},
		{Percent(0.000099), "0.010%"},
		{Percent(0.00007), "0.007%"},
		{Percent(0.000101), "0.01%"},
		{Percent(0.00015), "0.01%"},
		{Percent(0.00099), "0.10%"},
		{Percent(0.0007), "0.07%"},
		{Percent(0.00101), "0.1%"},
		{Percent(0.0015), "0.1%"},
		{Percent(0.9994), "99.9%"},
		{Percent(0.6), "60.0%"},
		{Share(1, 4), "25.0%"},
		{Share(1, 0.5), "200.0%"},
		{Share(1, -1), Dash},
		{Size(1000), "0.977 KiB"},
		{Size(-1000), "-0.977 KiB"},
		{Size(12345), "12.1 KiB"},
		{ExactSize(1 << 10), "1 KiB"},
		{ExactSize(1 << 20), "1 MiB"},
		{ExactSize(1 << 30), "1 GiB"},
		{ExactSize(1 << 40), "1 TiB"},
		{ExactSize(3 << 9), "1.5 KiB"},
		{ExactSize(1280), "1.25 KiB"},
		{ExactSize(1152), "1,152 bytes"},
		{ExactSize(9999 << 40), "10,994,016,766,132,224 bytes"},
		{ExactSize(1023 << 40), "1,023 TiB"},
		{ExactSize(1 << 50), "1,125,899,906,842,624 bytes"},
		{ExactSize(2048 << 10), "2 MiB"},
		{ExactSize(9999 << 10), "9,999 KiB"},
		{ExactSize(10_001 << 10), "10,241,024 bytes"},
		{Megabits(math.MaxFloat64 / 5), Dash},
		{Millis().In(50), "0.0001"},
		{Millis().In(49), "0.0000490"},
		{Millis().In(9_999), "0.0100"},
		{Millis().In(7_000), "0.0070"},
		{Millis().In(10_000), "0.0100"},
		{Millis().In(15_000), "0.0150"},
		{Length(119_900_000_000), "120 s"},
		{Length(120_000_000_000), "2m0s"},
		{Length(90_000_000_000), "90.0 s"},
		{Length(150_000_000_000), "2m30s"},
		{Took(1_000_000_000), "1.000 s"},
		{Took(119_999_000_000), "119.999 s"},
		{Took(120_000_000_000), "120.000 s (2m0s)"},
		{Took(150_000_000_000), "150.000 s (2m30s)"},
		{Optional(new(int64)), "0 ns"},
		{Nonzero(1500), "1.50 µs"},
		{Setting(10_000_000_000), "10s"},
		{UTC(time.Time{}), Dash},
		{UTC(time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))), "2026-03-04 04:06 UTC"},
		{Clock(0), "0:00"},
		{Clock(59_499 * time.Millisecond), "0:59"},
		{Clock(59_500 * time.Millisecond), "1:00"},
		{Clock(59*time.Minute + 59*time.Second), "59:59"},
		{Clock(time.Hour), "1:00:00"},
		{Clock(3*time.Hour + 61*time.Second), "3:01:01"},
		{Clock(2*time.Hour + 59*time.Minute + 59*time.Second), "2:59:59"},
		{Clock(61*time.Minute + 61*time.Second), "1:02:01"},
		{ClockEnd(1500 * time.Millisecond), "0:01.50"},
		{ClockEnd(1014 * time.Millisecond), "0:01.01"},
		{ClockEnd(1016 * time.Millisecond), "0:01.02"},
		{ClockEnd(1004 * time.Millisecond), "0:01"},
		{ClockEnd(1996 * time.Millisecond), "0:02"},
		{ClockEnd(time.Second), "0:01"},
		{Capital("the end"), "The end"},
		{OrNone(""), "(none)"},
		{OrNone("a\n"), "a?"},
		{FirstOf([]string{"a", "b"}, 2), "a, b"},
		{FirstOf([]string{"a", "b", "c"}, 2), "a, b and 1 more"},
		{Clean("all is well"), "all is well"},
		{Clean("a\xffb"), "a\uFFFDb"},
		{Clean(strings.Repeat("a", 500)), strings.Repeat("a", 500)},
		{Clean(strings.Repeat("a", 501)), strings.Repeat("a", 500) + "…"},
		{Clean(strings.Repeat("ä", 500)), strings.Repeat("ä", 500)},
		{Shorten("abc", 1), "…"},
		{Size(5), "5 B"},
		{ExactSize(10_000 << 10), "10,240,000 bytes"},
		{Clean("\n"), "?"},
		{Clean("\xff"), "\uFFFD"},
		{Nonzero(0), "–"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	if Megabits(math.MaxFloat64/10) == Dash {
		t.Error("a rate that can be written is a dash")
	}
	if Width("\u0300") != 0 || Width("\u02ff") != 1 || Width("\u0301a") != 1 {
		t.Error("marks")
	}
}
