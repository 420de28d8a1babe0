package wire

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// slack bounds the error of a converted stamp. It only tells units and clocks apart; the machine may be busy while the
// offset between the clocks is measured.
const slack = int64(time.Minute)

// since gives the run's clock.
func since(epoch time.Time) int64 { return int64(time.Since(epoch)) }

// begin exchanges bytes until they are stamped: the kernel begins with that some time after it is asked to. It gives
// up after so many exchanges, and not after a time in which there may have been none.
func begin(t testing.TB, c *Conn, theirs net.Conn) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for range 120_000 {
		if _, err := theirs.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if c.Received() != 0 {
			return
		}
		<-again.C // the kernel needs a processor to begin
	}
	t.Fatal("nothing is stamped")
}

// await waits until so many bytes can be read, and leaves them unread.
func await(t *testing.T, c *Conn, n int) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Read(func(fd uintptr) bool {
		p := make([]byte, n)
		got, _, err := unix.Recvfrom(int(fd), p, unix.MSG_PEEK)
		return got == n || err != nil && err != unix.EAGAIN
	}); err != nil {
		t.Fatal(err)
	}
}

// Kernel stamps are converted to the clock of the run.
func TestKernelStampsAreConverted(t *testing.T) {
	epoch := time.Now()
	c, theirs := pair(t, "tcp", NewTimes(epoch))
	begin(t, c, theirs)
	for range 100 {
		written := since(epoch)
		if _, err := theirs.Write([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		await(t, c, 5)
		there := since(epoch) // and it is read later
		p := make([]byte, 10)
		if n, err := c.Read(p); n != 5 || err != nil {
			t.Fatal(n, err)
		}
		if at := c.Received(); at != 0 && (at < written-slack || at > there+slack) {
			t.Fatalf("written at %d, there at %d, stamped %d", written, there, at)
		}
	}
	if used, missing, refused := c.times.Counts(); used == 0 || used+missing+refused < 100 {
		t.Errorf("%d used, %d missing, %d refused", used, missing, refused)
	}
}

func TestStampsBelowTLS(t *testing.T) {
	epoch := time.Now()
	c, theirs := pair(t, "tcp", NewTimes(epoch))
	begin(t, c, theirs)
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	var echo sync.WaitGroup
	defer echo.Wait()
	defer c.Close()
	echo.Go(func() {
		s := tls.Server(theirs, server.TLS)
		_, _ = io.Copy(s, s)
	})
	secured := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	for range 10 {
		written := since(epoch)
		if _, err := secured.Write([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(secured, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		if at, read := c.Received(), since(epoch); at != 0 && (at < written-slack || at > read+slack) {
			t.Errorf("written at %d, read at %d, stamped %d", written, read, at)
		}
	}
}

func TestPipeHasNoStamps(t *testing.T) {
	times := NewTimes(time.Now())
	c, theirs := pair(t, "pipe", times)
	var writer sync.WaitGroup
	defer writer.Wait()
	writer.Go(func() { _, _ = theirs.Write([]byte("hello")) })
	if n, err := c.Read(make([]byte, 10)); n != 5 || err != nil || c.Received() != 0 {
		t.Error(n, err, c.Received())
	}
	if used, missing, _ := times.Counts(); used != 0 || missing != 1 {
		t.Errorf("%d used, %d missing", used, missing)
	}
}

func TestClockStepRefusesStamps(t *testing.T) {
	epoch := time.Now()
	ahead := offsetNow(epoch)
	times := newTimes(func() int64 { return since(epoch) }, func() int64 { return ahead })
	c, theirs := pair(t, "tcp", times)
	begin(t, c, theirs)
	ahead -= 7200e9 // the wall clock was set back, and nothing of before it can be told from what is of after
	times.Sync()
	_, _ = theirs.Write([]byte("x"))
	_, _ = c.Read(make([]byte, 1))
	if _, _, refused := times.Counts(); refused != 0 || c.Received() < 3600e9 {
		t.Errorf("%d refused, stamped %d", refused, c.Received())
	}
	ahead += 7200e9 // and now it is right again
	times.Sync()
	ahead += 3600e9
	times.Sync() // the kernel's stamps are of before this
	_, _ = theirs.Write([]byte("x"))
	_, _ = c.Read(make([]byte, 1))
	if _, _, refused := times.Counts(); refused != 1 || c.Received() != 0 {
		t.Errorf("%d refused, stamped %d", refused, c.Received())
	}
}

func TestReadErrors(t *testing.T) {
	c, theirs := pair(t, "tcp", NewTimes(time.Now()))
	p := make([]byte, 10)
	_ = c.SetReadDeadline(time.Now().Add(-1))
	_, err := c.Read(p)
	var network net.Error
	if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &network) || !network.Timeout() {
		t.Errorf("after the deadline: %v", err)
	}
	_ = c.SetReadDeadline(time.Time{})
	_ = theirs.Close()
	if n, err := c.Read(p); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
	_ = c.Close()
	_, err = c.Read(p)
	var operation *net.OpError
	if !errors.Is(err, net.ErrClosed) || !errors.As(err, &operation) || operation.Op != "read" {
		t.Errorf("after Close: %v", err)
	}
}

// Errors of the kernel are returned by Read and AskFailed.
func TestKernelErrorsAreReturned(t *testing.T) {
	c, theirs := pair(t, "tcp", NewTimes(time.Now()))
	_ = theirs.(*net.TCPConn).SetLinger(0)
	_ = theirs.Close()
	n, err := c.Read(make([]byte, 1))
	var operation *net.OpError
	if n != 0 || !errors.Is(err, unix.ECONNRESET) || !errors.As(err, &operation) || operation.Op != "read" {
		t.Errorf("of a reset: %d, %v", n, err)
	}
	for name, times := range map[string]*Times{"stamped": NewTimes(time.Now()), "not stamped": nil} {
		c, theirs := pair(t, "tcp", times)
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		c.Ask([]byte("x"), func() { t.Errorf("%s: it was sent", name) })
		_, _ = theirs.Write([]byte("y"))
		n, err := c.Read(make([]byte, 1))
		if why, partly := c.AskFailed(); n != 0 || !errors.Is(err, unix.EPIPE) || !errors.Is(why, unix.EPIPE) || partly {
			t.Errorf("%s: %d, %v, %v, %v", name, n, err, why, partly)
		}
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	c, theirs := pair(t, "tcp", NewTimes(time.Now()))
	p := make([]byte, 300)
	if n := testing.AllocsPerRun(100, func() {
		_, _ = theirs.Write(p)
		_, _ = c.Read(p)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkRead reads what was written long before, so that the difference between the two is what a stamp costs.
func BenchmarkRead(b *testing.B) {
	for name, times := range map[string]*Times{"plain": nil, "stamped": NewTimes(time.Now())} {
		b.Run(name, func(b *testing.B) {
			c, theirs := pair(b, "tcp", times)
			p := make([]byte, 300)
			long := make([]byte, 100*len(p))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%100 == 0 {
					b.StopTimer()
					_, _ = theirs.Write(long)
					b.StartTimer()
				}
				_, _ = c.Read(p)
			}
		})
	}
}
