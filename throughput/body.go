package throughput

import (
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
)

// body wraps the body of a request. One that the kernel could send by itself stays so: the
// socket recognizes it by its SyscallConn.
func (x *exchange) body(b io.ReadCloser) io.ReadCloser {
	wrapped := &x.firstBody // one allocation less; a rewound body is another
	if wrapped.exchange != nil {
		wrapped = &requestBody{}
	}
	wrapped.exchange, wrapped.from = x, b
	conn, isConn := b.(syscall.Conn)
	seeker, isSeeker := b.(io.Seeker)
	if isConn && isSeeker {
		return &fileBody{requestBody: wrapped, conn: conn, seeker: seeker}
	}
	if writes := x.writesItself(wrapped, b); writes != nil {
		return writes
	}
	return wrapped
}

// A requestBody belongs to the attempt that touches it first. net/http makes the body of
// another attempt before it begins that, and gives an untouched one to the next.
type requestBody struct {
	exchange *exchange
	from     io.ReadCloser
	attempt  atomic.Pointer[attempt]
}

func (b *requestBody) bind() *attempt {
	if a := b.attempt.Load(); a != nil {
		return a
	}
	b.attempt.CompareAndSwap(nil, b.exchange.current.Load())
	return b.attempt.Load()
}

func (b *requestBody) Read(p []byte) (int, error) { return b.bind().sent.read(b.from, p) }

func (b *requestBody) Close() error {
	err := b.from.Close()
	b.bind().closedBody()
	return err
}

// A fileBody can be sent by the kernel, from its file to the socket of a plain connection.
type fileBody struct {
	*requestBody
	conn   syscall.Conn
	seeker io.Seeker
}

func (b *fileBody) SyscallConn() (syscall.RawConn, error) {
	raw, err := b.conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &fileRaw{RawConn: raw, body: b}, nil
}

// A fileRaw sees the kernel's work begin and end. The position of the file says how much it
// was, and whether the kernel did it at all.
type fileRaw struct {
	syscall.RawConn
	body *fileBody
}

func (r *fileRaw) Read(f func(fd uintptr) bool) error {
	a := r.body.bind()
	before, ahead := r.body.seeker.Seek(0, io.SeekCurrent)
	a.sent.stampBegin()
	err := r.RawConn.Read(f)
	after, behind := r.body.seeker.Seek(0, io.SeekCurrent)
	if ahead == nil && behind == nil && after > before {
		a.sent.add(after - before)
		if a.lock() {
			a.timeline.Sendfile = true
			a.mu.Unlock()
		}
	}
	return err
}

// wrapResponse wraps the body of a response, and keeps the writing half of one that switched
// protocols.
func (a *attempt) wrapResponse(resp *http.Response) io.ReadCloser {
	length := resp.ContentLength
	if resp.Uncompressed {
		length = -1
	}
	b := &responseBody{attempt: a, from: resp.Body, length: length}
	b.received.start = a.sent.start
	a.received = &b.received
	if w, ok := resp.Body.(io.Writer); ok {
		return &duplexBody{responseBody: b, Writer: w}
	}
	return b
}

type responseBody struct {
	attempt *attempt
	from    io.ReadCloser
	length  int64 // declared; -1 if unknown

	received meter
}

func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.received.read(b.from, p)
	switch err {
	case nil:
	case io.EOF:
		b.attempt.endResponse(true, nil)
	default:
		b.attempt.endResponse(false, err)
	}
	return n, err
}

// Close ends the response. Who has read as much as was declared has read it whole, even
// without asking for the end.
func (b *responseBody) Close() error {
	err := b.from.Close()
	b.attempt.endResponse(b.received.bytes.Load() == b.length, nil)
	return err
}

type duplexBody struct {
	*responseBody
	io.Writer
}
