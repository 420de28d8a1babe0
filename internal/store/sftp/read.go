package sftp

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/pkg/sftp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// file is a file that is read.
type file struct {
	s    *sftpStore
	c    *connection
	f    *sftp.File
	path string
	size int64
}

// Open opens a file and asks for its size.
func (s *sftpStore) Open(ctx context.Context, path string) (store.File, error) {
	c, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	f := &file{s: s, c: c, path: path}
	err = s.call(ctx, c, "opening", path, func() (err error) {
		if f.f, err = c.sftp.Open(path); isFailure(err) {
			if info, e := c.sftp.Stat(path); e == nil && !info.Mode().IsRegular() {
				return s.regular(info, path)
			}
			return fs.ErrNotExist // a directory on the way is none
		}
		if err != nil {
			return err
		}
		info, err := f.f.Stat()
		if err == nil {
			f.size, err = info.Size(), s.regular(info, path)
		}
		if err != nil {
			_ = f.f.Close()
		}
		return err
	})
	if err != nil {
		s.give(c)
		return nil, err
	}
	return f, nil
}

// isFailure reports whether the server only says that something failed.
func isFailure(err error) bool {
	var status *sftp.StatusError
	return errors.As(err, &status) && status.Code == failure
}

// Size is that of the file when it was opened.
func (f *file) Size() int64 { return f.size }

// ReadRange asks for many packets at a time.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	return f.s.call(ctx, f.c, "reading", f.path, func() error {
		n, err := f.f.ReadAt(p, offset)
		switch {
		case n == len(p):
			return nil
		case err == nil, errors.Is(err, io.EOF) && f.c.alive():
			return f.truncated(offset + int64(n))
		}
		return err
	})
}

func (f *file) truncated(at int64) *store.Error {
	return store.Fail(store.Truncated, "reading %s: it ends after %d bytes", f.s.show(f.path), at).
		WithHint("somebody else shortened the file, or more was asked for than it has")
}

// Stream reads by a handle of its own, which asks for what comes next before it is needed.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	var handle *sftp.File
	err := f.s.call(ctx, f.c, "opening", f.path, func() (err error) {
		handle, err = f.c.sftp.Open(f.path)
		return err
	})
	if err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	r := &streamReader{f: f, from: from, handle: handle, done: make(chan struct{})}
	r.call = func(do func() error) error { return f.s.call(ctx, f.c, "reading", f.path, do) }
	// goroutine: Close waits for done.
	go func() {
		defer close(r.done)
		_, err := handle.WriteTo(to)
		_ = to.CloseWithError(err) // nil is the end of the file
	}()
	return r, nil
}

// streamReader reads what a goroutine gets.
type streamReader struct {
	f      *file
	call   func(do func() error) error // within the stream's context
	from   *io.PipeReader
	handle *sftp.File
	done   chan struct{}
	at     int64
}

// Read reads what is next. A file that ends too early is an error.
func (r *streamReader) Read(p []byte) (int, error) {
	if r.at == r.f.size {
		return 0, io.EOF
	}
	n := 0
	err := r.call(func() (err error) {
		n, err = r.from.Read(p[:min(int64(len(p)), r.f.size-r.at)])
		if err == io.EOF && r.f.c.alive() {
			err = r.f.truncated(r.at)
		}
		return err
	})
	r.at += int64(n)
	return n, err
}

// Close ends the goroutine. What the server still sends is dropped.
func (r *streamReader) Close() error {
	_ = r.from.Close()
	// The library ends when the answers that it waits for have come: they may never.
	return r.f.s.call(context.Background(), r.f.c, "closing", r.f.path, func() error {
		<-r.done
		if !r.f.c.alive() {
			return nil
		}
		return r.handle.Close()
	})
}

// Close closes the file.
func (f *file) Close() error {
	defer f.s.give(f.c)
	if !f.c.alive() {
		return nil
	}
	return f.s.call(context.Background(), f.c, "closing", f.path, f.f.Close)
}
