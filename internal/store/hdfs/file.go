package hdfs

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/colinmarc/hdfs/v2"

	"github.com/plimsoll/plimsoll/internal/store"
)

// file is a file open for reading, with a reader for each read that is going on.
type file struct {
	store *Store
	path  string
	size  int64

	mu   sync.Mutex
	idle []*reader
}

// reader is the library's reader, with its session.
type reader struct {
	session *session
	file    *hdfs.FileReader
}

// Open opens a file for reading.
func (s *Store) Open(ctx context.Context, p string) (store.File, error) {
	f := &file{store: s, path: clean(p)}
	r, err := f.take(ctx)
	if err != nil {
		return nil, err
	}
	f.size = r.file.Stat().Size()
	if r.file.Stat().IsDir() {
		s.give(r.session)
		return nil, store.Fail("is-a-directory", "%s is a directory", f.path).WithHint("name a file in it")
	}
	if err := plain(f.path, r.file.Stat()); err != nil {
		s.give(r.session)
		return nil, err
	}
	f.give(r)
	return f, nil
}

// Size is how long the file was when it was opened.
func (f *file) Size() int64 { return f.size }

// take gives a reader at the start of the file.
func (f *file) take(ctx context.Context) (*reader, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	if n := len(f.idle); n > 0 {
		r := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		if r.session.whole() {
			r.session.reset()
			return r, nil
		}
		r.session.close()
		return f.take(ctx)
	}
	f.mu.Unlock()
	r := &reader{}
	var err error
	r.session, err = f.store.beginInSession(ctx, "opening "+f.path, func(x *session) (err error) {
		r.file, err = x.client.Open(f.path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// give takes a reader back, without its connection to a datanode: the next read is a request
// of its own.
func (f *file) give(r *reader) {
	_, err := r.file.Seek(0, io.SeekStart)
	if err != nil || !r.session.whole() {
		r.close(f.store)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = append(f.idle, r)
}

// close gives the session back.
func (r *reader) close(s *Store) {
	_ = r.file.Close()
	s.give(r.session)
}

// read fills p from where the reader is.
func (r *reader) read(p []byte) (n int, err error) {
	err = r.session.guard(func() (err error) {
		n, err = r.file.Read(p)
		return err
	})
	if n > 0 {
		r.session.moved()
	}
	return n, err
}

// ReadRange fills p from the offset.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if offset < 0 || offset+int64(len(p)) > f.size {
		return store.Fail(store.Truncated, "reading %d bytes of %s from %d: it has %d", len(p), f.path, offset, f.size)
	}
	r, err := f.take(ctx)
	if err != nil {
		return err
	}
	release := r.session.bind(ctx)
	_, err = r.file.Seek(offset, io.SeekStart)
	for done := 0; err == nil && done < len(p); {
		var n int
		n, err = r.read(p[done:])
		done += n
	}
	release()
	if err != nil {
		err = f.explain(r.session, err)
		r.session.close()
		return err
	}
	f.give(r)
	return nil
}

// explain is session.explain of a read, where a file that ends early is truncated.
func (f *file) explain(x *session, err error) error {
	if errors.Is(err, io.EOF) {
		return store.Fail(store.Truncated, "reading %s: it ends before its %d bytes", f.path, f.size)
	}
	return x.explain(err, "reading "+f.path)
}

// Stream reads the whole file, block after block.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	r, err := f.take(ctx)
	if err != nil {
		return nil, err
	}
	return &stream{file: f, reader: r, release: r.session.bind(ctx)}, nil
}

// stream is one pass through a file.
type stream struct {
	file    *file
	reader  *reader // nil when it is closed
	release func()
	done    int64
	err     error
}

func (s *stream) Read(p []byte) (int, error) {
	switch {
	case s.reader == nil:
		return 0, store.Fail(store.Other, "reading %s: the stream was closed", s.file.path)
	case s.err != nil:
		return 0, s.err
	case s.done >= s.file.size:
		return 0, io.EOF
	}
	n, err := s.reader.read(p[:min(int64(len(p)), s.file.size-s.done)])
	s.done += int64(n)
	if err != nil {
		s.err = s.file.explain(s.reader.session, err)
	}
	return n, s.err
}

// Close ends the stream.
func (s *stream) Close() error {
	if s.reader == nil {
		return nil
	}
	s.release()
	if s.err != nil {
		s.reader.session.close()
	} else {
		s.file.give(s.reader)
	}
	s.reader = nil
	return nil
}

// Close gives the readers' sessions back.
func (f *file) Close() error {
	f.mu.Lock()
	idle := f.idle
	f.idle = nil
	f.mu.Unlock()
	for _, r := range idle {
		r.close(f.store)
	}
	return nil
}
