package throughput

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
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
	moved    *meter // of who reads it
}

func (b *requestBody) bind() *attempt {
	if a := b.attempt.Load(); a != nil {
		return a
	}
	b.attempt.CompareAndSwap(nil, b.exchange.current.Load())
	return b.attempt.Load()
}

// meter is the attempt's, unless another body of it was read before: a transport below that sends several
// requests at once reads several bodies, and one meter has one mover.
func (b *requestBody) meter() *meter {
	if b.moved == nil {
		if a := b.bind(); a.moved.CompareAndSwap(false, true) {
			b.moved = &a.sent
		} else {
			a.several.Store(true)
			b.moved = &meter{start: a.sent.start}
		}
	}
	return b.moved
}

func (b *requestBody) Read(p []byte) (int, error) { return b.meter().read(b.from, p) }

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
	a, sent := r.body.bind(), r.body.meter()
	before, ahead := r.body.seeker.Seek(0, io.SeekCurrent)
	sent.stampBegin()
	err := r.RawConn.Read(f)
	after, behind := r.body.seeker.Seek(0, io.SeekCurrent)
	if ahead == nil && behind == nil && after > before {
		sent.add(after - before)
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
	b := &responseBody{from: resp.Body}
	a.beginResponse(b, length)
	if w, ok := resp.Body.(io.Writer); ok {
		return &duplexBody{responseBody: b, Writer: w}
	}
	return b
}

// beginResponse begins to measure a body of this length. The caller holds the lock.
func (a *attempt) beginResponse(b *responseBody, length int64) {
	b.attempt, b.length, b.received.start = a, length, a.sent.start
	b.answered, _ = a.timeline.FirstResponseByte.Offset()
	b.began = b.answered
	a.lookAhead(b)
	a.response = b
}

type responseBody struct {
	attempt *attempt
	from    io.ReadCloser // nil of a Conn's, which reads itself
	length  int64         // declared; -1 if unknown

	answered time.Duration // when the response began
	began    time.Duration // the same, or when it was asked what had come
	received meter
	paused   atomic.Int64 // see pause

	peek  peeker        // nil if the connection cannot be asked
	away  time.Duration // since it was
	ahead atomic.Int64  // what had come when it was asked for the first time

	waited time.Duration // when the wait for the last pieces began: those after were there
	before int64         // what had been read by then
	late   atomic.Int64  // how late the last one may have been seen

	came   int64 // on the connection, before what may be of the response; see decompressed
	counts bool
}

func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.piece(b.from, p)
	switch err {
	case nil:
	case io.EOF:
		b.attempt.noteDecompressed(b)
		b.attempt.endResponse(true, nil)
	default:
		b.attempt.endResponse(false, err)
	}
	return n, err
}

// piece measures a Read.
func (b *responseBody) piece(from io.Reader, p []byte) (int, error) {
	m := &b.received
	since := m.ended
	m.before()
	pause := m.begun - since
	counted := since == 0 || b.behind(pause)
	n, err := from.Read(p)
	m.after(n, err)
	if n > 0 && m.ended-m.begun > brief {
		b.waited, b.before = max(since, b.answered), m.moved-int64(n)
	}
	if n > 0 && m.moved == b.length || err == io.EOF && b.length < 0 {
		b.lookBack()
	}
	if since == 0 {
		b.withHeaders(n)
	} else if !counted && pause > brief {
		b.pause(since, pause, n)
	}
	return n, err
}

const (
	// brief pauses of a caller are not looked at: who brings more than bridged in one is faster
	// than what this library can tell of.
	brief = 20 * time.Microsecond
	// bridged is how much can come in a pause of the caller without stopping the network: half of
	// the window of 64 KiB that Linux opens a connection with.
	bridged = 32 << 10
)

// pause counts a pause of the caller, since a moment and before n bytes were read, if at the rate so
// far the network would have brought more in it than bridged: then it may have stopped.
func (b *responseBody) pause(since, pause time.Duration, n int) {
	if so := b.received.moved - int64(n); n > 0 && stops(pause, so, since-b.answered) {
		b.paused.Store(b.paused.Load() + int64(pause))
		b.away = 0
	}
}

// stops reports whether a pause may stop a network that moves so many bytes in a time.
func stops(pause time.Duration, bytes int64, in time.Duration) bool {
	return float64(pause)*float64(bytes) > bridged*float64(in)
}

// Close ends the response. Who has read as much as was declared has read it whole, even
// without asking for the end.
func (b *responseBody) Close() error {
	err := b.from.Close()
	b.attempt.endResponse(b.received.bytes.Load() == b.length, nil)
	return err
}

// noteDecompressed notes at the end of a response whether what was read of it had moved.
func (a *attempt) noteDecompressed(b *responseBody) {
	if !b.decompressed() || !a.lock() {
		return
	}
	defer a.mu.Unlock()
	a.timeline.Uncompressed = true
}

// finish completes the timeline with what was read. What the caller did between the first byte of
// the response and its first Read is a pause as well.
func (b *responseBody) finish(t *Timeline) {
	m := &b.received
	t.ResponseBytes, t.ResponseReads = m.bytes.Load(), m.reads.Load()
	if t.ResponseBytes == 0 {
		return
	}
	t.LastResponseByte = m.last.get()
	t.ResponseAhead = b.ahead.Load()
	t.LastResponseError = time.Duration(b.late.Load())
	before, _ := m.asked.get().since(t.FirstResponseByte)
	reading, _ := t.LastResponseByte.since(m.first.get())
	inside, _ := m.waited()
	t.ReaderTime = before + max(reading-inside, 0)
	t.ReaderPaused = time.Duration(b.paused.Load())
	if whole, _ := t.LastResponseByte.since(t.FirstResponseByte); stops(before, t.ResponseBytes, whole) {
		t.ReaderPaused += before
	}
	t.ReaderPaused = min(t.ReaderPaused, t.ReaderTime)
}

type duplexBody struct {
	*responseBody
	io.Writer
}

// CloseWrite closes the writing half, if it can be: a proxy hands on by it that one side has ended.
func (b *duplexBody) CloseWrite() error {
	if half, ok := b.Writer.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("throughput: CloseWrite: %w", http.ErrNotSupported)
}

// A writerToBody writes itself. net/http has the body of a request without a length, which it sends
// in chunks, do that: each piece is a chunk, and no buffer is in between. It would not of one whose
// length is known, nor does HTTP/2.
type writerToBody struct {
	*requestBody
	writer io.WriterTo
}

// writesItself is b as a body that net/http has write itself, or nil.
func (x *exchange) writesItself(wrapped *requestBody, b io.ReadCloser) io.ReadCloser {
	if x.current.Load().timeline.ContentLength >= 0 {
		return nil
	}
	if writer, ok := b.(io.WriterTo); ok {
		return &writerToBody{wrapped, writer}
	}
	return nil
}

// WriteTo has the body write itself, through a writer that counts. A piece is taken from the body
// when the body writes it, as by a Read that returns it.
func (b *writerToBody) WriteTo(w io.Writer) (int64, error) {
	sent := b.meter()
	sent.before()
	n, err := b.writer.WriteTo(&takenPieces{w, sent})
	sent.after(0, io.EOF) // publishes what was counted
	return n, err
}

type takenPieces struct {
	to   io.Writer
	sent *meter
}

func (p *takenPieces) Write(piece []byte) (int, error) {
	p.sent.after(len(piece), nil)
	n, err := p.to.Write(piece)
	p.sent.before() // the source is waited for again
	return n, err
}
