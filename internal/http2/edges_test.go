package http2

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	xhttp2 "golang.org/x/net/http2"
)

// mute is a connection that takes all that is sent at once, and of which nothing comes.
type mute struct {
	net.Conn
	sent   bytes.Buffer
	closed bool
}

func (m *mute) Send(p []byte) (bool, error) { m.sent.Write(p); return true, nil }
func (m *mute) Flush() error                { return nil }
func (m *mute) Close() error                { m.closed = true; return nil }

// frames are those that were sent since they were asked for last, in words: what kind each is, of which stream, its
// length, and E where it ends the stream, H where it ends the headers, with what it says.
func (m *mute) frames() (list []string) {
	f := xhttp2.NewFramer(nil, &m.sent)
	f.AllowIllegalReads = true
	f.SetMaxReadFrameSize(1 << 20)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return list
		}
		h := frame.Header()
		text := fmt.Sprintf("%v %d %d", h.Type, h.StreamID, h.Length)
		switch frame := frame.(type) {
		case *xhttp2.DataFrame:
			text += map[bool]string{true: " E"}[frame.StreamEnded()]
		case *xhttp2.HeadersFrame:
			text += map[bool]string{true: " E"}[frame.StreamEnded()] + map[bool]string{true: " H"}[frame.HeadersEnded()]
		case *xhttp2.ContinuationFrame:
			text += map[bool]string{true: " H"}[frame.HeadersEnded()]
		case *xhttp2.WindowUpdateFrame:
			text += fmt.Sprint(" by ", frame.Increment)
		case *xhttp2.RSTStreamFrame:
			text += fmt.Sprint(" ", frame.ErrCode)
		case *xhttp2.GoAwayFrame:
			text += fmt.Sprint(" ", frame.ErrCode)
		}
		list = append(list, text)
	}
}

// quietly makes a connection that has not begun, on which nothing is read.
func quietly(limits Limits) (*Conn, *mute) {
	m := new(mute)
	return New(m, m, limits, new(sync.WaitGroup)), m
}

// opened is a stream of it whose request has been sent.
func opened(c *Conn, m *mute, r Request) *Stream {
	s := NewStream(new(heard))
	s.Send(c, r)
	m.frames()
	return s
}

// comes hands a connection a frame, as the server writes it.
func comes(t *testing.T, c *Conn, write func(f *xhttp2.Framer)) error {
	t.Helper()
	var b bytes.Buffer
	f := xhttp2.NewFramer(&b, &b)
	f.AllowIllegalWrites, f.AllowIllegalReads = true, true
	f.SetMaxReadFrameSize(1 << 24)
	write(f)
	frame, err := f.ReadFrame()
	if err != nil {
		t.Fatal(err)
	}
	return c.frame(frame)
}

// TestRequestsInFrames: headers and bodies are cut where the server wants it, and where its windows end.
func TestRequestsInFrames(t *testing.T) {
	for length, want := range map[int]string{
		1: "HEADERS 3 1 E H", 16384: "HEADERS 3 16384 E H", 16385: "HEADERS 3 16384 E, CONTINUATION 3 1 H",
		32768: "HEADERS 3 16384 E, CONTINUATION 3 16384 H", 32769: "HEADERS 3 16384 E, CONTINUATION 3 16384, CONTINUATION 3 1 H",
	} {
		c, m := quietly(DefaultLimits())
		c.writeFields(3, make([]byte, length), true)
		c.try()
		if got := strings.Join(m.frames(), ", "); got != want {
			t.Errorf("%d bytes of fields come as %s", length, got)
		}
	}
	for i, tt := range []struct {
		body           int
		frame          int
		stream, all    int64
		want           string
		streamL, allL  int64 // left
		sent, isHungry bool
	}{
		{25, 10, 100, 100, "DATA 1 10, DATA 1 10, DATA 1 5 E", 75, 75, true, false},
		{20, 10, 20, 20, "DATA 1 10, DATA 1 10 E", 0, 0, true, false},
		{21, 10, 20, 100, "DATA 1 10, DATA 1 10", 0, 80, false, true},
		{25, 10, 100, 15, "DATA 1 10, DATA 1 5", 85, 0, false, true},
		{25, 10, 1, 15, "DATA 1 1", 0, 14, false, true}, {25, 10, 0, 15, "", 0, 15, false, true},
		{25, 10, 15, 0, "", 15, 0, false, true}, {25, 10, -5, 15, "", -5, 15, false, true},
		{25, 25, 25, 25, "DATA 1 25 E", 0, 0, true, false}, {1, 10, 1, 1, "DATA 1 1 E", 0, 0, true, false},
	} {
		c, m := quietly(DefaultLimits())
		c.mostFrame, c.streamWindow, c.window = tt.frame, tt.stream, tt.all
		s := NewStream(new(heard))
		s.Send(c, Request{Body: make([]byte, tt.body), Fields: []byte{0x88}})
		frames := m.frames()
		if got := strings.Join(frames[1:], ", "); frames[0] != "HEADERS 1 2 H" || got != tt.want || s.window != tt.streamL || c.window != tt.allL ||
			s.sent != tt.sent || slices.Contains(c.hungry, s) && !tt.isHungry || (s.sink.(*heard).sent == 1) != tt.sent {
			t.Errorf("%d: %v; %d and %d left, sent %v", i, frames, s.window, c.window, s.sent)
		}
	}
	// No more of bodies waits than so much, however wide the windows are.
	c, m := quietly(DefaultLimits())
	c.streamWindow, c.window = 1<<30, 1<<30
	s := NewStream(new(heard))
	s.Send(c, Request{Body: make([]byte, 1<<20), Fields: []byte{0x88}})
	if got := len(m.frames()); got != 1+16 || s.sent {
		t.Errorf("%d frames are sent at once", got)
	}
}

