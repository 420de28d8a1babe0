//go:build unix

package server

import (
	"os/exec"
	"syscall"
)

// The signals that end a child.
const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signal reaches the child and whatever it has started in its group. A group that has gone
// needs no signal.
func (c *Child) signal(s syscall.Signal) { _ = syscall.Kill(-c.cmd.Process.Pid, s) }
