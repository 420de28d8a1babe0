package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// limits bound the waits for a child.
type limits struct {
	ready time.Duration // from the start to the readiness line
	leave time.Duration // from the end of its stdin to its end; then it is told to terminate
	kill  time.Duration // from that to its end; then it is killed
	drain time.Duration // from its end to the end of its output, which others may hold open
}

// defaults leave room for a child that shuts down its server in an orderly way, on a machine that holds it up for
// seconds or is ten times as slow as most.
var defaults = limits{ready: 30 * time.Second, leave: 15 * time.Second, kill: 5 * time.Second, drain: time.Second}

// maxReady bounds the readiness line.
const maxReady = 64 << 10

// Child is an embedded target in a process of its own.
type Child struct {
	ready  ready
	limits limits
	cmd    *exec.Cmd
	stdin  *os.File // the pipe's end that keeps the child alive
	tail   tail     // of its stderr
	env    []string // of the child, beside that of this process
	exited chan struct{}
	err    error // of its end; read it after exited
}

// Start starts exe with args and waits until the child has announced its URL, ctx is done or
// half a minute has passed; a child that is not ready is stopped. ctx does not bound the
// child's life: Stop ends it. What the child writes on its stderr goes to stderr, nil to
// discard it, from another goroutine, once it is ready; if it never is, the error has the end
// of it. env is added to its environment, which only its user can read.
//
// The child gets a process group of its own, so that a terminal's Ctrl-C reaches the parent
// only, which can then stop it in order.
func Start(ctx context.Context, exe string, args []string, stderr io.Writer, env ...string) (*Child, error) {
	return start(ctx, defaults, exe, args, stderr, env...)
}

func start(ctx context.Context, l limits, exe string, args []string, stderr io.Writer, env ...string) (*Child, error) {
	c := &Child{limits: l, exited: make(chan struct{}), env: env}
	stdout, err := c.spawn(exe, args, stderr)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot start the embedded server %s: %w", exe, err).
			Hint("use the URL of a running server instead")
	}
	line := make(chan []byte, 1)
	drained := make(chan struct{})
	// goroutine: drained is waited for by the next one.
	go func() {
		defer close(drained)
		readOutput(stdout, line)
	}()
	// goroutine: Stop waits for exited.
	go func() {
		defer close(c.exited)
		c.err = c.cmd.Wait()
		_ = stdout.SetReadDeadline(time.Now().Add(l.drain))
		<-drained
		_ = c.stdin.Close() // a child that has ended by itself leaves it open
	}()
	if err := c.await(ctx, line); err != nil {
		_ = c.stdin.Close()
		c.signal(kill)
		<-c.exited
		return nil, err
	}
	return c, nil
}

// spawn starts the process and gives the reading end of its stdout.
func (c *Child) spawn(exe string, args []string, stderr io.Writer) (*os.File, error) {
	in, inParent, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	outParent, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inParent.Close())
	}
	defer out.Close()
	c.stdin = inParent
	c.tail.next = stderr
	c.cmd = exec.Command(exe, args...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = in, out, &c.tail
	c.cmd.Env = append(os.Environ(), c.env...)
	c.cmd.WaitDelay = c.limits.drain // for a stderr that others hold open
	ownGroup(c.cmd)
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(err, inParent.Close(), outParent.Close())
	}
	return outParent, nil
}

// readOutput hands over the first line, or what there is of it, and throws the rest away, so
// that the child is never held up by a full pipe.
func readOutput(stdout *os.File, line chan<- []byte) {
	defer stdout.Close()
	r := bufio.NewReaderSize(stdout, maxReady)
	first, _ := r.ReadSlice('\n') // a line without an end is judged as it is
	line <- append([]byte(nil), first...)
	_, _ = io.Copy(io.Discard, r)
}

// await waits for the readiness line.
func (c *Child) await(ctx context.Context, line <-chan []byte) error {
	timeout := time.NewTimer(c.limits.ready)
	defer timeout.Stop()
	var first []byte
	select {
	case first = <-line:
	case <-timeout.C:
		return c.unready("was not ready within %v", c.limits.ready)
	case <-ctx.Done():
		return fmt.Errorf("starting the embedded server: %w", context.Cause(ctx))
	}
	r, err := parseReady(first)
	if err == nil {
		c.ready = r
		c.tail.release()
		return nil
	}
	if len(first) == 0 {
		// Its stdout has ended, so it is leaving; its status says more.
		select {
		case <-c.exited:
			if text, hint := c.tail.failure(); text != "" {
				return fault.New(fault.RunFailed, "the embedded server failed to start: %s", text).Hint("%s", hint)
			}
			return c.unready("exited before it was ready: %v", c.ending())
		case <-timeout.C:
			return c.unready("closed its output before it was ready")
		}
	}
	return c.unready("announced an invalid address %q: %w", strings.TrimSpace(string(first)), err)
}

// unready is the error of a child that cannot be used.
func (c *Child) unready(format string, args ...any) error {
	err := fault.New(fault.RunFailed, "the embedded server "+format, args...)
	if said := c.tail.String(); said != "" {
		return err.Hint("its output: %s", said)
	}
	return err.Hint("use the URL of a running server instead")
}

func (c *Child) ending() string {
	if c.err != nil {
		return c.err.Error()
	}
	return "exit status 0"
}

// URL is where the server answers.
func (c *Child) URL() string { return c.ready.URL }

// Broker is the URL of the message service in the same process, with its token; "" when there is none.
func (c *Child) Broker() string { return c.ready.Broker }

// PID is the server's process id.
func (c *Child) PID() int { return c.ready.PID }

// Exited is closed when the child has ended, whether it was told to or not.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// CPU is the CPU time that the child has used so far, or did in its life once it has ended.
// While it lives the time is exact to 10 ms, and known on Linux only.
func (c *Child) CPU() (user, system time.Duration, err error) {
	select {
	case <-c.exited:
		return c.cmd.ProcessState.UserTime(), c.cmd.ProcessState.SystemTime(), nil
	default:
	}
	user, system, err = processCPU(c.ready.PID)
	if err != nil {
		return 0, 0, fmt.Errorf("CPU time of the embedded server: %w", err)
	}
	return user, system, nil
}

// Stop ends the child and waits for its end: first it reads the end of its stdin, after 15
// seconds or when ctx is done it is told to terminate, and five seconds later it is killed.
// It may be called again. The error says that the child had to be killed, or that it failed.
func (c *Child) Stop(ctx context.Context) error {
	_ = c.stdin.Close()
	leave := time.NewTimer(c.limits.leave)
	defer leave.Stop()
	select {
	case <-c.exited:
		if c.err != nil {
			return fmt.Errorf("the embedded server exited with %w", c.err)
		}
		return nil
	case <-leave.C:
	case <-ctx.Done():
	}
	c.signal(terminate)
	patience := time.NewTimer(c.limits.kill)
	defer patience.Stop()
	select {
	case <-c.exited: // of the signal that it was sent, which is fine
		return nil
	case <-patience.C:
	}
	c.signal(kill)
	<-c.exited
	return errors.New("the embedded server did not exit and was killed")
}
