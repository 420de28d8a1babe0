package updates

import (
	"hash/maphash"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// Sum is what batches come to.
type Sum struct {
	Batches, Updates int64
	Live             int64  // keys with a value
	Digest           uint64 // sum of the hashes of their rows modulo 2^64
}

// Expect is what the batches that include picks lead to. It is computed from the definition of
// the data, and not from anything that was encoded or sent.
func (w *Updates) Expect(include func(publisher uint32, sequence uint64) bool) (Sum, error) {
	var total Sum
	add := sumOf(&total)
	var s *state
	if !w.Data.unique() {
		s = newState(w.Run)
		add = s.apply
	}
	err := w.Data.replay(w, func(publisher uint32, sequence uint64, rows []delta.Row) {
		if !include(publisher, sequence) {
			return
		}
		total.Batches++
		total.Updates += int64(len(rows))
		add(publisher, sequence, rows)
	})
	if s != nil {
		s.sum(&total)
	}
	return total, err
}

// sumOf adds up rows of which no two have the same key.
func sumOf(total *Sum) visitor {
	return func(_ uint32, _ uint64, rows []delta.Row) {
		for i := range rows {
			if r := &rows[i]; r.Kind == delta.Update {
				total.Live++
				total.Digest += delta.Hash(r)
			}
		}
	}
}

// state is the last writer of each key. Of a key it keeps 128 bits of hash: by chance no two keys
// in any run share these, and the seeds are not known to whoever makes the files.
type state struct {
	run   uint64
	seeds [2]maphash.Seed
	keys  map[[2]uint64]last
}

// last is the row that a key has.
type last struct {
	order delta.Order
	hash  uint64
	live  bool
}

func newState(run uint64) *state {
	return &state{run: run, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, keys: map[[2]uint64]last{}}
}

func (s *state) apply(publisher uint32, sequence uint64, rows []delta.Row) {
	order := delta.Order{Publisher: delta.Publisher{Run: s.run, Number: publisher}, Sequence: sequence}
	for i := range rows {
		r := &rows[i]
		order.Commit, order.Row = r.Commit, uint32(i)
		key := [2]uint64{maphash.Bytes(s.seeds[0], r.Key), maphash.Bytes(s.seeds[1], r.Key)}
		if before, ok := s.keys[key]; ok && order.Compare(before.order) < 0 {
			continue
		}
		now := last{order: order, live: r.Kind == delta.Update}
		if now.live {
			now.hash = delta.Hash(r)
		}
		s.keys[key] = now
	}
}

func (s *state) sum(total *Sum) {
	for _, l := range s.keys {
		if l.live {
			total.Live++
			total.Digest += l.hash
		}
	}
}
