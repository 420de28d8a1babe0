package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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

// only is a store of which one shard alone is written.
type only struct {
	*Store
	sh *shard
}

func one(t *testing.T, limit int64) only {
	t.Helper()
	s := New(limit)
	t.Cleanup(s.Close)
	return only{s, &s.shards[5]}
}

// set writes a row of this size for a key, or a deletion.
func (o only) set(key string, size int, flags byte) error {
	in := incoming{key: []byte(key), value: make([]byte, size-headerSize-len(key)), flags: flags}
	_, hash := parts(o.sh.hash(in.key))
	if b, slotAt, at := o.sh.lookup(hash, in.key); at != 0 {
		return o.sh.replace(b, slotAt, at, hash, &in)
	}
	return o.sh.put(hash, &in)
}

// fill writes rows of 1 KiB; sixteen of them fill a page.
func (o only) fill(t *testing.T, prefix string, n int) {
	t.Helper()
	for i := range n {
		o.resize(t, prefix, i, 1024)
	}
}

// resize writes a row over one that fill wrote.
func (o only) resize(t *testing.T, prefix string, i, size int) {
	t.Helper()
	if err := o.set(fmt.Sprintf("%s%02d", prefix, i), size, 0); err != nil {
		t.Fatal(err)
	}
}

// sizes are those of all rows that live, by their slabs.
func (o only) sizes() map[int][]int {
	sizes := map[int][]int{}
	for number, b := range o.sh.slabs {
		for offset := 0; offset < b.used; {
			e := entry(b.memory[offset:])
			if !e.is(flagDead) {
				sizes[number] = append(sizes[number], e.size())
			}
			offset += e.size()
		}
	}
	return sizes
}

// A slab of which half is dead is emptied, and one of which less is stays. A row that just fits is written into the slab
// that is there, and so is one that moves.
func TestWhenASlabIsTidied(t *testing.T) {
	kib := func(n int) []int { return slices.Repeat([]int{1024}, n) }
	for _, c := range []struct {
		dead int
		want map[int][]int
	}{
		{0, map[int][]int{0: kib(16), 1: {64}}},
		{7, map[int][]int{0: kib(9), 1: append([]int{64}, slices.Repeat([]int{1016}, 7)...)}},
		{8, map[int][]int{1: slices.Concat([]int{64}, slices.Repeat([]int{1016}, 8), kib(8))}},
	} {
		o := one(t, 2*pageSize)
		o.fill(t, "a", 16)
		o.resize(t, "b", 0, 64)
		for i := range c.dead {
			o.resize(t, "a", i, 1016)
		}
		if diff := cmp.Diff(c.want, o.sizes()); diff != "" {
			t.Errorf("of 16 rows %d are dead (-want +got):\n%s", c.dead, diff)
		}
		checkInside(t, o.Store)
	}
}

// A slab that takes rows which move, and is full then, is tidied itself where half of it is dead.
func TestWhatMovesFillsSlabs(t *testing.T) {
	const large = 8192
	o := one(t, 0)
	o.fill(t, "a", 16)
	o.fill(t, "b", 10)
	for i := range 9 { // large rows have slabs of their own, and fill no other
		o.resize(t, "b", i, large)
	}
	for i := range 8 {
		o.resize(t, "a", i, large)
	}
	checkInside(t, o.Store)
	if got, want := o.Memory(), int64(pageSize+17*large); got != want || len(o.sh.spare) != 2 {
		t.Errorf("%d bytes are in use, want %d; %d slabs are spare", got, want, len(o.sh.spare))
	}
	if live, gone := o.Size(); live != 26 || gone != 0 {
		t.Errorf("%d rows and %d deletions", live, gone)
	}
	// The numbers of slabs that were given back are used again, each for one.
	o.fill(t, "c", 32)
	checkInside(t, o.Store)
	if len(o.sh.slabs) != 20 || len(o.sh.spare) != 0 {
		t.Errorf("%d slabs, %d of them spare", len(o.sh.slabs), len(o.sh.spare))
	}
}

