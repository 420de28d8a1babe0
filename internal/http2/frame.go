package http2

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	frameSize   = 16384 // of a frame's payload, at most; we take no larger ones
	mostWindow  = 1<<31 - 1
	firstWindow = 65535
)

// inbox is what the reader has read.
type inbox struct {
	net    net.Conn
	failed error         // what the connection ended with
	small  *bufio.Reader // kept for as long as the connection is
	buf    *bufio.Reader // small, or a larger one while that pays
	last   int           // bytes of the last read
	lull   bool          // no stream is open

	began  bool  // a frame was read
	unsaid int64 // bytes that the server may send again, but has not been told of
	fields decoder
	of     xhttp2.FrameHeader // the frame whose fields go on; of stream 0: none do
	block  []byte             // of these fields
	spare  Head               // for what nobody waits for
}

const (
	smallBuffer = 4 << 10
	largeBuffer = 32 << 10
)

// attach makes the inbox of a connection, and the framer that reads from it and writes to the outbox.
func (c *Conn) attach(conn net.Conn) {
	in := &c.in
	in.net = conn
	in.small = bufio.NewReaderSize((*network)(in), smallBuffer)
	in.buf = in.small
	in.fields.of = hpack.NewDecoder(tableSize, in.fields.add)
	in.fields.of.SetMaxStringLength(c.limits.Head)
	c.framer = xhttp2.NewFramer(&c.out, in)
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(frameSize)
}

// Read is the framer's.
func (in *inbox) Read(p []byte) (int, error) {
	if in.buf.Buffered() == 0 {
		in.fit()
	}
	return in.buf.Read(p)
}

// fit takes the large buffer, or leaves it, when nothing is in the present one.
func (in *inbox) fit() {
	switch much := in.last >= smallBuffer && !in.lull; {
	case much && in.buf == in.small:
		in.buf = large.Get().(*bufio.Reader)
		in.buf.Reset((*network)(in))
	case !much && in.buf != in.small:
		in.buf.Reset(nil)
		large.Put(in.buf)
		in.buf = in.small
	}
}

// package state: room that connections share while they read much; it says nothing.
var large = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, largeBuffer) }}

// network is the connection, for the buffers.
type network inbox

// Read keeps why the connection ended: the framer has one error for that and for short frames.
func (in *network) Read(p []byte) (int, error) {
	n, err := in.net.Read(p)
	in.last = n
	if err != nil {
		in.failed = err
	}
	return n, err
}

// begins reads so much that it is known whether the server speaks HTTP/2.
func (in *inbox) begins() error {
	h, err := in.buf.Peek(9)
	if err != nil {
		return in.misread(xhttp2.FrameHeader{}, err)
	}
	if xhttp2.FrameType(h[3]) != xhttp2.FrameSettings || h[4] != 0 || h[5]|h[6]|h[7]|h[8] != 0 {
		all, _ := in.buf.Peek(in.buf.Buffered())
		return broken(NoHTTP2, ProtocolError, "it does not start with an HTTP/2 SETTINGS frame", all)
	}
	in.began = true
	return nil
}

// misread is why a frame could not be read.
func (in *inbox) misread(h xhttp2.FrameHeader, err error) error {
	code := Code(0)
	if all := xhttp2.ConnectionError(0); errors.As(err, &all) {
		code = Code(all)
	} else if one := (xhttp2.StreamError{}); errors.As(err, &one) {
		code = Code(one.Code)
	}
	kind := h.Type.String()
	switch {
	case errors.Is(err, xhttp2.ErrFrameTooLarge):
		return broken(BadFrameSize, FrameSizeError, "a frame exceeds the agreed maximum length", nil)
	case code == NoError && in.failed != nil:
		return in.failed
	case code == NoError && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case code == NoError, code == FrameSizeError:
		return broken(BadFrameSize, FrameSizeError, "a frame has an invalid length ("+kind+")", nil)
	case h.Type == xhttp2.FrameWindowUpdate:
		return broken(BadWindow, code, "a window grows by 0", nil)
	case code == FlowControlError:
		return broken(BadSettings, code, "the initial stream window is too large", nil)
	}
	return broken(BadFrame, code, "a frame is misplaced or malformed ("+kind+")", nil)
}
