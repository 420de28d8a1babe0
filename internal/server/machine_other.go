//go:build !linux

package server

// MachineMemory is a guess where the system cannot be asked without a library.
func MachineMemory() int64 { return assumedMemory }
