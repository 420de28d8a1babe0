package hdfs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// file is a file open for reading, with a reader for each read that is going on. It is the one that was there when it
// was opened: reading another one in its place fails.
type file struct {
	store    *Store
	path     string
	size     int64
	modified time.Time

	mu   sync.Mutex
	idle []*reader
}

// reader is the library's reader, with its session.
type reader struct {
	session *session
	file    *hdfs.FileReader
	at      int64 // in the file
	begun   bool  // it has read since it was put there
}

// seek puts the reader at an offset.
func (r *reader) seek(at int64) error {
	r.at, r.begun = at, false
	_, err := r.file.Seek(at, io.SeekStart)
	return err
}

// Open opens a file for reading.
func (s *Store) Open(ctx context.Context, p string) (store.File, error) {
	f := &file{store: s, path: clean(p)}
	r, err := f.take(ctx)
	if err != nil {
		return nil, err
	}
	f.size, f.modified = r.file.Stat().Size(), r.file.Stat().ModTime()
	if r.file.Stat().IsDir() {
		s.give(r.session)
		return nil, store.Fail("is-a-directory", "%s is a directory", f.path).WithHint("add a file name to the path")
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
	if info := r.file.Stat(); !f.modified.IsZero() && (info.Size() != f.size || !info.ModTime().Equal(f.modified)) {
		r.close(f.store)
		return nil, store.Fail(store.Changed, "reading %s: the file changed since it was opened", f.path).
			WithHint("something else wrote to the file; use a path that nothing else uses")
	}
	return r, nil
}

// give takes a reader back, without its connection to a datanode: the next read is a request
// of its own.
func (f *file) give(r *reader) {
	if err := r.seek(0); err != nil || !r.session.whole() {
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

// read fills p from where the reader is. The library tells nobody that it goes on over another connection, which no
// read within a block has to make but after a loss.
func (r *reader) read(requests *store.Requests, p []byte) (n int, err error) {
	before, _ := r.session.links()
	err = r.session.guard(func() (err error) {
		n, err = r.file.Read(p)
		return err
	})
	if made, fault := r.session.links(); n > 0 && r.begun && r.at%r.blockSize() != 0 {
		for range made - before {
			requests.Reopened(cmp.Or(store.CauseOf(fault), store.Reset))
		}
	}
	if n > 0 {
		r.session.moved()
		r.at, r.begun = r.at+int64(n), true
	}
	return n, err
}

// blockSize is that of the blocks that the file is in.
func (r *reader) blockSize() int64 {
	if status, ok := r.file.Stat().Sys().(*hdfs.FileStatus); ok && status.GetBlocksize() > 0 {
		return int64(status.GetBlocksize())
	}
	return math.MaxInt64
}

// lost reports whether it was the connections that ended a read, or a server that is not back yet.
func lost(err error) bool {
	cause := store.CauseOf(err)
	return cause == store.Reset || cause == store.Refused
}

// rest waits before a file is opened again for the n-th time in a row.
func (f *file) rest(ctx context.Context, n int, _ error) error {
	if !(backoff.Between{First: f.store.config.pause, Last: longestPause}).Wait(ctx, n) {
		return ctx.Err()
	}
	return nil
}

// ReadRange fills p from the offset. It is done again, in another session, when its connections are lost on the way.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if offset < 0 || offset+int64(len(p)) > f.size {
		return store.Fail(store.Truncated, "reading %d bytes of %s from offset %d: the file has %d bytes",
			len(p), f.path, offset, f.size)
	}
	var why error
	for attempt := 0; ; attempt++ {
		err := f.readRange(ctx, p, offset)
		if err == nil && why != nil {
			f.store.config.requests.Reopened(store.CauseOf(why))
		}
		if err == nil || !lost(err) || attempt >= f.store.config.retries || f.rest(ctx, attempt, err) != nil {
			return err
		}
		why = err
	}
}

func (f *file) readRange(ctx context.Context, p []byte, offset int64) error {
	r, err := f.take(ctx)
	if err != nil {
		return err
	}
	release := r.session.bind(ctx)
	err = r.seek(offset)
	for done := 0; err == nil && done < len(p); {
		var n int
		n, err = r.read(f.store.config.requests, p[done:])
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
		return store.Fail(store.Truncated, "reading %s: the file is shorter than its %d bytes", f.path, f.size)
	}
	return x.explain(err, "reading "+f.path)
}

// Stream reads the whole file, block after block. The library goes on at another datanode when one is lost, and where
// there is none the file is opened again in another session.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	c := f.store.config
	return store.Resume{
		Size: f.size, Tries: c.retries, Requests: c.requests, From: f.from, Lost: lost, Rest: f.rest,
	}.Stream(ctx)
}

// from reads the file from an offset on.
func (f *file) from(ctx context.Context, at int64) (io.ReadCloser, error) {
	r, err := f.take(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.seek(at); err != nil {
		r.close(f.store)
		return nil, store.Fail(store.Other, "reading %s: %w", f.path, err)
	}
	return &stream{file: f, reader: r, release: r.session.bind(ctx), done: at}, nil
}

// stream is one pass through a file.
type stream struct {
	file    *file
	reader  *reader // nil when it is closed
	release func()
	done    int64 // bytes of the file, from its start
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
	n, err := s.reader.read(s.file.store.config.requests, p[:min(int64(len(p)), s.file.size-s.done)])
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
