package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/store"
)

// streamWriter writes a file of several blocks by one PUT.
type streamWriter struct {
	s       *webStore
	path    string
	size    int64
	source  *source
	reached atomic.Bool
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when the PUT is over
	result  error         // of it

	// Of the goroutine that writes.
	written int64
	over    bool
}

func (s *webStore) newStream(ctx context.Context, path string, size int64) *streamWriter {
	w := &streamWriter{s: s, path: path, size: size, done: make(chan struct{})}
	ctx, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	watch := newStopwatch(s.timeout, func() { w.cancel(errLate) })
	ctx = store.WithTurns(ctx, &watch.turns)
	w.source = newSource(size, s.queue, s.memory, watch)
	// goroutine: Close and Abort wait for done.
	go func() {
		defer close(w.done)
		defer watch.end()
		if w.result = w.send(ctx); w.result != nil {
			s.giveBack(w.source.close(w.result))
		}
	}()
	return w
}

var (
	errLate    = errors.New("the server neither read nor sent data for too long")
	errAborted = errors.New("the upload was aborted")
)

// send is the PUT, with its retries.
func (w *streamWriter) send(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		err := w.attempt(ctx)
		if err == nil {
			return nil
		}
		if attempt >= w.s.retries || !transient(err) || !w.source.whole() {
			return err
		}
		if w.s.rest(ctx, http.MethodPut, attempt, err) != nil {
			return err
		}
	}
}

func (w *streamWriter) attempt(ctx context.Context) error {
	body, err := w.source.open()
	if err != nil {
		return err
	}
	r := request{method: http.MethodPut, path: w.path, reached: &w.reached}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := w.s.newRequest(ctx, r, body)
	if err != nil {
		return err
	}
	req.ContentLength = w.size
	req.GetBody = func() (io.ReadCloser, error) { return w.source.open() }
	resp, err := w.s.streams.Do(req)
	if err != nil {
		if errors.Is(context.Cause(ctx), errLate) {
			return store.Fail(store.Timeout, "PUT %s: %w: %s", w.s.show(w.path), errLate, w.s.timeout).
				WithHint("raise --timeout")
		}
		return w.s.broken(ctx, r, err)
	}
	if resp, err = w.s.judge(r, resp); err != nil {
		return err
	}
	all := w.source.complete()
	store.Discard(resp)
	if !all {
		return store.Fail(store.Protocol, "PUT %s: the server responded with %d before receiving the whole file",
			w.s.show(w.path), resp.StatusCode).
			WithHint("the server does not store uploads; use another path or server")
	}
	return nil
}

// Reserve gives memory of a block.
func (w *streamWriter) Reserve(ctx context.Context, n int) ([][]byte, error) {
	b, err := w.source.reserve(ctx, n)
	if err != nil {
		return nil, w.explain(err)
	}
	return [][]byte{b}, nil
}

// Write puts the block into the queue.
func (w *streamWriter) Write(ctx context.Context, n int) error {
	if w.written+int64(n) > w.size {
		return w.explain(errShort)
	}
	if err := w.source.write(ctx, n); err != nil {
		return w.explain(err)
	}
	w.written += int64(n)
	return nil
}

func (w *streamWriter) explain(err error) error {
	if errors.Is(err, errShort) || errors.Is(err, errAborted) {
		return store.Fail(store.Other, "PUT %s: %w", w.s.show(w.path), err)
	}
	return err
}

// Flush cannot be done: the body of a request is sent as the network takes it.
func (w *streamWriter) Flush(context.Context, bool) error { return errFlush }

var errFlush = store.Fail(store.Unsupported, "the body of an HTTP request cannot be flushed").
	WithHint("remove --flush and --hflush")

// Close waits for the server's answer.
func (w *streamWriter) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	if err := w.finish(ctx); err != nil {
		return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
	}
	w.over = true
	w.cancel(nil)
	w.s.giveBack(w.source.close(errAborted))
	return nil
}

func (w *streamWriter) finish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.written != w.size {
		select {
		case <-w.done: // which is why
			if w.result != nil {
				return w.result
			}
		default:
		}
		return store.Fail(store.Other, "PUT %s: wrote %d of the %d bytes that the file was created with",
			w.s.show(w.path), w.written, w.size)
	}
	select {
	case <-w.done:
		return w.result
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Abort ends the request and deletes what is there of the file.
func (w *streamWriter) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	w.cancel(errAborted)
	w.s.giveBack(w.source.close(errAborted)) // which no body reads any more
	<-w.done
	if !w.reached.Load() || w.result != nil && !unclear(w.result) {
		return nil
	}
	return w.s.clean(ctx, w.path)
}
