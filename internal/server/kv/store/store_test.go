package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// naive is what the store has to be, in the plainest way: a map of the last row of each key.
type naive map[string]written

type written struct {
	value string
	kind  delta.Kind
	typ   delta.ValueType
	order delta.Order
}

func (n naive) apply(p delta.Publisher, sequence uint64, rows []delta.Row) (stale int64) {
	for i, r := range rows {
		w := written{string(r.Value), r.Kind, r.Type,
			delta.Order{Commit: r.Commit, Publisher: p, Sequence: sequence, Row: uint32(i)}}
		if old, ok := n[string(r.Key)]; ok && old.order.Compare(w.order) > 0 {
			stale++
			continue
		}
		n[string(r.Key)] = w
	}
	return stale
}

func (n naive) state(run uint64) State {
	var s State
	for key, w := range n {
		switch {
		case w.order.Publisher.Run != run:
		case w.kind == delta.Delete:
			s.Tombstones++
		default:
			s.Live++
			s.Digest += delta.Hash(&delta.Row{Key: []byte(key), Value: []byte(w.value), Commit: w.order.Commit,
				Type: w.typ})
		}
	}
	return s
}

// check compares the store with the map, and looks at what must hold inside it.
func check(t *testing.T, s *Store, want naive) {
	t.Helper()
	var buf []byte
	for key, w := range want {
		value, typ, ok := s.Get(buf[:0], []byte(key))
		buf = value
		if ok != (w.kind == delta.Update) || ok && (string(value) != w.value || typ != w.typ) {
			t.Fatalf("key %q is %.40q (%v, %v), want %+v", key, value, typ, ok, w)
		}
	}
	for run := range uint64(3) {
		if diff := cmp.Diff(want.state(run), s.State(run)); diff != "" {
			t.Errorf("state of run %d (-want +got):\n%s", run, diff)
		}
	}
	checkInside(t, s)
}

func checkInside(t *testing.T, s *Store) {
	t.Helper()
	var used int64
	for i := range s.shards {
		sh := &s.shards[i]
		var live, tombstones int64
		for number := range sh.slabs {
			b := &sh.slabs[number]
			used += int64(len(b.memory))
			dead := 0
			for offset := 0; offset < b.used; {
				e := entry(b.memory[offset:])
				switch {
				case e.is(flagDead):
					dead += e.size()
				case e.is(flagTombstone):
					tombstones++
				default:
					live++
				}
				if !e.is(flagDead) {
					_, hash := parts(sh.hash(e.key()))
					if _, _, at := sh.lookup(hash, e.key()); at != place(uint32(number), offset) {
						t.Fatalf("shard %d: the row of %q is at %d, the index says %d", i, e.key(),
							place(uint32(number), offset), at)
					}
				}
				offset += e.size()
			}
			if dead != b.dead {
				t.Fatalf("shard %d, slab %d: %d bytes are dead, and %d counted", i, number, dead, b.dead)
			}
			if b.memory != nil && uint32(number) != sh.tail && dead*2 >= len(b.memory) {
				t.Fatalf("shard %d, slab %d: %d of %d bytes are dead", i, number, dead, len(b.memory))
			}
		}
		if live != sh.live || tombstones != sh.tombstones {
			t.Fatalf("shard %d has %d rows and %d tombstones, and counts %d and %d", i, live, tombstones, sh.live,
				sh.tombstones)
		}
		for n, number := range sh.spare {
			if sh.slabs[number].memory != nil || slices.Contains(sh.spare[:n], number) {
				t.Fatalf("shard %d: slab %d is spare, and there", i, number)
			}
		}
		if len(sh.index.buckets) != 1<<sh.index.depth {
			t.Fatalf("shard %d: %d buckets by %d bits", i, len(sh.index.buckets), sh.index.depth)
		}
		var last *bucket
		for _, b := range sh.index.buckets {
			if b != last {
				live -= int64(b.count)
				empty := 0
				for _, s := range b.slots {
					if s == 0 {
						empty++
					}
				}
				if b.count != len(b.slots)-empty {
					t.Fatalf("shard %d: a bucket has %d rows, and counts %d", i, len(b.slots)-empty, b.count)
				}
				if len(b.slots) == pageSlots {
					used += pageSize
				}
			}
			last = b
		}
		if live+tombstones != 0 {
			t.Fatalf("shard %d: the index counts %d rows too few", i, live+tombstones)
		}
	}
	if got := s.Memory(); got != used {
		t.Errorf("the store says that it uses %d bytes, and uses %d", got, used)
	}
}

