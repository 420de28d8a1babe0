package sftp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pkg/sftp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Create makes the file, or empties the one that is there.
func (s *sftpStore) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	c, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{s: s, c: c, path: path}
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
	w.Blocks = store.NewBlocks(ctx,
		store.BlockPlan{Name: s.show(path), Size: size, Block: s.block, Senders: s.active, Put: w.put})
	return w, nil
}

// writer writes a file in blocks, several of which are on their way.
type writer struct {
	*store.Blocks
	s    *sftpStore
	c    *connection
	f    *sftp.File
	path string
	over bool
}

func (w *writer) put(ctx context.Context, b []byte, at int64) error {
	return w.s.call(ctx, w.c, "writing", w.path, func() error {
		did, err := w.f.WriteAt(b, at)
		if err == nil && did != len(b) {
			err = fmt.Errorf("wrote %d of %d bytes", did, len(b))
		}
		return err
	})
}

// Flush waits until the server has acknowledged what was written; hard also asks it for fsync.
func (w *writer) Flush(ctx context.Context, hard bool) error {
	if err := w.Land(ctx); err != nil || !hard {
		return err
	}
	if _, ok := w.c.sftp.HasExtension("fsync@openssh.com"); !ok {
		return store.Fail(store.Unsupported, "%s: the server does not support fsync@openssh.com", w.s.show(w.path)).
			WithHint("remove --hflush")
	}
	return w.s.call(ctx, w.c, "fsync of", w.path, w.f.Sync)
}

// Close waits for the blocks and closes the file.
func (w *writer) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	err := w.Land(ctx)
	if err == nil {
		err = w.Complete()
	}
	if err == nil {
		err = w.s.call(ctx, w.c, "closing", w.path, w.f.Close)
	}
	if err != nil {
		return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
	}
	w.over = true
	w.Stop(nil)
	w.s.give(w.c)
	return nil
}

var errAborted = errors.New("the upload was aborted")

// Abort removes the file, if need be by another connection.
func (w *writer) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	// What is on its way is not waited for: that ends with the connection.
	w.Stop(errAborted)
	if w.c.alive() {
		_ = w.s.call(ctx, w.c, "closing", w.path, w.f.Close)
	}
	w.s.give(w.c)
	err := w.s.withConnection(ctx, "removing the partial file", w.path, func(c *connection) error {
		err := c.sftp.Remove(w.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("a partial file may be left behind: %w", err)
	}
	return nil
}
