package server

import (
	"net"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// The settings that servers have in common, in the words of all of them.

// ListenFlag is the address to listen on. hint says what to give instead of a wrong one.
func ListenFlag(into *string, hint string) *setting.Setting {
	help := "address to listen on, host:port; port 0 selects a free one"
	return setting.Text(into, "listen", "address", help).SetByRun().Rule(func(flag string) error {
		if _, _, err := net.SplitHostPort(*into); err != nil {
			return fault.New(fault.Usage, "%s %q is not a valid address: %w", flag, *into, err).Hint("%s", hint)
		}
		return nil
	})
}

// TimeFlag is a time that bounds something, and is longer than nothing.
func TimeFlag(into *time.Duration, name, help string) *setting.Setting {
	return setting.Duration(into, name, help).Rule(func(flag string) error {
		if *into <= 0 {
			return fault.New(fault.Usage, "%s %v must be above 0", flag, *into).Hint("give a time such as 5s")
		}
		return nil
	})
}

// NotNegative is a time that may be 0.
func NotNegative(into *time.Duration, name, help string) *setting.Setting {
	return setting.Duration(into, name, help).Rule(func(flag string) error {
		if *into < 0 {
			return fault.New(fault.Usage, "%s %v is negative", flag, *into).
				Hint("give 0 for none, or a time such as 20ms")
		}
		return nil
	})
}

// HeaderFlag bounds how long a request takes to say what it wants.
func HeaderFlag(into *time.Duration) *setting.Setting {
	return TimeFlag(into, "header-timeout", "maximum time to receive the headers of a request")
}

// ShutdownFlag bounds the graceful end.
func ShutdownFlag(into *time.Duration) *setting.Setting {
	return TimeFlag(into, "shutdown-timeout", "maximum time for open requests at shutdown")
}

// RateFlag is the share of operations that suffer a fault. one is an operation's name.
func RateFlag(into *float64, name, one, help string) *setting.Setting {
	return setting.Share(into, name, help).Rule(func(flag string) error {
		if !(*into >= 0 && *into <= 1) { // NaN fails too
			return fault.New(fault.Usage, "%s %v is not between 0 and 1", flag, *into).
				Hint("use a number from 0 to 1; 0.01 is one %s in a hundred", one)
		}
		return nil
	})
}
