package throughput

import "io"

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
