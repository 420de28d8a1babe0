//go:build !linux

package disk

import (
	"errors"
	"os"
)

// What Linux tells, other systems are not asked for: then writing finds it out.

const noFollow = 0

func freeSpace(string) (int64, bool) { return 0, false }

func filesystem(string) string { return "" }

func writable(string, bool) error { return nil }

func fileLimit() (int64, bool) { return 0, false }

func dropCache(*os.File) (int64, error) { return 0, errors.ErrUnsupported }

func freeMemory() (int64, bool) { return 0, false }
