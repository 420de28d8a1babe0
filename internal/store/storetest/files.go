package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// suite is a store under test.
type suite struct {
	store store.Store
	dir   string
	block int64
}

// path is that of a file.
func (s *suite) path(name string) string { return s.dir + "/" + name }

// data are bytes that belong to a name, and to no other.
func data(name string, size int64) []byte {
	h := fnv.New128a()
	_, _ = io.WriteString(h, name)
	var seed [32]byte
	h.Sum(seed[:0])
	b := make([]byte, size)
	_, _ = rand.NewChaCha8(seed).Read(b)
	return b
}

// write writes a file in blocks, as the workload does: one goroutine reserves and fills,
// ahead of the one that writes.
func (s *suite) write(ctx context.Context, path string, content []byte) error {
	w, err := s.store.Create(ctx, path, int64(len(content)))
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := s.fill(ctx, w, content); err != nil {
		return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
	}
	if err := w.Close(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// fill writes the content into w.
func (s *suite) fill(ctx context.Context, w store.Writer, content []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	made, failed := make(chan int), make(chan error, 1)
	// goroutine: made is closed at its end, and read until then, or ctx ends both.
	go func() {
		defer close(made)
		for len(content) > 0 {
			n := min(len(content), int(s.block))
			if err := reserve(ctx, w, content[:n]); err != nil {
				failed <- fmt.Errorf("reserve: %w", err)
				return
			}
			content = content[n:]
			select {
			case made <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	for n := range made {
		if err := w.Write(ctx, n); err != nil {
			cancel()
			for range made { // until the other goroutine has ended
			}
			return fmt.Errorf("write: %w", err)
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// reserve takes memory for a block and fills it.
func reserve(ctx context.Context, w store.Writer, block []byte) error {
	pieces, err := w.Reserve(ctx, len(block))
	if err != nil {
		return err
	}
	for _, p := range pieces {
		if len(p) > len(block) {
			return errors.New("the pieces are longer than what was asked for")
		}
		block = block[copy(p, block):]
	}
	if len(block) > 0 {
		return fmt.Errorf("the pieces lack %d bytes", len(block))
	}
	return nil
}

// read reads a file as a stream.
func (s *suite) read(ctx context.Context, path string) ([]byte, error) {
	f, err := s.store.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	content, err := stream(ctx, f)
	if err == nil && f.Size() != int64(len(content)) {
		err = fmt.Errorf("the size is said to be %d, and %d bytes were read", f.Size(), len(content))
	}
	return content, errors.Join(err, f.Close())
}

func stream(ctx context.Context, f store.File) ([]byte, error) {
	r, err := f.Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

// mustWrite writes a file, which is deleted when the test ends.
func (s *suite) mustWrite(t *testing.T, name string, size int64) (path string, content []byte) {
	t.Helper()
	path, content = s.path(name), data(name, size)
	s.clean(t, path)
	if err := s.write(t.Context(), path, content); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return path, content
}

// clean deletes a file when the test ends.
func (s *suite) clean(t *testing.T, path string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	t.Cleanup(func() {
		if err := s.store.Delete(ctx, path); err != nil {
			t.Errorf("deleting %s: %v", path, err)
		}
	})
}

// mustHold fails the test unless the file has this content.
func (s *suite) mustHold(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := s.read(t.Context(), path)
	if err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
	mustEqual(t, got, want)
}

// mustEqual compares without printing megabytes.
func mustEqual(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	n := 0
	for n < len(got) && n < len(want) && got[n] == want[n] {
		n++
	}
	t.Fatalf("%d bytes were read and %d written; they differ from byte %d on", len(got), len(want), n)
}

// mustExist fails the test unless the file is there, or is not.
func (s *suite) mustExist(t *testing.T, path string, want bool) {
	t.Helper()
	got, err := s.store.Exists(t.Context(), path)
	if err != nil {
		t.Fatalf("exists %s: %v", path, err)
	}
	if got != want {
		t.Fatalf("exists %s: %t, want %t", path, got, want)
	}
}

// Settled gives the figures of a store's requests once so many attempts were observed: what is
// known of one can come a moment after its answer.
func Settled(t *testing.T, r *store.Requests, attempts int64) []store.Figures {
	t.Helper()
	for t.Context().Err() == nil {
		list, sum := r.Figures(), int64(0)
		for _, f := range list {
			sum += f.Attempts
		}
		if sum >= attempts {
			return list
		}
		runtime.Gosched()
	}
	t.Fatalf("%d attempts were not seen", attempts)
	return nil
}

// mustFail fails the test unless the error is a store's, with this cause.
func mustFail(t *testing.T, err error, cause string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) || known.Cause != cause {
		t.Fatalf("the error is %v with the cause %q, want a store.Error with the cause %q",
			err, store.CauseOf(err), cause)
	}
}
