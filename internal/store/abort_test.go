package store

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestAbortDoesNotWaitForParts: parts on their way are stopped, not waited for.
func TestAbortDoesNotWaitForParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{delay: func(int) time.Duration { return time.Hour }}
		slabs := NewSlabs(100)
		defer slabs.Close()
		w := NewPartWriter(t.Context(), l, slabs, 300, 100, 100, 2)
		began := time.Now()
		for range 2 {
			if _, err := w.Reserve(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Abort(t.Context()); err != nil || time.Since(began) != 0 || l.aborted != 1 {
			t.Errorf("after %v: %v, %d aborted", time.Since(began), err, l.aborted)
		}
		released(t, w, slabs)
	})
}
