package http2

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	xhttp2 "golang.org/x/net/http2"
)

// TestConnectionPreface: with what we allow the server, and with the acknowledgement of what it allows us.
func TestConnectionPreface(t *testing.T) {
	var said []string
	done, over := make(chan struct{}), make(chan struct{})
	defer close(over)
	conn := playTo(t, Limits{Head: 12345, Fields: 10}, nil, []xhttp2.Setting{{ID: xhttp2.SettingMaxConcurrentStreams, Val: 7}}, func(p *peer) {
		defer func() { <-over }() // its end would be that of the connection
		defer close(done)
		for range 3 {
			switch f, err := p.ReadFrame(); f := f.(type) {
			case *xhttp2.SettingsFrame:
				said = append(said, fmt.Sprint("settings, ack ", f.IsAck()))
				_ = f.ForeachSetting(func(s xhttp2.Setting) error { said = append(said, s.String()); return nil })
			case *xhttp2.WindowUpdateFrame:
				said = append(said, fmt.Sprintf("window of %d by %d", f.StreamID, f.Increment))
			default:
				said = append(said, fmt.Sprint(f, err))
			}
		}
	})
	<-done
	const want = "settings, ack false; [ENABLE_PUSH = 0]; [INITIAL_WINDOW_SIZE = 16777216]; [MAX_FRAME_SIZE = 16384]; " +
		"[MAX_HEADER_LIST_SIZE = 12345]; window of 0 by 1073676289; settings, ack true"
	if got := strings.Join(said, "; "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if n := conn.Streams(); n != 7 {
		t.Errorf("%d streams are allowed", n)
	}
}

// TestRequestsPerConnectionAreLimited: a connection is closed when those that it is used for are over, or when it is retired.
func TestRequestsPerConnectionAreLimited(t *testing.T) {
	answers := func(p *peer) {
		for id := uint32(1); p.until(xhttp2.FrameHeaders, id) != nil; id += 2 {
			p.headers(id, true, ":status", "204")
		}
	}
	for _, n := range []int64{1, 2} {
		conn := playTo(t, Limits{Head: 1000, Fields: 10, Requests: n}, nil, nil, answers)
		s := NewStream(new(heard))
		for i := range n {
			if err := conn.Usable(); err != nil || !conn.Room() || conn.Used() != i {
				t.Errorf("before request %d of %d: %v", i+1, n, err)
			}
			s.Begin(conn, get("/"))
			if err := s.Wait(); err != nil {
				t.Errorf("request %d of %d: %v", i+1, n, err)
			}
		}
		ended(t, conn, ErrSpent)
		s.Begin(conn, get("/"))
		if err := s.Wait(); !errors.Is(err, ErrSpent) || !Unprocessed(err) || conn.Used() != n || conn.Room() {
			t.Errorf("behind %d: %v, %d used", n, err, conn.Used())
		}
	}
	idle := play(t, nil, answers)
	idle.Retire()
	ended(t, idle, ErrSpent)
	// What is under way is answered still, and what waits for its place is not sent any more.
	begun, retired := make(chan struct{}), make(chan struct{})
	conn := play(t, []xhttp2.Setting{{ID: xhttp2.SettingMaxConcurrentStreams, Val: 1}}, func(p *peer) {
		p.until(xhttp2.FrameHeaders, 1)
		close(begun)
		<-retired
		p.headers(1, true, ":status", "204")
		p.until(xhttp2.FrameHeaders, 99)
	})
	a, b, c := NewStream(new(heard)), NewStream(new(heard)), NewStream(new(heard))
	a.Begin(conn, get("/"))
	b.Begin(conn, get("/"))
	<-begun
	conn.Retire()
	c.Begin(conn, get("/"))
	if err := c.Wait(); !errors.Is(err, ErrSpent) || !Unprocessed(err) || !errors.Is(conn.Usable(), ErrSpent) {
		t.Errorf("behind it: %v", err)
	}
	conn.mu.Lock()
	if conn.err != nil {
		t.Errorf("it is closed while a request is under way: %v", conn.err)
	}
	conn.mu.Unlock()
	close(retired)
	if err := a.Wait(); err != nil {
		t.Errorf("under way: %v", err)
	}
	if err := b.Wait(); !errors.Is(err, ErrSpent) || !Unprocessed(err) {
		t.Errorf("waiting for a place: %v", err)
	}
	ended(t, conn, ErrSpent)
	last := play(t, nil, answers)
	for next, want := range map[uint32]error{mostWindow - 2: nil, mostWindow: ErrSpent} {
		last.mu.Lock()
		last.next = next
		last.mu.Unlock()
		if err := last.Usable(); err != want {
			t.Errorf("with the number %d: %v", next, err)
		}
	}
}

// ended holds that a connection is closed, and why.
func ended(t *testing.T, c *Conn, why error) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != why || len(c.streams) > 0 || len(c.places) > 0 {
		t.Errorf("it ended with %v, %d streams and %d that wait", c.err, len(c.streams), len(c.places))
	}
}

// taking is a connection that takes only so many bytes at once, and keeps the rest.
type taking struct {
	net.Conn
	mu    sync.Mutex
	most  int
	rest  []byte
	fails error
}

