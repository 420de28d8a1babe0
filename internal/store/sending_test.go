package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

// seen is a transport that keeps the request.
type seen struct {
	request *http.Request
	err     error
}

func (s *seen) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.request = req; s.err != nil {
		return nil, s.err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

// A part takes the place of a body of its length, and of no other.
func TestWhoseBodyIsAPart(t *testing.T) {
	for _, c := range []struct {
		name   string
		part   *Part
		body   io.Reader
		length int64
		want   bool
	}{
		{"the part", part(t, []byte("part"), 0), strings.NewReader("part"), 4, true},
		{"a byte", part(t, []byte("p"), 0), strings.NewReader("p"), 1, true},
		{"no part", nil, strings.NewReader("part"), 4, false}, {"no body", part(t, []byte("part"), 0), nil, 4, false},
		{"an empty part", &Part{}, strings.NewReader(""), 0, false},
		{"a longer body", part(t, []byte("part"), 0), strings.NewReader("part!"), 5, false},
	} {
		ctx := t.Context()
		if c.part != nil {
			ctx = WithPart(ctx, c.part)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://host/", c.body)
		if err != nil {
			t.Fatal(err)
		}
		if c.body != nil {
			req.Body = io.NopCloser(c.body)
		}
		req.ContentLength = c.length
		next := &seen{}
		resp, err := partSender{next}.RoundTrip(req)
		if err != nil || resp.Request != req || (next.request != req) != c.want {
			t.Errorf("%s: replaced %v, %v", c.name, next.request != req, err)
		}
		if next.request != req {
			got, err := io.ReadAll(next.request.Body)
			if err := errors.Join(err, next.request.Body.Close()); err != nil || string(got) != string(c.part.bytes) {
				t.Errorf("%s: %q, %v", c.name, got, err)
			}
			c.part.readers.Wait()
		}
		next.err = errors.New("odd")
		if resp, err := (partSender{next}).RoundTrip(req); resp != nil || err != next.err {
			t.Errorf("%s: %v, %v", c.name, resp, err)
		}
	}
}

// tcpPair is a connection that parts are sent on, and what arrives at its end.
func tcpPair(t *testing.T) (*partConn, <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := wrapDial((&net.Dialer{}).DialContext, nil)(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	end, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(end)
		_ = end.Close()
		got <- string(b)
	}()
	return conn.(*partConn), got
}

// oneByte brings one byte of a reader together with its end.
type oneByte struct {
	of  io.Reader
	end error
}

func (o oneByte) Read(p []byte) (int, error) {
	n, err := o.of.Read(p[:min(1, len(p))])
	return n, errors.Join(err, o.end)
}

// hesitant brings nothing, the first time.
type hesitant struct {
	io.Reader
	asked bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if !h.asked {
		h.asked = true
		return 0, nil
	}
	return h.Reader.Read(p)
}

// closing closes the connection when so much was read.
type closing struct {
	*partBody
	conn  *partConn
	after int
}

func (c closing) Read(p []byte) (int, error) {
	if c.position() > c.after {
		_ = c.conn.Close()
	}
	return c.partBody.Read(p)
}

// What is read is sent to its last byte, of the part and of anything else, with the error that ended it.
func TestWhatIsSentToTheLastByte(t *testing.T) {
	odd := errors.New("odd")
	for _, c := range []struct {
		name string
		from func(*partBody) io.Reader
		bare bool // no part is known
		want string
		err  error
	}{
		{"a byte of the part", func(b *partBody) io.Reader { return io.LimitReader(b, 1) }, false, "t", nil},
		{"two bytes of the part", func(b *partBody) io.Reader { return io.LimitReader(b, 2) }, false, "th", nil},
		{"more than the part", func(b *partBody) io.Reader { return io.LimitReader(b, 20) }, false, "the part", nil},
		{"half of the part, and an error", func(b *partBody) io.Reader {
			return io.LimitReader(io.MultiReader(io.LimitReader(b, 4), iotest.ErrReader(odd)), 8)
		}, false, "the ", odd},
		{"a byte of the part, and an error", func(b *partBody) io.Reader { return io.LimitReader(oneByte{b, odd}, 8) }, false,
			"t", odd},
		{"something else, and an error", func(*partBody) io.Reader {
			return io.LimitReader(io.MultiReader(strings.NewReader("oth"), iotest.ErrReader(odd)), 8)
		}, false, "oth", odd},
		{"something else, late", func(*partBody) io.Reader {
			return io.LimitReader(&hesitant{Reader: strings.NewReader("others")}, 6)
		}, false, "others", nil},
		{"what no part is known of", func(*partBody) io.Reader {
			return io.LimitReader(strings.NewReader("others"), 6)
		}, true, "others", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, got := tcpPair(t)
			p := part(t, []byte("the part"), 0)
			b := newPartBody(p)
			if !c.bare {
				conn.body.Store(b)
			}
			n, err := conn.ReadFrom(c.from(b))
			if n != int64(len(c.want)) || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%d bytes, %v; want %d, %v", n, err, len(c.want), c.err)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if text := <-got; text != c.want {
				t.Errorf("%q arrived, want %q", text, c.want)
			}
			// On a connection that is closed nothing is sent, and that is said.
			again := newPartBody(p)
			conn.body.Store(again)
			if n, err := conn.ReadFrom(io.LimitReader(again, 8)); n != 0 || !errors.Is(err, net.ErrClosed) {
				t.Errorf("%d bytes of a part on a closed connection, %v", n, err)
			}
			_ = again.Close()
			if n, err := conn.ReadFrom(strings.NewReader("x")); n != 0 || !errors.Is(err, net.ErrClosed) {
				t.Errorf("%d bytes on a closed connection, %v", n, err)
			}
			conn.body.Store(b)
			others := io.LimitReader(strings.NewReader("others"), 6)
			if n, err := conn.ReadFrom(others); n != 0 || !errors.Is(err, net.ErrClosed) {
				t.Errorf("%d bytes on a closed connection, %v", n, err)
			}
			if n, err := conn.Write([]byte("x")); n != 0 || !errors.Is(err, net.ErrClosed) {
				t.Errorf("%d bytes on a closed connection, %v", n, err)
			}
			if err := conn.Close(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("closed again: %v", err)
			}
			if conn.NetConn() != net.Conn(conn.TCPConn) {
				t.Error("there is another connection below")
			}
			_ = b.Close()
			p.readers.Wait()
		})
	}
	conn, _ := tcpPair(t)
	p := part(t, random(3, 2*sendChunk), 0)
	b := newPartBody(p)
	conn.body.Store(b)
	n, err := conn.ReadFrom(io.LimitReader(closing{b, conn, sendChunk}, 2*sendChunk))
	if n < sendChunk || n >= 2*sendChunk || !errors.Is(err, net.ErrClosed) {
		t.Errorf("%d bytes of a part whose connection is closed in its middle, %v", n, err)
	}
	_ = b.Close()
	p.readers.Wait()
	odder := errors.New("odder")
	if err := errorOf(nil, odd, odder); err != odd || errorOf(nil, nil) != nil {
		t.Errorf("the first error is %v", err)
	}
	none := func(context.Context, string, string) (net.Conn, error) { return nil, odd }
	if c, err := wrapDial(none, nil)(t.Context(), "tcp", "host:1"); c != nil || err != odd {
		t.Errorf("%v, %v", c, err)
	}
}

// A body of a part is read to its end, and not behind its close.
func TestReadingAPart(t *testing.T) {
	p := part(t, []byte("the part"), 0)
	b := newPartBody(p)
	if n, err := b.Read(nil); n != 0 || err != nil {
		t.Errorf("who wants nothing: %d, %v", n, err)
	}
	for i := range 8 {
		one := []byte{0}
		if n, err := b.Read(one); n != 1 || err != nil || one[0] != "the part"[i] || b.position() != i+1 {
			t.Errorf("byte %d: %q, %d, %v", i, one, n, err)
		}
	}
	if n, err := b.Read(nil); n != 0 || err != nil {
		t.Errorf("who wants nothing, at the end: %d, %v", n, err)
	}
	if n, err := b.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
	if got, err := io.ReadAll(p.Body()); err != nil || !bytes.Equal(got, p.Bytes()) {
		t.Errorf("%q, %v", got, err)
	}
	if !b.retain() {
		t.Error("an open body does not keep its memory")
	}
	b.release()
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if n, err := b.Read(nil); n != 0 || err != errClosed || b.retain() {
		t.Errorf("after its close: %d, %v", n, err)
	}
	p.readers.Wait()
}
