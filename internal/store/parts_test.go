package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lab is a PartStore in memory that notes what happens.
type lab struct {
	delay func(part int) time.Duration // of PutPart
	fail  func(part int) error         // of PutPart; part 0 is PutWhole
	begin error
	end   error // of Complete
	abort error

	mu       sync.Mutex
	parts    map[int][]byte
	offsets  map[int]int64
	flying   int
	most     int
	whole    []byte
	begun    int
	complete int // parts that Complete was told of
	aborted  int
}

func (l *lab) PutWhole(_ context.Context, p *Part) error {
	if l.fail != nil {
		if err := l.fail(0); err != nil {
			return err
		}
	}
	l.whole = bytes.Clone(p.Bytes())
	if l.whole == nil {
		l.whole = []byte{}
	}
	return nil
}

func (l *lab) Begin(context.Context) error {
	l.begun++
	return l.begin
}

func (l *lab) PutPart(ctx context.Context, p *Part) error {
	l.mu.Lock()
	l.flying++
	l.most = max(l.most, l.flying)
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flying--
	}()
	if l.delay != nil {
		select {
		case <-time.After(l.delay(p.Number)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if l.fail != nil {
		if err := l.fail(p.Number); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parts == nil {
		l.parts, l.offsets = map[int][]byte{}, map[int]int64{}
	}
	if _, again := l.parts[p.Number]; again {
		return fmt.Errorf("part %d came twice", p.Number)
	}
	l.parts[p.Number], l.offsets[p.Number] = bytes.Clone(p.Bytes()), p.Offset
	return nil
}

func (l *lab) Complete(_ context.Context, parts int) error {
	l.complete = parts
	return l.end
}

func (l *lab) Abort(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.aborted++
	return l.abort
}

// content is what the parts are together, if they follow each other.
func (l *lab) content(t *testing.T) []byte {
	t.Helper()
	if l.begun == 0 {
		return l.whole
	}
	var all []byte
	for i := range len(l.parts) {
		p, ok := l.parts[i+1]
		if !ok || l.offsets[i+1] != int64(len(all)) {
			t.Fatalf("part %d: is there %t, at %d, and should be at %d", i+1, ok, l.offsets[i+1], len(all))
		}
		all = append(all, p...)
	}
	if l.complete != len(l.parts) {
		t.Fatalf("%d parts came, and the file was completed of %d", len(l.parts), l.complete)
	}
	return all
}

// pour writes content as the workload does: one goroutine reserves and fills ahead of the one
// that writes.
func pour(ctx context.Context, w Writer, content []byte, block int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	made, failed := make(chan int), make(chan error, 1)
	go func() {
		defer close(made)
		for len(content) > 0 {
			n := min(len(content), block)
			pieces, err := w.Reserve(ctx, n)
			if err != nil {
				failed <- err
				return
			}
			for _, p := range pieces {
				content = content[copy(p, content):]
			}
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
			for range made {
			}
			return err
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// released fails the test unless all memory of a Writer was given back.
func released(t *testing.T, w Writer, slabs *Slabs) {
	t.Helper()
	if n := len(w.(*partWriter).memory); n != 0 {
		t.Errorf("%d pieces of memory are still counted as used", n)
	}
	if len(slabs.free) != slabs.made {
		t.Errorf("%d pieces of memory were made and %d given back", slabs.made, len(slabs.free))
	}
	slabs.Close()
}

func random(seed uint64, size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(b)
	return b
}

// For any sizes, every byte arrives once and in its place, concurrency and memory are bounded, and all memory is returned.
func TestPartsMetamorphic(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		size, block, part, active := r.IntN(3000), 1+r.IntN(700), 1+r.IntN(700), 1+r.IntN(5)
		name := fmt.Sprintf("size %d, block %d, part %d, active %d", size, block, part, active)
		synctest.Test(t, func(t *testing.T) {
			waits := rand.New(rand.NewPCG(seed, uint64(size)))
			var mu sync.Mutex
			l := &lab{delay: func(int) time.Duration {
				mu.Lock()
				defer mu.Unlock()
				return time.Duration(waits.IntN(10)) * time.Millisecond
			}}
			slabs, content := NewSlabs(int64(part)), random(seed, size)
			w := NewPartWriter(t.Context(), l, slabs, int64(size), int64(part), int64(block), active)
			if err := errors.Join(pour(t.Context(), w, content, block), w.Close(t.Context())); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(l.content(t), content) {
				t.Errorf("%s: other bytes arrived", name)
			}
			if l.most > active {
				t.Errorf("%s: %d parts were on their way", name, l.most)
			}
			// Those on their way and two blocks, which need not begin where parts do.
			if most := active + 2*(block/part+2); slabs.made > most {
				t.Errorf("%s: %d parts in memory, and %d would do", name, slabs.made, most)
			}
			if (size > part) != (l.begun == 1) || l.aborted != 0 {
				t.Errorf("%s: begun %d times, given up %d times", name, l.begun, l.aborted)
			}
			released(t, w, slabs)
		})
	}
}

// Write waits while the maximum number of parts is in flight.
func TestPartsLimitConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{delay: func(int) time.Duration { return time.Second }}
		slabs := NewSlabs(10)
		w := NewPartWriter(t.Context(), l, slabs, 60, 10, 10, 2)
		start := time.Now()
		var waited []time.Duration
		for range 6 {
			if _, err := w.Reserve(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			if err := w.Write(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
			waited = append(waited, time.Since(before))
		}
		if diff := cmp.Diff([]time.Duration{0, 0, time.Second, 0, time.Second, 0}, waited); diff != "" {
			t.Error(diff)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("six parts of a second, two at a time, took %v", took)
		}
		if l.most != 2 {
			t.Errorf("%d parts were on their way", l.most)
		}
		released(t, w, slabs)
	})
}

// A part that fails for good ends the other parts and every waiting call.
func TestPartsFailureEndsUpload(t *testing.T) {
	broken := Fail(AccessDenied, "not allowed")
	for _, c := range []struct {
		name  string
		store *lab
		begun int
		gone  int // times that it was given up
		cause string
	}{
		{"a part", &lab{fail: func(p int) error {
			if p == 3 {
				return broken
			}
			return nil
		}}, 1, 1, AccessDenied},
		{"the last part", &lab{fail: func(p int) error {
			if p == 7 {
				return broken
			}
			return nil
		}}, 1, 1, AccessDenied},
		{"begin", &lab{begin: broken}, 1, 0, AccessDenied},
		{"complete", &lab{end: broken}, 1, 1, AccessDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := c.store
				l.delay = func(part int) time.Duration { return time.Duration(part) * time.Minute }
				slabs := NewSlabs(10)
				w := NewPartWriter(t.Context(), l, slabs, 69, 10, 7, 2)
				err := pour(t.Context(), w, random(1, 69), 7)
				if err == nil {
					err = w.Close(t.Context())
				} else if left := w.Abort(t.Context()); left != nil {
					t.Error(left)
				}
				if CauseOf(err) != c.cause || !errors.Is(err, broken) {
					t.Errorf("the error is %v", err)
				}
				if l.begun != c.begun || l.aborted != c.gone {
					t.Errorf("begun %d times, given up %d times", l.begun, l.aborted)
				}
				if err := w.Abort(t.Context()); err != nil || l.aborted != c.gone {
					t.Errorf("given up again: %v", err)
				}
				if _, err := w.Reserve(t.Context(), 1); err == nil && c.name != "complete" &&
					c.name != "the last part" {
					t.Error("memory was given for a file that is given up")
				}
				if err := w.Close(t.Context()); err == nil {
					t.Error("a file that was given up could be closed")
				}
				released(t, w, slabs)
			})
		})
	}
}

// If cleanup fails, too, the error reports both failures in one line.
func TestPartsReportFailedCleanup(t *testing.T) {
	l := &lab{end: Fail(SlowDown, "too fast"), abort: Fail(Timeout, "too slow")}
	slabs := NewSlabs(1)
	w := NewPartWriter(t.Context(), l, slabs, 2, 1, 1, 1)
	if err := pour(t.Context(), w, []byte("ab"), 1); err != nil {
		t.Fatal(err)
	}
	err := w.Close(t.Context())
	if want := "too fast; the uploaded parts could not be removed: too slow"; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if CauseOf(err) != SlowDown {
		t.Errorf("the cause is %s", CauseOf(err))
	}
	released(t, w, slabs)
}

// A Reserve that waits for memory ends with its context, and when a part fails.
func TestReserveEndsWithContextOrFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("failed")
		l := &lab{delay: func(int) time.Duration { return time.Hour }, fail: func(int) error { return failed }}
		slabs := NewSlabs(10)
		w := NewPartWriter(t.Context(), l, slabs, 1000, 10, 10, 1)
		reserve := func(ctx context.Context) error {
			for {
				if _, err := w.Reserve(ctx, 10); err != nil {
					return err
				}
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := reserve(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without memory: %v", err)
		}
		if err := w.Write(t.Context(), 10); err != nil { // its part fails an hour later
			t.Fatal(err)
		}
		if err := reserve(t.Context()); !errors.Is(err, failed) {
			t.Errorf("after a failure: %v", err)
		}
		if err := w.Write(t.Context(), 10); !errors.Is(err, failed) {
			t.Errorf("a write after a failure: %v", err)
		}
		if err := w.Abort(t.Context()); err != nil {
			t.Error(err)
		}
		released(t, w, slabs)
	})
}

