package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Files that use memory in turn give it back when they end, and never what they did not take.
func TestBlocksInTurn(t *testing.T) {
	pool := &sync.Pool{}
	seen, again := map[*byte]bool{}, false
	for range 50 { // a pool may lose what it has
		b := NewBlocks(t.Context(), BlockPlan{Size: 25, Block: 10, Senders: 1, Pool: pool,
			Put: func(context.Context, []byte, int64) error { return nil }})
		for range 2 {
			pieces, err := b.Reserve(t.Context(), 5)
			if err != nil || len(pieces[0]) != 5 || cap(pieces[0]) != 10 {
				t.Fatalf("%v, %v", pieces, err)
			}
			first := &pieces[0][0]
			again, seen[first] = again || seen[first], true
		}
		if err := b.Write(t.Context(), 5); err != nil { // the other is reserved only
			t.Fatal(err)
		}
		b.Stop(errors.New("given up"))
	}
	if !again {
		t.Error("no memory was used again")
	}
	for range 50 {
		if m, ok := pool.Get().(*[]byte); ok && len(*m) != 10 {
			t.Errorf("%d bytes are given back", len(*m))
		}
	}
}

// A write that waits ends with its own context, and with the first block that fails; what was not reserved is not
// written, nor more than the file has.
func TestWritesOfBlocksThatFail(t *testing.T) {
	broken := errors.New("broken")
	late := func(ctx context.Context, _ []byte, _ int64) error {
		time.Sleep(2 * time.Second)
		return broken
	}
	synctest.Test(t, func(t *testing.T) {
		b := NewBlocks(t.Context(), BlockPlan{Name: "x", Size: 50, Block: 10, Senders: 1, Put: late})
		if err := writeBlocks(t.Context(), b, 10); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := writeBlocks(ctx, b, 10); err != context.DeadlineExceeded {
			t.Errorf("a write whose time is over: %v", err)
		}
		if err := writeBlocks(t.Context(), b, 10); err != broken || b.written != 10 {
			t.Errorf("a write that waits for one which fails: %v, %d bytes", err, b.written)
		}
		if err := b.Write(t.Context(), 10); err != broken {
			t.Errorf("a write behind it: %v", err)
		}
		b.Stop(nil)
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	b := NewBlocks(t.Context(), BlockPlan{Name: "x", Size: 15, Block: 10,
		Put: func(context.Context, []byte, int64) error { return nil }})
	if err := b.Land(gone); err != context.Canceled {
		t.Errorf("who has left waits: %v", err)
	}
	if err := b.Write(gone, 10); err != context.Canceled {
		t.Errorf("who has left writes: %v", err)
	}
	if err := writeBlocks(t.Context(), b, 10); err != nil {
		t.Fatal(err)
	}
	want := "x: 10 bytes were written of the 15 that the file was created with"
	if err := b.Complete(); err == nil || err.Error() != want {
		t.Errorf("a file that is not whole: %v", err)
	}
	for _, c := range []struct{ reserved, written int }{{10, 10}, {5, 4}, {4, 5}} {
		b := NewBlocks(t.Context(), BlockPlan{Name: "x", Size: 15, Block: 10, Put: b.plan.Put})
		if err := writeBlocks(t.Context(), b, 10); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Reserve(t.Context(), c.reserved); err != nil {
			t.Fatal(err)
		}
		if err := b.Write(t.Context(), c.written); CauseOf(err) != Other {
			t.Errorf("%d bytes of %d that are reserved: %v", c.written, c.reserved, err)
		}
		b.Stop(nil)
	}
	b = NewBlocks(t.Context(), BlockPlan{Size: 50, Block: 10,
		Put: func(context.Context, []byte, int64) error { return broken }})
	if err := writeBlocks(t.Context(), b, 10); err != broken {
		t.Errorf("a block that fails in its own write: %v", err)
	}
	b.Stop(nil)
}

// whole keeps what is written in one request.
type whole struct {
	lab
	number int
	bytes  string
}

func (w *whole) PutWhole(_ context.Context, p *Part) error {
	w.number, w.bytes = p.Number, string(p.Bytes())
	return nil
}

// A file that is not longer than a part is written in one request, as part 1; once it is closed nothing more becomes
// of it.
func TestFilesOfOnePart(t *testing.T) {
	for content, parts := range map[string]int{"": 0, "a": 0, "ten bytes!": 0, "ten bytes!!": 2} {
		w, slabs := &whole{}, NewSlabs(10)
		file := NewPartWriter(t.Context(), w, slabs, int64(len(content)), 10, 4, 1)
		if err := errors.Join(pour(t.Context(), file, []byte(content), 4), file.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		if parts == 0 && (w.number != 1 || w.bytes != content || w.begun != 0) || w.complete != parts {
			t.Errorf("%q: part %d, %q, begun %d times, of %d parts", content, w.number, w.bytes, w.begun, w.complete)
		}
		if err := file.Close(t.Context()); err == nil || err.Error() != "the upload was given up" {
			t.Errorf("closed again: %v", err)
		}
		if err := file.Abort(t.Context()); err != nil || w.aborted != 0 {
			t.Errorf("given up when it was closed: %v, %d times", err, w.aborted)
		}
		released(t, file, slabs)
	}
}
