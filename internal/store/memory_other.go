//go:build !linux

package store

import "syscall"

// memoryLimit is more than any machine has. Go ends the process when there is not enough.
const memoryLimit = 1 << 40

func newMemory(size int64) ([]byte, error) {
	if size < 1 || size > memoryLimit || size != int64(int(size)) {
		return nil, syscall.ENOMEM
	}
	return make([]byte, size), nil
}

// freeMemory leaves it to the garbage collector.
func freeMemory([]byte) {}
