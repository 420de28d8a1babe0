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
