package gs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// mark is the metadata that tells an object of ours from one that was there before, when it
// is not known whether an upload came to its end.
const mark = "plimsoll-upload"

// chunkPatience bounds how long the library tries to send a chunk. It is long, because the
// number of retries ends it.
const chunkPatience = time.Hour

// Create begins an object.
func (s *gs) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	key, err := s.keyOf(path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.parallel {
		return store.NewPartWriter(ctx, s.newComposite(key), s.slabs, size, s.chunk, s.config.Block, s.active), nil
	}
	return s.newWriter(ctx, key, size), nil
}

// writer writes an object in order: its goroutine hands the blocks in the queue to the
// library.
type writer struct {
	s    *gs
	key  string
	id   string // of this upload, in the object's metadata
	size int64

	ctx    context.Context // of the upload
	cancel context.CancelFunc
	call   *call
	object *storage.Writer

	memory chan struct{} // a token for each block that may be taken
	filled chan []byte   // reserved, and not yet written
	queue  chan []byte   // written, and not yet handed over
	ended  chan struct{} // closed when the goroutine has ended
	err    error         // why the upload failed; read it after ended is closed

	reserved int64 // of the goroutine that reserves

	// Of the goroutine that writes.
	written    int64
	closing    bool // the queue is closed
	completing bool // the object may be complete, as far as is known here
	over       bool
}

func (s *gs) newWriter(ctx context.Context, key string, size int64) *writer {
	// One block in the hand of the goroutine, one that is being written, one that is being made.
	blocks := s.active + 3
	w := &writer{
		s: s, key: key, id: rand.Text(), size: size,
		memory: make(chan struct{}, blocks), filled: make(chan []byte, blocks),
		queue: make(chan []byte, s.active), ended: make(chan struct{}),
	}
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	callCtx, c, retry := s.call(w.ctx, upload)
	w.call = c
	w.object = s.prepare(callCtx, key, w.id, size, retry)
	go w.upload()
	return w
}

// prepare makes the library's writer of an object.
func (s *gs) prepare(ctx context.Context, key, id string, size int64, retry storage.RetryOption) *storage.Writer {
	o := s.object(key, retry).NewWriter(ctx)
	// An object that leaves room in its chunk is sent in one request.
	o.ChunkSize = int(min(s.chunk, (size/chunkUnit+1)*chunkUnit))
	o.ChunkRetryDeadline = chunkPatience
	o.ContentType = "application/octet-stream" // else the library looks into the data
	o.Metadata = map[string]string{mark: id}
	o.DisableAutoChecksum = s.config.Checksum == "none"
	return o
}

// upload hands the blocks over, one after the other.
func (w *writer) upload() {
	defer close(w.ended)
	opened := false
	for b := range w.queue {
		if w.err == nil && w.ctx.Err() == nil {
			opened = true
			_, w.err = w.object.Write(b)
		}
		if w.err != nil {
			w.cancel()
		}
		w.release(b)
	}
	// Without a write before it, the library's Close would make an empty object. After one,
	// it has to be called to end the request; a cancelled context keeps it from completing.
	if opened || w.ctx.Err() == nil {
		if err := w.object.Close(); w.err == nil {
			w.err = err
		}
	}
}

func (w *writer) release(b []byte) {
	b = b[:cap(b)]
	w.s.blocks.Put(&b)
	<-w.memory
}

// Reserve gives memory for a block.
func (w *writer) Reserve(ctx context.Context, n int) ([][]byte, error) {
	if int64(n) > w.s.config.Block {
		return nil, store.Fail(store.Other, "%d bytes are more than a block, which is %d", n, w.s.config.Block)
	}
	if w.reserved+int64(n) > w.size {
		return nil, store.Fail(store.Other, "more than the %d bytes that the file was created with", w.size)
	}
	select {
	case w.memory <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.ended:
		return nil, w.failure(ctx)
	}
	var b []byte
	if used, ok := w.s.blocks.Get().(*[]byte); ok {
		b = *used
	} else {
		b = make([]byte, w.s.config.Block)
	}
	w.reserved += int64(n)
	w.filled <- b[:n]
	return [][]byte{b[:n]}, nil
}

