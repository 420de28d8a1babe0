package http2

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// heard is what a stream was told.
type heard struct {
	body               bytes.Buffer
	sent, first, over_ int
}

func (h *heard) Sent()               { h.sent++ }
func (h *heard) First()              { h.first++ }
func (h *heard) Data(p []byte) error { h.body.Write(p); return nil }
func (h *heard) Over()               { h.over_++ }

// peer is a server that a test plays.
type peer struct {
	*xhttp2.Framer
	t    *testing.T
	conn net.Conn
	e    *hpack.Encoder
	b    bytes.Buffer
}

// fields encodes a field block.
func (p *peer) fields(pairs ...string) []byte {
	p.b.Reset()
	for i := 0; i < len(pairs); i += 2 {
		_ = p.e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return bytes.Clone(p.b.Bytes())
}

// headers sends them.
func (p *peer) headers(id uint32, ends bool, pairs ...string) {
	_ = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: p.fields(pairs...), EndStream: ends, EndHeaders: true})
}

// until reads frames until there is one of this type and, if it is not 0, of this stream; nil at the connection's end.
func (p *peer) until(kind xhttp2.FrameType, id uint32) xhttp2.Frame {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return nil
		}
		if f.Header().Type == kind && (id == 0 || f.Header().StreamID == id) {
			return f
		}
	}
}

// play starts a server of one connection, which has exchanged the settings when it begins to play, and a client of it.
func play(t *testing.T, settings []xhttp2.Setting, part func(p *peer)) *Conn {
	t.Helper()
	return playTo(t, DefaultLimits(), nil, settings, part)
}

