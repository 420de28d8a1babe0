//go:build !linux

package throughputtest

// farEndInstead does nothing: there are no links but on Linux.
func farEndInstead() {}
