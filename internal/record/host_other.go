//go:build !linux

package record

func systemNames() (kernel, cpu string) { return "", "" }
