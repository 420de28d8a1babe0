package http2

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	xhttp2 "golang.org/x/net/http2"
)

// TestWindows: a body waits for the windows of its stream and of the connection, in frames that are not too large.
func TestWindows(t *testing.T) {
	body := strings.Repeat("0123456789", windowsSize/10)
	for name, r := range map[string]Request{"memory": post(body), "source": postFrom(&source{text: body})} {
		t.Run(name, func(t *testing.T) { testWindows(t, body, r) })
	}
}

const windowsSize = 300_000

func testWindows(t *testing.T, body string, r Request) {
	const size = windowsSize
	settings := []xhttp2.Setting{{ID: xhttp2.SettingInitialWindowSize, Val: 1000}, {ID: xhttp2.SettingHeaderTableSize, Val: 0}}
	var got bytes.Buffer
	conn := play(t, settings, func(p *peer) {
		f := p.until(xhttp2.FrameHeaders, 1).(*xhttp2.HeadersFrame)
		if b := f.HeaderBlockFragment(); b[0] != noTable {
			t.Errorf("the table was made smaller, and the block begins with %x", b[0])
		}
		allowed, whole := 1000, 65535
		for got.Len() < size {
			d, ok := p.until(xhttp2.FrameData, 1).(*xhttp2.DataFrame)
			if !ok {
				return
			}
			got.Write(d.Data())
			if allowed, whole = allowed-len(d.Data()), whole-len(d.Data()); allowed < 0 || whole < 0 {
				t.Errorf("%d bytes of the stream's window and %d of the connection's are left", allowed, whole)
				return
			}
			if d.StreamEnded() {
				break
			}
			switch {
			case got.Len() == 1000: // nothing is left: settings widen it, too
				_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 3000})
				allowed += 2000
			case got.Len() == 3000: // what is taken away is missing from what is given
				_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1000})
				_ = p.WriteWindowUpdate(1, 2001)
				allowed++
			case allowed == 0:
				_ = p.WriteWindowUpdate(1, 20_000)
				allowed += 20_000
			case whole == 0:
				_ = p.WriteWindowUpdate(0, 30_000)
				whole += 30_000
			}
		}
		p.headers(1, true, ":status", "204")
		p.until(xhttp2.FrameHeaders, 99)
	})
	var h heard
	s := NewStream(&h)
	s.Send(conn, r)
	if err := s.Wait(); err != nil || h.sent != 1 || s.Unsent() != 0 {
		t.Fatalf("%v, sent %d times, %d bytes unsent", err, h.sent, s.Unsent())
	}
	if got.String() != body {
		t.Errorf("%d bytes came, of %d", got.Len(), size)
	}
}

// source is a body whose pieces come one by one. before, if it is not nil, is called before each, with the number of the
// bytes before it.
type source struct {
	text   string
	at     int
	before func(at int) error
}

func (s *source) Next(n int) ([]byte, error) {
	if s.before != nil {
		if err := s.before(s.at); err != nil {
			return nil, err
		}
	}
	p := s.text[s.at:min(len(s.text), s.at+n, s.at+20_000)] // fewer than asked for
	s.at += len(p)
	return []byte(p), nil
}

func postFrom(s *source) Request {
	r := post("")
	r.Source, r.Size = s, int64(len(s.text))
	return r
}

