package othertools

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a value looks like tells tools apart that give one letter different meanings.

func looksLikeNumber(v string) bool {
	_, err := strconv.ParseFloat(strings.ReplaceAll(v, "_", ""), 64)
	return err == nil
}

func looksLikeTime(v string) bool {
	_, err := time.ParseDuration(v)
	return err == nil
}

func looksLikeTimeOrNumber(v string) bool { return v == "" || looksLikeTime(v) || looksLikeNumber(v) }

// looksLikeStage: k6 writes 30s:100.
func looksLikeStage(v string) bool {
	before, _, found := strings.Cut(v, ":")
	return found && looksLikeTime(before)
}

// looksLikeOutput: k6 writes json=FILE.
func looksLikeOutput(v string) bool {
	return strings.HasPrefix(v, "json=") || strings.HasPrefix(v, "csv=")
}

func looksLikeJSONOutput(v string) bool { return strings.HasPrefix(v, "json=") }

func looksLikeCSVOutput(v string) bool { return strings.HasPrefix(v, "csv=") }

// looksLikeMethod: GET, POST.
func looksLikeMethod(v string) bool {
	return len(v) > 2 && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func hasAny(chars string) func(string) bool {
	return func(v string) bool { return strings.ContainsAny(v, chars) }
}

func looksLikeNothing(v string) bool { return v == "" }

func endsIn(ending string) func(string) bool {
	return func(v string) bool { return strings.HasSuffix(strings.ToLower(v), ending) }
}

func isWord(words ...string) func(string) bool {
	return func(v string) bool {
		for _, w := range words {
			if strings.EqualFold(v, w) {
				return true
			}
		}
		return false
	}
}

// What is written in another way here.

// withUnit: a bare number of seconds.
func withUnit(v string) string {
	if looksLikeNumber(v) {
		return v + "s"
	}
	return v
}

// perSecond: vegeta writes 50/1s or 50/s.
func perSecond(v string) string {
	number, unit, _ := strings.Cut(v, "/")
	if unit == "" || unit == "s" || unit == "1s" {
		return number
	}
	return v
}

// fileOf: k6 writes json=FILE.
func fileOf(v string) string {
	_, file, _ := strings.Cut(v, "=")
	if file == "" {
		return "FILE"
	}
	return file
}

// Plain is a number of other tools as it is written here: 500/s is 500, and 1k is 1000. "" when it is none of these.
func Plain(value string) string {
	number, times := strings.ToLower(perSecond(value)), 1.0
	if cut, found := strings.CutSuffix(number, "k"); found {
		number, times = cut, 1e3
	} else if cut, found := strings.CutSuffix(number, "m"); found {
		number, times = cut, 1e6
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || number == value {
		return ""
	}
	return strconv.FormatFloat(v*times, 'f', -1, 64)
}

func beginsWith(beginnings ...string) func(string) bool {
	return func(v string) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(v, b) })
	}
}
