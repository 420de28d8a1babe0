package figure

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

// Limit reads what a figure is held against, in the units that people write: "50ms", "PT0.05S", "0.1%", "1000/s",
// "200MB/s", "128MiB", "12". Of a figure that is a count and a share of the operations, the number says which of the
// two is meant, and so the figure that it belongs to comes back: a share has a % or lies between 0 and 1.
func (s Spec) Limit(text string) (float64, Spec, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "-") {
		return 0, s, fmt.Errorf("%q is negative, but %s cannot be", text, s.Name())
	}
	if s.source.partial != nil {
		unit := Count
		if strings.HasSuffix(text, "%") || strings.HasPrefix(strings.TrimLeft(text, "0"), ".") {
			unit = Share
		}
		s, _ = s.In(unit)
	}
	if !strings.ContainsAny(text, "0123456789") || strings.Trim(text[:1], "0123456789.Pp") != "" {
		return 0, s, s.wrongUnit(text)
	}
	v, err := s.parse(text)
	return v, s, err
}

func (s Spec) parse(text string) (float64, error) {
	switch s.unit {
	case Time:
		return s.parseTime(text)
	case Share:
		v, err := setting.ParseShare(text)
		if err != nil && !strings.HasSuffix(text, "%") && !decimal(text) {
			return 0, s.wrongUnit(text)
		}
		return v, err
	case Bytes:
		n, err := setting.ParseSize(text)
		if err != nil {
			return 0, s.wrongUnit(text)
		}
		return float64(n), nil
	case PerSecond:
		return s.scaled(text, perSecond)
	case BytesPerSec:
		return s.scaled(text, bytesPerSecond)
	}
	if decimal(text) && strings.Contains(text, ".") && s.source.partial != nil {
		return 0, fmt.Errorf("%q is neither a whole number nor a share: write %s%% for a share", text, text)
	}
	n, err := setting.ParseCount[int64](text)
	if err != nil {
		return 0, s.wrongUnit(text)
	}
	return float64(n), nil
}

// parseTime reads a time, with a space before its unit if need be.
func (s Spec) parseTime(text string) (float64, error) {
	if decimal(text) {
		return 0, fmt.Errorf("%q has no unit: write %sms or %ss", text, text, text)
	}
	d, err := setting.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return 0, s.wrongUnit(text)
	}
	if d == 0 && strings.ContainsAny(text, "123456789") {
		return 0, fmt.Errorf("%q is less than a nanosecond", text)
	}
	if d == time.Duration(1<<63-1) {
		return 0, fmt.Errorf("%q is too long", text)
	}
	return float64(d), nil
}

// scaled reads a number with one of these units behind it; also as 1_000, as flags take it.
func (s Spec) scaled(text string, factor func(unit string) (float64, bool)) (float64, error) {
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	n, err := parseNumber(text[:end])
	unit := strings.TrimSpace(text[end:])
	f, known := factor(unit)
	switch {
	case err != nil:
		return 0, s.wrongUnit(text)
	case !known && unit == "":
		return 0, fmt.Errorf("%q has no unit: write %sMB/s, %[2]sMiB/s or %[2]sMbit/s", text, text)
	case !known:
		return 0, s.wrongUnit(text)
	}
	return n * f, nil
}

// parseNumber reads a decimal number, with _ between digits where they shall be easier to count, as flags take it.
func parseNumber(text string) (float64, error) {
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	for i := range len(text) {
		if text[i] == '_' && !(digit(i-1) && digit(i+1)) {
			return 0, strconv.ErrSyntax
		}
	}
	return strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
}

// perSecond is how many a second one of a unit is.
func perSecond(unit string) (float64, bool) {
	switch strings.TrimSuffix(unit, "/s") {
	case "":
		return 1, true
	case "k", "K":
		return 1e3, true
	case "M":
		return 1e6, true
	}
	return 0, false
}

