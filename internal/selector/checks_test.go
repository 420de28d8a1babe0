package selector

import (
	"strings"
	"testing"
)

// A sum has 64 digits; only numbers are above or below each other; a size is unequal on either side.
func TestCheckValuesAreParsed(t *testing.T) {
	sixtyFour := strings.Repeat("0", 64)
	for text, want := range map[string]bool{
		"sha256 " + sixtyFour: true, "sha256 " + sixtyFour + "0": false, "sha256 " + sixtyFour + "00": false, "sha256 abcd": false,
		"sha256 " + strings.Repeat("g", 64): false, "json n < 5": true, "json n < five": false, "json n <= five": false,
		"json n > five": false, "json n >= five": false, "json n = five": true, "json n != five": true, "json n ~ five": true,
	} {
		if _, err := ParseCheck(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]bool{
		"size != 178": true, "size != 179": false, "size != 180": true, "size = 178": false, "size = 179": true, "size < 179": false,
		"size < 180": true, "size <= 178": false, "size <= 179": true, "size > 178": true, "size > 179": false, "size >= 179": true,
		"size >= 180": false,
	} {
		c, err := ParseCheck(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Holds(answer()); got != want {
			t.Errorf("%s: %v of %d", text, got, answer().Size)
		}
	}
	zero := &Answer{Body: []byte(`{"n":0}`), Size: 7}
	if c, err := ParseCheck("json n = none"); err != nil || c.Holds(zero) {
		t.Errorf("a word is 0: %v", err)
	}
}

// The first group of a pattern is meant, wherever it matches, or all of it where it has none.
func TestRegexpGroups(t *testing.T) {
	for text, want := range map[string]string{
		"regexp (a)b": "a", "regexp ab": "ab", "regexp b(c)(d)": "c", "regexp ()a": "", "regexp (?:a)(b)": "b", "regexp e|(f)": "-",
		"regexp (a)|(e)": "a", "regexp z": "-",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, found := s.Find(&Answer{Body: []byte("abcde")})
		if !found {
			got = []byte("-")
		}
		if string(got) != want || s.String() != text {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}
