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

// TestRepeatedFramesOfTheServer: it is told when half of what it may send is used up, of the stream and of all.
func TestRepeatedFramesOfTheServer(t *testing.T) {
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

// TestContinuationFrames: they are as long as the limit allows, together, and what they took is not kept when it was much.
func TestContinuationFrames(t *testing.T) {
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
