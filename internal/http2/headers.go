package http2

import (
	"fmt"
	"strconv"

	xhttp2 "golang.org/x/net/http2"
)

// headers reads a frame of headers, or the first of several.
func (c *Conn) headers(f *xhttp2.HeadersFrame) error {
	if f.HeadersEnded() {
		return c.fields(f.FrameHeader, f.HeaderBlockFragment())
	}
	c.in.of = f.FrameHeader
	c.in.block = append(c.in.block[:0], f.HeaderBlockFragment()...)
	return nil
}

// continued reads a frame of headers that go on.
func (c *Conn) continued(f *xhttp2.ContinuationFrame) error {
	in := &c.in
	p := f.HeaderBlockFragment()
	in.block = append(in.block, p...)
	if len(in.block) > c.limits.Head || len(p) == 0 && !f.HeadersEnded() {
		return broken(HeadTooLong, EnhanceYourCalm,
			fmt.Sprintf("the headers exceed %d bytes or come in too many frames", c.limits.Head), nil)
	}
	if !f.HeadersEnded() {
		return nil
	}
	err := c.fields(in.of, in.block)
	if cap(in.block) > smallBuffer {
		in.block = nil
	}
	return err
}

// fields reads the fields of an answer: its head, an interim answer, or its trailers.
func (c *Conn) fields(f xhttp2.FrameHeader, block []byte) error {
	ends := f.Flags.Has(xhttp2.FlagHeadersEndStream)
	s, err := c.find(f.StreamID)
	if err != nil {
		return err
	}
	h := &c.in.spare
	live := s != nil && s.lock(f.StreamID)
	if live && !s.final {
		h = &s.head
	}
	if live && !s.told {
		s.told = true
		s.sink.First()
	}
	h.reset()
	tooLong, bad := c.in.fields.decode(h, block, c.limits)
	if !live {
		if bad != nil {
			return bad
		}
		return nil
	}
	wrong := tooLong
	switch {
	case bad != nil:
		s.mu.Unlock()
		return bad
	case wrong != nil:
	case s.final:
		wrong = h.trailers(ends)
	default:
		wrong = s.answer(ends)
	}
	over := s.final && ends
	s.mu.Unlock()
	switch {
	case wrong != nil:
		c.giveUp(s, f.StreamID, wrong)
	case over:
		c.finish(s, f.StreamID)
	}
	return nil
}

// mostInterims bounds the answers before the answer.
const mostInterims = 100

// answer looks at the head of an answer, or of one before it.
func (s *Stream) answer(ends bool) *Error {
	h := &s.head
	if err := h.check(true); err != nil {
		return err
	}
	switch {
	case h.Status == 101:
		return broken(BadStatus, ProtocolError, "status 101 is not allowed in HTTP/2", nil)
	case h.Status >= 200:
		s.final = true
		return h.readLength()
	case ends:
		return broken(BadFrame, ProtocolError, "the stream ends with an interim response", nil)
	}
	if s.interims++; s.interims > mostInterims {
		return broken(TooManyInterims, EnhanceYourCalm, "too many interim responses", nil)
	}
	return nil
}

// trailers looks at the fields behind a body.
func (h *Head) trailers(ends bool) *Error {
	if !ends {
		return broken(BadFrame, ProtocolError, "headers arrived within the body", nil)
	}
	return h.check(false)
}

// check looks at each field (RFC 9113, 8.2 and 8.3).
func (h *Head) check(pseudo bool) *Error {
	for i := range h.fields {
		f := &h.fields[i]
		name, value := h.text[f.name:f.value], h.text[f.value:f.to]
		if len(name) > 0 && name[0] == ':' {
			if !pseudo || i > 0 || string(name) != ":status" {
				return broken(BadHeader, ProtocolError, "a pseudo-header is misplaced or unknown", name)
			}
			if len(value) != 3 || value[0] < '1' || value[0] > '9' || !digits(value) {
				return broken(BadStatus, ProtocolError, "the status is not a three-digit number", value)
			}
			h.Status = int(value[0]-'0')*100 + int(value[1]-'0')*10 + int(value[2]-'0')
			continue
		}
		if !isName(name) {
			return broken(BadHeader, ProtocolError, "a header name is invalid", name)
		}
		if !isValue(value) {
			return broken(BadHeader, ProtocolError, "a header value contains an invalid character", name)
		}
		if ofConnection(name) {
			return broken(BadHeader, ProtocolError, "a connection-specific header of HTTP/1.1 is not allowed", name)
		}
	}
	if pseudo && h.Status == 0 {
		return broken(BadStatus, ProtocolError, "the response has no status", nil)
	}
	return nil
}

func ofConnection(name []byte) bool {
	switch string(name) {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return true
	}
	return false
}

// readLength reads what the headers say of the body's length. One that is repeated must not change.
func (h *Head) readLength() *Error {
	for n := 0; ; n++ {
		v, found := h.Value("content-length", n)
		if !found {
			return nil
		}
		length, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil || !digits(v) {
			return broken(BadLength, ProtocolError, "Content-Length is not a number", v)
		}
		if n > 0 && length != h.Length {
			return broken(BadLength, ProtocolError, "the response has several Content-Length headers", v)
		}
		h.Length = length
	}
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// isName reports whether b is a token in lower case.
func isName(b []byte) bool {
	for _, c := range b {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-':
		case c > 0x20 && c < 0x7f && !('A' <= c && c <= 'Z'):
			switch c {
			case '"', '(', ')', ',', '/', ':', ';', '<', '=', '>', '?', '@', '[', '\\', ']', '{', '}':
				return false
			}
		default:
			return false
		}
	}
	return len(b) > 0
}

func isValue(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
