//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's interrupt from the command: it is passed on, once. And it has the shell
// end with us, where that can be had.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithUs(cmd.SysProcAttr)
}

// A group that has gone needs no signal.
func interruptGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
func killGroup(cmd *exec.Cmd)      { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// endingSignal is the signal that ended a process, or "".
func endingSignal(e *exec.ExitError) string {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
