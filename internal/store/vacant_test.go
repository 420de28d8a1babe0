package store

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestVacant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{parts: map[int][]byte{}, offsets: map[int]int64{},
			delay: func(int) time.Duration { return time.Second }}
		slabs := NewSlabs(10)
		defer slabs.Close()
		w := NewPartWriter(t.Context(), l, slabs, 100, 10, 10, 4)
		for written, want := range []float64{1, 0.75, 0.5, 0.25} {
			synctest.Wait()
			if got := w.(Queue).Vacant(); got != want {
				t.Errorf("after %d parts %v of the places are empty, want %v", written, got, want)
			}
			if _, err := w.Reserve(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Second)
		if got := w.(Queue).Vacant(); got != 1 {
			t.Errorf("when all have left %v of the places are empty", got)
		}
		if err := w.Abort(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
