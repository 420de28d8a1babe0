package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// fileWriter writes a file in place.
type fileWriter struct {
	*store.Blocks
	f    *os.File
	path string
	flow *flow.Counter
	over bool
}

// Create makes the file, or empties the one that is there.
func (s *fileStore) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := target(path); err != nil {
		return nil, err
	}
	// noFollow: the file may have become a link since target looked at it.
	f, err := os.OpenFile(filepath.FromSlash(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|noFollow, 0o666)
	if err != nil {
		return nil, explain("creating", path, err)
	}
	s.look(filepath.Dir(f.Name()))
	s.forget(path)
	w := &fileWriter{f: f, path: path, flow: s.flow}
	w.Blocks = store.NewBlocks(ctx, store.BlockPlan{Name: path, Size: size, Block: s.block, Put: w.put})
	return w, nil
}

// put is one write(2).
func (w *fileWriter) put(_ context.Context, b []byte, _ int64) error {
	n, err := w.f.Write(b)
	w.flow.Called(flow.Moved{Sent: int64(n)})
	if err != nil {
		return explain("writing", w.path, err)
	}
	return nil
}

// Flush does nothing unless it is hard: nothing is buffered in this process.
func (w *fileWriter) Flush(ctx context.Context, hard bool) error {
	if err := ctx.Err(); err != nil || !hard {
		return err
	}
	if err := w.f.Sync(); err != nil {
		return explain("fsync of", w.path, err)
	}
	return nil
}

// Close closes the file, as an application does: without fsync.
func (w *fileWriter) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	err := ctx.Err()
	if err == nil {
		err = w.Complete()
	}
	if err == nil {
		if err = w.f.Close(); err == nil {
			w.over = true
			w.Stop(nil)
			return nil
		}
		err = explain("closing", w.path, err)
	}
	return errors.Join(err, w.Abort(ctx))
}

// Abort removes the file.
func (w *fileWriter) Abort(context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	w.Stop(nil)
	_ = w.f.Close() // it may have been closed, and what it says is of a file that goes
	if err := os.Remove(w.f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain("removing the partial file", w.path, err)
	}
	return nil
}
