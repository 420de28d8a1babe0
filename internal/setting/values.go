package setting

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Integer is what a count may be stored in.
type Integer interface{ ~int | ~int64 | ~uint64 }

// Count is a whole number.
func Count[T Integer](into *T, name, kind, help string) *Setting {
	s := Of(into, name, kind, help, ParseCount[T], func(v T) string { return fmt.Sprint(v) })
	s.number = func() int64 { return int64(*into) }
	return s
}

// ParseCount reads a whole number, also as 1_000_000.
func ParseCount[T Integer](s string) (T, error) {
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

// Duration is a length of time.
func Duration(into *time.Duration, name, help string) *Setting {
	s := Of(into, name, "duration", help, ParseDuration, FormatDuration)
	s.Unit = Time
	return s
}

// Share is a part of a whole, from 0 to 1.
func Share(into *float64, name, help string) *Setting {
	return Of(into, name, "share", help, ParseShare, FormatShare)
}

// Rate is a number of operations per second.
func Rate(into *float64, name, help string) *Setting {
	parse := func(s string) (float64, error) {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", s)
		}
		return v, nil
	}
	shown := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	return Of(into, name, "rate", help, parse, shown)
}

// Size is a number of bytes.
func Size[T int | int64](into *T, name, help string) *Setting {
	parse := func(s string) (T, error) {
		n, err := ParseSize(s)
		if err != nil {
			return 0, err
		}
		var zero T
		if _, small := any(zero).(int); small && n > 1<<31-1 {
			return 0, fmt.Errorf("%q is more than 2 GiB", s)
		}
		return T(n), nil
	}
	s := Of(into, name, "size", help, parse, func(n T) string { return FormatSize(int64(n)) })
	s.Unit = Bytes
	return s
}

// Switch is on or off.
func Switch(into *bool, name, help string) *Setting {
	s := Of(into, name, "bool", help, parseSwitch, strconv.FormatBool).Offer("true", "false")
	s.onOrOff = true
	return s
}

func parseSwitch(s string) (bool, error) {
	on, err := strconv.ParseBool(s)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", s)
	}
	return on, nil
}

// Text must not be empty when it is given.
func Text(into *string, name, kind, help string) *Setting {
	parse := func(s string) (string, error) {
		if s == "" {
			return "", errors.New("the value is empty")
		}
		return s, nil
	}
	return Of(into, name, kind, help, parse, func(s string) string { return s })
}

// Output names a file or a directory that is written. "-", which many tools take for standard output, is refused: that
// has what the command prints.
func Output(into *string, name, kind, help string) *Setting {
	s := Text(into, name, kind, help)
	parse := s.parse
	s.Written, s.parse = true, func(text string) error {
		if text == "-" {
			return fault.New(fault.Usage, `"-" does not mean stdout here, because the command prints there`).
				Hint("use a file name; ./- is a file of that name, and /dev/stdout is stdout")
		}
		return parse(text)
	}
	return s
}

// Word is one of a few words, which a shell offers; a rule says which.
func Word[T ~string](into *T, name, kind, help string, words ...T) *Setting {
	parse := func(s string) (T, error) { return T(s), nil }
	s := Of(into, name, kind, help, parse, func(v T) string { return string(v) })
	for _, w := range words {
		s.Words = append(s.Words, string(w))
	}
	return s
}

// Each may be given several times; add takes one more value.
func Each(name, kind, help string, add func(string) error) *Setting {
	var nothing struct{}
	s := Field(&nothing)
	s.Name, s.Kind, s.Help, s.parse, s.Several = name, kind, help, add, true
	return s
}

// List may be given several times, once for each of its texts.
func List(into *[]string, name, kind, help string) *Setting {
	s := Each(name, kind, help, func(text string) error {
		*into = append(*into, text)
		return nil
	})
	s.encode = func() any { return *into }
	return s
}
