//go:build !386 && !s390x

package throughput

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"
)

// A laterConn is read for the first time when so much has come.
type laterConn struct {
	net.Conn
	peek  peeker
	until int64
}

func (c *laterConn) NetConn() net.Conn { return c.Conn }

func (c *laterConn) Read(p []byte) (int, error) {
	for c.until > 0 {
		n, err := c.peek.waiting()
		if err != nil {
			return 0, err
		}
		if n >= c.until {
			c.until = 0
		}
		runtime.Gosched()
	}
	return c.Conn.Read(p)
}

// What the socket says to have come is what the server has sent of the body by then.
func TestAheadCountsWhatTheServerSent(t *testing.T) {
	const head, first, rest = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", 30_000, 100_000
	answer := fmt.Sprintf(head, first+rest)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	seen, over := make(chan struct{}), make(chan error, 1)
	go func() {
		over <- func() error {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			defer func() { _ = c.Close() }()
			if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
				return err
			}
			if _, err := c.Write(append([]byte(answer), make([]byte, first)...)); err != nil {
				return err
			}
			<-seen
			_, err = c.Write(make([]byte, rest))
			return err
		}()
	}()
	base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &laterConn{c, newPeeker(c), int64(len(answer) + first)}, nil
	}}
	defer base.CloseIdleConnections()
	k := newKept()
	resp, err := Wrap(base, k).RoundTrip(request(t, http.MethodGet, "http://"+l.Addr().String(), nil))
	if err != nil {
		t.Fatal(err)
	}
	close(seen)
	if n, err := io.Copy(io.Discard, resp.Body); n != first+rest || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	got := k.wait(t, 1)[0]
	if got.ResponseAhead != first || !got.ResponseAsked.Happened() || got.ResponseAsked < got.FirstResponseByte {
		t.Errorf("%d bytes had come at %v, of %d: %+v", got.ResponseAhead, got.ResponseAsked, first, got)
	}
}

// The upper bound of the silence is at least the time since the last byte was read.
func TestSilenceCoversTheTimeSinceTheLastRead(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	here, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = here.Close() }()
	there, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = there.Close() }()
	peek, one := newPeeker(here), []byte{0}
	for range 100 {
		if _, err := there.Write(one); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(here, one); err != nil {
			t.Fatal(err)
		}
		read := time.Now()
		passed := time.Since(read)
		if least, most, err := peek.silent(); err != nil || most < passed || least > most {
			t.Errorf("silent for %v to %v (%v), although %v have passed", least, most, err, passed)
		}
	}
	if n, err := peek.waiting(); n != 0 || err != nil {
		t.Errorf("%d are waiting, %v", n, err)
	}
}
