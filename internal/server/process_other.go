//go:build !unix

package server

import (
	"os"
	"os/exec"
)

// The signals that end a child.
var terminate, kill = os.Interrupt, os.Kill

func ownGroup(*exec.Cmd) {}

func (c *Child) signal(s os.Signal) {
	if c.cmd.Process.Signal(s) != nil {
		_ = c.cmd.Process.Kill()
	}
}

// openFiles is how many files this process may have open; nothing here bounds it.
func openFiles() int { return 0 }
