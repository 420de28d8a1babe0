package sftp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/pkg/sftp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Create makes the file, or empties the one that is there.
func (s *sftpStore) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	c, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{s: s, c: c, path: path, size: size, places: make(chan struct{}, s.active)}
	err = s.call(ctx, c, "creating", path, func() (err error) {
		if _, err = s.inTheWay(c, path); err == nil {
			w.f, err = c.sftp.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
		}
		return err
	})
	if err != nil {
		s.give(c)
		return nil, err
	}
	// Blocks on their way, one that waits for a place, and one that is made.
	blocks := s.active + 2
	w.free, w.full = make(chan []byte, blocks), make(chan []byte, blocks)
	for range blocks {
		w.free <- nil // made when they are needed
	}
	w.ctx, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return w, nil
}

// writer writes a file in blocks, several of which are on their way.
type writer struct {
	s    *sftpStore
	c    *connection
	f    *sftp.File
	path string
	size int64

	free   chan []byte
	full   chan []byte   // reserved
	places chan struct{} // a token for each block on its way
	flying sync.WaitGroup
	ctx    context.Context // of the blocks on their way: ends when one has failed
	cancel context.CancelCauseFunc

	written int64
	over    bool
}

// Reserve gives memory for a block.
func (w *writer) Reserve(ctx context.Context, n int) ([][]byte, error) {
	if int64(n) > w.s.block {
		return nil, store.Fail(store.Other, "%s: %d bytes are more than a block", w.s.show(w.path), n)
	}
	select {
	case b := <-w.free:
		if b == nil {
			b = make([]byte, min(w.s.block, w.size))
		}
		if n > cap(b) {
			return nil, store.Fail(store.Other, "%s: more than the %d bytes that the file was created with", w.s.show(w.path), w.size)
		}
		w.full <- b[:n]
		return [][]byte{b[:n]}, nil
	case <-w.ctx.Done():
		return nil, context.Cause(w.ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write puts a block on its way when there is a place for it.
func (w *writer) Write(ctx context.Context, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	b := <-w.full
	if len(b) != n || w.written+int64(n) > w.size {
		return store.Fail(store.Other, "%s: a write of %d bytes that were not reserved, or too many", w.s.show(w.path), n)
	}
	select {
	case w.places <- struct{}{}:
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
	at := w.written
	w.written += int64(n)
	w.flying.Go(func() {
		err := w.s.call(w.ctx, w.c, "writing", w.path, func() error {
			did, err := w.f.WriteAt(b, at)
			if err == nil && did != n {
				err = fmt.Errorf("%d of %d bytes were taken", did, n)
			}
			return err
		})
		if err != nil {
			w.cancel(err)
		}
		w.free <- b[:cap(b)]
		<-w.places
	})
	return nil
}

// Flush waits until the server has acknowledged what was written; hard also asks it for fsync.
func (w *writer) Flush(ctx context.Context, hard bool) error {
	if err := w.land(ctx); err != nil || !hard {
		return err
	}
	if _, ok := w.c.sftp.HasExtension("fsync@openssh.com"); !ok {
		return store.Fail(store.Unsupported, "%s: the server does not know fsync@openssh.com", w.s.show(w.path)).WithHint("leave out --hflush")
	}
	return w.s.call(ctx, w.c, "fsync of", w.path, w.f.Sync)
}

// land waits for the blocks on their way.
func (w *writer) land(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { w.cancel(ctx.Err()) })
	w.flying.Wait()
	stop()
	return context.Cause(w.ctx)
}

// Close waits for the blocks and closes the file.
func (w *writer) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	err := w.land(ctx)
	if err == nil && w.written != w.size {
		err = store.Fail(store.Other, "%s: %d bytes were written of the %d that the file was created with", w.s.show(w.path), w.written, w.size)
	}
	if err == nil {
		err = w.s.call(ctx, w.c, "closing", w.path, w.f.Close)
	}
	if err != nil {
		return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
	}
	w.over = true
	w.cancel(nil)
	w.s.give(w.c)
	return nil
}

var errAborted = errors.New("the upload was given up")

// Abort removes the file, if need be by another connection.
func (w *writer) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	// What is on its way is not waited for: that ends with the connection.
	w.cancel(errAborted)
	w.flying.Wait()
	if w.c.alive() {
		_ = w.s.call(ctx, w.c, "closing", w.path, w.f.Close)
	}
	w.s.give(w.c)
	err := w.s.with(ctx, "removing what was written of", w.path, func(c *connection) error {
		err := c.sftp.Remove(w.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("something of the file may be left: %w", err)
	}
	return nil
}
