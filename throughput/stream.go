package throughput

import (
	"io"
	"sync/atomic"
	"time"
)

// Progress is what has moved through a Reader, a ReadCloser or a Writer so far.
type Progress struct {
	Started time.Time // by the wall clock: when the first piece was asked for or given
	First   Stamp     // then, as an offset from the making of the wrapper
	Last    Stamp     // when the last piece that was not empty had moved
	Bytes   int64
	Calls   int64 // that moved something

	// InIO is the time inside the calls up to the last that moved something, without the time between
	// them, in which the reader's caller or the writer's source is at work. It may be behind by 10 µs.
	InIO time.Duration
}

// Throughput is the rate, in bytes per second, from the first call to the end of the last:
//
//	Bytes ÷ (Last − First)
//
// The error is that of two stamps, some 50 µs. Absent for a body that moved in one piece.
func (p Progress) Throughput() (float64, bool) {
	window, ok := p.Last.since(p.First)
	return rate(p.Bytes, window, ok && p.Calls > 1)
}

// A stream is a meter of a body that no attempt belongs to.
type stream struct{ meter }

func (s *stream) progress() Progress {
	p := Progress{First: s.asked.get(), Last: s.last.get(), Bytes: s.bytes.Load(), Calls: s.reads.Load()}
	first, _ := s.first.get().since(p.First)
	later, _ := s.waited()
	p.InIO = first + later
	if offset, ok := p.First.Offset(); ok {
		p.Started = s.start.Add(offset)
	}
	return p
}

// A Reader measures how fast a body is pulled through it. One goroutine at a time may read;
// any may ask for the Progress.
type Reader struct {
	stream
	from io.Reader
}

// NewReader returns a Reader of r. A nil r is empty.
func NewReader(r io.Reader) *Reader {
	w := &Reader{from: r}
	w.start = time.Now()
	return w
}

// Read reads from the reader below.
func (r *Reader) Read(p []byte) (int, error) {
	if r == nil || r.from == nil {
		return 0, io.EOF
	}
	return r.read(r.from, p)
}

// Progress returns what was read so far. The number of calls may be behind by up to 16 until
// the end was read.
func (r *Reader) Progress() Progress {
	if r == nil {
		return Progress{}
	}
	return r.progress()
}

// A ReadCloser is a Reader that can be closed.
type ReadCloser struct {
	Reader
	closer io.Closer
	done   func(Progress)
	closed atomic.Bool
}

// NewReadCloser returns a ReadCloser of rc. done, if it is not nil, gets the progress once,
// when the body is closed.
func NewReadCloser(rc io.ReadCloser, done func(Progress)) *ReadCloser {
	c := &ReadCloser{done: done}
	c.start = time.Now()
	if rc != nil {
		c.from, c.closer = rc, rc
	}
	return c
}

// Close closes the body below.
func (c *ReadCloser) Close() error {
	if c == nil {
		return nil
	}
	var err error
	if c.closer != nil {
		err = c.closer.Close()
	}
	if c.done != nil && c.closed.CompareAndSwap(false, true) {
		c.done(c.progress())
	}
	return err
}

// A Writer measures how fast a body is pushed through it. One goroutine at a time may write;
// any may ask for the Progress.
type Writer struct {
	stream
	to io.Writer
}

// NewWriter returns a Writer to w. A nil w takes everything.
func NewWriter(w io.Writer) *Writer {
	if w == nil {
		w = io.Discard
	}
	t := &Writer{to: w}
	t.start = time.Now()
	return t
}

// Write writes to the writer below.
func (w *Writer) Write(p []byte) (int, error) {
	if w == nil || w.to == nil {
		return len(p), nil
	}
	w.before()
	n, err := w.to.Write(p)
	w.after(n, err)
	return n, err
}

// Progress returns what was written so far. The number of calls may be behind by up to 16.
func (w *Writer) Progress() Progress {
	if w == nil {
		return Progress{}
	}
	return w.progress()
}
