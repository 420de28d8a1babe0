//go:build unix

package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/leaktest"
)

// roles are what the test binary does when it is started again as a child.
var roles = map[string]func(){
	"good": func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		go func() { // connections are held until the process ends
			var held []net.Conn
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				held = append(held, c)
				runtime.KeepAlive(held)
			}
		}()
		if err := Announce(os.Stdout, "ws://"+l.Addr().String()+"/chat/1", "nats://secret@"+l.Addr().String()); err != nil {
			panic(err)
		}
		ctx := WatchParent(context.Background(), os.Stdin)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), ErrParentGone) {
			os.Exit(7)
		}
	},
	"busy": func() {
		_ = Announce(os.Stdout, "ws://127.0.0.1:1/", "")
		go func() {
			for spins := 0; ; spins++ { // a processor's worth of nothing, half of it the system's
				if spins%512 == 0 {
					_, _ = os.Stat("/")
				}
			}
		}()
		<-WatchParent(context.Background(), os.Stdin).Done()
	},
	"talkative": func() {
		_ = Announce(os.Stdout, "ws://127.0.0.1:1/", "")
		for range 10000 { // far more than a pipe holds
			fmt.Println(strings.Repeat("x", 99))
		}
		<-WatchParent(context.Background(), os.Stdin).Done()
	},
	"early": func() {
		fmt.Fprintln(os.Stderr, "the port is taken")
		os.Exit(3)
	},
	"explains": func() {
		fmt.Fprint(os.Stderr, "loading\nplimsoll: the disk is full\nhint: delete something\n")
		os.Exit(1)
	},
	"nonsense":  func() { fmt.Println("hello"); _, _ = io.Copy(io.Discard, os.Stdin) },
	"noaddress": func() { fmt.Println(`{"pid":1}`); _, _ = io.Copy(io.Discard, os.Stdin) },
	"mute":      func() { _, _ = io.Copy(io.Discard, os.Stdin) },
	"failing": func() {
		_ = Announce(os.Stdout, "ws://127.0.0.1:1/", "")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(5)
	},
	"slow": func() { // leaves when it is told to
		_ = Announce(os.Stdout, "ws://127.0.0.1:1/", "")
		select {}
	},
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		_ = Announce(os.Stdout, "ws://127.0.0.1:1/", "")
		select {}
	},
	"parent": func() {
		c, err := start(context.Background(), unhurried(), os.Args[0], []string{"role", "good"}, os.Stderr)
		if err != nil {
			panic(err)
		}
		fmt.Println(c.URL())
		select {}
	},
}

// unhurried gives a child all the time that a busy machine takes for it. What a test wants to run
// out is shorter.
func unhurried() limits {
	return limits{ready: time.Minute, leave: time.Minute, kill: time.Minute, drain: time.Minute}
}

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "role" {
		// A signal's channel keeps the runtime from calling an empty select a deadlock.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
		roles[os.Args[2]]()
		return
	}
	leaktest.Main(m)
}

func run(t *testing.T, l limits, role string) (*Child, error) {
	t.Helper()
	return start(t.Context(), l, os.Args[0], []string{"role", role}, t.Output())
}

func mustRun(t *testing.T, l limits, role string) *Child {
	t.Helper()
	c, err := run(t, l, role)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(context.Background()) })
	return c
}

func TestChildAnnouncesItselfAndLeaves(t *testing.T) {
	c := mustRun(t, unhurried(), "good")
	if !strings.HasPrefix(c.URL(), "ws://127.0.0.1:") {
		t.Errorf("URL %q", c.URL())
	}
	if broker := strings.Replace(c.URL(), "ws://", "nats://secret@", 1); c.Broker()+"/chat/1" != broker {
		t.Errorf("broker %q, want that of %q", c.Broker(), broker)
	}
	if c.PID() != c.cmd.Process.Pid {
		t.Errorf("PID %d, want %d", c.PID(), c.cmd.Process.Pid)
	}
	group, err := syscall.Getpgid(c.PID())
	if err != nil || group != c.PID() {
		t.Errorf("process group %d, want its own, %d (%v)", group, c.PID(), err)
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d: it should have left by itself", code)
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Errorf("second Stop: %v", err)
	}
}

func TestChildDiesWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0], "role", "parent")
	parent.Stderr = t.Output()
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "ws://"), "/chat/1")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	// The child holds the connection for as long as it lives.
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the child wrote")
	}
}

