package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

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

// What finds no memory is an error and changes nothing, and what cannot be moved stays where it is.
func TestFullStoreChangesNothing(t *testing.T) {
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
