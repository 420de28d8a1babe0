package store

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// A pool gives memory to the last byte of its limit, counts what it gave, and gives back what came back.
func TestLimitOfAPool(t *testing.T) {
	const page = 16 << 10
	p := &pool{limit: 2*page + 100}
	first, err := p.page()
	if err != nil || len(first) != page || cap(first) != page {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	second, err := p.page()
	if err != nil || &first[0] == &second[0] || p.inUse() != 2*page {
		t.Fatalf("%d bytes in use, %v", p.inUse(), err)
	}
	if third, err := p.page(); third != nil || !errors.Is(err, ErrFull) {
		t.Errorf("%d bytes beyond the limit: %v", len(third), err)
	}
	if over, err := p.large(101); over != nil || !errors.Is(err, ErrFull) {
		t.Errorf("%d bytes beyond the limit: %v", len(over), err)
	}
	if last, err := p.large(100); err != nil || len(last) != 100 || p.inUse() != 2*page+100 {
		t.Errorf("%d bytes, %d in use: %v", len(last), p.inUse(), err)
	}
	p.giveBackLarge(100)
	p.giveBack(first)
	if again, err := p.page(); err != nil || &again[0] != &first[0] || p.inUse() != 2*page || len(p.chunks) != 1 ||
		len(p.idle) != 0 {
		t.Errorf("%d bytes in use of %d chunks: %v", p.inUse(), len(p.chunks), err)
	}
	p.giveBack(second)
	if exact, err := (&pool{limit: page}).page(); err != nil || len(exact) != page {
		t.Errorf("a limit of one page: %v", err)
	}
	p.close()
	if p.inUse() != 0 || p.chunks != nil || p.idle != nil || p.chunk != nil {
		t.Errorf("%d bytes in use of what is closed", p.inUse())
	}
	if over, err := (&pool{limit: 1}).large(2); over != nil || !errors.Is(err, ErrFull) {
		t.Errorf("%d bytes beyond a limit of one: %v", len(over), err)
	}
	none := &pool{}
	defer none.close()
	for range 2<<20/page + 1 {
		if _, err := none.page(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := none.large(1 << 20); err != nil || len(none.chunks) != 2 {
		t.Errorf("%d chunks without a limit: %v", len(none.chunks), err)
	}
}

// A bucket is doubled when 17 of 20 slots are taken, up to a page, and then divided.
func TestWhenABucketIsFull(t *testing.T) {
	p := &pool{}
	defer p.close()
	x := newIndex()
	n := uint32(0)
	for ; len(x.buckets) == 1; n++ {
		hash := n * 0x9e3779b1
		if err := x.reserve(hash, p); err != nil {
			t.Fatal(err)
		}
		want := 64
		for want < 2048 && int(n)*20 >= want*17 {
			want *= 2
		}
		if got := len(x.buckets[0].slots); len(x.buckets) == 1 && got != want {
			t.Fatalf("%d slots for %d rows, want %d", got, n, want)
		}
		x.bucket(hash).insert(hash, n+1)
	}
	if n != 1742 || len(x.buckets) != 2 || x.depth != 1 || p.inUse() != 2*pageSize { // the first that is not below 2048·17/20
		t.Errorf("%d rows are in %d buckets of depth %d, %d bytes", n, len(x.buckets), x.depth, p.inUse())
	}
	for i := range n {
		hash := i * 0x9e3779b1
		if b := x.bucket(hash); b.slots[b.find(hash, i+1)] != slot(hash, i+1) || b != x.buckets[hash>>31] {
			t.Fatalf("row %d is not in the bucket of its first bit", i)
		}
	}
	for _, c := range []struct{ slots, rows, want int }{{64, 54, 64}, {64, 55, 128}, {128, 108, 128}, {128, 109, 256}, {1024, 870, 1024}, {1024, 871, 2048}} {
		x := index{buckets: []*bucket{{slots: make([]uint64, c.slots), count: c.rows}}}
		if err := x.reserve(0, p); err != nil || len(x.buckets[0].slots) != c.want {
			t.Errorf("%d rows in %d slots: %d, %v", c.rows, c.slots, len(x.buckets[0].slots), err)
		}
	}
	full := &pool{limit: 1}
	x = index{buckets: []*bucket{{slots: make([]uint64, 1024), count: 1000}}}
	if err := x.reserve(0, full); !errors.Is(err, ErrFull) {
		t.Errorf("without memory for a page: %v", err)
	}
	x = index{buckets: []*bucket{{slots: make([]uint64, 2048), count: 2000}}}
	if err := x.reserve(0, full); !errors.Is(err, ErrFull) || len(x.buckets) != 1 || x.buckets[0].depth != 0 {
		t.Errorf("without memory for a second page: %v", err)
	}
	x.buckets[0].depth = 20
	if err := x.split(x.buckets[0], 0, p); !errors.Is(err, ErrFull) {
		t.Errorf("rows that have 20 bits in common: %v", err)
	}
}

// A row takes its header, key and value, to a multiple of eight, and says of itself what was written.
func TestRows(t *testing.T) {
	for _, c := range []struct{ key, value, want int }{{0, 0, 32}, {1, 0, 40}, {4, 4, 40}, {4, 5, 48}, {8, 0, 40}, {9, 0, 48}, {65535, 1, 65568}} {
		if got := room(c.key, c.value); got != c.want {
			t.Errorf("a key of %d and a value of %d take %d, want %d", c.key, c.value, got, c.want)
		}
	}
	in := incoming{key: []byte("key"), value: []byte("value!"), commit: -5, sequence: 1<<63 + 1, publisher: 1<<31 + 1, row: 1<<31 + 2,
		flags: flagSet}
	e := entry(make([]byte, in.size()))
	for i := range e {
		e[i] = 0xff
	}
	in.write(e)
	if string(e.key()) != "key" || string(e.value()) != "value!" || e.commit() != -5 || e.sequence() != 1<<63+1 ||
		e.publisher() != 1<<31+1 || e.row() != 1<<31+2 || e.size() != in.size() || e.valueType() != delta.Set || e[31] != 0 ||
		e.is(flagDead) || e.is(flagTombstone) || !e.is(flagSet) {
		t.Errorf("%q, %q of %+v", e.key(), e.value(), e)
	}
	if e.kill(); !e.is(flagDead) || !e.is(flagSet) || e.flags() != 5 {
		t.Errorf("flags %b", e.flags())
	}
	in.flags = 0
	if in.write(e); e.valueType() != delta.String || e.flags() != 0 {
		t.Errorf("flags %b", e.flags())
	}
}

// Places are told apart, up to the last slab that has one; what is larger than a quarter of a page has a slab of its own.
func TestPlaces(t *testing.T) {
	s := New(0)
	defer s.Close()
	sh := &s.shards[3]
	sh.slabs = make([]slab, maxSlabs-1, maxSlabs)
	for _, c := range []struct {
		slab   uint32
		offset int
	}{{0, 0}, {0, 8}, {0, pageSize - 8}, {1, 0}, {1, 8}, {maxSlabs - 2, pageSize - 8}} {
		at := place(c.slab, c.offset)
		if b, offset := sh.slabAt(at); at == 0 || b != &sh.slabs[c.slab] || offset != c.offset {
			t.Errorf("%+v is at %d, and that is byte %d", c, at, offset)
		}
	}
	if n, err := sh.add(nil); err != nil || n != maxSlabs-1 || maxSlabs != 2097151 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := sh.add(nil); n != 0 || !errors.Is(err, ErrFull) {
		t.Errorf("beyond the last place: %d, %v", n, err)
	}
	if _, err := sh.addPage(); !errors.Is(err, ErrFull) || s.Memory() != 0 {
		t.Errorf("%v, %d bytes in use", err, s.Memory())
	}
	if _, err := sh.room(largeRow + 8); !errors.Is(err, ErrFull) || s.Memory() != 0 {
		t.Errorf("%v, %d bytes in use", err, s.Memory())
	}
	sh.slabs = nil
	for size, want := range map[int]int{4096: pageSize, 4104: 4104} {
		at, err := sh.room(size)
		if err != nil {
			t.Fatal(err)
		}
		if b, offset := sh.slabAt(at); len(b.memory) != want || offset != 0 || b.used != size {
			t.Errorf("%d bytes are in a slab of %d", size, len(b.memory))
		}
	}
}

// What the store cannot take is said by its row, and what is just as long is taken.
func TestLongestValues(t *testing.T) {
	long := make([]byte, 1<<30) // which nobody touches
	for _, c := range []struct {
		key, value int
		well       bool
	}{{0, 0, true}, {65535, 1<<30 - 1, true}, {65536, 0, false}, {0, 1 << 30, false}} {
		err := Check([]delta.Row{{}, {Key: long[:c.key], Value: long[:c.value]}})
		want := fmt.Sprintf("row 2: a key of %d bytes with a value of %d; the store takes 65535 and 1073741823", c.key, c.value)
		if (err == nil) != c.well || err != nil && err.Error() != want {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if Least != 32<<20 {
		t.Errorf("a store needs %d bytes", Least)
	}
}

// A deletion is forgotten when it is older than the age, in seconds of the store's clock.
func TestWhenADeletionIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(0)
		defer s.Close()
		time.Sleep(10 * time.Second)
		for _, key := range []string{"a", "b"} {
			row := delta.Row{Key: []byte(key), Value: []byte("v"), Commit: 1}
			if _, err := s.Apply(Batch{}, []delta.Row{row, {Key: row.Key, Kind: delta.Delete, Commit: 2}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Apply(Batch{}, []delta.Row{{Key: []byte("c"), Value: []byte("v")}}); err != nil {
			t.Fatal(err)
		}
		if live, gone := s.Size(); live != 1 || gone != 2 {
			t.Errorf("%d live, %d deleted", live, gone)
		}
		if value, kind, ok := s.Get([]byte("x"), []byte("a")); ok || string(value) != "x" || kind != 0 {
			t.Errorf("of a key that is deleted: %q, %v, %v", value, kind, ok)
		}
		time.Sleep(10 * time.Second)
		for _, c := range []struct {
			age  time.Duration
			want int64
		}{{time.Hour, 0}, {20 * time.Second, 0}, {10 * time.Second, 0}, {9 * time.Second, 2}, {0, 0}} {
			if got := s.ForgetDeletions(c.age); got != c.want {
				t.Errorf("of more than %v: %d", c.age, got)
			}
		}
		if live, gone := s.Size(); live != 1 || gone != 0 {
			t.Errorf("%d live, %d deleted", live, gone)
		}
		if value, kind, ok := s.Get([]byte("x"), []byte("a")); ok || string(value) != "x" || kind != 0 {
			t.Errorf("%q, %v, %v", value, kind, ok)
		}
		if value, kind, ok := s.Get([]byte("x"), []byte("none")); ok || string(value) != "x" || kind != 0 {
			t.Errorf("%q, %v, %v", value, kind, ok)
		}
		if value, kind, ok := s.Get([]byte("x"), []byte("c")); !ok || string(value) != "xv" || kind != delta.String {
			t.Errorf("%q, %v, %v", value, kind, ok)
		}
	})
}

// Publishers have numbers from 1 on, the zero one 0, and those of the forgotten are given again. Of two rows of the same
// time the publisher decides, and of one publisher the batch, and then the row.
func TestNumbersOfPublishers(t *testing.T) {
	s := New(0)
	defer s.Close()
	one, two, three := delta.Publisher{Run: 1}, delta.Publisher{Run: 2}, delta.Publisher{Run: 2, Number: 1}
	for i, p := range []delta.Publisher{{}, one, two, one, {}, three} {
		if got := s.Number(p); got != []uint32{0, 1, 2, 1, 0, 3}[i] {
			t.Errorf("%+v has the number %d", p, got)
		}
	}
	row := func(value string) []delta.Row {
		return []delta.Row{{Key: []byte("k"), Value: []byte(value), Commit: 1}}
	}
	for _, c := range []struct {
		of    Batch
		stale bool
	}{
		{Batch{Publisher: 2, Sequence: 5, First: 5}, false}, {Batch{Publisher: 1, Sequence: 9, First: 9}, true},
		{Batch{Publisher: 2, Sequence: 4, First: 9}, true}, {Batch{Publisher: 2, Sequence: 5, First: 4}, true},
		{Batch{Publisher: 2, Sequence: 5, First: 6}, false}, {Batch{Publisher: 2, Sequence: 6}, false}, {Batch{Publisher: 3}, false},
	} {
		a, err := s.Apply(c.of, row(fmt.Sprint(c.of)))
		if err != nil || (a.Stale == 1) != c.stale || a.Applied+a.Stale != 1 {
			t.Errorf("%+v: %+v, %v", c.of, a, err)
		}
	}
	if n := s.Forget(func(delta.Publisher) bool { return false }); n != 2 || s.Publishers() != 2 {
		t.Errorf("%d are forgotten, %d left", n, s.Publishers()) // the zero one, and that of the row
	}
	four, five, six := s.Number(delta.Publisher{Run: 4}), s.Number(delta.Publisher{Run: 5}), s.Number(delta.Publisher{Run: 6})
	if four+five != 3 || six != 4 || s.Number(three) != 3 || s.Publishers() != 5 {
		t.Errorf("%d, %d and %d are given", four, five, six)
	}
	if st := s.State(2); st.Live != 1 || st.Tombstones != 0 || st.Digest == 0 {
		t.Errorf("%+v", st)
	}
	if st := s.State(1); st != (State{}) {
		t.Errorf("%+v", st)
	}
}