func TestStartFails(t *testing.T) {
	short := unhurried()
	short.ready = 50 * time.Millisecond
	for _, test := range []struct {
		role       string
		limits     limits
		want, hint string
	}{
		{"early", unhurried(), "exited before it was ready: exit status 3", "its output: the port is taken"},
		{"explains", unhurried(), "the embedded server failed to start: the disk is full", "delete something"},
		{"nonsense", unhurried(), `announced an invalid address "hello"`, "use the URL"},
		{"noaddress", unhurried(), "it contains no address", "use the URL"},
		{"mute", short, "was not ready within 50ms", "use the URL"},
	} {
		t.Run(test.role, func(t *testing.T) {
			_, err := run(t, test.limits, test.role)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if hint := fault.HintOf(err); !strings.Contains(hint, test.hint) {
				t.Errorf("hint %q, want one with %q", hint, test.hint)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		_, err := Start(t.Context(), "/does/not/exist", nil, nil)
		if !errors.Is(err, os.ErrNotExist) || fault.CodeOf(err) != fault.RunFailed {
			t.Errorf("error %v", err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user is gone")
		cancel(why)
		if _, err := start(ctx, unhurried(), os.Args[0], []string{"role", "mute"}, nil); !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
	})
}

func TestStopEscalates(t *testing.T) {
	short := unhurried()
	short.leave = 10 * time.Millisecond
	if err := mustRun(t, short, "slow").Stop(t.Context()); err != nil {
		t.Errorf("a child that needs a signal: %v", err)
	}
	short.kill = 10 * time.Millisecond
	err := mustRun(t, short, "stubborn").Stop(t.Context())
	if err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("a child that ignores the signal: %v", err)
	}
	if err := mustRun(t, unhurried(), "failing").Stop(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "exit status 5") {
		t.Errorf("a child that fails at the end: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	patient := unhurried()
	patient.leave = time.Hour
	if err := mustRun(t, patient, "slow").Stop(over); err != nil {
		t.Errorf("a context that is over must not wait: %v", err)
	}
}

func TestChildThatEndsByItselfIsNoticed(t *testing.T) {
	c := mustRun(t, unhurried(), "good")
	if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Exited()
	if err := c.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Stop says %v", err)
	}
}

func TestOutputAfterTheAnnouncementHoldsNothingUp(t *testing.T) {
	if err := mustRun(t, unhurried(), "talkative").Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCPU(t *testing.T) {
	c := mustRun(t, unhurried(), "busy")
	var user, system time.Duration
	for user == 0 || system == 0 { // the child uses both, so this ends
		var err error
		if user, system, err = c.CPU(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	lastUser, lastSystem, err := c.CPU()
	if err != nil || lastUser+lastSystem < user+system || lastUser == 0 || lastSystem == 0 {
		t.Errorf("CPU of its life %v + %v, before its end %v + %v (%v)", lastUser, lastSystem, user, system, err)
	}
}

func FuzzParseReady(f *testing.F) {
	f.Add([]byte(`{"url":"ws://127.0.0.1:1/chat/1","pid":7}`))
	f.Add([]byte(`{"url":"","pid":-1}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if r, err := parseReady(line); err == nil && (r.URL == "" || r.PID <= 0) {
			t.Errorf("%q gives %+v", line, r)
		}
	})
}

func TestTail(t *testing.T) {
	var next strings.Builder
	tl := tail{next: &next}
	fmt.Fprintln(&tl, "starting")
	if next.Len() > 0 {
		t.Errorf("%q was passed on before the child was ready", next.String())
	}
	tl.release()
	for range 1000 {
		fmt.Fprintln(&tl, "line")
	}
	fmt.Fprint(&tl, "last\r\n")
	if got := tl.String(); len(got) > 2*maxTail || !strings.HasSuffix(got, "line; last") {
		t.Errorf("tail %q", got)
	}
	if next.Len() != 9+1000*5+6 {
		t.Errorf("%d bytes were passed on", next.Len())
	}
}

// What a child comes to that says nothing of where it is: why it ended, or that it will say nothing any more.
func TestStartReportsSilentChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := func(ended bool, why error) error {
			c := &Child{limits: limits{ready: time.Second}, exited: make(chan struct{}), err: why}
			if ended {
				close(c.exited)
			}
			line := make(chan []byte, 1)
			line <- nil
			return c.await(t.Context(), line)
		}
		for want, err := range map[string]error{
			"the embedded server exited before it was ready: exit status 0": said(true, nil),
			"the embedded server exited before it was ready: killed":        said(true, errors.New("killed")),
			"the embedded server closed its output before it was ready":     said(false, nil),
		} {
			if err == nil || err.Error() != want || fault.HintOf(err) != "use the URL of a running server instead" {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
	c := &Child{ready: ready{PID: -1}, exited: make(chan struct{})}
	if user, system, err := c.CPU(); user != 0 || system != 0 || err == nil || !strings.HasPrefix(err.Error(), "CPU time of the embedded server: ") {
		t.Errorf("%v, %v, %v of no process", user, system, err)
	}
}
