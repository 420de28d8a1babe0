package sftp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// file is a file that is read, as it was when it was opened: reading another one in its place fails.
type file struct {
	s        *sftpStore
	path     string
	size     int64
	modified time.Time

	mu sync.Mutex
	h  handle // in use; a connection that was lost gets another one
}

// handle is a file that is open on a connection.
type handle struct {
	c *connection
	f *sftp.File
}

// Open opens a file and asks for its size.
func (s *sftpStore) Open(ctx context.Context, path string) (store.File, error) {
	h, info, err := s.openHandle(ctx, path)
	if err != nil {
		return nil, err
	}
	return &file{s: s, path: path, size: info.Size(), modified: info.ModTime(), h: h}, nil
}

// openHandle opens a file on a connection that nobody else uses, and asks what it is.
func (s *sftpStore) openHandle(ctx context.Context, path string) (h handle, info fs.FileInfo, err error) {
	c, err := s.take(ctx)
	if err != nil {
		return handle{}, nil, err
	}
	h.c = c
	err = s.call(ctx, c, "opening", path, func() (err error) {
		if h.f, err = c.sftp.Open(path); isFailure(err) {
			if info, e := c.sftp.Stat(path); e == nil && !info.Mode().IsRegular() {
				return s.regular(info, path)
			}
			return fs.ErrNotExist // a directory on the way is none
		}
		if err != nil {
			return err
		}
		if info, err = h.f.Stat(); err == nil {
			err = s.regular(info, path)
		}
		if err != nil {
			_ = h.f.Close()
		}
		return err
	})
	if err != nil {
		s.give(c)
		return handle{}, nil, err
	}
	return h, info, nil
}

// current is the handle in use. Where its connection was lost it is opened again.
func (f *file) current(ctx context.Context) (h handle, renewed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.h.c.alive() {
		return f.h, false, nil
	}
	h, info, err := f.s.openHandle(ctx, f.path)
	if err == nil {
		if err = f.same(info); err != nil {
			f.s.give(h.c)
		}
	}
	if err != nil {
		return handle{}, false, err
	}
	f.s.give(f.h.c)
	f.h = h
	return h, true, nil
}

// same is an error when the file is not the one any more that was opened.
func (f *file) same(info fs.FileInfo) error {
	if info.Size() == f.size && info.ModTime().Equal(f.modified) {
		return nil
	}
	return store.Fail(store.Changed, "reading %s: the file changed since it was opened", f.s.show(f.path)).
		WithHint("something else wrote to the file; use a path that nothing else uses")
}

// isFailure reports whether the server only says that something failed.
func isFailure(err error) bool {
	var status *sftp.StatusError
	return errors.As(err, &status) && status.Code == failure
}

// Size is that of the file when it was opened.
func (f *file) Size() int64 { return f.size }

// lost reports whether it was the connection that ended a read, or a server that is not back yet.
func lost(err error) bool {
	cause := store.CauseOf(err)
	return cause == store.Reset || cause == store.Refused
}

// rest waits before a file is opened again for the n-th time in a row.
func (s *sftpStore) rest(ctx context.Context, n int, _ error) error {
	if !(backoff.Between{First: s.pause, Last: longestPause}).Wait(ctx, n) {
		return ctx.Err()
	}
	return nil
}

// ReadRange asks for many packets at a time. It is done again when its connection is lost on the way.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	var why error
	for attempt := 0; ; attempt++ {
		h, renewed, err := f.current(ctx)
		if renewed {
			f.s.requests.Reopened(cmp.Or(store.CauseOf(why), store.Reset))
		}
		if err == nil {
			err = f.readRange(ctx, h, p, offset)
		}
		if err == nil || !lost(err) || attempt >= f.s.retries || f.s.rest(ctx, attempt, err) != nil {
			return err
		}
		why = err
	}
}

func (f *file) readRange(ctx context.Context, h handle, p []byte, offset int64) error {
	return f.s.call(ctx, h.c, "reading", f.path, func() error {
		n, err := h.f.ReadAt(p, offset)
		switch {
		case n == len(p):
			return nil
		case err == nil, errors.Is(err, io.EOF) && h.c.alive():
			return f.truncated(offset + int64(n))
		}
		return err
	})
}

func (f *file) truncated(at int64) *store.Error {
	return store.Fail(store.Truncated, "reading %s: the file ends after %d bytes", f.s.show(f.path), at).
		WithHint("another process shortened the file, or it is smaller than the size requested")
}

// Stream reads by a handle of its own, which asks for what comes next before it is needed. Where its connection is lost
// it goes on over another one.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	return store.Resume{
		Size: f.size, Tries: f.s.retries, Requests: f.s.requests, From: f.from, Lost: lost, Rest: f.s.rest,
	}.Stream(ctx)
}

// from reads the file from an offset on.
func (f *file) from(ctx context.Context, at int64) (io.ReadCloser, error) {
	h, _, err := f.current(ctx)
	if err != nil {
		return nil, err
	}
	err = f.s.call(ctx, h.c, "opening", f.path, func() (err error) {
		if h.f, err = h.c.sftp.Open(f.path); err != nil || at == 0 {
			return err
		}
		info, err := h.f.Stat()
		if err == nil {
			err = f.same(info)
		}
		if err == nil {
			_, err = h.f.Seek(at, io.SeekStart)
		}
		if err != nil {
			_ = h.f.Close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	r := &streamReader{f: f, from: from, h: h, done: make(chan struct{}), at: at}
	r.call = func(do func() error) error { return f.s.call(ctx, h.c, "reading", f.path, do) }
	// goroutine: Close waits for done.
	go func() {
		defer close(r.done)
		_, err := h.f.WriteTo(to)
		_ = to.CloseWithError(err) // nil is the end of the file
	}()
	return r, nil
}

// streamReader reads what a goroutine gets.
type streamReader struct {
	f    *file
	call func(do func() error) error // within the stream's context
	from *io.PipeReader
	h    handle
	done chan struct{}
	at   int64
}

// Read reads what is next. A file that ends too early is an error.
func (r *streamReader) Read(p []byte) (int, error) {
	n, ended := 0, false
	err := r.call(func() (err error) {
		n, err = r.from.Read(p)
		switch {
		case err != nil && r.at == r.f.size: // nothing is missing
			ended = true
			return nil
		case err == io.EOF && r.h.c.alive():
			err = r.f.truncated(r.at)
		}
		return err
	})
	if ended && err == nil {
		err = io.EOF
	}
	r.at += int64(n)
	if r.at > r.f.size {
		err = store.Fail(store.Corrupt, "reading %s: the file is longer than the %d bytes it had when it was opened",
			r.f.s.show(r.f.path), r.f.size).WithHint("something else wrote to the file; use a path that nothing else uses")
	}
	return n, err
}

// Close ends the goroutine. What the server still sends is dropped.
func (r *streamReader) Close() error {
	_ = r.from.Close()
	// The library ends when the answers that it waits for have come: they may never.
	return r.f.s.call(context.Background(), r.h.c, "closing", r.f.path, func() error {
		<-r.done
		if !r.h.c.alive() {
			return nil
		}
		return r.h.f.Close()
	})
}

// Close closes the file.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.s.give(f.h.c)
	if !f.h.c.alive() {
		return nil
	}
	return f.s.call(context.Background(), f.h.c, "closing", f.path, f.h.f.Close)
}
