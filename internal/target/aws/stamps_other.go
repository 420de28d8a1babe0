//go:build !linux || !(amd64 || arm64)

package aws

import (
	"errors"
	"net"
	"time"
)

// stamps are the kernel's, where it gives them.
type stamps struct{}

func newStamps(net.Conn) *stamps { return nil }

func (*stamps) read([]byte) (int, time.Duration, bool, error) {
	return 0, 0, false, errors.ErrUnsupported
}
