package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The queue accepts a fixed number of blocks and overwrites sent ones only if no other memory is left.
func TestSourceQueue(t *testing.T) {
	const size = 4
	supply := func() []byte { return make([]byte, size) }
	watch := newStopwatch(time.Hour, func() {})
	defer watch.end()
	s := newSource(100*size, 2, supply, watch)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	put := func(ctx context.Context, b byte) error {
		p, err := s.reserve(ctx, size)
		if err != nil {
			return err
		}
		copy(p, bytes.Repeat([]byte{b}, size))
		return s.write(ctx, size)
	}
	body, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []byte("ab") {
		if err := put(over, b); err != nil { // need not wait
			t.Fatal(err)
		}
	}
	if err := put(over, 'c'); !errors.Is(err, context.Canceled) {
		t.Fatalf("a third block found a place: %v", err)
	}
	read := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(body, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
	}
	read("aaa")
	if err := s.write(over, size); !errors.Is(err, context.Canceled) {
		t.Fatalf("a block that is partly sent gave its place away: %v", err)
	}
	read("abb")
	if err := s.write(over, size); err != nil {
		t.Fatal(err)
	}
	// From the start again, as long as everything is there.
	if body, err = s.open(); err != nil || !s.whole() {
		t.Fatal(err)
	}
	read("aaaab")
	if _, err := s.reserve(over, size); err != nil { // the last of the memory
		t.Fatal(err)
	}
	if !s.whole() {
		t.Fatal("memory was used again while there was other")
	}
	if _, err := s.reserve(over, size); err != nil { // that of the first block
		t.Fatal(err)
	}
	if _, err := s.open(); !errors.Is(err, errMemory) || s.whole() {
		t.Fatalf("%v", err)
	}
	if _, err := s.reserve(over, size); !errors.Is(err, context.Canceled) {
		t.Fatalf("there was memory for ever: %v", err)
	}
	if _, err := s.reserve(over, size+1); err == nil {
		t.Fatal("more than a block")
	}
	if err := s.write(over, size-1); !errors.Is(err, errShort) {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := s.reserve(t.Context(), size)
		done <- err
	}()
	if n := len(s.close(errAborted)); n != 2 {
		t.Errorf("%d blocks came back", n)
	}
	if err := <-done; !errors.Is(err, errAborted) {
		t.Error(err)
	}
	if _, err := body.Read(make([]byte, 1)); !errors.Is(err, errGone) {
		t.Error(err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}

// The time that the caller needs to write does not count towards the timeout.
func TestStopwatchExcludesCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late atomic.Bool
		watch := newStopwatch(time.Second, func() { late.Store(true) })
		defer watch.end()
		s := newSource(2, 1, func() []byte { return make([]byte, 1) }, watch)
		body, err := s.open()
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, body) }()
		for range 2 {
			synctest.Wait()
			time.Sleep(time.Hour)
			if synctest.Wait(); late.Load() {
				t.Fatal("late while there was nothing to send")
			}
			if _, err := s.reserve(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if err := s.write(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		time.Sleep(time.Second - 1)
		if synctest.Wait(); late.Load() {
			t.Fatal("too early")
		}
		time.Sleep(2 * time.Nanosecond)
		if synctest.Wait(); !late.Load() {
			t.Fatal("the answer may take for ever")
		}
	})
}
