//go:build !linux

package wire

import "net"

// unseen says why there are no stamps on this system.
const unseen = "only available on Linux"

// kernel stands for calls that this system has otherwise, or not at all.
type kernel struct{ stamps bool }

func (t *Times) hold() {}

func (k *kernel) open(net.Conn, *Times) {}

func (k *kernel) receive([]byte, *Conn) (n int, wall int64, err error) { return 0, 0, net.ErrClosed }

// gone does not know.
func (k *kernel) gone() bool { return false }

// untaken does not know.
func (k *kernel) untaken(int) bool { return false }

// send takes nothing, so that all is kept for Flush.
func (k *kernel) send([]byte) (int, error) { return 0, nil }
