package gs

import "syscall"

// dead is a connection that is lost.
type dead struct{}

func (dead) Read([]byte) (int, error) { return 0, syscall.ECONNRESET }
