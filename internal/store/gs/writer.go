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

// MakeAhead fills the memory that parts are written from.
func (s *gs) MakeAhead(a store.Ahead) {
	if s.parallel {
		s.slabs.MakeAhead(a, s.chunk, s.config.Block, s.active)
	}
}

// writer writes an object in order: its one sender hands the blocks in the queue to the library.
type writer struct {
	*store.Blocks
	s   *gs
	key string
	id  string // of this upload, in the object's metadata

	ctx    context.Context // stored context: of the upload, which goes on between the calls of this writer
	cancel context.CancelFunc
	call   *call
	object *storage.Writer

	// Of the sender, and of who writes once that has ended.
	opened bool  // the library has got a block
	err    error // why the upload failed

	// Of the goroutine that writes.
	completing bool // the object may be complete, as far as is known here
	closed     bool // the library's Close was called
	over       bool
}

func (s *gs) newWriter(ctx context.Context, key string, size int64) *writer {
	w := &writer{s: s, key: key, id: rand.Text()}
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.Blocks = store.NewBlocks(w.ctx, store.BlockPlan{
		Name: "gs://" + s.bucket + "/" + key, Size: size, Block: s.config.Block, Senders: 1, Queue: s.active,
		Pool: &s.blocks, Put: w.put,
	})
	callCtx, c, retry := s.call(w.ctx, upload)
	w.call = c
	w.object = s.prepare(callCtx, key, w.id, size, retry)
	return w
}

// put hands a block to the library.
func (w *writer) put(_ context.Context, b []byte, _ int64) error {
	w.opened = true
	_, w.err = w.object.Write(b)
	return w.s.fail(w.ctx, w.err, w.key)
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

// Flush cannot be done.
func (w *writer) Flush(context.Context, bool) error {
	return store.Fail(store.Unsupported, "an object in Google Cloud Storage cannot be flushed before it is complete")
}

// Close waits for the queue and completes the object.
func (w *writer) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	err := w.complete(ctx)
	if err == nil {
		w.end(nil)
		return nil
	}
	if abort := w.Abort(context.WithoutCancel(ctx)); abort != nil {
		return fmt.Errorf("%w; the partial file could not be deleted: %w", err, abort)
	}
	return err
}

func (w *writer) complete(ctx context.Context) error {
	if err := errors.Join(w.Complete(), ctx.Err()); err != nil {
		return err
	}
	w.completing = true
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	if err := w.Land(ctx); err != nil {
		return err
	}
	w.closed = true
	w.err = w.object.Close()
	return w.s.fail(ctx, w.err, w.key)
}

// end gives up what is on its way. After a block, the library's Close has to be called to end the
// request, and the context that has ended keeps it from completing; without one, it would make an
// empty object.
func (w *writer) end(why error) {
	w.over = true
	w.cancel()
	w.Stop(why)
	if w.opened && !w.closed {
		_ = w.object.Close()
	}
}

var errAborted = errors.New("the upload was aborted")

// Abort ends the upload and takes back what there is of it.
func (w *writer) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.end(errAborted)
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

// undo deletes an object of whose upload it is not known whether it came to its end, if it is
// there and of that upload.
func (s *gs) undo(ctx context.Context, key, id string) error {
	return store.Undo(ctx, func(ctx context.Context) (func(context.Context) error, error) {
		a, err := s.attributes(ctx, key)
		if err != nil || a.Metadata[mark] != id {
			return nil, err
		}
		return func(ctx context.Context) error {
			return s.remove(ctx, key, storage.Conditions{GenerationMatch: a.Generation})
		}, nil
	})
}
