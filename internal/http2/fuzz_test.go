package http2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// tape is a connection to a server that begins with its settings, says its part when it has read the headers of a
// request, and closes the connection then.
type tape struct {
	mu      sync.Mutex
	changed *sync.Cond
	written []byte
	part    []byte
	piece   int
	asked   bool
	closed  bool
	began   bool
}

func newTape(part []byte, piece int) *tape {
	t := &tape{part: part, piece: piece}
	t.changed = sync.NewCond(&t.mu)
	return t
}

func (t *tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, net.ErrClosed
	}
	if !t.asked {
		t.written = append(t.written, p...)
		b := t.written[min(len(t.written), len(xhttp2.ClientPreface)):]
		for f := xhttp2.NewFramer(nil, bytes.NewReader(b)); !t.asked; {
			frame, err := f.ReadFrame()
			if err != nil {
				break
			}
			t.asked = frame.Header().Type == xhttp2.FrameHeaders
		}
	}
	t.changed.Broadcast()
	return len(p), nil
}

func (t *tape) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.began {
		t.began = true
		return copy(p, "\x00\x00\x00\x04\x00\x00\x00\x00\x00"), nil
	}
	for !t.asked && !t.closed {
		t.changed.Wait()
	}
	switch {
	case t.closed:
		return 0, net.ErrClosed
	case len(t.part) == 0:
		return 0, io.EOF
	case t.piece > 0 && len(p) > t.piece:
		p = p[:t.piece]
	}
	n := copy(p, t.part)
	t.part = t.part[n:]
	return n, nil
}

func (t *tape) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.changed.Broadcast()
	return nil
}

func (t *tape) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (t *tape) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (t *tape) SetDeadline(time.Time) error      { return nil }
func (t *tape) SetReadDeadline(time.Time) error  { return nil }
func (t *tape) SetWriteDeadline(time.Time) error { return nil }

// oursOf is what we make of the answer on a tape.
func oursOf(t *testing.T, part []byte, piece int) (answer string, err error) {
	var all sync.WaitGroup
	c := New(newTape(part, piece), nil, DefaultLimits(), &all)
	if err := c.Start(t.Context()); err != nil {
		return "", err
	}
	var h heard
	s := NewStream(&h)
	s.Begin(c, get("/"))
	err = s.Wait()
	head := fmt.Sprint(s.Head().Status)
	for _, name := range []string{"x", "date", "content-type"} {
		for n := 0; ; n++ {
			v, found := s.Head().Value(name, n)
			if !found {
				break
			}
			head += fmt.Sprintf("\n%s: %q", name, v)
		}
	}
	if h.over_ > 1 || err == nil && (h.over_ != 1 || h.first != 1 || h.sent != 1) {
		t.Errorf("%v: told of %d sent, %d first, %d over", err, h.sent, h.first, h.over_)
	}
	if c.mu.Lock(); len(c.streams) > 0 {
		t.Errorf("%d streams are open", len(c.streams))
	}
	c.mu.Unlock()
	c.Close(errStuck)
	all.Wait()
	return head + "\n\n" + h.body.String(), err
}

// theirsOf is the same by golang.org/x/net.
func theirsOf(t *testing.T, part []byte, piece int) (answer string, err error) {
	//lint:ignore SA1019 what is to take its place connects by itself: it takes no connection that is there, as the tape
	tr := &xhttp2.Transport{DisableCompression: true}
	//lint:ignore SA1019 the same
	c, err := tr.NewClientConn(newTape(part, piece))
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://h/", nil)
	response, err := c.RoundTrip(r)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	head := fmt.Sprint(response.StatusCode)
	for _, name := range []string{"x", "date", "content-type"} {
		for _, v := range response.Header.Values(name) {
			head += fmt.Sprintf("\n%s: %q", name, v)
		}
	}
	return head + "\n\n" + string(body), err
}

