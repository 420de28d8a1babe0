package bandwidth

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/plimsoll/plimsoll/internal/store"
)

// ranges reads several ranges of a file at the same time.
type ranges struct {
	d       *downloading
	size    int64 // of a range
	ordered bool  // they are taken in the order of the file, not in that of their arrival

	// arrived has a place for each piece of memory, so that a range that was asked for has a
	// place that is empty. In order of arrival all are one.
	arrived []chan arrival
	readers int
	running sync.WaitGroup
	cancel  context.CancelFunc // nil before the first read
	taken   int

	mu    sync.Mutex
	asked int
}

// arrival is a range that was read.
type arrival struct {
	block block
	err   error
}

func newRanges(d *downloading, ordered bool, size int64, active int) *ranges {
	all := int((d.size + size - 1) / size)
	r := &ranges{d: d, size: size, ordered: ordered, readers: max(1, min(active, all))}
	// Beside those that are read, one that is compared and one that waits to be.
	r.arrived = make([]chan arrival, r.readers+2)
	one := make(chan arrival, len(r.arrived))
	for i := range r.arrived {
		r.arrived[i] = one
		if ordered {
			r.arrived[i] = make(chan arrival, 1)
		}
	}
	return r
}

// next takes the next range.
func (r *ranges) next(ctx context.Context) (int, error) {
	if r.cancel == nil {
		reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
		r.cancel = cancel
		for range r.readers {
			r.running.Go(func() { r.read(reading) })
		}
	}
	select {
	case a := <-r.arrived[r.taken%len(r.arrived)]:
		r.taken++
		r.d.block = a.block
		return int(a.block.length), a.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// read reads range after range.
func (r *ranges) read(ctx context.Context) {
	for {
		var memory []byte
		select {
		case memory = <-r.d.free:
		case <-ctx.Done():
			return
		}
		if int64(len(memory)) < r.size { // none, or that of a smaller file
			memory = make([]byte, r.size)
		}
		// The range is chosen when there is memory for it, so that the one that is waited for
		// always has some.
		n, b := r.nextRange()
		if b.length <= 0 {
			r.d.free <- memory
			return
		}
		b.memory = memory
		err := r.d.file.ReadRange(store.AboutRange(ctx, b.at), memory[:b.length], b.at)
		r.arrived[n%len(r.arrived)] <- arrival{b, err}
		if err != nil {
			return
		}
	}
}

// nextRange gives the next range that nobody reads yet; one without length when there is none.
func (r *ranges) nextRange() (n int, b block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = r.asked
	r.asked++
	at := int64(n) * r.size
	return n, block{at: at, length: min(r.size, r.d.size-at)}
}

// close ends the readers.
func (r *ranges) close() {
	if r.cancel != nil {
		r.cancel()
		r.running.Wait()
	}
}

// shuffled is where the blocks of a file begin, in an order that the seed decides.
func shuffled(size, block int64, seed uint64) []int64 {
	var list []int64
	for at := int64(0); at < size; at += block {
		list = append(list, at)
	}
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
