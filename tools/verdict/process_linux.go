package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// process is a child, which is ended by its id.
type process struct {
	l    *lab
	cmd  *exec.Cmd
	out  bytes.Buffer
	errs bytes.Buffer
	said *os.File   // what a server prints; open as long as it lives, so that it can
	done chan error // its end
}

// start launches a program in its place and collects its output.
func (l *lab) start(p place, env []string, program ...string) (*process, error) {
	c := l.prepare(p, env, program...)
	c.cmd.Stdout = &c.out
	return c, c.begin()
}

func (l *lab) prepare(p place, env []string, program ...string) *process {
	c := &process{l: l, done: make(chan error, 1)}
	c.cmd = exec.Command(l.self, p.args(program...)...)
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stderr = &c.errs
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return c
}

func (c *process) begin() error {
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.l.children = append(c.l.children, c)
	// goroutine: done tells of its end, for which kill and wait wait.
	go func() { c.done <- c.cmd.Wait() }()
	return nil
}

// wait waits for the end of the process, and ends it when that takes too long or the bench is to end:
// afterwards nobody writes to what it printed.
func (c *process) wait(ctx context.Context, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	var late error
	select {
	case err := <-c.done:
		c.done <- err
		return err
	case <-ctx.Done():
		late = ctx.Err()
	case <-timer.C:
		late = fmt.Errorf("%s did not end within %s", strings.Join(c.cmd.Args, " "), atMost)
	}
	c.signal(syscall.SIGKILL)
	select {
	case err := <-c.done:
		c.done <- err
	case <-time.After(unkillable):
		return fmt.Errorf("%w, nor when it was killed", late)
	}
	return late
}

// unkillable is how long a killed process may take to end: once one stayed in the kernel for good.
const unkillable = 10 * time.Second

// kill ends the process and waits for that. One that has ended is no trouble.
func (c *process) kill() {
	_ = c.cmd.Process.Kill()
	select {
	case err := <-c.done:
		c.done <- err
	case <-time.After(unkillable):
	}
	if c.said != nil {
		c.said.Close()
	}
	if state := c.cmd.ProcessState; state != nil {
		c.l.used += state.UserTime() + state.SystemTime()
	}
	c.l.children = slices.DeleteFunc(c.l.children, func(o *process) bool { return o == c })
}

func (c *process) signal(s syscall.Signal) { _ = c.cmd.Process.Signal(s) } // one that has ended needs none

// serving is a target, and where it is.
type serving struct {
	*process
	served
}

// serve starts a target. It returns when that has printed where it is: first its own address, and
// then that of its message service if it has one.
func (l *lab) serve(p place, program ...string) (*serving, error) {
	c := l.prepare(p, nil, program...)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout, c.cmd.Stderr, c.said = w, w, r
	err = c.begin()
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second)) // a pipe has deadlines
	at, err := readServed(bufio.NewReader(r), slices.Contains(program, "kv"))
	if err != nil {
		c.kill()
		return nil, fmt.Errorf("%s: %w", program[0], err)
	}
	return &serving{c, at}, nil
}
