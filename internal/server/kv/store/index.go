package store

// index finds the place of a row by the hash of its key, by extendible hashing: the upper bits
// of a 32-bit hash choose a bucket, the lower ones where in it to begin to look.
type index struct {
	buckets []*bucket // 1<<depth; neighbours may be the same
	depth   uint
}

// bucket is a hash table with linear probing. A slot holds the hash in its upper and the place
// in its lower half; place 0 says that it is empty.
type bucket struct {
	slots []uint64 // a power of two
	count int
	depth uint // bits of the hash that all of its rows have in common
}

const (
	firstSlots = 64 // a bucket begins with, on Go's heap
	// A bucket with more is doubled, or split: above 17/20 the ways to an empty slot get long.
	fullPart, fullWhole = 17, 20
)

func newIndex() index {
	return index{buckets: []*bucket{{slots: make([]uint64, firstSlots)}}}
}

func (x *index) bucket(hash uint32) *bucket {
	return x.buckets[hash>>(32-x.depth)]
}

// start is the first slot that may hold the hash; the others are after it, up to an empty one.
func (b *bucket) start(hash uint32) uint32 { return hash & uint32(len(b.slots)-1) }

func (b *bucket) after(at uint32) uint32 { return (at + 1) & uint32(len(b.slots)-1) }

func slot(hash, place uint32) uint64 { return uint64(hash)<<32 | uint64(place) }

// insert adds a place that is not there yet.
func (b *bucket) insert(hash, place uint32) {
	at := b.start(hash)
	for b.slots[at] != 0 {
		at = b.after(at)
	}
	b.slots[at] = slot(hash, place)
	b.count++
}

// find is the number of the slot that holds exactly this, which must be there.
func (b *bucket) find(hash, place uint32) uint32 {
	want := slot(hash, place)
	at := b.start(hash)
	for b.slots[at] != want {
		at = b.after(at)
	}
	return at
}

// drop takes out what must be there, and closes the gap: what stands behind it moves up, as far
// as it would not be found any more otherwise.
func (b *bucket) drop(hash, place uint32) {
	b.count--
	at := b.find(hash, place)
	gap := at
	for {
		at = b.after(at)
		s := b.slots[at]
		if s == 0 {
			break
		}
		home := b.start(uint32(s >> 32))
		// The row may move to the gap if its home is not between the two, in the ring.
		if (at-home)&uint32(len(b.slots)-1) >= (at-gap)&uint32(len(b.slots)-1) {
			b.slots[gap] = s
			gap = at
		}
	}
	b.slots[gap] = 0
}

// reserve makes room for one more row with this hash.
func (x *index) reserve(hash uint32, p *pool) error {
	for {
		b := x.bucket(hash)
		if b.count*fullWhole < len(b.slots)*fullPart {
			return nil
		}
		if len(b.slots) < pageSlots {
			if err := b.double(p); err != nil {
				return err
			}
			continue
		}
		if err := x.split(b, hash, p); err != nil {
			return err
		}
	}
}

// double makes the table of a bucket that has no page yet twice as large.
func (b *bucket) double(p *pool) error {
	old := b.slots
	if len(old)*2 < pageSlots {
		b.slots = make([]uint64, len(old)*2)
	} else {
		page, err := p.page()
		if err != nil {
			return err
		}
		b.slots = slotsOf(page)
	}
	b.count = 0
	for _, s := range old {
		if s != 0 {
			b.insert(uint32(s>>32), uint32(s))
		}
	}
	return nil
}

// maxDepth leaves the lower bits of the hash for the place within a bucket. Rows whose hashes
// have all upper bits in common are too many for that to be chance: they are refused.
const maxDepth = 20

// split divides a bucket's rows by the first bit of the hash that they do not share.
func (x *index) split(b *bucket, hash uint32, p *pool) error {
	if b.depth == maxDepth {
		return ErrFull
	}
	page, err := p.page()
	if err != nil {
		return err
	}
	if b.depth == x.depth {
		twice := make([]*bucket, 2*len(x.buckets))
		for i, same := range x.buckets {
			twice[2*i], twice[2*i+1] = same, same
		}
		x.buckets, x.depth = twice, x.depth+1
	}
	b.depth++
	upper := &bucket{slots: slotsOf(page), depth: b.depth}
	divide(b, upper, 1<<(32-b.depth))
	// The entries that pointed at b are those with its prefix; the upper half of them changes.
	width := 1 << (x.depth - b.depth)
	first := int(hash>>(32-x.depth)) &^ (2*width - 1)
	for i := first + width; i < first+2*width; i++ {
		x.buckets[i] = upper
	}
	return nil
}

// divide moves the rows whose hash has the bit to another bucket, in one pass: those that stay
// are taken out and put in again, since the ways to them may have led past one that goes.
func divide(b, upper *bucket, bit uint32) {
	var stay [pageSlots]uint64
	n := 0
	for i, s := range b.slots {
		switch {
		case s == 0:
		case uint32(s>>32)&bit != 0:
			upper.insert(uint32(s>>32), uint32(s))
		default:
			stay[n] = s
			n++
		}
		b.slots[i] = 0
	}
	b.count = 0
	for _, s := range stay[:n] {
		b.insert(uint32(s>>32), uint32(s))
	}
}
