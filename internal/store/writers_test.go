package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A writer of blocks has memory for those in its queue, those that are put, one that is written and one that is made,
// and none is longer than a block or than the file.
func TestMemoryOfBlocks(t *testing.T) {
	for _, c := range []struct {
		plan   BlockPlan
		pieces int
		length int
	}{
		{BlockPlan{Size: 1000, Block: 10}, 2, 10}, {BlockPlan{Size: 1000, Block: 10, Senders: 1}, 3, 10},
		{BlockPlan{Size: 1000, Block: 10, Senders: 2, Queue: 3}, 7, 10}, {BlockPlan{Size: 7, Block: 10}, 2, 7},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := NewBlocks(t.Context(), c.plan)
			for range c.pieces {
				pieces, err := b.Reserve(t.Context(), c.length)
				if err != nil || len(pieces) != 1 || len(pieces[0]) != c.length || cap(pieces[0]) != c.length {
					t.Fatalf("%+v: %v, %v", c.plan, pieces, err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if more, err := b.Reserve(ctx, 1); more != nil || err != context.DeadlineExceeded {
				t.Errorf("%+v: %d pieces more, %v", c.plan, len(more), err)
			}
			why := errors.New("given up")
			time.AfterFunc(time.Second, func() { b.Stop(why) })
			if more, err := b.Reserve(t.Context(), 1); more != nil || err != why {
				t.Errorf("%+v: %d pieces of what is given up, %v", c.plan, len(more), err)
			}
			if more, err := b.Reserve(t.Context(), c.length+1); more != nil || CauseOf(err) != Other {
				t.Errorf("%+v: %d pieces that are too long, %v", c.plan, len(more), err)
			}
		})
	}
}

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

// A write hands its block over where there is a place, and puts it itself where nobody else does; a sender that has
// nothing to do takes the next one.
func TestWhoPutsABlock(t *testing.T) {
	for _, c := range []struct {
		senders, queue, started int
		waits                   []time.Duration // of four writes, of which each block takes a second
	}{
		{0, 0, 0, []time.Duration{time.Second, time.Second, time.Second, time.Second}},
		{1, 0, 1, []time.Duration{0, time.Second, time.Second, time.Second}},
		{2, 0, 2, []time.Duration{0, 0, time.Second, 0}}, {1, 2, 1, []time.Duration{0, 0, 0, time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := NewBlocks(t.Context(), BlockPlan{Size: 50, Block: 10, Senders: c.senders, Queue: c.queue,
				Put: func(context.Context, []byte, int64) error { time.Sleep(time.Second); return nil }})
			for i, want := range c.waits {
				synctest.Wait()
				if _, err := b.Reserve(t.Context(), 10); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if err := b.Write(t.Context(), 10); err != nil || time.Since(began) != want {
					t.Errorf("%+v: write %d took %v, %v", c, i, time.Since(began), err)
				}
			}
			if err := b.Land(t.Context()); err != nil || b.started != c.started {
				t.Errorf("%+v: %d senders, %v", c, b.started, err)
			}
			b.Stop(nil)
		})
		synctest.Test(t, func(t *testing.T) {
			b := NewBlocks(t.Context(), BlockPlan{Size: 50, Block: 10, Senders: c.senders, Queue: c.queue,
				Put: func(context.Context, []byte, int64) error { return nil }})
			for range 5 {
				if err := writeBlocks(t.Context(), b, 10); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if err := b.Complete(); err != nil || b.started != min(c.senders, 1) {
				t.Errorf("%+v: %d senders for one block at a time, %v", c, b.started, err)
			}
			b.Stop(nil)
		})
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

// What is made ahead is as much as is used, to the last part and to the last byte that may be filled.
func TestHowMuchIsMadeAhead(t *testing.T) {
	for _, c := range []struct {
		size, part, most int64
		want             int
	}{
		{1, 10, 1000, 1}, {30, 10, 1000, 3}, {31, 10, 1000, 4}, {40, 10, 1000, 4}, {1000, 10, 29, 2}, {1000, 10, 30, 3},
		{1000, 10, 39, 3}, {1000, 10, 0, 0}, {0, 10, 1000, 0}, {10, 0, 1000, 0},
	} {
		slabs, filled := NewSlabs(c.part), int64(0)
		fill := func(p []byte, _ int64) { filled += int64(len(p)) }
		slabs.MakeAhead(Ahead{Size: c.size, Files: 1, Most: c.most, Fill: fill}, c.part, 10, 2)
		if slabs.made != c.want || filled > c.most || filled > c.size {
			t.Errorf("%+v: %d pieces with %d bytes", c, slabs.made, filled)
		}
		slabs.Close()
	}
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

// What is given up gives no memory any more, whoever was about to take some.
func TestNoMemoryOfWhatIsGivenUp(t *testing.T) {
	slabs := NewSlabs(10)
	w := NewPartWriter(t.Context(), &lab{}, slabs, 1000, 10, 10, 100).(*partWriter)
	if err := w.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 50 { // whether memory or the end is seen first is chance
		pieces, err := w.Reserve(t.Context(), 10)
		if pieces != nil || err == nil || err.Error() != "the upload was given up" {
			t.Fatalf("%d pieces, %v", len(pieces), err)
		}
	}
	if err := w.Write(t.Context(), 0); err == nil || err.Error() != "the upload was given up" {
		t.Errorf("a write: %v", err)
	}
	released(t, w, slabs)

	none := NewSlabs(1 << 60)
	w = NewPartWriter(t.Context(), &lab{}, none, 1<<60, 1<<60, 10, 1).(*partWriter)
	if pieces, err := w.Reserve(t.Context(), 10); pieces != nil || CauseOf(err) != Other {
		t.Errorf("%d pieces of memory that is not there, %v", len(pieces), err)
	}
	released(t, w, none)
}

// A write that waits for a place and gets none leaves the places as they were.
func TestPlacesOfWritesThatFail(t *testing.T) {
	write := func(ctx context.Context, w Writer) error {
		if _, err := w.Reserve(ctx, 10); err != nil {
			return err
		}
		return w.Write(ctx, 10)
	}
	synctest.Test(t, func(t *testing.T) {
		slabs := NewSlabs(10)
		w := NewPartWriter(t.Context(), &lab{delay: func(int) time.Duration { return time.Minute }}, slabs, 1000, 10, 10, 2)
		if err := errors.Join(write(t.Context(), w), write(t.Context(), w)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := write(ctx, w); err != context.DeadlineExceeded {
			t.Errorf("a write that waits for longer than it may: %v", err)
		}
		if err := w.Write(ctx, 0); err != context.DeadlineExceeded {
			t.Errorf("a write whose time is over: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if got := w.(Queue).Vacant(); got != 1 {
			t.Errorf("%v of the places are empty", got)
		}
		if err := w.Abort(t.Context()); err != nil {
			t.Error(err)
		}
		released(t, w, slabs)
	})
	synctest.Test(t, func(t *testing.T) {
		slabs, broken := NewSlabs(10), errors.New("broken")
		l := &lab{delay: func(part int) time.Duration { return time.Duration(part) * time.Minute },
			fail: func(int) error { return broken }}
		w := NewPartWriter(t.Context(), l, slabs, 1000, 10, 10, 2)
		if err := errors.Join(write(t.Context(), w), write(t.Context(), w)); err != nil {
			t.Fatal(err)
		}
		if err := write(t.Context(), w); !errors.Is(err, broken) {
			t.Errorf("a write that waits for one which fails: %v", err)
		}
		if err := write(t.Context(), w); !errors.Is(err, broken) || err.Error() != "part 1: broken" {
			t.Errorf("a write behind it: %v", err)
		}
		synctest.Wait()
		if got := w.(Queue).Vacant(); got != 1 {
			t.Errorf("%v of the places are empty", got)
		}
		if err := w.Close(t.Context()); !errors.Is(err, broken) || l.aborted != 1 {
			t.Errorf("a file of which a part has failed: %v", err)
		}
		released(t, w, slabs)
	})
}
