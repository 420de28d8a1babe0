//go:build !linux

package kv

// machineMemory is a guess where the system cannot be asked without a library.
func machineMemory() int64 { return 4 << 30 }