// A context that ends during Write or Close ends the call and the parts in flight.
func TestPartsEndWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, closing := range []bool{false, true} {
			l := &lab{delay: func(int) time.Duration { return time.Hour }}
			slabs := NewSlabs(10)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			size := int64(40)
			if closing {
				size = 20
			}
			w := NewPartWriter(ctx, l, slabs, size, 10, 10, 2)
			err := pour(ctx, w, random(1, int(size)), 10)
			if closing {
				if err != nil {
					t.Fatal(err)
				}
				err = w.Close(ctx)
			} else if left := w.Abort(context.WithoutCancel(ctx)); left != nil {
				t.Error(left)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is %v", err)
			}
			if l.aborted != 1 || l.complete != 0 {
				t.Errorf("given up %d times, completed of %d parts", l.aborted, l.complete)
			}
			released(t, w, slabs)
			cancel()
		}
	})
}

// Misuse returns an error.
func TestPartsMisuse(t *testing.T) {
	slabs := NewSlabs(10)
	w := NewPartWriter(t.Context(), &lab{}, slabs, 10, 10, 10, 1)
	if _, err := w.Reserve(t.Context(), 11); err == nil {
		t.Error("more was reserved than the file has")
	}
	if err := w.Write(t.Context(), 1); err == nil {
		t.Error("what had not been reserved was written")
	}
	if err := w.Flush(t.Context(), true); CauseOf(err) != Unsupported {
		t.Errorf("flush: %v", err)
	}
	if err := w.Close(t.Context()); err == nil {
		t.Error("a file was closed without its bytes")
	}
	released(t, w, slabs)
}

