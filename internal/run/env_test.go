//go:build unix

package run

import (
	"os"
	"testing"
)

// Any other error of writing is one.
func TestStdoutThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	if n, err := (&output{file: full}).Write([]byte("x")); err == nil || n != 0 {
		t.Errorf("%d bytes were written to a full device: %v", n, err)
	}
}
