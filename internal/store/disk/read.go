package disk

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// Settle writes a file out and drops it from the page cache.
func (s *fileStore) Settle(ctx context.Context, path string) error {
	f, size, err := open(ctx, path)
	if err != nil {
		return err
	}
	kept := settle(f, size)
	if err := f.Close(); err != nil {
		return explain("closing", path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled[path] = true
	s.seen.outside++
	s.seen.count(kept)
	return nil
}

// Open opens a file that comes from the disk when it is read: it is settled, unless Settle has
// just done that.
func (s *fileStore) Open(ctx context.Context, path string) (store.File, error) {
	f, size, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	if s.forget(path) {
		return &file{f, path, size, s.flow}, nil
	}
	kept := settle(f, size)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.inside++
	s.seen.count(kept)
	return &file{f, path, size, s.flow}, nil
}

func (n *seen) count(kept bool) {
	if kept {
		n.kept++
	}
}

// forget reports whether the file was settled, which it will not be any longer.
func (s *fileStore) forget(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.settled[path]
	delete(s.settled, path)
	return was
}

// settle writes a file out and drops it from the page cache. It reports whether some of it
// stayed there. A file that cannot be written out is no error here: it can still be read.
func settle(f *os.File, size int64) (kept bool) {
	if size == 0 {
		return false
	}
	if err := f.Sync(); err != nil {
		return true
	}
	resident, err := dropCache(f)
	return err != nil || muchOf(resident, size)
}

// muchOf reports whether what stayed in the page cache counts: a few pages can be on their way through the kernel's
// lists.
func muchOf(resident, size int64) bool { return resident > size/100+64<<10 }

func open(ctx context.Context, path string) (*os.File, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	name := filepath.FromSlash(path)
	info, err := os.Stat(name) // before it is opened: opening a named pipe would wait
	if err == nil {
		if err := regular(info, path); err != nil {
			return nil, 0, err
		}
		var f *os.File
		if f, err = os.Open(name); err == nil {
			return f, info.Size(), nil
		}
	}
	if isNotDirectory(err) {
		return nil, 0, store.Fail(store.NoFile, "opening %s: %w", path, withoutPath(err))
	}
	return nil, 0, explain("opening", path, err)
}

// file is a file that is read.
type file struct {
	f    *os.File
	path string
	size int64
	flow *flow.Counter
}

// Size is that of the file when it was opened.
func (f *file) Size() int64 { return f.size }

// ReadRange is one or more pread(2).
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, err := f.f.ReadAt(p, offset)
	f.flow.Called(flow.Moved{Received: int64(n)})
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return f.truncated(offset + int64(n))
	}
	return explain("reading", f.path, err)
}

func (f *file) truncated(at int64) *store.Error {
	return store.Fail(store.Truncated, "reading %s: the file ends after %d bytes", f.path, at).
		WithHint("another process shortened the file, or it is smaller than the size requested")
}

// Stream reads from the start.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &stream{over: ctx.Err, f: f}, nil
}

// Close closes the file.
func (f *file) Close() error {
	if err := f.f.Close(); err != nil {
		return explain("closing", f.path, err)
	}
	return nil
}

// stream is a position in a file.
type stream struct {
	over func() error // why reading ends early
	f    *file
	at   int64
}

// Read reads what is next, with one pread(2).
func (s *stream) Read(p []byte) (int, error) {
	if err := s.over(); err != nil {
		return 0, err
	}
	if s.at == s.f.size {
		return 0, io.EOF
	}
	n, err := s.f.f.ReadAt(p[:min(int64(len(p)), s.f.size-s.at)], s.at)
	s.at += int64(n)
	s.f.flow.Called(flow.Moved{Received: int64(n)})
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		return n, s.f.truncated(s.at)
	}
	return n, explain("reading", s.f.path, err)
}

// Close does nothing: the file stays open.
func (s *stream) Close() error { return nil }