// Memory is reused, and freed by Close.
func TestSlabsReuseMemory(t *testing.T) {
	s := NewSlabs(100)
	a, err := s.take(100)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.take(100)
	if err != nil {
		t.Fatal(err)
	}
	if &a[0] == &b[0] || len(a) != 100 {
		t.Error("two pieces share their memory")
	}
	s.give(a)
	if c, err := s.take(100); err != nil || &c[0] != &a[0] {
		t.Errorf("memory was not used again: %v", err)
	}
	a[99] = 1
	s.give(a)
	s.give(b)
	s.Close()
	if a[99] = 2; s.free != nil { // who comes late does not break the process
		t.Error("memory is kept")
	}
	if _, err := NewSlabs(1 << 60).take(1 << 60); CauseOf(err) != Other {
		t.Errorf("there is a lot of memory: %v", err)
	}
	if _, err := NewSlabs(-1).take(-1); err == nil {
		t.Error("there is memory of less than nothing")
	}
}

// Memory that a request still reads is not given to another part.
func TestPartsKeepMemoryWhileRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lateReader{t: t}
		slabs := NewSlabs(10)
		w := NewPartWriter(t.Context(), l, slabs, 200, 10, 10, 2)
		if err := errors.Join(pour(t.Context(), w, random(1, 200), 10), w.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		l.reading.Wait()
		if l.parts != 20 {
			t.Errorf("%d parts were read", l.parts)
		}
		released(t, w, slabs)
	})
}

// lateReader answers at once, and reads a part only later, as net/http can.
type lateReader struct {
	lab
	t       *testing.T
	reading sync.WaitGroup
	mu      sync.Mutex
	parts   int
}

// PutPart returns at once and reads the part a second later.
//
// synctest: called only inside a bubble.
func (l *lateReader) PutPart(_ context.Context, p *Part) error {
	body := newPartBody(p)
	want := bytes.Clone(p.Bytes())
	l.reading.Go(func() {
		time.Sleep(time.Second)
		got, err := io.ReadAll(body)
		if err != nil || !bytes.Equal(got, want) {
			l.t.Errorf("part %d has changed while it was read: %v", p.Number, err)
		}
		l.mu.Lock()
		l.parts++
		l.mu.Unlock()
		for range 2 { // as net/http may
			_ = body.Close()
		}
		if _, err := body.Read(make([]byte, 1)); err == nil {
			l.t.Error("a body was read after it was closed")
		}
	})
	return nil
}