// TestWhatTheServerMaySendAgain: it is told when half of what it may send is used up, of the stream and of all.
func TestWhatTheServerMaySendAgain(t *testing.T) {
	const stream, all = 8 << 20, 512 << 20
	for i, tt := range []struct {
		n, before, beforeAll int64
		over                 bool // the stream is
		want                 string
		left, leftAll        int64
	}{
		{stream - 1, 0, 0, false, "", stream - 1, stream - 1}, {stream, 0, 0, false, "WINDOW_UPDATE 1 4 by 8388608", 0, stream},
		{1, stream - 1, 5, false, "WINDOW_UPDATE 1 4 by 8388608", 0, 6}, {1, stream - 2, 5, false, "", stream - 1, 6},
		{7, 0, all - 8, false, "", 7, all - 1}, {8, 0, all - 8, false, "WINDOW_UPDATE 0 4 by 536870912", 8, 0},
		{9, stream, all - 8, false, "WINDOW_UPDATE 1 4 by 8388617, WINDOW_UPDATE 0 4 by 536870913", 0, 0},
		{stream, 0, 0, true, "", 0, stream}, {8, stream, all - 8, true, "WINDOW_UPDATE 0 4 by 536870912", stream, 0},
	} {
		c, m := quietly(DefaultLimits())
		s := opened(c, m, get("/"))
		s.unsaid, c.in.unsaid = tt.before, tt.beforeAll
		if tt.over {
			c.allow(nil, 1, tt.n)
		} else {
			c.allow(s, 1, tt.n)
		}
		if got := strings.Join(m.frames(), ", "); got != tt.want || s.unsaid != tt.left || c.in.unsaid != tt.leftAll {
			t.Errorf("%d: %s, and %d and %d are left", i, got, s.unsaid, c.in.unsaid)
		}
		// Of a stream that has another number meanwhile the server is told nothing.
		s.unsaid, c.in.unsaid = stream, 0
		if c.allow(s, 3, stream); m.sent.Len() > 0 {
			t.Errorf("%d: another stream is told of", i)
		}
	}
	// The frame of a body that nobody waits for counts, too, with all that it has.
	c, m := quietly(DefaultLimits())
	s := opened(c, m, get("/"))
	s.Cancel(errStuck)
	m.frames()
	if err := comes(t, c, func(f *xhttp2.Framer) { _ = f.WriteDataPadded(1, true, make([]byte, 100), make([]byte, 5)) }); err != nil || c.in.unsaid != 106 {
		t.Errorf("%v, %d bytes", err, c.in.unsaid)
	}
}

