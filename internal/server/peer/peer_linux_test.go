package peer

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// accepted connects to a listener at an address by a program of its own, and gives both ends. The program
// says its number, uses a processor for a while where it is asked to, and ends with its standard input.
func accepted(t *testing.T, listen, connect string) (net.Conn, int, io.WriteCloser) {
	t.Helper()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		t.Skip(err) // without IPv6
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	cmd := exec.Command("bash", "-c", fmt.Sprintf(`exec 3<>/dev/tcp/%s/%s; echo x >&3; read end`, connect, port))
	held, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err) // without bash
	}
	t.Cleanup(func() { _ = held.Close(); _ = cmd.Wait() })
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := conn.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	return conn, cmd.Process.Pid, held
}

// The program at the other end is the one that was started, over each protocol, and it has waited as long
// as the kernel's own table says.
func TestProcessAtTheOtherEnd(t *testing.T) {
	for _, at := range [][2]string{{"127.0.0.1:0", "127.0.0.1"}, {"[::]:0", "127.0.0.1"}, {"[::1]:0", "::1"}} {
		t.Run(strings.Join(at[:], " by "), func(t *testing.T) {
			conn, pid, held := accepted(t, at[0], at[1])
			ps := New()
			p := ps.Of(conn)
			if p == nil {
				t.Fatal("not found")
			}
			again := ps.Of(conn)
			got := p.Read()
			if got.PID != pid || again != p || got.Age < 0 || got.Age > time.Hour {
				t.Fatalf("%+v, want %d; the same one %v", got, pid, again == p)
			}
			var ran, waited, woken int64
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid)); err == nil {
				fmt.Sscan(string(text), &ran, &waited, &woken)
			}
			// The program waits for the end of its input, but may not yet have come to that.
			if got.Timed && (int64(got.Waited) > waited || got.Busiest > got.Waited) || got.Timed != (woken > 0) {
				t.Errorf("%+v, want at most %d", got, waited)
			}
			if used := p.Read().CPU; used < time.Duration(ran) || used < got.CPU || used <= 0 || used > time.Hour {
				t.Errorf("it used %v of the CPUs, after %v; the kernel's table has %v of its first thread", used, got.CPU,
					time.Duration(ran))
			}
			again.Release()
			p.Release()
			if len(ps.known) != 0 || len(p.threads) != 0 {
				t.Errorf("%d processes and %d threads are kept", len(ps.known), len(p.threads))
			}
			_ = held.Close()
		})
	}
}

// What is known of a process goes on when a thread ends, and what has gone is not known.
func TestExitedProcessIsUnknown(t *testing.T) {
	conn, _, held := accepted(t, "127.0.0.1:0", "127.0.0.1")
	p := New().Of(conn)
	if p == nil {
		t.Fatal("not found")
	}
	defer p.Release()
	before := p.Read()
	_ = held.Close()
	_, _ = io.Copy(io.Discard, conn) // until it has closed its end
	for beginning(p.pid) != 0 && p.Read().Timed {
		if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid)); strings.Contains(string(text), ") Z ") {
			break // nobody has waited for it yet
		}
	}
	if after := p.Read(); after.Waited < before.Waited {
		t.Errorf("%+v, and then %+v", before, after)
	}
	if (*Process)(nil).Read() != (Reading{}) {
		t.Error("something is known of no process")
	}
	if (*Process)(nil).Again() != (Reading{}) {
		t.Error("something is known of no process")
	}
	(*Process)(nil).Release()
}

// What threads waited between two readings counts, and what they waited before a reading that is made again does not.
func TestReadAgainLeavesOutEarlierWaits(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/schedstat")
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(file.Name(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	// Its threads are those that the test says: they are not looked for.
	p := &Process{threads: map[int]*thread{1: {file: fd}}, looked: time.Now().Add(time.Hour)}
	defer p.drop(1)
	for _, step := range []struct {
		waited int
		read   func() Reading
		want   time.Duration
	}{{100, p.Read, 100}, {170, p.Again, 100}, {175, p.Read, 105}, {175, p.Again, 105}, {180, p.Read, 110}} {
		if err := os.WriteFile(file.Name(), fmt.Appendf(nil, "5 %d 7\n", step.waited), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := step.read(); got.Waited != step.want || got.Busiest != step.want || !got.Timed {
			t.Errorf("at %d: %+v, want %d", step.waited, got, step.want)
		}
	}
}

// A connection within this process is its own.
func TestOwnProcess(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p := New().Of(conn)
	if p == nil || p.Read().PID != os.Getpid() {
		t.Fatalf("%+v", p.Read())
	}
	p.Release()
	one, other := net.Pipe()
	defer one.Close()
	defer other.Close()
	if New().Of(one) != nil {
		t.Error("a pipe has a process")
	}
}
