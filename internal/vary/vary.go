package vary

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Setting is a setting and the values that it takes, as they were written.
type Setting struct {
	Name        string
	Values      []string
	Numeric     bool
	Concurrency bool // it says how much goes on at once
	Size        bool // it says how much there is to do
}

// Most is how many values a setting may take.
const Most = 1000

// Parse reads NAME=VALUES. settings are those of the kind, made anew at each call: every value is read by a setting of
// its own.
func Parse(text string, settings func() *setting.Set) (Setting, error) {
	name, list, found := strings.Cut(text, "=")
	name = strings.TrimLeft(strings.TrimSpace(name), "-")
	one := settings().Lookup(name)
	switch {
	case !found || name == "":
		return Setting{}, fault.New(fault.Usage, "--vary %q: the format is NAME=VALUES", text).
			Hint("for example: --vary clients=1,2,4,8 or --vary clients=1..64*2")
	case one == nil:
		return Setting{}, unknown(name, settings())
	case one.Secret && !one.Unended:
		return Setting{}, fault.New(fault.Usage,
			"--vary %s: its values may be secret, and a sweep saves the values it varies", name).
			Hint("run one sweep for each value, with --%s", name)
	}
	name = one.Name
	values, err := read(list, one)
	if err != nil {
		return Setting{}, fault.New(fault.Usage, "--vary %s: %w", name, err)
	}
	if one.Secret {
		for _, named := range setting.NamesIn(values) { // settings of the demo server
			if setting.MayBeSecret(named) {
				return Setting{}, fault.New(fault.Usage,
					"--vary %s: %s may be secret, and a sweep saves the values it varies", name, named).
					Hint("run one sweep for each value, with --%s", name)
			}
		}
	}
	v := Setting{Name: name, Values: values, Numeric: one.Figure(), Concurrency: one.Concurrency, Size: one.Size}
	return v, v.check(settings)
}

// unknown refuses a setting that there is none of, and finds the one that was meant.
func unknown(name string, settings *setting.Set) error {
	e := fault.New(fault.Usage, "--vary: unknown setting %q", name)
	var names []string
	for _, one := range settings.All() {
		if one.Name != "" {
			names = append(names, one.Name)
		}
	}
	if near := fault.Nearest(name, names); near != "" {
		return e.Hint("did you mean %s? A setting has the name of its flag, without dashes", near)
	}
	return e.Hint("a setting has the name of its flag, without dashes")
}

// check reads each value, and refuses those that say the same.
func (v *Setting) check(settings func() *setting.Set) error {
	seen := map[string]string{}
	for _, text := range v.Values {
		one := settings().Lookup(v.Name)
		if err := one.Set(text); err != nil {
			return fault.New(fault.Usage, "--vary %s: %w", v.Name, err)
		}
		means := one.String()
		if means == "" {
			means = text
		}
		if other, twice := seen[means]; twice {
			if other == text {
				return fault.New(fault.Usage, "--vary %s: %s is given twice", v.Name, text).
					Hint("remove one; --repeat sets how often each value is measured")
			}
			return fault.New(fault.Usage, "--vary %s: %s and %s are the same", v.Name, other, text).Hint("remove one")
		}
		seen[means] = text
	}
	if len(v.Values) < 2 {
		return fault.New(fault.Usage, "--vary %s: a sweep needs at least two values, and %s is one", v.Name, v.Values[0]).
			Hint("add values: --vary %s=%s,…; for a single run use --%s", v.Name, v.Values[0], v.Name)
	}
	return nil
}

// read reads a list of values; those of a figure may be ranges.
func read(list string, one *setting.Setting) ([]string, error) {
	var values []string
	for _, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
			return nil, errors.New("a value is empty")
		case one.Figure() && strings.Contains(part, ".."):
			more, err := expand(part)
			if err != nil {
				return nil, err
			}
			values = append(values, more...)
		default:
			values = append(values, part)
		}
		if len(values) > Most {
			return nil, fmt.Errorf("more than %d values", Most)
		}
	}
	return values, nil
}

// expand makes the values of LOW..HIGH*FACTOR or LOW..HIGH+STEP, with HIGH if it is met. All but a factor have one
// unit.
func expand(text string) ([]string, error) {
	bad := func(why string) error {
		return fmt.Errorf("the range %q %s: write 1..64*2 for 1, 2, 4 … 64, or 10..50+10 for 10, 20 … 50", text, why)
	}
	from, rest, _ := strings.Cut(text, "..")
	at := strings.IndexAny(rest, "*+")
	if at < 0 {
		return nil, bad("has no step")
	}
	low, unit, ok := quantity(from)
	high, unitHigh, okHigh := quantity(rest[:at])
	step, unitStep, okStep := quantity(rest[at+1:])
	next := func(x float64) float64 { return x + step }
	grows, wantStep := step > 0, unit
	if rest[at] == '*' {
		next, wantStep = func(x float64) float64 { return x * step }, ""
		grows = step > 1 && low > 0
	}
	switch {
	case !ok || !okHigh || !okStep:
		return nil, bad("is not made of numbers")
	case unitHigh != unit || unitStep != wantStep:
		return nil, bad("has more than one unit")
	case !grows:
		return nil, bad("does not increase")
	case high < low:
		return nil, bad("ends below its start")
	}
	const slack = 1e-9 // of sums of numbers such as 0.1
	var values []string
	for x := low; x <= high*(1+slack) && len(values) <= Most; x = next(x) {
		values = append(values, strconv.FormatFloat(rounded(x), 'f', -1, 64)+unit)
	}
	return values, nil
}

// rounded is 0.3 for 0.30000000000000004.
func rounded(x float64) float64 {
	near, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64) // of what was written just now
	return near
}

// quantity is a number that is not below zero, and what stands behind it.
func quantity(text string) (value float64, unit string, ok bool) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(text[:end], "_", ""), 64)
	return value, text[end:], err == nil
}

// Cells are the values of all settings at once, the first setting's outermost.
func Cells(all []Setting) [][]string {
	cells := [][]string{nil}
	for _, s := range all {
		var wider [][]string
		for _, cell := range cells {
			for _, v := range s.Values {
				wider = append(wider, append(slices.Clone(cell), v))
			}
		}
		cells = wider
	}
	return cells
}
