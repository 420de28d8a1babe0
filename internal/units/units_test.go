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
		{Percent(0), "0%"},
		{Percent(1), "100.0%"},
		{Percent(0.99951), "> 99.9%"},
		{Percent(0.1234), "12.3%"},
		{Percent(0.004), "0.4%"},
		{Percent(0.0004), "0.04%"},
		{Percent(0.00004), "0.004%"},
		{Percent(0.0000004), "< 0.001%"},
		{Percent3(0.01), "1%"},
		{Percent3(0.12345), "12.3%"},
		{Percent3(5.125), "512%"}, // half of an even number: rounded as the digits of the smaller ones are
		{Percent3(9.99), "999%"},
		{Percent3(9.996), "1,000%"},
		{Percent3(15.0912), "1,509%"},
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

// What a shell would take for more than text is quoted, and nothing else.
func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"run-1.svg": "run-1.svg", "s3://b/k?x=1%2C,y": "'s3://b/k?x=1%2C,y'", "last~1": "last~1", "~/x": "'~/x'", "a=~/x": "'a=~/x'",
		"=ls": "'=ls'", "--kv=http://h:1": "--kv=http://h:1", "": "''", "a  b": "'a  b'", "it's": `'it'\''s'`,
		"$HOME": "'$HOME'", "é": "'é'", "a\\b": "'a\\b'", "!x": "'!x'", "{room}": "'{room}'",
	} {
		if got := ShellWord(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A terminal gives the letters of East Asia and pictures two columns, and marks above others none.
func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		in8   string // what is left of it in 8 columns
	}{
		{"", 0, ""},
		{"p99 µs …", 8, "p99 µs …"},
		{"p99 12 µs", 9, "p99 12 …"},
		{"日本語の名前", 12, "日本語…"},
		{"x日本語の名前", 13, "x日本語…"},
		{"ｶﾀｶﾅ", 4, "ｶﾀｶﾅ"},
		{"ｗｉｄｅ", 8, "ｗｉｄｅ"},
		{"한국어 😀", 9, "한국어 …"},
		{"e\u0301te\u0301", 3, "e\u0301te\u0301"},
		{"e\u0301te\u0301 12345e\u0301", 10, "e\u0301te\u0301 123…"},
		{"░█·–±×", 6, "░█·–±×"},
	} {
		if got := Width(tt.text); got != tt.width {
			t.Errorf("%q: %d columns, want %d", tt.text, got, tt.width)
		}
		if got := Shorten(tt.text, 8); got != tt.in8 || Width(got) > 8 {
			t.Errorf("%q in 8 columns: %q, want %q", tt.text, got, tt.in8)
		}
	}
	for most, want := range map[int]string{-1: "", 0: "", 1: "…", 2: "…", 3: "日…"} {
		if got := Shorten("日本語", most); got != want {
			t.Errorf("in %d columns: %q, want %q", most, got, want)
		}
	}
}
