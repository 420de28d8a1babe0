package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// value is a flag that a parser of the plan reads, so that flags and plans understand the
// same words and say the same things about wrong ones.
type value[T any] struct {
	into   *T
	kind   string // shown in the help
	parse  func(string) (T, error)
	format func(T) string
}

// Set reads the flag.
func (v *value[T]) Set(s string) error {
	parsed, err := v.parse(s)
	if err != nil {
		return err
	}
	*v.into = parsed
	return nil
}

// String is the value as the help shows it.
func (v *value[T]) String() string {
	if v == nil || v.into == nil {
		return ""
	}
	return v.format(*v.into)
}

// Type is the name of the value in the help.
func (v *value[T]) Type() string { return v.kind }

var _ pflag.Value = (*value[int])(nil)

func durationVar(set *pflag.FlagSet, into *time.Duration, name, help string) {
	set.Var(&value[time.Duration]{into, "duration", plan.ParseDuration, formatDuration}, name, help)
}

// formatDuration leaves 0 out, which stands for "decided later" or "none".
func formatDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	s := d.String()
	// 5m0s reads better as 5m.
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func shareVar(set *pflag.FlagSet, into *float64, name, help string) {
	set.Var(&value[float64]{into, "share", plan.ParseShare, formatShare}, name, help)
}

func formatShare(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v*100, 'g', 6, 64) + "%"
}

func rateVar(set *pflag.FlagSet, into *float64, name, help string) {
	set.Var(&value[float64]{into, "rate", parseNumber, func(v float64) string {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}}, name, help)
}

func parseNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// integer is what a count may be stored in.
type integer interface{ ~int | ~int64 | ~uint64 }

func countVar[T integer](set *pflag.FlagSet, into *T, name, kind, help string) {
	set.Var(&value[T]{into, kind, parseCount[T], func(v T) string { return fmt.Sprint(v) }}, name, help)
}

func parseCount[T integer](s string) (T, error) {
	text := strings.TrimSpace(s)
	// Base 0 would take 0x10 and 010, and 1_000 with them; only the last is welcome.
	text = strings.ReplaceAll(text, "_", "")
	var zero T
	var v T
	var err error
	switch any(zero).(type) {
	case uint64:
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		v = T(n)
	default:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v = T(n)
	}
	if errors.Is(err, strconv.ErrRange) && text[0] != '-' {
		return 0, fmt.Errorf("%q is too large", s)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return v, nil
}

func sizeVar(set *pflag.FlagSet, into *int, name, help string) {
	parse := func(s string) (int, error) {
		n, err := plan.ParseSize(s)
		if err != nil {
			return 0, err
		}
		if n > 1<<31-1 {
			return 0, fmt.Errorf("%q is more than 2 GiB", s)
		}
		return int(n), nil
	}
	set.Var(&value[int]{into, "size", parse, formatSize}, name, help)
}

func formatSize(n int) string {
	switch {
	case n == 0:
		return ""
	case n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "MiB"
	case n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "KiB"
	}
	return strconv.Itoa(n)
}

// stringVar is a string that must not be empty when it is given.
func stringVar(set *pflag.FlagSet, into *string, name, kind, help string) {
	parse := func(s string) (string, error) {
		if s == "" {
			return "", fmt.Errorf("the value is empty")
		}
		return s, nil
	}
	set.Var(&value[string]{into, kind, parse, func(s string) string { return s }}, name, help)
}

func stagesVar(set *pflag.FlagSet, into *[]plan.Stage, name, help string) {
	set.Var(&value[[]plan.Stage]{into, "stages", plan.ParseStages, plan.FormatStages}, name, help)
}

// each is a flag that may be given several times.
type each struct {
	kind string
	add  func(string) error
}

// Set takes one more value.
func (e each) Set(s string) error { return e.add(s) }

// String shows nothing: no such flag has a default.
func (e each) String() string { return "" }

// Type is the name of the value in the help.
func (e each) Type() string { return e.kind }