// TestHeadersInPieces: they are as long as the limit allows, together, and what they took is not kept when it was much.
func TestHeadersInPieces(t *testing.T) {
	pieces := func(c *Conn, lengths []int, ends bool) (err error) {
		for i, n := range lengths {
			if i == 0 {
				err = comes(t, c, func(f *xhttp2.Framer) {
					_ = f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: bytes.Repeat([]byte{0x88}, n)})
				})
				continue
			}
			err = comes(t, c, func(f *xhttp2.Framer) {
				_ = f.WriteContinuation(1, ends && i == len(lengths)-1, bytes.Repeat([]byte{0x88}, n))
			})
		}
		return err
	}
	for i, tt := range []struct {
		lengths []int
		ends    bool
		rule    Rule
	}{
		{[]int{10, 40}, false, ""}, {[]int{10, 41}, false, HeadTooLong}, {[]int{10, 20, 20}, false, ""}, {[]int{10, 20, 21}, false, HeadTooLong},
		{[]int{10, 0}, false, HeadTooLong}, {[]int{1, 0}, true, ""},
	} {
		c, m := quietly(Limits{Head: 50, Fields: 100})
		opened(c, m, get("/"))
		err := pieces(c, tt.lengths, tt.ends)
		var rule *Error
		if (err != nil) != (tt.rule != "") || err != nil && (!errors.As(err, &rule) || rule.Rule != tt.rule || rule.code != EnhanceYourCalm) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for length, kept := range map[int]bool{100: true, 10_000: false} {
		c, m := quietly(DefaultLimits())
		opened(c, m, get("/"))
		if err := pieces(c, []int{length, 1}, true); err != nil || (c.in.block != nil) != kept {
			t.Errorf("%d bytes: %v, and room for %d is kept", length, err, cap(c.in.block))
		}
	}
}

// TestRoomToReadInto: a connection that reads much has a large buffer, until it reads little or nothing is under way.
func TestRoomToReadInto(t *testing.T) {
	c, _ := quietly(DefaultLimits())
	in := &c.in
	full := in.small.Size()
	for i, tt := range []struct {
		last  int
		lull  bool
		large bool
	}{{full - 1, false, false}, {full, true, false}, {full, false, true}, {full + 1, false, true}, {full - 1, false, false}, {full, false, true},
		{full, true, false}} {
		in.last, in.lull = tt.last, tt.lull
		if in.fit(); (in.buf != in.small) != tt.large || tt.large && in.buf.Size() <= full {
			t.Errorf("%d: after %d bytes the buffer has %d", i, tt.last, in.buf.Size())
		}
	}
}

// TestHowMuchMayWaitUnasked: a megabyte of frames that no stream has asked for; one more ends the connection.
func TestHowMuchMayWaitUnasked(t *testing.T) {
	for before, fails := range map[int]bool{0: false, 1<<20 - 17: false, 1<<20 - 16: true} {
		c, m := quietly(DefaultLimits())
		c.out.busy = true // somebody writes, and does not come to an end
		c.out.controls = before
		c.ping(&xhttp2.PingFrame{})
		var rule *Error
		if err := c.Usable(); (err != nil) != fails || fails && (!errors.As(err, &rule) || rule.Rule != TooManyControls || rule.code != EnhanceYourCalm) {
			t.Errorf("%d bytes and 17: %v", before, err)
		}
		if c.out.controls != before+17 || m.closed != fails {
			t.Errorf("%d bytes and 17 are %d", before, c.out.controls)
		}
	}
}

// TestWhetherThereIsRoom: on a connection that may be used, while fewer streams are open than may be and none waits.
func TestWhetherThereIsRoom(t *testing.T) {
	for name, change := range map[string]func(c *Conn){
		"":        func(*Conn) {},
		"failed":  func(c *Conn) { c.err = errStuck },
		"unsent":  func(c *Conn) { c.out.err = errStuck },
		"away":    func(c *Conn) { c.away = new(GoAway) },
		"retired": func(c *Conn) { c.retired = true },
		"full":    func(c *Conn) { c.mostStreams = 1 },
		"waiting": func(c *Conn) { c.places = []*Stream{nil} },
	} {
		c, m := quietly(DefaultLimits())
		opened(c, m, get("/"))
		c.mostStreams = 2
		change(c)
		if got := c.Room(); got != (name == "") {
			t.Errorf("%q: %v", name, got)
		}
		if usable := name == "" || name == "full" || name == "waiting"; (c.Usable() == nil) != usable {
			t.Errorf("%q: %v", name, c.Usable())
		}
	}
}

