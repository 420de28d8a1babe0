//go:build !linux

package chat

func newAlarm() (alarm, error) { return newTimerAlarm(), nil }