// Write puts the next block into the queue.
func (w *writer) Write(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	select {
	case <-w.ctx.Done(): // the upload has failed
		return w.finish(ctx)
	default:
	}
	select {
	case w.queue <- <-w.filled:
		w.written += int64(n)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Flush cannot be done.
func (w *writer) Flush(context.Context, bool) error {
	return store.Fail(store.Unsupported, "an object of Google Cloud Storage cannot be flushed before it is complete")
}

// Close waits for the queue and completes the object.
func (w *writer) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	err := w.complete(ctx)
	if err == nil {
		w.over = true
		w.cancel()
		return nil
	}
	if abort := w.Abort(context.WithoutCancel(ctx)); abort != nil {
		return fmt.Errorf("%w; what there is of it could not be deleted: %w", err, abort)
	}
	return err
}

func (w *writer) complete(ctx context.Context) error {
	if w.written != w.size {
		return store.Fail(store.Other, "%d bytes were written of the %d that the file was created with", w.written, w.size)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.completing = true
	return w.finish(ctx)
}

// finish ends the queue and waits for the goroutine.
func (w *writer) finish(ctx context.Context) error {
	if !w.closing {
		w.closing = true
		close(w.queue)
	}
	select {
	case <-w.ended:
	case <-ctx.Done():
		w.cancel()
		<-w.ended
		return ctx.Err()
	}
	return w.failure(ctx)
}

// failure is why the upload failed, or nil.
func (w *writer) failure(ctx context.Context) error { return w.s.fail(ctx, w.err, w.key) }

// Abort ends the upload and takes back what there is of it.
func (w *writer) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	w.cancel()
	_ = w.finish(ctx) // the upload is not wanted, so its error is not either
	<-w.ended
	for len(w.filled) > 0 {
		w.release(<-w.filled)
	}
	w.s.giveUp(ctx, w.call)
	if !w.completing || w.rejected() {
		return nil
	}
	return w.s.undo(ctx, w.key, w.id)
}

// rejected reports whether the service said that it does not take the object. After a retry
// that can be about an object that an attempt before has made.
func (w *writer) rejected() bool {
	w.call.mu.Lock()
	defer w.call.mu.Unlock()
	var answer *googleapi.Error
	return !w.call.retried && errors.As(w.err, &answer) && answer.Code < http.StatusInternalServerError
}

// giveUp ends a resumable upload that is not complete. It would not be visible, and vanish
// after a week, so that it is no failure if that cannot be done.
func (s *gs) giveUp(ctx context.Context, c *call) {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if session == "" {
		return
	}
	callCtx, _, _ := s.call(ctx, "CancelUpload")
	req, err := http.NewRequestWithContext(callCtx, http.MethodDelete, session, nil)
	if err != nil {
		return
	}
	if resp, err := s.client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// lateness is how long the service may take to complete an object whose request was given up
// with all of its bytes sent.
const lateness = 500 * time.Millisecond

// undo deletes an object of whose upload it is not known whether it came to its end, if it is
// there and of that upload. It looks twice.
func (s *gs) undo(ctx context.Context, key, id string) error {
	done, err := s.undoNow(ctx, key, id)
	if done || err != nil {
		return err
	}
	if !backoff.Sleep(ctx, lateness) {
		return ctx.Err()
	}
	_, err = s.undoNow(ctx, key, id)
	return err
}

func (s *gs) undoNow(ctx context.Context, key, id string) (done bool, err error) {
	a, err := s.attributes(ctx, key)
	switch store.CauseOf(err) {
	case "":
	case store.NoBucket, store.AccessDenied, store.NoCredentials:
		return true, nil
	case store.NoFile:
		return false, nil
	default:
		return false, err
	}
	if a.Metadata[mark] != id {
		return false, nil
	}
	return true, s.remove(ctx, key, storage.Conditions{GenerationMatch: a.Generation})
}