func (c *taking) Send(p []byte) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails != nil {
		return false, c.fails
	}
	n := min(len(p), c.most)
	if _, err := c.Conn.Write(p[:n]); err != nil {
		return false, err
	}
	c.rest = append(c.rest, p[n:]...)
	return len(c.rest) == 0, nil
}

func (c *taking) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.Conn.Write(c.rest)
	c.rest = nil
	return err
}

func (c *taking) Write(p []byte) (int, error) {
	if err := c.Flush(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// TestPartialWrites: whatever a connection takes at once, all of a request comes, and is told once as sent.
func TestPartialWrites(t *testing.T) {
	for _, most := range []int{0, 1, 100, 20_000, 1 << 30} {
		var got bytes.Buffer
		conn := playTo(t, DefaultLimits(), func(c net.Conn) Sender { return &taking{Conn: c, most: most} }, nil, func(p *peer) {
			for {
				f, err := p.ReadFrame()
				if err != nil {
					return
				}
				d, is := f.(*xhttp2.DataFrame)
				if !is {
					continue
				}
				got.Write(d.Data())
				_ = p.WriteWindowUpdate(0, uint32(max(1, len(d.Data()))))
				if d.StreamEnded() {
					p.headers(d.StreamID, false, ":status", "200", "content-length", fmt.Sprint(got.Len()))
					_ = p.WriteData(d.StreamID, false, bytes.Clone(got.Bytes()[:got.Len()/2]))
					_ = p.WriteData(d.StreamID, true, bytes.Clone(got.Bytes()[got.Len()/2:]))
					got.Reset()
				}
			}
		})
		var h heard
		s := NewStream(&h)
		for i, size := range []int{1, 100, 16384, 16385, 20_000, 7} {
			body := strings.Repeat(string(rune('a'+i)), size)
			h.body.Reset()
			s.Send(conn, post(body))
			if err := s.Wait(); err != nil || h.body.String() != body || h.sent != i+1 || h.first != i+1 || h.over_ != i+1 {
				t.Fatalf("%d at once, a body of %d bytes: %v, %d came back; %d sent, %d first, %d over", most, size, err, h.body.Len(), h.sent, h.first, h.over_)
			}
		}
	}
	lost := errors.New("lost")
	var by *taking
	conn := playTo(t, DefaultLimits(), func(c net.Conn) Sender { by = &taking{Conn: c, most: 1 << 30}; return by }, nil,
		func(p *peer) { p.until(xhttp2.FrameHeaders, 99) })
	conn.mu.Lock() // so that what is sent of the settings is over
	by.mu.Lock()
	by.fails = lost
	by.mu.Unlock()
	conn.mu.Unlock()
	s := NewStream(new(heard))
	s.Send(conn, get("/"))
	if err := conn.Usable(); err != lost {
		t.Errorf("nothing more can be sent: %v", err)
	}
	conn.Close(errStuck)
	if err := s.Wait(); err != errStuck {
		t.Errorf("%v", err)
	}
}

// TestBrokenRulesAreReported when a stream or the connection ends, and why.
func TestBrokenRulesAreReported(t *testing.T) {
	raw := func(kind xhttp2.FrameType, flags xhttp2.Flags, id uint32, payload string) func(p *peer) {
		return func(p *peer) { _ = p.WriteRawFrame(kind, flags, id, []byte(payload)) }
	}
	head := func(pairs ...string) func(p *peer) {
		return func(p *peer) { p.headers(1, false, append([]string{":status", "200"}, pairs...)...) }
	}
	settings := func(id xhttp2.SettingID, n uint32) func(p *peer) {
		return func(p *peer) { _ = p.WriteSettings(xhttp2.Setting{ID: id, Val: n}) }
	}
	window := func(id, n uint32) func(p *peer) { return func(p *peer) { _ = p.WriteWindowUpdate(id, n) } }
	end := raw(xhttp2.FrameData, xhttp2.FlagDataEndStream, 1, "")
	all := func(parts ...func(p *peer)) func(p *peer) {
		return func(p *peer) {
			for _, part := range parts {
				part(p)
			}
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("x", i), "")
	}
	for name, c := range map[string]struct {
		part func(p *peer)
		bare bool // of a request for the head alone
		code xhttp2.ErrCode
		rule Rule // "": it is answered
		ends bool // the connection
	}{
		"all windows as wide as they may be": {all(window(0, mostWindow-65535), window(1, mostWindow-65536), settings(xhttp2.SettingInitialWindowSize, 65536),
			head(), end), false, 0, "", false},
		"a setting that widens a stream too far": {all(window(1, mostWindow-65535), settings(xhttp2.SettingInitialWindowSize, 65536)), false,
			xhttp2.ErrCodeFlowControl, BadWindow, true},
		"the connection's window too wide":  {all(window(0, mostWindow-65535), window(0, 1)), false, xhttp2.ErrCodeFlowControl, BadWindow, true},
		"a stream's window too wide":        {all(window(1, mostWindow-65535), window(1, 1)), false, xhttp2.ErrCodeFlowControl, BadWindow, false},
		"a stream's window that grows by 0": {raw(xhttp2.FrameWindowUpdate, 0, 1, "\x00\x00\x00\x00"), false, xhttp2.ErrCodeFlowControl, BadWindow, false},
		"the window of no stream":           {window(7, 1), false, xhttp2.ErrCodeProtocol, BadFrame, true},
		"a reset of no stream":              {func(p *peer) { _ = p.WriteRSTStream(7, 0) }, false, xhttp2.ErrCodeProtocol, BadFrame, true},
		"a frame of another size":           {raw(xhttp2.FramePing, 0, 0, "x"), false, xhttp2.ErrCodeFrameSize, BadFrameSize, true},
		"a frame that is too long":          {raw(xhttp2.FrameData, 0, 1, strings.Repeat("x", 16385)), false, xhttp2.ErrCodeFrameSize, BadFrameSize, true},
		"a table that is not":               {raw(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "\xff\x00"), false, xhttp2.ErrCodeCompression, BadCompression, true},
		"too large a window":                {settings(xhttp2.SettingInitialWindowSize, 1<<31), false, xhttp2.ErrCodeFlowControl, BadSettings, true},
		"small frames":                      {settings(xhttp2.SettingMaxFrameSize, 1), false, xhttp2.ErrCodeProtocol, BadSettings, true},
		"pushes":                            {settings(xhttp2.SettingEnablePush, 1), false, xhttp2.ErrCodeProtocol, BadSettings, true},
		"no pushes":                         {all(settings(xhttp2.SettingEnablePush, 0), head(), end), false, 0, "", false},
		"too many fields":                   {head(many...), false, xhttp2.ErrCodeCancel, TooManyHeaders, false},
		"just as many fields":               {all(head(many[:2*999]...), end), false, 0, "", false},
		"another status":                    {head(":status", "200"), false, xhttp2.ErrCodeProtocol, BadHeader, false},
		"a body of its length":              {all(head("content-length", "3"), raw(xhttp2.FrameData, 0, 1, "ab"), raw(xhttp2.FrameData, 1, 1, "c")), false, 0, "", false},
		"a body that is too long":           {all(head("content-length", "3"), raw(xhttp2.FrameData, 0, 1, "ab"), raw(xhttp2.FrameData, 0, 1, "cd")), false, xhttp2.ErrCodeProtocol, BadLength, false},
		"a body that is too short":          {all(head("content-length", "3"), raw(xhttp2.FrameData, 1, 1, "ab")), false, xhttp2.ErrCodeProtocol, BadLength, false},
		"a body of nothing":                 {all(head("content-length", "0"), raw(xhttp2.FrameData, 0, 1, "a")), false, xhttp2.ErrCodeProtocol, BadLength, false},
		"a body where none may be":          {all(head("content-length", "3"), raw(xhttp2.FrameData, 0, 1, "abc")), true, xhttp2.ErrCodeProtocol, BadLength, false},
		"a length without a body":           {all(head("content-length", "3"), end), true, 0, "", false},
		"fields in pieces of nothing":       {all(raw(xhttp2.FrameHeaders, 0, 1, "\x88"), raw(xhttp2.FrameContinuation, 0, 1, "")), false, xhttp2.ErrCodeEnhanceYourCalm, HeadTooLong, true},
		"a last piece of nothing": {all(raw(xhttp2.FrameHeaders, 1, 1, "\x88"), raw(xhttp2.FrameContinuation, xhttp2.FlagContinuationEndHeaders, 1, "")),
			false, 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan string, 1)
			conn := playTo(t, DefaultLimits(), func(c net.Conn) Sender { return &taking{Conn: c, most: 1 << 30} }, nil, func(p *peer) {
				p.until(xhttp2.FrameHeaders, 1)
				c.part(p)
				for {
					switch f, err := p.ReadFrame(); f := f.(type) {
					case *xhttp2.GoAwayFrame:
						told <- fmt.Sprintf("goaway of %d behind %d: %v", f.StreamID, f.LastStreamID, f.ErrCode)
						return
					case *xhttp2.RSTStreamFrame:
						told <- fmt.Sprintf("reset of %d: %v", f.StreamID, f.ErrCode)
						return
					default:
						if err != nil {
							told <- err.Error()
							return
						}
					}
				}
			})
			var h heard
			s := NewStream(&h)
			r := get("/")
			r.Head = c.bare
			s.Begin(conn, r)
			err := s.Wait()
			var rule *Error
			if c.rule == "" {
				if err != nil || h.over_ != 1 {
					t.Errorf("%v, over %d times", err, h.over_)
				}
				conn.Close(errStuck)
			} else if !errors.As(err, &rule) || rule.Rule != c.rule || h.over_ > 0 {
				t.Errorf("%v, want %s", err, c.rule)
			}
			want := fmt.Sprintf("reset of 1: %v", c.code)
			if c.ends || c.rule == "" {
				want = fmt.Sprintf("goaway of 0 behind 0: %v", c.code)
			}
			if got := <-told; got != want {
				t.Errorf("the server is told %s, want %s", got, want)
			}
		})
	}
}
