package http2

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"
)

// inbox is what the reader has read.
type inbox struct {
	small []byte // kept for as long as the connection is
	buf   []byte // small, or a larger one while that pays
	r, w  int

	last   int   // bytes of the last read
	lull   bool  // no stream is open
	unsaid int64 // bytes that the server may send again, but has not been told of
	table  table
	block  []byte // of fields whose frame was not the last
	of     frame  // the first of them; 0: none goes on
	first  bool   // a frame was read
	spare  Head   // for what nobody waits for

}

const (
	smallBuffer = 4 << 10
	largeBuffer = 32 << 10
)

func newInbox() inbox {
	small := make([]byte, smallBuffer)
	return inbox{small: small, buf: small}
}

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
	if !c.in.first {
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
	in := &c.in
	for {
		if err := c.fill(headerSize); err != nil {
			return err
		}
		f := readFrame(in.buf[in.r:])
		if err := c.expected(f, in.buf[in.r:in.w]); err != nil {
			return err
		}
		in.r += headerSize
		if f.kind == frameData {
			if err := c.data(f); err != nil {
				return err
			}
			continue
		}
		if err := c.fill(f.length); err != nil {
			return err
		}
		payload := in.buf[in.r : in.r+f.length]
		in.r += f.length
		if err := c.frame(f, payload); err != nil {
			return err
		}
	}
}

// expected says whether such a frame may come now.
func (c *Conn) expected(f frame, all []byte) error {
	in := &c.in
	switch {
	case !in.first && (f.kind != frameSettings || f.has(flagAck) || f.stream != 0):
		return broken(NoHTTP2, ProtocolError, "it does not begin as HTTP/2 does", all)
	case f.length > defaultSize:
		return broken(BadFrameSize, FrameSizeError, "a frame is longer than was agreed on", nil)
	case in.of.stream != 0 && (f.kind != frameContinuation || f.stream != in.of.stream):
		return broken(BadFrame, ProtocolError, "another frame comes between those of its headers", nil)
	case in.of.stream == 0 && f.kind == frameContinuation:
		return broken(BadFrame, ProtocolError, "headers go on that have not begun", nil)
	}
	in.first = true
	return nil
}

// fill reads until so many bytes are there.
func (c *Conn) fill(n int) error {
	in := &c.in
	for in.w-in.r < n {
		if in.r == in.w && n <= smallBuffer && len(in.buf) > smallBuffer && (in.lull || in.last < smallBuffer) {
			c.shrink()
		}
		if in.r+n > len(in.buf) || in.r == in.w {
			if n > len(in.buf) {
				c.grow()
			}
			in.w = copy(in.buf, in.buf[in.r:in.w])
			in.r = 0
		}
		if err := c.more(); err != nil {
			return err
		}
	}
	return nil
}

// more reads once.
func (c *Conn) more() error {
	in := &c.in
	n, err := c.net.Read(in.buf[in.w:])
	in.w += n
	in.last = n
	switch {
	case n > 0:
		return nil // an error comes again
	case err == nil:
		return io.ErrNoProgress
	}
	return err
}

// grow goes over to a large buffer.
func (c *Conn) grow() {
	in := &c.in
	room := large.Get().(*[largeBuffer]byte)
	in.w = copy(room[:], in.buf[in.r:in.w])
	in.r, in.buf = 0, room[:]
}

// shrink goes back to the small one, when nothing is left.
func (c *Conn) shrink() {
	in := &c.in
	large.Put((*[largeBuffer]byte)(in.buf))
	in.buf, in.r, in.w = in.small, 0, 0
}

// package state: room that connections share while they read much; it says nothing.
var large = sync.Pool{New: func() any { return new([largeBuffer]byte) }}

// data reads a frame of an answer's body.
func (c *Conn) data(f frame) error {
	s, err := c.find(f)
	if err != nil {
		return err
	}
	in := &c.in
	size := int64(f.length)
	in.lull = false
	left, padding := f.length, 0
	if f.has(flagPadded) {
		if f.length == 0 {
			return broken(BadFrameSize, FrameSizeError, "a padded frame has no length of its padding", nil)
		}
		if err := c.fill(1); err != nil {
			return err
		}
		padding = int(in.buf[in.r])
		in.r++
		if left--; padding > left {
			return broken(BadFrame, ProtocolError, "the padding of a frame is longer than the frame", nil)
		}
		left -= padding
	}
	if left+padding > in.w-in.r && len(in.buf) == smallBuffer {
		c.grow()
	}
	if left == 0 && s != nil && !c.give(s, f.stream, nil) { // it may not come now, however empty
		s = nil
	}
	for left > 0 {
		if err := c.fill(1); err != nil {
			return err
		}
		n := min(left, in.w-in.r)
		if s != nil && !c.give(s, f.stream, in.buf[in.r:in.r+n]) {
			s = nil
		}
		in.r += n
		left -= n
	}
	for padding > 0 {
		if err := c.fill(1); err != nil {
			return err
		}
		n := min(padding, in.w-in.r)
		in.r += n
		padding -= n
	}
	if f.has(flagEndStream) && s != nil {
		c.finish(s, f.stream)
		s = nil
	}
	c.allow(s, f.stream, size)
	return nil
}

// find is the stream of a frame; nil if it is over.
func (c *Conn) find(f frame) (*Stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[f.stream]
	switch {
	case s != nil:
		if s.sent && len(c.out.unsent) > 0 {
			c.answered(s)
		}
		return s, nil
	case f.stream == 0:
		return nil, broken(BadFrame, ProtocolError, "a frame belongs to no stream", nil)
	case f.stream%2 == 0 || f.stream >= c.next:
		return nil, broken(BadFrame, ProtocolError, "a frame belongs to a stream that was not opened", nil)
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
		err = broken(BadFrame, ProtocolError, "its body comes before its headers", nil)
	case s.bodiless:
		err = broken(BadLength, ProtocolError, "it has a body, which an answer to HEAD has not", nil)
	case s.head.Length >= 0 && s.received > s.head.Length:
		err = broken(BadLength, ProtocolError, "its body is longer than it says", nil)
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
		wrong = broken(BadFrame, ProtocolError, "it ends before its headers", nil)
	case s.head.Length >= 0 && s.received != s.head.Length && !s.bodiless && s.head.Status != 304:
		wrong = broken(BadLength, ProtocolError, "its body is shorter than it says", nil)
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
		c.control(func(b []byte) []byte { return appendReset(b, id, Cancel) })
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
		c.control(func(b []byte) []byte { return appendWindow(b, id, more) })
	}
	if in.unsaid >= ourWindow/2 {
		c.control(func(b []byte) []byte { return appendWindow(b, 0, in.unsaid) })
		in.unsaid = 0
	}
	c.kick()
}

func number(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
