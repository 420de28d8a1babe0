//go:build !unix

package exec

import (
	"os"
	"os/exec"
)

// group is the command alone: it goes on when we are killed, and what it has started does.
type group struct{ cmd *exec.Cmd }

func newGroup() (*group, error)    { return &group{}, nil }
func (g *group) add(cmd *exec.Cmd) { g.cmd = cmd }
func (g *group) release()          {}

func (g *group) interrupt() {
	if g.cmd.Process.Signal(os.Interrupt) != nil {
		g.kill()
	}
}

// terminate kills: there is nothing softer that every program understands.
func (g *group) terminate() { g.kill() }

// A process that has gone need not be killed.
func (g *group) kill() { _ = g.cmd.Process.Kill() }

// endingSignal is "": a process is not ended by signals here.
func endingSignal(*exec.ExitError) string { return "" }
