package leaktest

import (
	"errors"
	"testing"

	"go.uber.org/goleak"
)

// code is what tests ended with.
type code int

func (c code) Run() int { return int(c) }

// TestPatience: what ends late is waited for, what does not end is not waited for without end, and tests that failed
// say so at once.
func TestPatience(t *testing.T) {
	for _, c := range []struct{ code, leaks, want int }{{0, 0, 1}, {0, 3, 4}, {0, 1 << 30, looks}, {1, 3, 0}} {
		looked := 0
		p := patient{code(c.code), func(...goleak.Option) error {
			if looked++; looked <= c.leaks {
				return errors.New("a goroutine is left")
			}
			return nil
		}}
		if got := p.Run(); got != c.code || looked != c.want {
			t.Errorf("%+v: it ended with %d, and was looked %d times", c, got, looked)
		}
	}
}
