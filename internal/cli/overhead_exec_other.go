//go:build !unix

package cli

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func interruptGroup(cmd *exec.Cmd) {
	if cmd.Process.Signal(os.Interrupt) != nil {
		killGroup(cmd)
	}
}

// A process that has gone need not be killed.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// endingSignal is "": a process is not ended by signals here.
func endingSignal(*exec.ExitError) string { return "" }