// TestHowAConnectionIsLeft: the server is told why, where that needs no waiting; who waits is told, too.
func TestHowAConnectionIsLeft(t *testing.T) {
	wrong := broken(BadFrame, FrameSizeError, "", nil)
	for i, tt := range []struct {
		change func(c *Conn)
		why    error
		want   string
	}{
		{func(*Conn) {}, errStuck, "GOAWAY 0 8 NO_ERROR"}, {func(*Conn) {}, wrong, "GOAWAY 0 8 FRAME_SIZE_ERROR"},
		{func(*Conn) {}, fmt.Errorf("so: %w", wrong), "GOAWAY 0 8 FRAME_SIZE_ERROR"},
		{func(c *Conn) { c.out.busy = true }, wrong, ""}, {func(c *Conn) { c.out.kept = true }, wrong, ""},
		{func(c *Conn) { c.out.err = errStuck }, wrong, ""}, {func(c *Conn) { c.sender = nil }, wrong, ""},
	} {
		c, m := quietly(DefaultLimits())
		c.mostStreams = 1
		s, waits := opened(c, m, get("/")), opened(c, m, get("/"))
		tt.change(c)
		c.Close(tt.why)
		c.Close(errors.New("again"))
		if got := strings.Join(m.frames(), ", "); got != tt.want || !m.closed || !c.settled || c.err != tt.why {
			t.Errorf("%d: %s, closed %v, %v", i, got, m.closed, c.err)
		}
		if err := s.Wait(); err != tt.why {
			t.Errorf("%d: under way: %v", i, err)
		}
		if err := waits.Wait(); !errors.Is(err, tt.why) || !Unprocessed(err) {
			t.Errorf("%d: waiting: %v", i, err)
		}
		select {
		case <-c.ready:
		default:
			t.Errorf("%d: who starts it waits on", i)
		}
	}
	NewStream(new(heard)).Cancel(errStuck) // which was never sent
}

// TestSettingsOfTheServer: what each changes, of streams that are open, too.
func TestSettingsOfTheServer(t *testing.T) {
	type state struct {
		streams       int64
		frame         int
		window, whole int64
	}
	base := state{mostWindow, 16384, 65535, 65535}
	for i, tt := range []struct {
		id     xhttp2.SettingID
		n      uint32
		window int64 // the stream's before
		rule   Rule
		code   Code
		want   state
	}{
		{xhttp2.SettingMaxConcurrentStreams, 7, 65535, "", 0, state{7, 16384, 65535, 65535}},
		{xhttp2.SettingMaxConcurrentStreams, 0, 65535, "", 0, state{0, 16384, 65535, 65535}},
		{xhttp2.SettingMaxFrameSize, 16384, 65535, "", 0, base}, {xhttp2.SettingMaxFrameSize, 1<<24 - 1, 65535, "", 0, state{mostWindow, 1<<24 - 1, 65535, 65535}},
		{xhttp2.SettingMaxFrameSize, 16383, 65535, BadSettings, ProtocolError, base},
		{xhttp2.SettingInitialWindowSize, 65536, 100, "", 0, state{mostWindow, 16384, 101, 65536}},
		{xhttp2.SettingInitialWindowSize, 0, 100, "", 0, state{mostWindow, 16384, 100 - 65535, 0}},
		{xhttp2.SettingInitialWindowSize, 65536, mostWindow - 1, "", 0, state{mostWindow, 16384, mostWindow, 65536}},
		{xhttp2.SettingInitialWindowSize, 65536, mostWindow, BadWindow, FlowControlError, state{mostWindow, 16384, mostWindow + 1, 65535}},
		{xhttp2.SettingEnablePush, 0, 65535, "", 0, base}, {xhttp2.SettingEnablePush, 1, 65535, BadSettings, ProtocolError, base},
		{xhttp2.SettingHeaderTableSize, 1, 65535, "", 0, base}, {0x99, 5, 65535, "", 0, base},
	} {
		c, m := quietly(DefaultLimits())
		s := opened(c, m, get("/"))
		s.window = tt.window
		err := comes(t, c, func(f *xhttp2.Framer) { _ = f.WriteSettings(xhttp2.Setting{ID: tt.id, Val: tt.n}) })
		var rule *Error
		if (err != nil) != (tt.rule != "") || err != nil && (!errors.As(err, &rule) || rule.Rule != tt.rule || rule.code != tt.code) {
			t.Errorf("%d: %v", i, err)
		}
		if got := (state{c.mostStreams, c.mostFrame, s.window, c.streamWindow}); got != tt.want {
			t.Errorf("%d: %+v, want %+v", i, got, tt.want)
		}
		if told := strings.Join(m.frames(), ", "); (told == "SETTINGS 0 0") != (err == nil) || c.settled != (err == nil) {
			t.Errorf("%d: the server is told %q, settled %v", i, told, c.settled)
		}
	}
}
