//go:build unix

package exec

import (
	"io"
	"os/exec"
	"syscall"
)

// group is a group of processes of its own, which keeps a terminal's interrupt from the command: it is
// passed on, once. The group ends with us, also when we are killed: its leader waits for the end of a pipe
// that nobody else holds, and kills it then. The signal that Linux has for the end of a parent would reach
// only the process that we have started, and nothing that this has started.
type group struct {
	leader *exec.Cmd
	held   io.Closer
}

// newGroup waits until the leader is ready, so that nothing in the group is without it.
func newGroup() (*group, error) {
	leader := exec.Command("sh", "-c", `trap '' HUP INT QUIT TERM; echo; read end; kill -s KILL 0`)
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	held, err := leader.StdinPipe()
	if err != nil {
		return nil, err
	}
	ready, err := leader.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := leader.Start(); err != nil {
		return nil, err
	}
	g := &group{leader, held}
	if _, err := io.ReadFull(ready, make([]byte, 1)); err != nil {
		g.release()
		return nil, err
	}
	return g, nil
}

// add has a command start in the group.
func (g *group) add(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.leader.Process.Pid}
}

// A process that has gone needs no signal.
func (g *group) interrupt() { _ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGINT) }
func (g *group) terminate() { _ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGTERM) }
func (g *group) kill()      { _ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGKILL) }

// release ends the group.
func (g *group) release() {
	g.kill()
	_ = g.leader.Wait() // it was killed
	_ = g.held.Close()
}

// endingSignal is the signal that ended a process, or "".
func endingSignal(e *exec.ExitError) string {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
