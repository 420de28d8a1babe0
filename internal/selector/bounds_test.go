package selector

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// The room of a body is kept up to a MiB, and beyond that as long as a quarter of it is used.
func TestWhatRoomIsKept(t *testing.T) {
	const most = 1 << 20
	for _, c := range []struct {
		used, room int
		kept       bool
	}{
		{0, 0, true}, {0, most, true}, {0, most + 8, false}, {(most+8)/4 - 1, most + 8, false}, {(most + 8) / 4, most + 8, true},
		{most + 8, most + 8, true}, {0, 8 << 20, false}, {2 << 20, 8 << 20, true},
	} {
		a := Answer{Body: make([]byte, c.used, c.room)}
		if a.Reset(); len(a.Body) != 0 || (cap(a.Body) == c.room) != c.kept {
			t.Errorf("%d of %d bytes: %d of %d are left", c.used, c.room, len(a.Body), cap(a.Body))
		}
	}
}

// JSON goes as deep as encoding/json does.
func TestHowDeepJSONGoes(t *testing.T) {
	for depth, want := range map[int]bool{1: true, 10000: true, 10001: false} {
		for _, brackets := range []string{"[]", "{}"} {
			text := strings.Repeat(`{"a":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
			if brackets == "[]" {
				text = strings.Repeat("[", depth) + strings.Repeat("]", depth)
			}
			if got := isJSON([]byte(text)); got != want {
				t.Errorf("%d deep in %s: %v", depth, brackets, got)
			}
		}
	}
}

// What is missing or wrong is pointed to.
func TestWhereItIsWrong(t *testing.T) {
	for text, want := range map[string][2]string{
		"size":               {"size ", "     ^"},
		" not  text ":        {"not  text ", "          ^"},
		"header":             {"header ", "       ^"},
		" json ":             {"json ", "     ^"},
		"status 200,2":       {"status 200,2", "           ^"},
		"regexp a(b":         {"regexp a(b", "       ^^^"},
		"regexp ab[z-a]c":    {"regexp ab[z-a]c", "          ^^^"},
		"regexp x**":         {"regexp x**", "        ^^"},
		"size < many":        {"size < many", "       ^^^^"},
		"json a =":           {"json a =", "       ^"},
		"json a.b over five": {"json a.b over five", "         ^^^^"},
	} {
		_, err := ParseCheck(text)
		if diff := cmp.Diff(want[:], fault.PictureOf(err)); diff != "" {
			t.Errorf("%q: %v:\n%s", text, err, diff)
		}
	}
	if _, err := Parse("regexp [z-a]"); err == nil || err.Error() != `"regexp [z-a]": invalid character class range: "z-a"` {
		t.Error(err)
	}
}

// Statuses have three digits, and a range the lower one first.
func TestSpansOfStatuses(t *testing.T) {
	for text, want := range map[string]span{
		"100": {100, 100}, "200": {200, 200}, "999": {999, 999}, "100-999": {100, 999}, "200-201": {200, 201}, "99": {}, "1000": {},
		"201-200": {}, "x": {}, "": {}, "x-200": {}, "200-x": {}, "200-": {}, "-200": {}, "99-200": {}, "200-1000": {},
		"200-99999999999999999999": {}, "200-201-202": {},
	} {
		if got, ok := parseSpan(text); ok != (want != span{}) || ok && got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}

// A sum has 64 digits; only numbers are above or below each other; a size is unequal on either side.
func TestValuesOfChecks(t *testing.T) {
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

// Numbers have up to a hundred characters, and differ where their last digits do.
func TestNumbers(t *testing.T) {
	nines := strings.Repeat("9", 99)
	for text, want := range map[string]bool{
		"": false, "-": false, "x": false, " 1": false, "1 ": false, "01": false, "1.": false, ".5": false, "+1": false, "0x10": false,
		"1_000": false, "Inf": false, "NaN": false, "true": false, "null": false, "false and so on and on": false, `"1"`: false,
		`"more than fifteen characters"`: false, "[1]": false, "[1,2,3,4,5,6,7,8,9]": false, "0": true, "-0": true, "9": true, "-9.5": true,
		"1e3": true, "1E-3": true, nines + "9": true, nines + "99": false, "1e999": true,
	} {
		if _, got := readNumber(text); got != want {
			t.Errorf("%q is a number: %v", text, got)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1", "2", -1}, {"2", "1", 1}, {"1", "1.0", 0}, {"-1", "1", -1}, {"0.1", "0.10", 0}, {"0.1", "0.10000000000000000001", -1},
		{"100000000000000", "1e14", 0}, {"1e999", "1e998", 1}, {"1e-1", "0.1", 0}, {"1e3", "999", 1}, {nines + "8", nines + "9", -1},
		{nines + "9", nines + "9", 0}, {"999999999999998", "999999999999999", -1}, {"9999999999999998", "9999999999999999", -1},
		{"0.00001", "0.000010000000000000000001", -1},
	} {
		a, _ := readNumber(c.a)
		b, _ := readNumber(c.b)
		if a.compare(b) != c.want || b.compare(a) != -c.want {
			t.Errorf("%s and %s: %d, %d; want %d", c.a, c.b, a.compare(b), b.compare(a), c.want)
		}
	}
}

// A message shows up to 80 bytes of what was found.
func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"":                                `""`,
		strings.Repeat("a", 80):           `"` + strings.Repeat("a", 80) + `"`,
		strings.Repeat("a", 81):           `"` + strings.Repeat("a", 80) + `"…`,
		strings.Repeat("a", 79) + "€b":    `"` + strings.Repeat("a", 79) + `"…`,
		strings.Repeat("a", 78) + "€b":    `"` + strings.Repeat("a", 78) + `"…`,
		strings.Repeat("a", 77) + "€b":    `"` + strings.Repeat("a", 77) + `€"…`,
		strings.Repeat("a", 77) + "😀b":    `"` + strings.Repeat("a", 77) + `"…`,
		strings.Repeat("a", 76) + "😀b":    `"` + strings.Repeat("a", 76) + `😀"…`,
		strings.Repeat("a", 79) + "\xffb": `"` + strings.Repeat("a", 79) + `\xff"…`,
	} {
		if got := short([]byte(text)); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}

// The first group of a pattern is meant, wherever it matches, or all of it where it has none.
func TestGroupsOfPatterns(t *testing.T) {
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

// What two things need is what either needs.
func TestNeedsOfTwo(t *testing.T) {
	none, body, sum, both := Needs{}, Needs{Body: true}, Needs{Sum: true}, Needs{Body: true, Sum: true}
	for _, c := range [][3]Needs{{none, none, none}, {none, body, body}, {body, none, body}, {body, body, body}, {none, sum, sum},
		{sum, none, sum}, {body, sum, both}, {both, none, both}} {
		if got := c[0].And(c[1]); got != c[2] {
			t.Errorf("%+v and %+v need %+v", c[0], c[1], got)
		}
	}
}
