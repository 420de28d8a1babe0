package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
)

// Resume says how a file that is read as one stream goes on where its connection was lost, as the makers' own tools do:
// it is opened again at the byte that it had come to.
type Resume struct {
	Size     int64     // of the file
	Tries    int       // how often in a row it is opened again at most
	Requests *Requests // counts it
	// From begins to read at an offset. What it gives reads on to the end of the file, and has errors of the store; that
	// the file is another one by now is an error.
	From func(ctx context.Context, at int64) (io.ReadCloser, error)
	// Persistent says that From itself tries again as often as it may, so that its error is for good: tries of tries would
	// be so many that nobody waits for their end.
	Persistent bool
	// Lost reports whether what went wrong was the connection alone.
	Lost func(error) bool
	// Rest waits before the n-th try in a row, from 0, after this error; its own error gives up.
	Rest func(ctx context.Context, n int, err error) error
}

// Stream opens the file at its start.
func (r Resume) Stream(ctx context.Context) (io.ReadCloser, error) {
	body, err := r.From(ctx, 0)
	if err != nil {
		return nil, err
	}
	return &resumed{Resume: r, ctx: ctx, body: body, tries: Tries{Most: r.Tries}}, nil
}

// Tries bounds how often something is opened again in a row.
type Tries struct {
	Most int

	used int
	at   int64 // bytes, at the last loss
}

// steady is how much comes between two losses that are not in a row: so much the makers' tools ask for in a request,
// each of which they try again as often as they are told to.
const steady = 8 << 20

// Next is the number of the try in its row, from 0, after a loss when so many bytes had come; false when there is no
// more.
func (t *Tries) Next(at int64) (n int, ok bool) {
	if at-t.at >= steady {
		t.used = 0
	}
	t.at = at
	if t.used >= t.Most {
		return 0, false
	}
	t.used++
	return t.used - 1, true
}

// resumed is the stream.
type resumed struct {
	Resume
	ctx   context.Context // stored context: of the requests that the stream is made of; a Reader has none
	body  io.ReadCloser   // nil from a loss until it is opened again
	at    int64
	tries Tries
	lost  error // why there is no body
	err   error // for good
}

// Read reads straight from the connection, and opens the file again when the one before was lost.
func (r *resumed) Read(p []byte) (int, error) {
	for {
		if r.err == nil && r.body == nil {
			r.err = r.reopen()
		}
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.body.Read(p)
		r.at += int64(n)
		switch {
		case err == nil:
			return n, nil
		case r.at == r.Size && r.Lost(err): // with nothing missing
			err = io.EOF
			fallthrough
		case err == io.EOF, !r.Lost(err), r.ctx.Err() != nil:
			r.err = err
			return n, err
		}
		_ = r.body.Close() // what went wrong was said
		r.body, r.lost = nil, err
		if n > 0 || len(p) == 0 {
			return n, nil // the next read goes on
		}
	}
}

// reopen opens the file where it was lost.
func (r *resumed) reopen() error {
	for why := r.lost; ; {
		n, ok := r.tries.Next(r.at)
		if !ok {
			return why
		}
		if err := r.Rest(r.ctx, n, why); err != nil {
			return err
		}
		body, err := r.From(r.ctx, r.at)
		switch {
		case err == nil:
			r.Requests.Reopened(CauseOf(r.lost))
			r.body, r.lost = body, nil
			return nil
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case r.Persistent, !r.Lost(err):
			return r.notResumed(err)
		}
		why = err
	}
}

// notResumed is why the file could not be opened again, with what made that necessary.
func (r *resumed) notResumed(err error) error {
	e := &Error{
		Cause: CauseOf(err), Err: fmt.Errorf("%w; it was resuming at byte %d after %s", err, r.at, CauseOf(r.lost)),
	}
	var known *Error
	if errors.As(err, &known) {
		e.Hint = known.Hint
	}
	return e
}

// Close ends the request, also before its end.
func (r *resumed) Close() error {
	body := r.body
	r.body = nil
	if r.err == nil {
		r.err = Fail(Other, "the stream was closed")
	}
	if body == nil {
		return nil
	}
	return body.Close()
}

// Reopened counts that a file which was being read was opened again where it was, because its connection was lost for
// this cause.
func (r *Requests) Reopened(cause string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reopened == nil {
		r.reopened = map[string]int64{}
	}
	r.reopened[cause]++
}

// Reopenings counts, by cause, how often a file was opened again where it was.
func (r *Requests) Reopenings() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.reopened)
}
