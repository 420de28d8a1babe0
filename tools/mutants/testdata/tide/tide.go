// Package tide has mutants of each kind, of which it is known whether the tests beside it notice them.
package tide

import (
	"errors"
	"time"
)

// Slack is how long the water stands still. It is noticed; Spare is not.
const (
	Slack = 20 * time.Minute
	Spare = 300 * time.Millisecond
)

// Lengths of arrays and enumerations have no mutants.
type Moon [28]bool

const (
	Low = iota
	High
)

// Enough is noticed on both sides of its bound.
func Enough(depth, draught float64) bool { return depth >= draught }

// Over is not asked at its bound: < for <= survives there.
func Over(a, b int) bool {
	return a < b
}

// Sail has an error that nobody looks at. The zero beside its other error has no mutant.
func Sail(wind int) (knots int, err error) {
	if wind == 0 {
		return 0, errors.New("no wind")
	}
	return wind / 2, nil
}

// Wait does not end where the one that it takes off is none: the time kills that mutant.
func Wait(n int) int {
	for n > 0 {
		n -= 1
	}
	return n
}

// Never is not called by a test.
func Never() bool { return true }

// First has a mutant that nothing can notice: of two equal ones it is the same which is taken.
func First(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// Name tells a text that decides from one that is shown.
func Name(at string) (string, bool) {
	switch at {
	case "harbour":
		return "in the harbour", true
	}
	return "at sea", at == "sea" || at == "ocean"
}
