package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
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
	set.Var(&value[time.Duration]{into, "duration", setting.ParseDuration, setting.FormatDuration}, name, help)
}

func shareVar(set *pflag.FlagSet, into *float64, name, help string) {
	set.Var(&value[float64]{into, "share", setting.ParseShare, setting.FormatShare}, name, help)
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

func countVar[T setting.Integer](set *pflag.FlagSet, into *T, name, kind, help string) {
	set.Var(&value[T]{into, kind, setting.ParseCount[T], func(v T) string { return fmt.Sprint(v) }}, name, help)
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
