//go:build !unix

package outfile

// lock does nothing.
func lock(any) error { return nil }

// Claim does nothing: of two commands that write to one directory the later one keeps its files beside the others.
func Claim(string) (release func() error, err error) { return func() error { return nil }, nil }
