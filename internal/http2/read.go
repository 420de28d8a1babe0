package http2

import (
	"errors"
	"io"
	"slices"

	xhttp2 "golang.org/x/net/http2"
)

// read reads frames until the connection ends.
func (c *Conn) read() {
	err := c.frames()
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, io.EOF) {
		err = c.ending()
	}
	c.fail(err)
}

// ending is what the end of the connection means.
func (c *Conn) ending() error {
	if !c.in.began {
		return ErrUnanswered
	}
	for _, s := range c.streams {
		s.mu.Lock()
		if s.live && s.told {
			s.live, s.err = false, ErrCut
		}
		s.mu.Unlock()
	}
	if c.away != nil && c.away.Code != NoError {
		return errors.Join(ErrUnanswered, errors.New(c.away.Error()))
	}
	return ErrUnanswered
}

func (c *Conn) frames() error {
	if err := c.in.begins(); err != nil {
		return err
	}
	for {
		h, err := c.framer.ReadFrameHeader()
		var f xhttp2.Frame
		if err == nil {
			f, err = c.framer.ReadFrameForHeader(h)
		}
		switch {
		case err == nil:
			err = c.frame(f)
		case h.Type == xhttp2.FrameWindowUpdate && errors.As(err, new(xhttp2.StreamError)):
			err = c.widen(h.StreamID, 0)
		default:
			err = c.in.misread(h, err)
		}
		if err != nil {
			return err
		}
	}
}

// data looks at a frame of an answer's body.
func (c *Conn) data(f *xhttp2.DataFrame) error {
	c.in.lull = false
	s, err := c.find(f.StreamID)
	if err != nil {
		return err
	}
	if s != nil && !c.give(s, f.StreamID, f.Data()) { // it may not come now, however empty
		s = nil
	}
	if f.StreamEnded() && s != nil {
		c.finish(s, f.StreamID)
		s = nil
	}
	c.allow(s, f.StreamID, int64(f.Length))
	return nil
}

// find is the stream of a frame; nil if it is over.
func (c *Conn) find(id uint32) (*Stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[id]
	switch {
	case s != nil:
		if s.sent && len(c.out.unsent) > 0 {
			c.answered(s)
		}
		return s, nil
	case id == 0:
		return nil, broken(BadFrame, ProtocolError, "a frame has no stream", nil)
	case id%2 == 0 || id >= c.next:
		return nil, broken(BadFrame, ProtocolError, "a frame refers to a stream that was not opened", nil)
	}
	return nil, nil // we have given it up, or the server says more than is to be said
}

// answered says of a stream that it has been sent, if who has written it has not come to say so.
func (c *Conn) answered(s *Stream) {
	for i, other := range c.out.unsent {
		if other == s {
			s.sink.Sent()
			c.out.unsent = slices.Delete(c.out.unsent, i, i+1)
			return
		}
	}
}

// lock takes the lock of a stream if it still has this number, and waits for its answer.
func (s *Stream) lock(id uint32) bool {
	s.mu.Lock()
	if s.live && s.number == id {
		return true
	}
	s.mu.Unlock()
	return false
}

// give gives a piece of a body to its stream. It is false when that needs no more.
func (c *Conn) give(s *Stream, id uint32, p []byte) bool {
	if !s.lock(id) {
		return false
	}
	var err error
	s.received += int64(len(p))
	switch {
	case !s.final:
		err = broken(BadFrame, ProtocolError, "the body arrived before the headers", nil)
	case s.bodiless && len(p) > 0: // an empty frame may end it
		err = broken(BadLength, ProtocolError, "the response to HEAD has a body", nil)
	case s.head.Length >= 0 && s.received > s.head.Length:
		err = broken(BadLength, ProtocolError, "the body is longer than Content-Length", nil)
	default:
		err = s.sink.Data(p)
	}
	s.mu.Unlock()
	if err != nil {
		c.giveUp(s, id, err)
	}
	return err == nil
}

// giveUp ends a stream with an error.
func (c *Conn) giveUp(s *Stream, id uint32, err error) {
	code := Cancel
	if rule := (*Error)(nil); errors.As(err, &rule) {
		code = rule.code
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[id] == s {
		c.drop(s, err, code)
		c.kick()
	}
}

// finish ends the answer of a stream.
func (c *Conn) finish(s *Stream, id uint32) {
	if !s.lock(id) {
		return
	}
	var wrong *Error
	switch {
	case !s.final:
		wrong = broken(BadFrame, ProtocolError, "the stream ends before its headers", nil)
	case s.head.Length >= 0 && s.received != s.head.Length && !s.bodiless && s.head.Status != 304:
		wrong = broken(BadLength, ProtocolError, "the body is shorter than Content-Length", nil)
	default:
		s.sink.Over()
	}
	s.mu.Unlock()
	if wrong != nil {
		c.giveUp(s, id, wrong)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[id] != s {
		return
	}
	sent := s.sent
	c.forget(s)
	c.in.lull = len(c.streams) == 0
	if !sent { // the server does not want the rest
		c.control(func(w *xhttp2.Framer) error { return w.WriteRSTStream(id, xhttp2.ErrCodeCancel) })
	}
	s.finish(nil)
	c.admit()
	c.kick()
}

// allow tells the server that it may send as much again, from time to time; s is nil when its stream is over.
func (c *Conn) allow(s *Stream, id uint32, n int64) {
	in := &c.in
	in.unsaid += n
	var more int64
	if s != nil && s.lock(id) {
		if s.unsaid += n; s.unsaid >= ourStreamWindow/2 {
			more, s.unsaid = s.unsaid, 0
		}
		s.mu.Unlock()
	}
	if in.unsaid < ourWindow/2 && more == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if more > 0 && c.streams[id] == s {
		c.control(func(w *xhttp2.Framer) error { return w.WriteWindowUpdate(id, uint32(more)) })
	}
	if in.unsaid >= ourWindow/2 {
		c.control(func(w *xhttp2.Framer) error { return w.WriteWindowUpdate(0, uint32(in.unsaid)) })
		in.unsaid = 0
	}
	c.kick()
}
