//go:build !linux

package wake

func newSleeper() sleeper { return newTimerSleeper() }