// What finds no memory is an error and changes nothing, and what cannot be moved stays where it is.
func TestWhatAFullStoreKeeps(t *testing.T) {
	o := one(t, pageSize)
	o.fill(t, "a", 16)
	for what, err := range map[string]error{
		"a row": o.set("b", 64, 0), "another size": o.set("a00", 64, 0), "a deletion": o.set("a01", 40, flagTombstone),
		"a large row": o.set("c", 8192, 0), "a large one in place of a small one": o.set("a02", 8192, 0),
	} {
		if !errors.Is(err, ErrFull) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := o.set("a03", 1024, 0); err != nil {
		t.Errorf("a row of the same size: %v", err)
	}
	o.sh.index.buckets[0].slots = append(o.sh.index.buckets[0].slots, make([]uint64, 1024-64)...)
	o.sh.index.buckets[0].count = 871
	if err := o.set("b", 64, 0); !errors.Is(err, ErrFull) {
		t.Errorf("a row for which the index has no place: %v", err)
	}
	if live, gone := o.Size(); live != 16 || gone != 0 || o.Memory() != pageSize {
		t.Errorf("%d rows and %d deletions in %d bytes", live, gone, o.Memory())
	}

	o = one(t, 2*pageSize)
	o.fill(t, "a", 16)
	o.fill(t, "b", 15)
	for i := range 8 {
		o.resize(t, "a", i, 128)
	}
	if live, _ := o.Size(); live != 31 || len(o.sizes()[0]) != 8 || len(o.sizes()[1]) != 23 {
		t.Errorf("%d rows, in slabs %v", live, o.sizes())
	}
	a, err := o.Apply(Batch{}, []delta.Row{{Key: make([]byte, 1024), Value: make([]byte, 8192), Commit: 1}})
	if !errors.Is(err, ErrFull) || a != (Applied{}) {
		t.Errorf("%+v, %v", a, err)
	}
	s := New(pageSize)
	defer s.Close()
	a, err = s.Apply(Batch{}, []delta.Row{{Key: []byte("small")}, {Key: []byte("large"), Value: make([]byte, pageSize)}})
	if !errors.Is(err, ErrFull) || a != (Applied{Applied: 1}) {
		t.Errorf("of two rows of which one fits: %+v, %v", a, err)
	}
}

// A slab of which half is dead without the deletions that are forgotten is emptied, unless rows are still written to it.
func TestForgottenDeletionsLeaveRoom(t *testing.T) {
	long := strings.Repeat("k", 1024-headerSize-stampSize)
	o := one(t, 0)
	o.fill(t, "a", 14)
	for _, key := range []string{"1" + long[1:], "2" + long[1:]} {
		if err := o.set(key, 1024, flagTombstone); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 6 {
		o.resize(t, "a", i, 64)
	}
	if got := o.sh.forgetIn(0, 0); got != 0 || len(o.sizes()[0]) != 10 {
		t.Errorf("%d deletions are forgotten before their time", got)
	}
	if got := o.sh.forgetIn(0, 1); got != 2 || o.sh.slabs[0].memory != nil {
		t.Errorf("%d deletions are forgotten, %d bytes are still there", got, len(o.sh.slabs[0].memory))
	}
	checkInside(t, o.Store)
	if got := o.sh.forgetIn(0, 1); got != 0 || len(o.sh.spare) != 1 {
		t.Errorf("%d deletions of nothing, %d slabs are spare", got, len(o.sh.spare))
	}
	for i := range 8 {
		if err := o.set(fmt.Sprintf("%d", i)+long[1:], 1024, flagTombstone); err != nil {
			t.Fatal(err)
		}
	}
	tail := o.sh.tail
	if n, got := len(o.sizes()[int(tail)]), o.sh.forgetIn(tail, 1); n == 0 || got == 0 || o.sh.tail != tail ||
		o.sh.slabs[tail].memory == nil {
		t.Errorf("%d deletions of the last slab are forgotten: there are %d bytes", got, len(o.sh.slabs[tail].memory))
	}
	checkInside(t, o.Store)

	o = one(t, 0) // a single deletion is enough
	o.fill(t, "a", 15)
	if err := o.set("1"+long[1:], 1024, flagTombstone); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		o.resize(t, "a", i, 64)
	}
	if got := o.sh.forgetIn(0, 1); got != 1 || o.sh.slabs[0].memory != nil {
		t.Errorf("%d deletions are forgotten, %d bytes are still there", got, len(o.sh.slabs[0].memory))
	}
	checkInside(t, o.Store)
}

// A publisher that gets its number while rows are counted is none of those that are asked about, nor forgotten.
func TestAPublisherThatComesMeanwhile(t *testing.T) {
	s := New(0)
	defer s.Close()
	late := delta.Publisher{Run: 1}
	s.numbers[late] = 1 // and s.publishers does not have it yet
	row := []delta.Row{{Key: []byte("k"), Value: []byte("v"), Commit: 1}, {Key: []byte("l"), Kind: delta.Delete, Commit: 1}}
	if _, err := s.Apply(Batch{Publisher: 1}, row); err != nil {
		t.Fatal(err)
	}
	if got := s.State(0); got != (State{}) {
		t.Errorf("%+v", got)
	}
	if n := s.Forget(func(delta.Publisher) bool { return false }); n != 0 || s.Publishers() != 2 {
		t.Errorf("%d are forgotten, %d left", n, s.Publishers())
	}
}

// The upper ten bits of a hash choose the shard, and the lower 32 the place in it.
func TestPartsOfAHash(t *testing.T) {
	for hash, want := range map[uint64][2]uint32{
		0: {0, 0}, 1<<64 - 1: {1023, 1<<32 - 1}, 1 << 63: {512, 0}, 1 << 54: {1, 0}, 1<<54 - 1: {0, 1<<32 - 1}, 5: {0, 5},
	} {
		if shard, within := parts(hash); shard != want[0] || within != want[1] {
			t.Errorf("%#x: shard %d, %#x", hash, shard, within)
		}
	}
	s := New(0)
	defer s.Close()
	if sh, within := s.shard([]byte("k")); sh.hash([]byte("k")) == 0 || within != uint32(sh.hash([]byte("k"))) {
		t.Errorf("a shard and its store have different hashes of a key")
	}
	if len(s.shards) != 1024 {
		t.Errorf("%d shards", len(s.shards))
	}
}

// Keys of one hash are told apart.
func TestKeysOfOneHash(t *testing.T) {
	o := one(t, 0)
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		if err := o.sh.put(7, &incoming{key: []byte(key), value: []byte("of " + key)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range keys {
		if _, _, at := o.sh.lookup(7, []byte(key)); at == 0 || string(o.sh.entry(at).value()) != "of "+key {
			t.Errorf("%s is at %d", key, at)
		}
	}
	if _, _, at := o.sh.lookup(7, []byte("d")); at != 0 {
		t.Errorf("what is not there is at %d", at)
	}
}

// What the system cannot give is an error.
func TestMemoryThatIsNotThere(t *testing.T) {
	if b, err := allocate(1 << 60); b != nil || err == nil {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	b, err := allocate(pageSize)
	if err != nil || len(b) != pageSize {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	release(b)
}

// The lower bits of a hash say where in a bucket a row is looked for first, and behind the last slot comes the first.
func TestWhereARowIsLookedFor(t *testing.T) {
	b := &bucket{slots: make([]uint64, 64)}
	for hash, want := range map[uint32]uint32{0: 0, 1: 1, 62: 62, 63: 63, 64: 0, 0xabcdef41: 1} {
		if got := b.start(hash); got != want {
			t.Errorf("%#x is looked for in slot %d, want %d", hash, got, want)
		}
	}
	for at, want := range map[uint32]uint32{0: 1, 1: 2, 62: 63, 63: 0} {
		if got := b.after(at); got != want {
			t.Errorf("behind slot %d comes %d, want %d", at, got, want)
		}
	}
}

// What is dropped leaves an empty slot, to which rows move up that would not be found behind it, around the end too.
func TestWhatIsDroppedLeavesNothing(t *testing.T) {
	b := &bucket{slots: make([]uint64, 8)}
	for place, hash := range []uint32{7, 7, 0, 2} { // in the slots 7, 0, 1 and 2
		b.insert(hash, uint32(place)+1)
	}
	b.drop(7, 1)
	want := []uint64{slot(0, 3), 0, slot(2, 4), 0, 0, 0, 0, slot(7, 2)}
	if !slices.Equal(b.slots, want) || b.count != 3 {
		t.Errorf("%x, want %x", b.slots, want)
	}
	b.drop(2, 4)
	b.drop(0, 3)
	if b.drop(7, 2); !slices.Equal(b.slots, make([]uint64, 8)) || b.count != 0 {
		t.Errorf("%x is left", b.slots)
	}
}
