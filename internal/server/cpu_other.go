//go:build !linux

package server

import (
	"errors"
	"time"
)

func processCPU(int) (user, system time.Duration, err error) {
	return 0, 0, errors.ErrUnsupported
}