// A write that fails while it waits for a place does not occupy it.
func TestPartsFreePlacesAfterFailedWrites(t *testing.T) {
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

// A small file uses no more memory than it has bytes, however large parts are.
func TestSmallFilesUseLittleMemory(t *testing.T) {
	slabs := NewSlabs(8 << 20)
	for _, size := range []int64{100, 100, 5000, 100} {
		w := NewPartWriter(t.Context(), &lab{}, slabs, size, 8<<20, 8<<20, 8)
		pieces, err := w.Reserve(t.Context(), int(size))
		if err != nil || len(pieces) != 1 || int64(len(pieces[0])) != size {
			t.Fatalf("%d bytes: %d pieces, %v", size, len(pieces), err)
		}
		if got := len(w.(*partWriter).open[0].slab); got > 5000 {
			t.Errorf("a file of %d bytes has %d of memory", size, got)
		}
		if err := w.Abort(t.Context()); err != nil || len(slabs.free) != slabs.made || slabs.made != 1 {
			t.Errorf("%v; %d pieces of memory were made, and %d given back", err, slabs.made, len(slabs.free))
		}
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

// A file that fits into one part is sent in one request.
func TestSinglePartFilesAreSentWhole(t *testing.T) {
	for content, parts := range map[string]int{"": 0, "a": 0, "ten bytes!": 0, "ten bytes!!": 2} {
		w, slabs := &whole{}, NewSlabs(10)
		file := NewPartWriter(t.Context(), w, slabs, int64(len(content)), 10, 4, 1)
		if err := errors.Join(pour(t.Context(), file, []byte(content), 4), file.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		if parts == 0 && (w.number != 1 || w.bytes != content || w.begun != 0) || w.complete != parts {
			t.Errorf("%q: part %d, %q, begun %d times, of %d parts", content, w.number, w.bytes, w.begun, w.complete)
		}
		if err := file.Close(t.Context()); err == nil || err.Error() != "the upload was aborted" {
			t.Errorf("closed again: %v", err)
		}
		if err := file.Abort(t.Context()); err != nil || w.aborted != 0 {
			t.Errorf("given up when it was closed: %v, %d times", err, w.aborted)
		}
		released(t, file, slabs)
	}
}

// MakeAhead fills the memory of the first parts, up to its limit.
func TestMakeAheadFillsMemory(t *testing.T) {
	for _, c := range []struct {
		name                   string
		size, part, block, max int64
		files, pieces          int
	}{
		{"all of it", 35, 10, 10, 1000, 1, 4},
		{"as much as is used at once", 1000, 10, 10, 1000, 1, 6},
		{"of several files", 35, 10, 10, 1000, 3, 12},
		{"as much as may be", 1000, 10, 10, 35, 1, 3},
		{"a small file", 7, 10, 10, 1000, 2, 2},
		{"an empty one", 0, 10, 10, 1000, 2, 0},
	} {
		slabs := NewSlabs(c.part)
		var filled []int64
		slabs.MakeAhead(Ahead{Size: c.size, Files: c.files, Most: c.max, Fill: func(p []byte, at int64) {
			filled = append(filled, at)
			if at+int64(len(p)) > c.size {
				t.Errorf("%s: %d bytes at %d", c.name, len(p), at)
			}
			for i := range p {
				p[i] = byte(at/c.part) + 1
			}
		}}, c.part, c.block, 2)
		if len(filled) != c.pieces || len(slabs.free) != c.pieces || slabs.made != c.pieces {
			t.Errorf("%s: %d pieces were filled, %d made, %d are free; want %d", c.name, len(filled), slabs.made,
				len(slabs.free), c.pieces)
		}
		w := NewPartWriter(t.Context(), &lab{}, slabs, c.size, c.part, c.block, 2)
		for part := range min(c.pieces/c.files, 3) {
			pieces, err := w.Reserve(t.Context(), int(min(c.part, c.size-int64(part)*c.part)))
			if err != nil || pieces[0][0] != byte(part)+1 {
				t.Errorf("%s: part %d is not what was made for it: %v", c.name, part, err)
			}
		}
		if err := w.Abort(t.Context()); err != nil || slabs.made != c.pieces {
			t.Errorf("%s: %d pieces were made in the end, %v", c.name, slabs.made, err)
		}
	}
}

// Abort cancels the parts in flight instead of waiting for them.
func TestAbortCancelsParts(t *testing.T) {
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
