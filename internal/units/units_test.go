package units

import (
	"math"
	"testing"
)

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Duration(0), "0 ns"},
		{Duration(999), "999 ns"},
		{Duration(1234), "1.23 µs"},
		{Duration(999_499), "999 µs"},
		{Duration(999_500), "1.00 ms"},
		{Duration(9_996_000), "10.0 ms"},
		{Duration(1_234_567_890_123), "1,230 s"},
		{Duration(-1500), "-1.50 µs"},
		{Nonzero(0), Dash},
		{Optional(nil), Dash},
		{Length(1_500_000_000), "1.50 s"},
		{Length(3_723_000_000_000), "1h2m3s"},
		{Digits3(0.0012345), "0.00123"},
		{Digits3(0.9999), "1.00"},
		{Digits3(123456), "123,000"},
		{Number(1234567), "1,234,567"},
		{Number(-1000), "-1,000"},
		{Number(999), "999"},
		{PerSecond(48112.4), "48,112"},
		{PerSecond(99.49), "99.5"},
		{Percent(0), "0 %"},
		{Percent(1), "100.0 %"},
		{Percent(0.99951), "> 99.9 %"},
		{Percent(0.1234), "12.3 %"},
		{Percent(0.004), "0.4 %"},
		{Percent(0.0004), "0.04 %"},
		{Percent(0.00004), "0.004 %"},
		{Percent(0.0000004), "< 0.001 %"},
		{Percent3(0.01), "1 %"},
		{Percent3(0.12345), "12.3 %"},
		{Share(1, 0), Dash},
		{Size(999), "999 B"},
		{Size(1024 * 1024), "1.00 MiB"},
		{Clean("a\x1bb\n"), "a?b?"},
		{Count(1, "retry", "retries"), "1 retry"},
		{Count(1200, "retry", "retries"), "1,200 retries"},
		{Millis().In(580), "0.0006"},
		{Millis().In(2_250_000_000), "2,250"},
		{ExactSize(0), "0 bytes"},
		{ExactSize(1), "1 byte"},
		{ExactSize(1023), "1,023 bytes"},
		{ExactSize(8 << 20), "8 MiB"},
		{ExactSize(3 << 29), "1.5 GiB"},
		{ExactSize(5 << 40), "5 TiB"},
		{ExactSize(8<<20 + 1), "8,388,609 bytes"},
		{ExactSize(math.MaxInt64), "9,223,372,036,854,775,807 bytes"},
		{ExactSize(-5), "-5 bytes"},
		{Megabytes(4_247_664), "4.25 MB/s"},
		{Megabits(4_247_664), "34.0 Mbit/s"},
		{Megabytes(-1), Dash},
		{Megabytes(math.NaN()), Dash},
		{Megabits(math.MaxFloat64), Dash},
		{Decimals3(1234.5678), "1,234.568"},
		{Decimals3(0.01234), "0.0123"},
		{Decimals3(0), "0"},
		{Took(31_573_000_000), "31.573 s"},
		{Took(999_000_000), "999 ms"},
		{Took(3_723_000_000_000), "3,723.000 s (1h2m3s)"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