// script makes frames of bytes that say little: so fuzzing finds what is nearly right.
func script(b []byte) []byte {
	var out, block bytes.Buffer
	f := xhttp2.NewFramer(&out, nil)
	f.AllowIllegalWrites = true
	e := hpack.NewEncoder(&block)
	fields := []string{":status 200", ":status 204", ":status 103", "x one", "x two", "date Mon, 02 Jan 2006 15:04:05 GMT",
		"content-length 3", "content-length 0", "content-type text/plain", "connection close", "X big", ":path /", "x a\nb", ":status 304", "content-length 6", ":status 20"}
	for len(b) >= 2 {
		kind, n := b[0], int(b[1])
		b = b[2:]
		id := uint32(1)
		if kind&0x70 == 0x70 {
			id = uint32(n % 4)
		}
		switch kind & 7 {
		case 0, 1, 2:
			block.Reset()
			for range min(n%8, len(b)) {
				name, value, _ := strings.Cut(fields[int(b[0])%len(fields)], " ")
				_ = e.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: b[0]&0x80 != 0})
				b = b[1:]
			}
			_ = f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: kind&8 == 0,
				EndStream: n&0x80 != 0, PadLength: uint8(n & 0x40)})
			if kind&8 != 0 {
				_ = f.WriteContinuation(id, true, nil)
			}
		case 3, 4:
			_ = f.WriteDataPadded(id, n&0x80 != 0, bytes.Repeat([]byte{'d'}, n%8), make([]byte, kind&8))
		case 5:
			_ = f.WriteWindowUpdate(id, uint32(n))
		case 6:
			_ = f.WriteRSTStream(id, xhttp2.ErrCode(n%16))
		default:
			if n%2 == 0 {
				_ = f.WritePing(n%4 == 0, [8]byte{})
			} else {
				_ = f.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingID(n % 8), Val: 20000})
			}
		}
	}
	return out.Bytes()
}

func agree(t *testing.T, part []byte, piece int) {
	t.Helper()
	got, err := oursOf(t, part, piece)
	if whole, other := oursOf(t, part, 0); (err == nil) != (other == nil) || err == nil && whole != got {
		t.Errorf("in pieces of %d it is %q, %v; at once %q, %v", piece, got, err, whole, other)
	}
	if err != nil {
		return // each rule has its test; others are kept by some alone
	}
	want, theirErr := theirsOf(t, part, piece)
	if strings.HasPrefix(got, "304") && errors.Is(theirErr, io.ErrUnexpectedEOF) {
		return // they miss a body of the length that the one has which was not sent (RFC 9110, 8.6)
	}
	if theirErr != nil || got != want {
		t.Errorf("%x:\n%q\nand by net/http %q, %v", part, got, want, theirErr)
	}
}

// FuzzAnswers: what we take for an answer is one for golang.org/x/net, too, and the same.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte("\x00\x02\x00\x03\x03\x83"), byte(0))
	f.Add([]byte("\x00\x83\x01\x03\x04"), byte(1))
	f.Add([]byte("\x00\x01\x02\x08\x03\x00\x05\x06\x03\x03\x04\x83"), byte(3))
	f.Add([]byte("\x00\x42\x00\x06\x03\x03\x01\x81\x03"), byte(7))
	f.Fuzz(func(t *testing.T, b []byte, piece byte) {
		if len(b) < 1000 {
			agree(t, script(b), int(piece))
		}
	})
}

// FuzzFrames: whatever a server sends, the request ends, with one of the errors that have a name.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88"), byte(1))
	f.Add([]byte("\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88\x00\x00\x02\x00\x01\x00\x00\x00\x01hi"), byte(0))
	f.Add(script([]byte("\x00\x42\x00\x06\x03\x03\x01\x81\x03")), byte(2))
	f.Fuzz(func(t *testing.T, b []byte, piece byte) {
		_, err := oursOf(t, b, int(piece))
		var rule *Error
		var reset *Reset
		var away *GoAway
		if err != nil && !errors.As(err, &rule) && !errors.As(err, &reset) && !errors.As(err, &away) &&
			!errors.Is(err, ErrCut) && !errors.Is(err, ErrUnanswered) {
			t.Errorf("%v", err)
		}
	})
}
