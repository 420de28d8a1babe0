package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

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

// The slab that rows are appended to stays what it is, however much of it is dead; when it is full, the next row empties
// it.
func TestWhenTheTailIsTidied(t *testing.T) {
	const large = 8192 // such a row has a slab of its own
	for dead, pages := range map[int]int64{7: 2, 8: 1} {
		o := one(t, 0)
		o.fill(t, "a", 16)
		for i := range dead {
			o.resize(t, "a", i, large)
		}
		if got, want := o.Memory(), int64(pageSize+dead*large); got != want {
			t.Errorf("%d of 16 rows dead: %d bytes before the next row, want %d", dead, got, want)
		}
		o.resize(t, "b", 0, 64)
		if got, want := o.Memory(), pages*pageSize+int64(dead*large); got != want {
			t.Errorf("%d of 16 rows dead: %d bytes behind the next row, want %d", dead, got, want)
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