// batches makes random batches of three runs' publishers, for keys few enough to be hot.
func batches(r *rand.Rand, n, keys, longest int) []batch {
	made := make([]batch, n)
	for i := range made {
		b := &made[i]
		b.publisher = delta.Publisher{Run: r.Uint64N(3), Number: r.Uint32N(3)}
		b.sequence = uint64(i)
		for range 1 + r.IntN(60) {
			row := delta.Row{Key: fmt.Appendf(nil, "key-%d", r.IntN(keys)), Commit: r.Int64N(int64(n)) - int64(n)/2}
			switch r.IntN(10) {
			case 0, 1:
				row.Kind = delta.Delete
			case 2:
				row.Type, row.Value = delta.Set, delta.AppendSet(nil, "a", "bc")
			case 3:
				row.Value = make([]byte, r.IntN(longest))
			default:
				row.Value = fmt.Appendf(nil, "%d", r.Uint64())
			}
			b.rows = append(b.rows, row)
		}
	}
	return made
}

type batch struct {
	publisher delta.Publisher
	sequence  uint64
	rows      []delta.Row
}

func apply(t *testing.T, s *Store, b *batch) Applied {
	t.Helper()
	a, err := s.Apply(Batch{Publisher: s.Number(b.publisher), Sequence: b.sequence}, b.rows)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestStoreAgainstMap(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, keys := range []int{1, 50, 5000} {
		for _, longest := range []int{30, 3000, 40000} {
			if keys == 5000 && longest == 40000 {
				continue
			}
			s := New(0)
			want := naive{}
			for _, b := range batches(r, 600, keys, longest) {
				stale := want.apply(b.publisher, b.sequence, b.rows)
				got := apply(t, s, &b)
				if got.Stale != stale || got.Applied != int64(len(b.rows))-stale {
					t.Fatalf("batch %d: %+v; want %d of %d stale", b.sequence, got, stale, len(b.rows))
				}
			}
			check(t, s, want)
			s.Close()
		}
	}
}

func TestAnyOrderLeadsToTheSameState(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	all := batches(r, 800, 300, 100)
	want := naive{}
	for _, b := range all {
		want.apply(b.publisher, b.sequence, b.rows)
	}
	for range 3 {
		// Shuffled, and a third of the batches twice.
		order := append(slices.Clone(all), all[:len(all)/3]...)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		s := New(0)
		for i := range order {
			apply(t, s, &order[i])
		}
		check(t, s, want)
		s.Close()
	}
}

func TestManyKeysSplitTheIndex(t *testing.T) {
	s := New(0)
	defer s.Close()
	// All in one shard, so that few keys are many for it.
	sh := &s.shards[7]
	const keys = 40_000
	for n := range keys {
		in := incoming{key: fmt.Appendf(nil, "%d", n), value: fmt.Appendf(nil, "v%d", n)}
		_, hash := parts(sh.hash(in.key))
		if err := sh.put(hash, &in); err != nil {
			t.Fatal(err)
		}
	}
	if len(sh.index.buckets) < 16 {
		t.Fatalf("the index has %d entries", len(sh.index.buckets))
	}
	for n := range keys {
		key := fmt.Appendf(nil, "%d", n)
		_, hash := parts(sh.hash(key))
		if _, _, at := sh.lookup(hash, key); at == 0 || string(sh.entry(at).value()) != fmt.Sprintf("v%d", n) {
			t.Fatalf("key %s is lost", key)
		}
	}
	seen := 0
	sh.each(func(entry) { seen++ })
	if seen != keys {
		t.Errorf("the pass saw %d of %d rows", seen, keys)
	}
	checkInside(t, s)
}

func TestHashesThatMeetAreRefusedInTheEnd(t *testing.T) {
	s := New(0)
	defer s.Close()
	sh := &s.shards[0]
	var err error
	n := 0
	for ; err == nil && n < 10_000; n++ {
		in := incoming{key: fmt.Appendf(nil, "%d", n)}
		err = sh.put(12345, &in) // one hash for all
	}
	if err == nil || n < pageSlots/2 {
		t.Errorf("after %d keys: %v", n, err)
	}
}

func TestOverwritingDoesNotLeak(t *testing.T) {
	s := New(0)
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]delta.Row, 1000)
	highest := int64(0)
	for round := range 300 {
		for i := range rows {
			rows[i] = delta.Row{Key: fmt.Appendf(nil, "key-%04d", i), Value: make([]byte, r.IntN(500)),
				Commit: int64(round)}
		}
		if _, err := s.Apply(Batch{Sequence: uint64(round)}, rows); err != nil {
			t.Fatal(err)
		}
		highest = max(highest, s.Memory())
	}
	// 150 MB were written. A thousand rows of at most 540 bytes, half of the places dead, and the
	// beginnings of the slabs of as many shards.
	if most := int64(len(s.shards)) * 3 * pageSize; highest > most {
		t.Errorf("%d bytes in use, more than %d", highest, most)
	}
	checkInside(t, s)
}

