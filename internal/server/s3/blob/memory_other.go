//go:build !linux

package blob

// newMemory is where data in memory is.
func newMemory() (medium, error) { return heap{}, nil }

// newPattern is where discarded data comes from.
func newPattern() (medium, error) { return &discard{pattern: pattern()}, nil }
