//go:build !linux || !(amd64 || arm64)

package aws

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// stamps are the kernel's, where it gives them.
type stamps struct{}

func stampListener(_, _ string, _ syscall.RawConn) error { return nil }

func newStamps(net.Conn) *stamps { return nil }

func (*stamps) wrote(int) time.Time { return time.Time{} }

func (*stamps) read([]byte) (int, time.Time, error) { return 0, time.Time{}, errors.ErrUnsupported }