// TestSourceThatEndsEarly: whatever ends a body while it is read, the connection goes on, with all of its window.
func TestSourceThatEndsEarly(t *testing.T) {
	const size = 100_000
	broken := errors.New("the file has become shorter")
	for name, c := range map[string]struct {
		fails  error // of the source, behind 20,000 bytes
		answer func(p *peer)
		want   error
		status int
	}{
		"the source fails": {broken, nil, broken, 0},
		"a response comes": {nil, func(p *peer) { p.headers(1, true, ":status", "413") }, nil, 413},
		"it is reset":      {nil, func(p *peer) { _ = p.WriteRSTStream(1, xhttp2.ErrCodeInternal) }, &Reset{Code(xhttp2.ErrCodeInternal)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ended, reading := make(chan struct{}), make(chan struct{})
			conn := play(t, []xhttp2.Setting{{ID: xhttp2.SettingInitialWindowSize, Val: 1 << 20}}, func(p *peer) {
				p.until(xhttp2.FrameData, 1)
				if c.answer != nil {
					<-reading
					c.answer(p)
					_ = p.WritePing(false, [8]byte{})
					p.until(xhttp2.FramePing, 0) // the client has read what came before it
					close(ended)
				}
				for got := 0; got < 65535-20_000; { // all that is left of the connection's window
					d, ok := p.until(xhttp2.FrameData, 3).(*xhttp2.DataFrame)
					if !ok {
						return
					}
					got += len(d.Data())
				}
				p.headers(3, true, ":status", "204")
				p.until(xhttp2.FrameHeaders, 99)
			})
			s := NewStream(new(heard))
			s.Begin(conn, postFrom(&source{text: strings.Repeat("x", size), before: func(at int) error {
				if at > 0 && c.answer != nil {
					close(reading)
					<-ended
				}
				if at > 0 {
					return c.fails
				}
				return nil
			}}))
			err := s.Wait()
			if reset := (*Reset)(nil); errors.As(err, &reset) {
				err = c.want
			}
			if err != c.want || err == nil && s.Head().Status != c.status || s.Unsent() != size-20_000 {
				t.Errorf("%v, status %d, %d bytes unsent", err, s.Head().Status, s.Unsent())
			}
			s.Begin(conn, postFrom(&source{text: strings.Repeat("y", 65535-20_000)}))
			if err := s.Wait(); err != nil || s.Head().Status != 204 {
				t.Errorf("the next: %v, status %d", err, s.Head().Status)
			}
		})
	}
}

// TestResponseBeforeTheEndOfTheBody: a server that does not want the rest of a body is not sent it, and the answer counts.
func TestResponseBeforeTheEndOfTheBody(t *testing.T) {
	conn := play(t, nil, func(p *peer) {
		p.until(xhttp2.FrameHeaders, 1)
		p.headers(1, true, ":status", "413")
		if f, ok := p.until(xhttp2.FrameRSTStream, 1).(*xhttp2.RSTStreamFrame); !ok || f.ErrCode != xhttp2.ErrCodeCancel {
			t.Errorf("the stream was ended by %v", f)
		}
		p.until(xhttp2.FrameHeaders, 3)
		p.headers(3, true, ":status", "204")
		p.until(xhttp2.FrameHeaders, 99)
	})
	s := NewStream(new(heard))
	s.Begin(conn, post(strings.Repeat("x", 100_000)))
	if err := s.Wait(); err != nil || s.Head().Status != 413 {
		t.Errorf("%v, status %d", err, s.Head().Status)
	}
	s.Begin(conn, get("/"))
	if err := s.Wait(); err != nil || s.Head().Status != 204 {
		t.Errorf("the next: %v, status %d", err, s.Head().Status)
	}
}

// TestCancel: a stream that is given up is reset, what comes for it is not looked at, and the others go on.
func TestCancel(t *testing.T) {
	conn := play(t, []xhttp2.Setting{{ID: xhttp2.SettingMaxConcurrentStreams, Val: 1}}, func(p *peer) {
		p.until(xhttp2.FrameHeaders, 1)
		if f, ok := p.until(xhttp2.FrameRSTStream, 1).(*xhttp2.RSTStreamFrame); !ok || f.ErrCode != xhttp2.ErrCodeCancel {
			t.Errorf("the stream was ended by %v", f)
		}
		p.headers(1, false, ":status", "200", "x-in-the-table", "one") // which the next block refers to
		_ = p.WriteData(1, true, []byte("too late"))
		p.until(xhttp2.FrameHeaders, 3)
		p.headers(3, true, ":status", "204", "x-in-the-table", "one")
		p.until(xhttp2.FrameHeaders, 99)
	})
	a, b, waits := NewStream(new(heard)), NewStream(new(heard)), NewStream(new(heard))
	a.Begin(conn, get("/"))
	waits.Begin(conn, get("/never"))
	b.Begin(conn, get("/"))
	why := errors.New("enough")
	for written := false; !written; runtime.Gosched() {
		conn.mu.Lock()
		written = a.end <= conn.out.written
		conn.mu.Unlock()
	}
	waits.Cancel(why)
	a.Cancel(why)
	a.Cancel(errors.New("again"))
	for _, s := range []*Stream{a, waits} {
		if err := s.Wait(); err != why {
			t.Errorf("given up, and ended with %v", err)
		}
	}
	if err := b.Wait(); err != nil {
		t.Errorf("the other: %v", err)
	}
	if v, _ := b.Head().Value("X-In-The-Table", 0); string(v) != "one" {
		t.Errorf("the field is %q", v)
	}
}

