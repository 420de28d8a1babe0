//go:build unix

package server

import (
	"math"
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

// openFiles is how many files this process may have open, 0 if it is not known.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) //nolint:unconvert // the type differs by system
}
