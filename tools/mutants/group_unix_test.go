//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDevicesStay: a test that a mutant has led astray moves no device away, even where root runs it.
func TestDevicesStay(t *testing.T) {
	if os.Getuid() != 0 || exec.Command("unshare", "--mount", "true").Run() != nil {
		t.Skip("only root may move devices, and only some systems keep root from it")
	}
	file, err := os.CreateTemp("/dev", "mutants-")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	name, args := bounded("/bin/sh", []string{"-c", `echo to the device >/dev/null && mv "$0" "$0.away"`, file.Name()})
	out, err := exec.Command(name, args...).CombinedOutput()
	if err == nil {
		t.Errorf("it was moved: %s", out)
	}
	if _, err := os.Stat(file.Name()); err != nil {
		t.Error(err)
	}
	name, args = bounded("/bin/sh", []string{"-c", `echo well >"$0"`, filepath.Join(t.TempDir(), "x")})
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Errorf("an ordinary file: %v, %s", err, out)
	}
}