// TestServerThatDoesNotReadIsClosed: a server that does not read ends the connection of who gives up sending to it, and of nobody else.
func TestServerThatDoesNotReadIsClosed(t *testing.T) {
	near, far := net.Pipe()
	var all sync.WaitGroup
	c := New(near, nil, DefaultLimits(), &all)
	read := make([]byte, len(xhttp2.ClientPreface)+9+4*6+9+4)
	go func() { // goroutine: TestServerThatDoesNotReadIsClosed waits for its last step
		_, _ = io.ReadFull(far, read)
		_, _ = far.Write([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
		_, _ = io.ReadFull(far, make([]byte, 9)) // the acknowledgement
	}()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := NewStream(new(heard))
	why := errors.New("enough")
	all.Go(func() {
		for {
			c.mu.Lock()
			stuck := c.out.busy && s.end > c.out.written
			c.mu.Unlock()
			if stuck {
				s.Cancel(why)
				return
			}
			runtime.Gosched()
		}
	})
	s.Begin(c, post(strings.Repeat("x", 1000)))
	if err := s.Wait(); err != why {
		t.Errorf("%v", err)
	}
	if err := c.Usable(); err != errStuck {
		t.Errorf("the connection: %v", err)
	}
	all.Wait()
	_ = far.Close()
}

// TestPingFloodIsCutOff: a server that asks and does not read is cut off before it takes all memory.
func TestPingFloodIsCutOff(t *testing.T) {
	near, far := net.Pipe()
	var all sync.WaitGroup
	c := New(near, nil, DefaultLimits(), &all)
	all.Go(func() {
		_, _ = io.ReadFull(far, make([]byte, len(xhttp2.ClientPreface)+9+4*6+9+4))
		_, _ = far.Write([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
		ping := []byte("\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678")
		for {
			if _, err := far.Write(ping); err != nil {
				return
			}
		}
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	var rule *Error
	if err := c.Usable(); !errors.As(err, &rule) || rule.Rule != TooManyControls {
		t.Errorf("%v", err)
	}
}

// TestAgainstNetHTTP: many streams at a time, with bodies of all sizes both ways, on one connection to another's server.
func TestAgainstNetHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	var served atomic.Int64
	web := &http.Server{Protocols: &protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		w.Header().Set("Trailer", "X-Sum")
		sum := sha256.New()
		_, _ = io.Copy(io.MultiWriter(w, sum), r.Body)
		w.Header().Set("X-Sum", fmt.Sprintf("%x", sum.Sum(nil)))
	})}
	var all sync.WaitGroup
	all.Go(func() { _ = web.Serve(l) })
	raw, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := New(raw, nil, DefaultLimits(), &all)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	const streams, each = 20, 15
	var clients sync.WaitGroup
	for i := range streams {
		clients.Go(func() {
			var h heard
			s := NewStream(&h)
			for j := range each {
				size := 1 << ((i + j) % 20)
				if i == 0 && j == 0 {
					size = 40 << 20 // beyond what we allow for one stream
				}
				body := strings.Repeat(string(rune('a'+i)), size+j)
				h.body.Reset()
				s.Begin(c, post(body))
				if err := s.Wait(); err != nil || s.Head().Status != 200 || h.body.String() != body {
					t.Errorf("stream %d, request %d of %d bytes: %v, status %d, %d bytes", i, j, len(body), err, s.Head().Status, h.body.Len())
					return
				}
			}
		})
	}
	clients.Wait()
	if n := served.Load(); n != streams*each || c.Used() != n {
		t.Errorf("the server has answered %d, %d were sent", n, c.Used())
	}
	c.Retire()
	_ = web.Close()
	all.Wait()
}
