package hadoop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes as Hadoop writes it: an integer that a k, m, g, t, p or e may
// follow, each 1024 times the one before. It is false when none of the keys is set.
func (s *Settings) Size(keys ...string) (int64, bool, error) {
	return value(s, keys, "a size in bytes, such as 8388608, 32M or 1G", func(text string) (int64, bool) {
		number, unit := text, int64(1)
		if i := strings.IndexByte("kmgtpe", lower(text[len(text)-1])); i >= 0 {
			number, unit = text[:len(text)-1], 1<<(10*(i+1))
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n > math.MaxInt64/unit || n < math.MinInt64/unit {
			return 0, false
		}
		return n * unit, true
	})
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Duration is a time as Hadoop writes it: an integer, with ns, us, ms, s, m, h or d behind it;
// without, the number counts in unit. It is false when none of the keys is set.
func (s *Settings) Duration(unit time.Duration, keys ...string) (time.Duration, bool, error) {
	return value(s, keys, "a duration, such as 5s, 200ms or 1m", func(text string) (time.Duration, bool) {
		digits := strings.TrimRight(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz")
		per := unit
		switch suffix := strings.ToLower(text)[len(digits):]; suffix {
		case "":
		case "ns":
			per = time.Nanosecond
		case "us":
			per = time.Microsecond
		case "ms":
			per = time.Millisecond
		case "s":
			per = time.Second
		case "m":
			per = time.Minute
		case "h":
			per = time.Hour
		case "d":
			per = 24 * time.Hour
		default:
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || per <= 0 || n > math.MaxInt64/int64(per) || n < math.MinInt64/int64(per) {
			return 0, false
		}
		return time.Duration(n) * per, true
	})
}

// Bool is true or false, in letters of any case. Its second result is false when none of the keys is set.
func (s *Settings) Bool(keys ...string) (bool, bool, error) {
	return value(s, keys, "true or false", func(text string) (bool, bool) {
		switch strings.ToLower(text) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
		return false, false
	})
}

// Int is an integer, decimal or with 0x before it. It is false when none of the keys is set.
func (s *Settings) Int(keys ...string) (int64, bool, error) {
	return value(s, keys, "an integer", func(text string) (int64, bool) {
		base := 10
		digits := strings.TrimPrefix(text, "-")
		if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
			digits, base = hex, 16
		}
		if strings.HasPrefix(text, "-") {
			digits = "-" + digits
		}
		n, err := strconv.ParseInt(digits, base, 64)
		return n, err == nil
	})
}

// List is a list of words between commas, without white space around them; nil when none of
// the keys is set.
func (s *Settings) List(keys ...string) []string {
	text, _ := s.Lookup(keys...)
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// value looks a value up and parses it. What was looked up is not empty.
func value[T any](s *Settings, keys []string, what string, parse func(string) (T, bool)) (T, bool, error) {
	var none T
	key, text := s.find(false, keys)
	if text == "" {
		return none, false, nil
	}
	v, ok := parse(text)
	if !ok {
		s.mu.Lock()
		p := s.values[key]
		text, source := s.shown(key, p), p.source
		s.mu.Unlock()
		return none, false, fmt.Errorf("%s: %s is %.60q, which is not %s", source, key, text, what)
	}
	return v, true, nil
}
