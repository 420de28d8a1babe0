package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/internal/store"
)

// fileWriter writes a file in place.
type fileWriter struct {
	*store.Staging
	f       *os.File
	path    string
	size    int64
	written int64
	over    bool
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
	return &fileWriter{Staging: store.NewStaging(max(1, min(s.block, size))), f: f, path: path, size: size}, nil
}

// Write is one write(2).
func (w *fileWriter) Write(ctx context.Context, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b := w.Next()
	defer w.Done(b)
	if len(b) != n || w.written+int64(n) > w.size {
		return store.Fail(store.Other, "%s: a write of %d bytes that were not reserved, or too many", w.path, n)
	}
	did, err := w.f.Write(b)
	w.written += int64(did)
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
	if err == nil && w.written != w.size {
		err = store.Fail(store.Other, "%s: %d bytes were written of the %d that the file was created with", w.path, w.written, w.size)
	}
	if err == nil {
		if err = w.f.Close(); err == nil {
			w.over = true
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
	_ = w.f.Close() // it may have been closed, and what it says is of a file that goes
	if err := os.Remove(w.f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain("removing what was written of", w.path, err)
	}
	return nil
}