// playTo is play for a client of these limits, which writes by what sender makes of its connection, if it is not nil.
func playTo(t *testing.T, limits Limits, sender func(c net.Conn) Sender, settings []xhttp2.Setting, part func(p *peer)) *Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if _, err := io.ReadFull(conn, make([]byte, len(xhttp2.ClientPreface))); err != nil {
			return
		}
		p := &peer{Framer: xhttp2.NewFramer(conn, conn), t: t, conn: conn}
		p.AllowIllegalWrites, p.AllowIllegalReads = true, true
		p.e = hpack.NewEncoder(&p.b)
		_ = p.WriteSettings(settings...)
		part(p)
	})
	raw, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var by Sender
	if sender != nil {
		by = sender(raw)
		raw = by.(net.Conn)
	}
	c := New(raw, by, limits, &all)
	t.Cleanup(func() {
		c.Close(errStuck)
		_ = l.Close()
		all.Wait()
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func get(path string) Request {
	b := AppendField(nil, ":method", "GET")
	b = AppendField(b, ":scheme", "http")
	b = AppendField(b, ":authority", "h")
	return Request{Fields: AppendField(b, ":path", path)}
}

func post(body string) Request {
	b := AppendField(nil, ":method", "POST")
	b = AppendField(b, ":scheme", "http")
	b = AppendField(b, ":authority", "h")
	return Request{Fields: AppendField(b, ":path", "/echo"), Body: []byte(body)}
}

// TestServerWithoutHTTP2: a server that speaks something else is known by its first bytes.
func TestServerWithoutHTTP2(t *testing.T) {
	for _, says := range []string{"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-x\r\n", "\x00\x00\x00\x06\x00\x00\x00\x00\x00",
		"\x00\x00\x00\x04\x01\x00\x00\x00\x00", "\x00\x00\x00\x04\x00\x01\x00\x00\x00", "\x00\x00\x00\x04\x00\x00\x01\x00\x00",
		"\x00\x00\x00\x04\x00\x00\x00\x01\x00", "\x00\x00\x00\x04\x00\x00\x00\x00\x01", ""} {
		near, far := net.Pipe()
		var all sync.WaitGroup
		c := New(near, nil, DefaultLimits(), &all)
		all.Go(func() { _, _ = io.Copy(io.Discard, far) })
		all.Go(func() {
			if says != "" {
				_, _ = io.WriteString(far, says)
			}
			_ = far.Close()
		})
		err := c.Start(t.Context())
		var rule *Error
		if says == "" {
			if !errors.Is(err, ErrUnanswered) {
				t.Errorf("nothing: %v", err)
			}
		} else if !errors.As(err, &rule) || rule.Rule != NoHTTP2 {
			t.Errorf("%q: %v", says, err)
		}
		all.Wait()
	}
}

// TestStartEndsWithItsContext: a server that says nothing is not waited for any longer.
func TestStartEndsWithItsContext(t *testing.T) {
	near, far := net.Pipe()
	var all sync.WaitGroup
	all.Go(func() { _, _ = io.Copy(io.Discard, far) })
	c := New(near, nil, DefaultLimits(), &all)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_ = far.Close()
	all.Wait()
}

// TestAnswers: what is unusual and right.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		part   func(p *peer)
		status int
		body   string
		head   bool
	}{
		"padding": {func(p *peer) {
			_ = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: p.fields(":status", "200"), EndHeaders: true, PadLength: 200,
				Priority: xhttp2.PriorityParam{StreamDep: 3, Weight: 7}})
			_ = p.WriteDataPadded(1, false, []byte("one"), make([]byte, 255))
			_ = p.WriteDataPadded(1, true, []byte("two"), nil)
		}, 200, "onetwo", false},
		"headers in pieces": {func(p *peer) {
			b := p.fields(":status", "200", "content-length", "2", "x", strings.Repeat("v", 300))
			_ = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:1]})
			for i := 1; i < len(b); i++ {
				_ = p.WriteContinuation(1, i == len(b)-1, b[i:i+1])
			}
			_ = p.WriteData(1, true, []byte("hi"))
		}, 200, "hi", false},
		"interim answers and trailers": {func(p *peer) {
			p.headers(1, false, ":status", "100")
			p.headers(1, false, ":status", "103", "link", "x")
			p.headers(1, false, ":status", "200")
			_ = p.WriteData(1, false, []byte("hi"))
			_ = p.WriteData(1, false, nil)
			p.headers(1, true, "x-sum", "1")
		}, 200, "hi", false},
		"what nobody knows": {func(p *peer) {
			_ = p.WriteRawFrame(0x42, 0xff, 1, []byte("later"))
			_ = p.WriteSettings(xhttp2.Setting{ID: 0x99, Val: 1})
			_ = p.WriteRawFrame(xhttp2.FramePriority, 0, 9, []byte("12345"))
			p.headers(1, true, ":status", "204")
		}, 204, "", false},
		"HEAD with a length":    {func(p *peer) { p.headers(1, true, ":status", "200", "content-length", "77") }, 200, "", true},
		"not changed":           {func(p *peer) { p.headers(1, true, ":status", "304", "content-length", "77") }, 304, "", false},
		"the same length twice": {func(p *peer) { p.headers(1, true, ":status", "200", "content-length", "0", "content-length", "0") }, 200, "", false},
		"an unknown status":     {func(p *peer) { p.headers(1, true, ":status", "799") }, 799, "", false},
		"a ping and its answer": {func(p *peer) {
			_ = p.WritePing(false, [8]byte{1, 2, 3})
			if f, ok := p.until(xhttp2.FramePing, 0).(*xhttp2.PingFrame); !ok || !f.IsAck() || f.Data != [8]byte{1, 2, 3} {
				p.t.Errorf("a ping was answered by %v", f)
			}
			p.headers(1, true, ":status", "204")
		}, 204, "", false},
		"settings are acknowledged": {func(p *peer) {
			_ = p.WriteSettings()
			if f, ok := p.until(xhttp2.FrameSettings, 0).(*xhttp2.SettingsFrame); !ok || !f.IsAck() {
				p.t.Errorf("settings were answered by %v", f)
			}
			p.headers(1, true, ":status", "204")
		}, 204, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			conn := play(t, nil, func(p *peer) {
				p.until(xhttp2.FrameHeaders, 1)
				c.part(p)
				p.until(xhttp2.FrameGoAway, 0)
			})
			var h heard
			s := NewStream(&h)
			r := get("/")
			r.Head = c.head
			s.Begin(conn, r)
			if err := s.Wait(); err != nil || s.Head().Status != c.status || h.body.String() != c.body {
				t.Errorf("%v, status %d, body %q", err, s.Head().Status, h.body.String())
			}
			if h.sent != 1 || h.first != 1 || h.over_ != 1 {
				t.Errorf("told: %d sent, %d first, %d over", h.sent, h.first, h.over_)
			}
		})
	}
}

// TestGoAway: streams that the server has not begun with are told apart from those that it answers still.
func TestGoAway(t *testing.T) {
	conn := play(t, nil, func(p *peer) {
		p.until(xhttp2.FrameHeaders, 5)
		_ = p.WriteGoAway(3, xhttp2.ErrCodeEnhanceYourCalm, []byte("too\x1bmuch"))
		p.headers(1, true, ":status", "204")
		_ = p.WriteRSTStream(3, xhttp2.ErrCodeInternal)
		p.until(xhttp2.FrameData, 99) // to the end
	})
	var all [3]*Stream
	for i := range all {
		all[i] = NewStream(new(heard))
		all[i].Begin(conn, get("/"))
	}
	if err := all[2].Wait(); !Unprocessed(err) || !strings.Contains(err.Error(), "ENHANCE_YOUR_CALM") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("above the last: %v", err)
	}
	if err := all[0].Wait(); err != nil {
		t.Errorf("answered: %v", err)
	}
	var reset *Reset
	if err := all[1].Wait(); Unprocessed(err) || !errors.As(err, &reset) || reset.Code.String() != "INTERNAL_ERROR" {
		t.Errorf("reset: %v", err)
	}
	all[0].Begin(conn, get("/"))
	if err := all[0].Wait(); !Unprocessed(err) {
		t.Errorf("behind it: %v", err)
	}
}
