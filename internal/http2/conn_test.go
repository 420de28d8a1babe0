package http2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// TestBrokenRules: each has its name, ends the stream or the connection, and nothing is taken for an answer.
func TestBrokenRules(t *testing.T) {
	frame := func(kind xhttp2.FrameType, flags xhttp2.Flags, id uint32, payload string) func(p *peer) {
		return func(p *peer) { _ = p.WriteRawFrame(kind, flags, id, []byte(payload)) }
	}
	head := func(pairs ...string) func(p *peer) { return func(p *peer) { p.headers(1, true, pairs...) } }
	then := func(parts ...func(p *peer)) func(p *peer) {
		return func(p *peer) {
			for _, part := range parts {
				part(p)
			}
		}
	}
	ok := func(p *peer) { p.headers(1, false, ":status", "200") }
	many := []string{":status", "200"}
	for i := range 1100 {
		many = append(many, fmt.Sprint("x-", i), "")
	}
	const four, eight = "\x00\x00\x00\x01", "12345678"
	for name, c := range map[string]struct {
		part func(p *peer)
		rule Rule
		ends bool // the connection
	}{
		"data without headers":     {frame(xhttp2.FrameData, 0, 1, "x"), BadFrame, false},
		"data of no stream":        {frame(xhttp2.FrameData, 0, 0, "x"), BadFrame, true},
		"data of a later stream":   {frame(xhttp2.FrameData, 0, 7, "x"), BadFrame, true},
		"data of a server stream":  {frame(xhttp2.FrameData, 0, 2, "x"), BadFrame, true},
		"end without headers":      {frame(xhttp2.FrameData, xhttp2.FlagDataEndStream, 1, ""), BadFrame, false},
		"padding too long":         {then(ok, frame(xhttp2.FrameData, xhttp2.FlagDataPadded, 1, "\x05abc")), BadFrame, true},
		"padding without length":   {then(ok, frame(xhttp2.FrameData, xhttp2.FlagDataPadded, 1, "")), BadFrameSize, true},
		"padded headers":           {frame(xhttp2.FrameHeaders, xhttp2.FlagDataPadded|xhttp2.FlagHeadersEndHeaders, 1, "\x09\x88"), BadFrame, true},
		"headers of no stream":     {frame(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 0, "\x88"), BadFrame, true},
		"headers without priority": {frame(xhttp2.FrameHeaders, xhttp2.FlagHeadersPriority|xhttp2.FlagHeadersEndHeaders, 1, "\x88"), BadFrameSize, true},
		"a frame too long":         {frame(xhttp2.FrameData, 0, 1, strings.Repeat("x", 16385)), BadFrameSize, true},
		"headers that go on alone": {frame(xhttp2.FrameContinuation, xhttp2.FlagHeadersEndHeaders, 1, "\x88"), BadFrame, true},
		"a frame between headers":  {then(frame(xhttp2.FrameHeaders, 0, 1, "\x88"), frame(xhttp2.FramePing, 0, 0, eight)), BadFrame, true},
		"headers without end": {func(p *peer) {
			frame(xhttp2.FrameHeaders, 0, 1, "\x88")(p)
			for range 10 {
				frame(xhttp2.FrameContinuation, 0, 1, strings.Repeat("\x88", 16000))(p)
			}
		}, HeadTooLong, true},
		"empty headers for ever":   {then(frame(xhttp2.FrameHeaders, 0, 1, "\x88"), frame(xhttp2.FrameContinuation, 0, 1, "")), HeadTooLong, true},
		"long headers":             {head(":status", "200", "x", strings.Repeat("v", 15000), "y", strings.Repeat("v", 15000), "z", strings.Repeat("v", 15000), "a", strings.Repeat("v", 25000)), BadFrameSize, true},
		"many headers":             {head(many...), TooManyHeaders, false},
		"a table that is not":      {frame(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "\xff\x00"), BadCompression, true},
		"no status":                {head("x", "y"), BadStatus, false},
		"a status of two digits":   {head(":status", "20"), BadStatus, false},
		"a status of letters":      {head(":status", "2xx"), BadStatus, false},
		"a status twice":           {head(":status", "200", ":status", "200"), BadHeader, false},
		"a status behind":          {head("x", "y", ":status", "200"), BadHeader, false},
		"another pseudo-header":    {head(":status", "200", ":path", "/"), BadHeader, false},
		"switching protocols":      {head(":status", "101"), BadStatus, false},
		"an interim end":           {head(":status", "103"), BadFrame, false},
		"upper case":               {head(":status", "200", "Name", "v"), BadHeader, false},
		"an empty name":            {head(":status", "200", "", "v"), BadHeader, false},
		"a line end":               {head(":status", "200", "x", "a\r\nb"), BadHeader, false},
		"connection":               {head(":status", "200", "connection", "close"), BadHeader, false},
		"transfer-encoding":        {head(":status", "200", "transfer-encoding", "chunked"), BadHeader, false},
		"a length of letters":      {head(":status", "200", "content-length", "2x"), BadLength, false},
		"a negative length":        {head(":status", "200", "content-length", "-2"), BadLength, false},
		"two lengths":              {head(":status", "200", "content-length", "0", "content-length", "3"), BadLength, false},
		"too short":                {head(":status", "200", "content-length", "3"), BadLength, false},
		"too long":                 {then(func(p *peer) { p.headers(1, false, ":status", "200", "content-length", "3") }, frame(xhttp2.FrameData, 0, 1, "four")), BadLength, false},
		"headers in the body":      {then(ok, ok), BadFrame, false},
		"a status behind the body": {then(ok, head(":status", "200")), BadHeader, false},
		"interim answers for ever": {func(p *peer) {
			for range 200 {
				p.headers(1, false, ":status", "100")
			}
		}, TooManyInterims, false},
		"a push":                    {frame(xhttp2.FramePushPromise, xhttp2.FlagHeadersEndHeaders, 1, four+"\x88"), UnaskedPush, true},
		"a short priority":          {frame(xhttp2.FramePriority, 0, 1, "x"), BadFrameSize, true},
		"a short reset":             {frame(xhttp2.FrameRSTStream, 0, 1, "x"), BadFrameSize, true},
		"a reset of no stream":      {frame(xhttp2.FrameRSTStream, 0, 0, four), BadFrame, true},
		"a ping of a stream":        {frame(xhttp2.FramePing, 0, 1, eight), BadFrame, true},
		"a short ping":              {frame(xhttp2.FramePing, 0, 0, "x"), BadFrameSize, true},
		"a short goaway":            {frame(xhttp2.FrameGoAway, 0, 0, "x"), BadFrameSize, true},
		"a goaway of a stream":      {frame(xhttp2.FrameGoAway, 0, 1, eight), BadFrame, true},
		"a short window":            {frame(xhttp2.FrameWindowUpdate, 0, 0, "x"), BadFrameSize, true},
		"a window of nothing":       {frame(xhttp2.FrameWindowUpdate, 0, 0, "\x00\x00\x00\x00"), BadWindow, true},
		"a stream window of none":   {frame(xhttp2.FrameWindowUpdate, 0, 1, "\x00\x00\x00\x00"), BadWindow, false},
		"a window too wide":         {frame(xhttp2.FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff"), BadWindow, true},
		"a stream window too wide":  {frame(xhttp2.FrameWindowUpdate, 0, 1, "\x7f\xff\xff\xff"), BadWindow, false},
		"settings of a stream":      {frame(xhttp2.FrameSettings, 0, 1, ""), BadFrame, true},
		"half a setting":            {frame(xhttp2.FrameSettings, 0, 0, "xxx"), BadFrameSize, true},
		"settings in an ack":        {frame(xhttp2.FrameSettings, xhttp2.FlagSettingsAck, 0, "xxxxxx"), BadFrameSize, true},
		"a setting for pushes":      {frame(xhttp2.FrameSettings, 0, 0, "\x00\x02\x00\x00\x00\x01"), BadSettings, true},
		"a setting of the window":   {frame(xhttp2.FrameSettings, 0, 0, "\x00\x04\xff\xff\xff\xff"), BadSettings, true},
		"a setting of small frames": {frame(xhttp2.FrameSettings, 0, 0, "\x00\x05\x00\x00\x00\x01"), BadSettings, true},
	} {
		t.Run(name, func(t *testing.T) {
			var told xhttp2.Frame
			done := make(chan struct{})
			conn := play(t, nil, func(p *peer) {
				defer close(done)
				p.until(xhttp2.FrameHeaders, 1)
				c.part(p)
				if c.ends {
					told = p.until(xhttp2.FrameGoAway, 0)
					return
				}
				told = p.until(xhttp2.FrameRSTStream, 1)
				if p.until(xhttp2.FrameHeaders, 3) != nil {
					p.headers(3, true, ":status", "204")
				}
				p.until(xhttp2.FrameGoAway, 0)
			})
			var h heard
			s := NewStream(&h)
			s.Begin(conn, get("/"))
			err := s.Wait()
			var rule *Error
			if !errors.As(err, &rule) || rule.Rule != c.rule || rule.Why == "" || h.over_ > 0 {
				t.Errorf("%v (%+v), over %d times, want %s", err, rule, h.over_, c.rule)
			}
			s.Begin(conn, get("/next"))
			switch err := s.Wait(); {
			case c.ends && err == nil:
				t.Error("the connection is used on")
			case !c.ends && (err != nil || s.Head().Status != 204):
				t.Errorf("the next request: %v, status %d", err, s.Head().Status)
			}
			conn.Close(errStuck)
			<-done
			if !c.ends && told == nil {
				t.Error("the server was not told that the stream has ended")
			}
		})
	}
}

// TestNoHTTP2: a server that speaks something else is known by its first bytes.
func TestNoHTTP2(t *testing.T) {
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

// TestTheEndOfTheConnection is told apart by how far the answer had come.
func TestTheEndOfTheConnection(t *testing.T) {
	conn := play(t, nil, func(p *peer) {
		p.until(xhttp2.FrameHeaders, 3)
		p.headers(1, false, ":status", "200")
	})
	a, b := NewStream(new(heard)), NewStream(new(heard))
	a.Begin(conn, get("/"))
	b.Begin(conn, get("/"))
	if err := a.Wait(); !errors.Is(err, ErrCut) {
		t.Errorf("within an answer: %v", err)
	}
	if err := b.Wait(); !errors.Is(err, ErrUnanswered) {
		t.Errorf("without an answer: %v", err)
	}
	a.Begin(conn, get("/"))
	if err := a.Wait(); !Unprocessed(err) {
		t.Errorf("behind it: %v", err)
	}
}