func TestFullStore(t *testing.T) {
	s := New(20 << 20)
	defer s.Close()
	want := naive{}
	var err error
	n := 0
	for ; err == nil; n++ {
		row := []delta.Row{{Key: fmt.Appendf(nil, "key-%d", n), Value: make([]byte, 1000), Commit: 1}}
		if _, err = s.Apply(Batch{Sequence: uint64(n)}, row); err == nil {
			want.apply(delta.Publisher{}, uint64(n), row)
		}
	}
	if n < 10_000 || s.Memory() > 20<<20 {
		t.Errorf("full after %d rows and %d bytes: %v", n, s.Memory(), err)
	}
	check(t, s, want)
	// What is there can be replaced and deleted, and then there is room again.
	for key := range want {
		row := []delta.Row{{Key: []byte(key), Kind: delta.Delete, Commit: 2}}
		if _, err := s.Apply(Batch{Sequence: uint64(n)}, row); err != nil {
			t.Fatalf("deleting from a full store: %v", err)
		}
		want.apply(delta.Publisher{}, uint64(n), row)
	}
	check(t, s, want)
	if s.Memory() > 18<<20 {
		t.Errorf("%d bytes in use after all was deleted", s.Memory())
	}
}

func TestTooLongAKey(t *testing.T) {
	s := New(0)
	defer s.Close()
	long := delta.Row{Key: make([]byte, MaxKey), Value: []byte("x")}
	if err := Check([]delta.Row{long, {Key: make([]byte, MaxKey+1)}}); err == nil ||
		!strings.Contains(err.Error(), "row 2") {
		t.Errorf("a key that is too long: %v", err)
	}
	if err := Check([]delta.Row{long}); err != nil {
		t.Error(err)
	}
	if a, err := s.Apply(Batch{}, []delta.Row{long}); err != nil || a.Applied != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if v, _, ok := s.Get(nil, make([]byte, MaxKey)); !ok || string(v) != "x" {
		t.Errorf("the longest key has %q, %v", v, ok)
	}
}

func TestForgetDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(0)
		defer s.Close()
		r := rand.New(rand.NewPCG(3, 4))
		want := naive{}
		all := batches(r, 600, 3000, 40)
		for _, b := range all[:300] {
			want.apply(b.publisher, b.sequence, b.rows)
			apply(t, s, &b)
		}
		time.Sleep(time.Hour)
		before := maps.Clone(want)
		for _, b := range all[300:] {
			want.apply(b.publisher, b.sequence, b.rows)
			apply(t, s, &b)
		}
		if n := s.ForgetDeletions(2 * time.Hour); n != 0 {
			t.Errorf("%d deletions forgotten that are younger", n)
		}
		// Those of the first half that nothing has touched since.
		old := int64(0)
		for key, w := range before {
			if w.kind == delta.Delete && want[key] == w {
				delete(want, key)
				old++
			}
		}
		if n := s.ForgetDeletions(30 * time.Minute); n != old || n == 0 {
			t.Errorf("%d deletions forgotten, want %d", n, old)
		}
		check(t, s, want)
		time.Sleep(time.Hour)
		s.ForgetDeletions(30 * time.Minute)
		maps.DeleteFunc(want, func(_ string, w written) bool { return w.kind == delta.Delete })
		check(t, s, want)
	})
}

func TestForgetPublishers(t *testing.T) {
	s := New(0)
	defer s.Close()
	row := func(key string) []delta.Row { return []delta.Row{{Key: []byte(key), Value: []byte("v"), Commit: 1}} }
	for run := range uint64(100) {
		p := delta.Publisher{Run: run + 1}
		if _, err := s.Apply(Batch{Publisher: s.Number(p)}, row(fmt.Sprintf("key-%d", run%10))); err != nil {
			t.Fatal(err)
		}
	}
	// Rows of runs 91 to 100 are left; 50 is kept for another reason.
	n := s.Forget(func(p delta.Publisher) bool { return p.Run == 50 })
	if n != 89 || s.Publishers() != 12 { // and the zero publisher
		t.Errorf("%d forgotten, %d left", n, s.Publishers())
	}
	// The numbers are used again, and rows of those that were kept are still theirs.
	if s.Number(delta.Publisher{Run: 1000}) > 101 {
		t.Error("the numbers of forgotten publishers are not used again")
	}
	if got := s.State(95); got.Live != 1 {
		t.Errorf("run 95 has %+v", got)
	}
}

func TestReadersAndWriters(t *testing.T) {
	s := New(0)
	defer s.Close()
	done := make(chan error, 4)
	for w := range 2 {
		go func() {
			r := rand.New(rand.NewPCG(uint64(w), 9))
			for _, b := range batches(r, 400, 500, 2000) {
				if _, err := s.Apply(Batch{Publisher: s.Number(b.publisher), Sequence: b.sequence},
					b.rows); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		go func() {
			r := rand.New(rand.NewPCG(uint64(w), 10))
			var buf []byte
			for n := range 5_000 {
				buf, _, _ = s.Get(buf[:0], fmt.Appendf(nil, "key-%d", r.IntN(500)))
				if n%1000 == 0 {
					s.State(1)
					s.ForgetDeletions(0)
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	checkInside(t, s)
}

// A row that is there already is applied again, and not stale: nothing comes before itself.
func TestEqualRowIsNotStale(t *testing.T) {
	s := New(0)
	defer s.Close()
	b := batch{delta.Publisher{Run: 1, Number: 1}, 7, []delta.Row{{Key: []byte("a"), Value: []byte("1"), Commit: 5}}}
	for i := range 2 {
		if got := apply(t, s, &b); got.Applied != 1 || got.Stale != 0 {
			t.Errorf("time %d: %+v", i+1, got)
		}
	}
	later := b
	later.sequence = 8
	apply(t, s, &later)
	if got := apply(t, s, &b); got.Applied != 0 || got.Stale != 1 {
		t.Errorf("behind a later one: %+v", got)
	}
}
