//go:build linux && (amd64 || arm64)

package aws

import (
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// peek waits until bytes are there, and takes none.
func peek(t *testing.T, w *wire) {
	t.Helper()
	raw, err := w.Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if waited := raw.Read(func(fd uintptr) bool {
		n, _, err = unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK)
		return err != unix.EAGAIN
	}); waited != nil || err != nil || n != 1 {
		t.Fatal(waited, err, n)
	}
}

// stamping waits until the kernel stamps what comes in: on a busy machine it begins a while after it was
// asked to, when nothing else on the machine had asked before.
func stamping(t *testing.T, client net.Conn, server *wire) {
	t.Helper()
	buf := make([]byte, 1)
	for kernel, until := false, time.Now().Add(time.Minute); !kernel; {
		server.expect()
		if _, err := client.Write(buf); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Read(buf); err != nil {
			t.Fatal(err)
		}
		if _, kernel = server.first(); time.Now().After(until) {
			t.Fatal("the kernel stamps nothing")
		}
	}
}

// The kernel's stamp says when bytes came in, however much later they are read: it lies between the
// write and the moment at which they were seen to be there, long before the read.
func TestReceiveStampIsTheArrival(t *testing.T) {
	const delay = 40 * time.Millisecond
	client, server := pair(t)
	stamping(t, client, server)
	buf := make([]byte, 64)
	for range 3 {
		server.expect()
		before := time.Now()
		if _, err := client.Write([]byte("request")); err != nil {
			t.Fatal(err)
		}
		peek(t, server)
		arrived := time.Now()
		<-time.NewTimer(delay).C // the known delay that is tested against
		read := time.Now()
		if n, err := server.Read(buf); n != 7 || err != nil {
			t.Fatal(n, err)
		}
		at, kernel := server.first()
		// The kernel's clock is another one, which may be slewed meanwhile.
		if slack := delay / 4; !kernel || at.Before(before.Add(-slack)) || at.After(arrived.Add(slack)) {
			t.Errorf("stamped %v after the write, %v after it was there, and %v before the read, by the kernel: %v",
				at.Sub(before), at.Sub(arrived), read.Sub(at), kernel)
		}
	}
}

// The kernel's stamp says when the last byte of a write went out: it lies between the beginning of the write
// and the moment at which the other side had all of it, and each write has one of its own.
func TestSendStampIsTheDeparture(t *testing.T) {
	client, server := pair(t)
	stamping(t, client, server)
	got, stamped := make([]byte, 1<<10), 0
	for i := range 50 {
		began := time.Now()
		if n, err := server.Write(make([]byte, len(got))); n != len(got) || err != nil {
			t.Fatal(n, err)
		}
		written := time.Now()
		if _, err := io.ReadFull(client, got); err != nil {
			t.Fatal(err)
		}
		read := time.Now()
		at, kernel := server.sent(began)
		// The kernel's clock is another one, which may be slewed meanwhile.
		if slack := 10 * time.Millisecond; kernel && (at.Before(began) || at.After(written.Add(slack)) || at.After(read.Add(slack))) {
			t.Fatalf("write %d: stamped %v after it began, and %v after it returned", i, at.Sub(began), at.Sub(written))
		}
		if kernel {
			stamped++
		}
		// Of what was not written since, there is no stamp.
		if at, kernel := server.sent(read); kernel || at.Before(read) {
			t.Fatalf("an old stamp, %v before", read.Sub(at))
		}
	}
	if stamped == 0 {
		t.Error("the kernel has stamped nothing")
	}
	// It can still be read: the stamps are out of the way of the poller.
	if _, err := client.Write(got[:1]); err != nil {
		t.Fatal(err)
	}
	if n, err := server.Read(got); n != 1 || err != nil {
		t.Fatal(n, err)
	}
}
