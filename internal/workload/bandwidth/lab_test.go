package bandwidth

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// lab is a store in memory that takes a known time for everything. Under a fake clock nothing
// else takes time.
type lab struct {
	create, write, close, open, read time.Duration
	// nil for none; n counts the calls of that name, from 1
	fail func(call string, n int) error
	late string // calls of this name do their work before they fail

	mu     sync.Mutex
	memory map[*byte]bool // where something was read to; nil: that is not noted
	files  map[string][]byte
	counts map[string]int
	asked  []string // ranges, in the order in which they began
	most   int      // ranges at the same time
	now    int
}

func newLab() *lab {
	return &lab{files: map[string][]byte{}, counts: map[string]int{}, fail: func(string, int) error { return nil }}
}

func (l *lab) call(ctx context.Context, name string, takes time.Duration) error {
	l.mu.Lock()
	l.counts[name]++
	n := l.counts[name]
	l.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.fail(name, n)
}

// readTo notes where something is read to.
func (l *lab) readTo(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.memory != nil {
		l.memory[&p[0]] = true
	}
}

func (l *lab) Describe() store.Description                         { return store.Description{} }
func (l *lab) Check(context.Context, string, int64) error          { return nil }
func (l *lab) Exists(_ context.Context, path string) (bool, error) { return l.files[path] != nil, nil }
func (l *lab) Close() error                                        { return nil }

func (l *lab) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	if err := l.call(ctx, "create", l.create); err != nil {
		return nil, err
	}
	w := &labWriter{lab: l, path: path}
	w.Blocks = store.NewBlocks(ctx, store.BlockPlan{Name: path, Size: size, Block: 1 << 20, Put: w.put})
	return w, nil
}

func (l *lab) Open(ctx context.Context, path string) (store.File, error) {
	if err := l.call(ctx, "open", l.open); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	data, ok := l.files[path]
	if !ok {
		return nil, store.Fail(store.NoFile, "%s is not there", path)
	}
	return &labFile{l, data}, nil
}

func (l *lab) Rename(ctx context.Context, from, to string) error {
	err := l.call(ctx, "rename", 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || l.late == "rename" {
		l.files[to] = l.files[from]
	}
	if err == nil {
		delete(l.files, from)
	}
	return err
}

func (l *lab) Delete(ctx context.Context, path string) error {
	if err := l.call(ctx, "delete", 0); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.files, path)
	return nil
}

type labWriter struct {
	*store.Blocks
	lab  *lab
	path string
	data []byte
	over bool
}

func (w *labWriter) put(ctx context.Context, b []byte, _ int64) error {
	if err := w.lab.call(ctx, "write", w.lab.write); err != nil {
		return err
	}
	w.data = append(w.data, b...)
	return nil
}

func (w *labWriter) Flush(ctx context.Context, _ bool) error { return w.lab.call(ctx, "flush", 0) }

func (w *labWriter) Close(ctx context.Context) error {
	err := w.lab.call(ctx, "close", w.lab.close)
	if err != nil && w.lab.late != "close" {
		return err
	}
	w.over = true
	w.lab.mu.Lock()
	defer w.lab.mu.Unlock()
	w.lab.files[w.path] = bytes.Clone(w.data)
	return err
}

func (w *labWriter) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	return w.lab.call(ctx, "abort", 0)
}

type labFile struct {
	lab  *lab
	data []byte
}

func (f *labFile) Size() int64  { return int64(len(f.data)) }
func (f *labFile) Close() error { return nil }

func (f *labFile) Stream(ctx context.Context) (io.ReadCloser, error) {
	return &labStream{f, ctx, bytes.NewReader(f.data)}, nil
}

type labStream struct {
	of  *labFile
	ctx context.Context
	r   *bytes.Reader
}

func (s *labStream) Read(p []byte) (int, error) {
	if s.r.Len() == 0 {
		return 0, io.EOF // as an answer whose length is known
	}
	s.of.lab.readTo(p)
	if err := s.of.lab.call(s.ctx, "read", s.of.lab.read); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

func (s *labStream) Close() error { return nil }

func (f *labFile) ReadRange(ctx context.Context, p []byte, offset int64) error {
	l := f.lab
	l.readTo(p)
	l.mu.Lock()
	l.asked = append(l.asked, fmt.Sprint(offset))
	l.now++
	l.most = max(l.most, l.now)
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.now--
	}()
	if err := l.call(ctx, "range", l.read); err != nil {
		return err
	}
	copy(p, f.data[offset:])
	return nil
}
