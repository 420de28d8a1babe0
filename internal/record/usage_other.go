//go:build !linux

package record

// readSystem leaves out what this system does not tell in a way that we know.
func (u *Usage) readSystem() {}

func systemNames() (kernel, cpu string) { return "", "" }
