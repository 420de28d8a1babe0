//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the head of a group, which is killed whole: tests start processes of their own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// bounded is the command with a bound on its memory: a loop that a mutant made endless may fill it.
func bounded(binary string, args []string) (string, []string) {
	return "/bin/sh", append([]string{"-c", `ulimit -v 8000000; exec "$0" "$@"`, binary}, args...)
}