// bytesPerSecond is how many bytes a second one of a unit is. Capitals count: MB are bytes, and whether Mb are bits or
// bytes nobody knows.
func bytesPerSecond(unit string) (float64, bool) {
	size, each := strings.CutSuffix(unit, "/s")
	if !each {
		return 0, false
	}
	for i, prefix := range []string{"", "k", "M", "G", "T"} {
		decimal, binary := power(1000, i), power(1024, i)
		for _, p := range []string{prefix, strings.ToUpper(prefix)} {
			switch size {
			case p + "B":
				return decimal, true
			case p + "iB":
				return binary, p != ""
			case p + "bit":
				return decimal / 8, true
			}
		}
	}
	return 0, false
}

func power(base float64, exponent int) float64 {
	p := 1.0
	for range exponent {
		p *= base
	}
	return p
}

// decimal reports whether a text is a plain number.
func decimal(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "0123456789.") == ""
}

// wrongUnit says what the figure counts in, and how that is written.
func (s Spec) wrongUnit(text string) error {
	if text == "" {
		return errors.New("the value is missing")
	}
	what, write := s.unit.words()
	if s.source.partial != nil && s.unit == Count {
		what, write = "a count or a share of the operations", "12 or 0.1%"
	}
	return fmt.Errorf("%s is %s, but %q is not: write it as %s", s.Name(), what, text, write)
}

// words are what a unit is called, and how a value of it is written.
func (u Unit) words() (what, write string) {
	switch u {
	case Time:
		return "a time", "50ms, 0.05s or PT0.05S"
	case PerSecond:
		return "a number of operations per second", "1000/s"
	case BytesPerSec:
		return "a bandwidth", "200MB/s, 190MiB/s or 1600Mbit/s"
	case Share:
		return "a share", "0.1% or 0.001"
	case Bytes:
		return "a size", "10MB, 128KiB or 512"
	}
	return "a count", "12"
}

// Name returns what a unit is called, such as "a time".
func (u Unit) Name() string {
	what, _ := u.words()
	return what
}

// Example is how a value of the unit is written.
func (u Unit) Example() string {
	_, write := u.words()
	first, _, _ := strings.Cut(write, ",")
	first, _, _ = strings.Cut(first, " or ")
	return first
}

// Text is a value as reports show it.
func (u Unit) Text(v float64) string {
	switch u {
	case Time:
		return units.Duration(whole64(v))
	case PerSecond:
		return units.PerSecond(v) + "/s"
	case BytesPerSec:
		return units.Megabytes(v)
	case Share:
		return units.Percent(v)
	case Bytes:
		return units.Size(whole64(v))
	}
	return units.Digits(v)
}

// whole64 is a value without its fraction; what is beyond all times and sizes is as long as can be.
func whole64(v float64) int64 { return int64(max(-math.MaxInt64/2, min(v, math.MaxInt64/2))) }

// TextBeside is a value as reports show it, with more digits where it would else look the same as another one that it
// is not: 50.04 ms beside 50 ms.
func (u Unit) TextBeside(v, other float64) string {
	if v == other || u.Text(v) != u.Text(other) {
		return u.Text(v)
	}
	factor, name := 1.0, ""
	switch u {
	case Time:
		unit := units.UnitFor(int64(v))
		factor, name = unit.Of(1), " "+unit.Name
	case PerSecond:
		name = "/s"
	case BytesPerSec:
		factor, name = 1e-6, " MB/s"
	case Share:
		factor, name = 100, "%"
	case Bytes:
		name = " B"
	}
	return apart(v*factor, other*factor) + name
}

// apart is a number with as many decimals as it takes to tell it from another one.
func apart(v, other float64) string {
	const most = 12
	for decimals := range most {
		text := strconv.FormatFloat(v, 'f', decimals, 64)
		if text != strconv.FormatFloat(other, 'f', decimals, 64) {
			return units.Grouped(text)
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
