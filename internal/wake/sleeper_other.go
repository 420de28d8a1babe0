//go:build !linux

package wake

import (
	"errors"
	"runtime"
)

func newSleeper() sleeper { return newTimerSleeper() }

func newExactSleeper() sleeper { return newTimerSleeper() }

func newThreadSleeper() sleeper { return newTimerSleeper() }

// ownThread gives the calling goroutine a thread that ends with it.
func ownThread(realtime bool) error {
	runtime.LockOSThread()
	if realtime {
		return errors.New("not supported on " + runtime.GOOS)
	}
	return nil
}
