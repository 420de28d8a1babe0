package delta

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Generation says which rows a Generator makes.
type Generation struct {
	Seed        uint64
	Prefix      string  // of every key
	Batch       int     // rows in a batch
	KeyLength   int     // bytes, the prefix included
	ValueLength int     // bytes of a string, or of a set's elements together
	Keys        uint64  // rows are spread evenly over this many keys; 0: each row has a key of its own
	Deletes     float64 // share of the rows that delete their key
	Sets        float64 // share of the updates whose value is a set
	Commit      int64   // commit time of batch 0; each batch's is one more than that of the one before
}

// WarmupIndex is the index of the first batch of the warm-up, as the engine counts. Its
// batches have keys that no other batch has, and commit times from the beginning.
const WarmupIndex = 1 << 62

// Generator makes rows, each batch a pure function of the Generation and the batch's index. It
// is safe for concurrent use.
type Generator struct {
	g       Generation
	free    int    // bytes of a key behind the prefix
	bits    int    // of the numbers that the free bytes can hold
	deletes uint64 // a random number below this makes a delete
	sets    uint64 // likewise a set
	salt    uint64 // tells one seed's keys and values from another's
}

// The bytes of keys and values are digits of base 32, 0 to 9 and a to v. 13 of them hold every
// number of 64 bits.
const (
	digitBits   = 5
	blockDigits = 8 // made at once
	blockBits   = digitBits * blockDigits
	allDigits   = 13
	maxElements = 4 // of a set
)

// NewGenerator checks a Generation. Its errors name what is wrong in words, not by flags.
func NewGenerator(g Generation) (*Generator, error) {
	switch {
	case g.Batch < 1 || g.Batch > maxCount:
		return nil, fmt.Errorf("a batch must have between 1 and %d rows, not %d", maxCount, g.Batch)
	case g.KeyLength > math.MaxInt32 || g.ValueLength > math.MaxInt32:
		return nil, errors.New("keys and values must be smaller than 2 GiB")
	case g.ValueLength < 0:
		return nil, fmt.Errorf("the value length %d is negative", g.ValueLength)
	case !(g.Deletes >= 0 && g.Deletes <= 1) || !(g.Sets >= 0 && g.Sets <= 1):
		return nil, errors.New("shares must be between 0 and 1")
	case g.KeyLength <= len(g.Prefix):
		return nil, fmt.Errorf("a key of %d bytes leaves no room after the prefix %q", g.KeyLength, g.Prefix)
	}
	n := &Generator{g: g, free: g.KeyLength - len(g.Prefix), bits: 64,
		deletes: threshold(g.Deletes), sets: threshold(g.Sets), salt: mix(g.Seed ^ HashSeed)}
	if n.free < allDigits {
		n.bits = digitBits * n.free
	}
	if g.Keys > n.keys() {
		return nil, fmt.Errorf("%d bytes after the prefix allow %d keys, not %d: use longer keys",
			n.free, n.keys(), g.Keys)
	}
	return n, nil
}

// keys is how many keys there can be, besides those of the warm-up, for which a bit is kept.
func (n *Generator) keys() uint64 { return 1 << (n.bits - 1) }

// Fits is an error when so many batches cannot have keys that are all different, though each
// row is to have its own.
func (n *Generator) Fits(batches uint64) error {
	if n.g.Keys > 0 || batches <= n.keys()/uint64(n.g.Batch) {
		return nil
	}
	bytes := "1 byte"
	if n.free != 1 {
		bytes = fmt.Sprintf("%d bytes", n.free)
	}
	return fmt.Errorf("%d batches of %d rows require more than the %d keys that are possible with %s after the "+
		"prefix: use longer keys",
		batches, n.g.Batch, n.keys(), bytes)
}

// Rows makes the batch with this index. It puts the rows into rows and their bytes into buf,
// from the start of both, and returns them; they are valid until buf is used again. When both
// come from a call before, it allocates nothing.
func (n *Generator) Rows(index uint64, rows []Row, buf []byte) ([]Row, []byte) {
	rows = sized(rows, n.g.Batch)
	// A set has one byte or more for the length of each element.
	size := n.g.Batch*(n.g.KeyLength+n.g.ValueLength+maxElements*binary.MaxVarintLen32) + blockDigits
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:0]
	warmup := index / WarmupIndex // 0 or 1
	batch := index % WarmupIndex
	for i := range rows {
		number := batch*uint64(n.g.Batch) + uint64(i)
		buf = n.row(&rows[i], number, warmup, buf)
		rows[i].Commit = n.g.Commit + int64(batch)
	}
	return rows, buf
}

// Key is one of the keys that the rows are spread over, by its number.
func (n *Generator) Key(number uint64) []byte {
	return n.appendKey([]byte(n.g.Prefix), number%max(n.g.Keys, 1), 0)
}

func (n *Generator) row(r *Row, number, warmup uint64, buf []byte) []byte {
	random := mix(n.salt + number*golden + warmup)
	key := number
	if n.g.Keys > 0 {
		key = random % n.g.Keys
	}
	start := len(buf)
	buf = append(buf, n.g.Prefix...)
	buf = n.appendKey(buf, key, warmup)
	r.Key = buf[start:len(buf):len(buf)]
	r.Kind, r.Type, r.Value = Update, String, nil
	random = mix(random)
	if random < n.deletes || n.g.Deletes == 1 {
		r.Kind = Delete
		return buf
	}
	random = mix(random)
	start = len(buf)
	if random < n.sets || n.g.Sets == 1 {
		r.Type = Set
		buf = appendElements(buf, n.g.ValueLength, random)
	} else {
		buf = appendDigits(buf, n.g.ValueLength, mix(random))
	}
	r.Value = buf[start:len(buf):len(buf)]
	return buf
}

// appendKey appends the free bytes of the key with this number. Numbers below keys() give
// different keys: the number and the bit of the warm-up pass through a permutation of the
// numbers of so many bits, which stand in the first digits.
func (n *Generator) appendKey(dst []byte, number, warmup uint64) []byte {
	x := n.permute(number&(n.keys()-1) | warmup<<(n.bits-1))
	if n.free <= blockDigits {
		return appendBlock(dst, x)[:len(dst)+n.free]
	}
	rest := mix(x)
	dst = appendBlock(dst, x)
	// What a number of 64 bits leaves free of the second block is filled up; shorter ones have no digits there.
	dst = appendBlock(dst, x>>blockBits|rest<<(64-blockBits))
	return appendDigits(dst, n.free-2*blockDigits, mix(rest))
}

// permute is a bijection of the numbers of n.bits bits: each step of it is one.
func (n *Generator) permute(x uint64) uint64 {
	mask := ^uint64(0) >> (64 - n.bits)
	half := (n.bits + 1) / 2
	x = (x + n.salt) & mask
	x = x * 0xbf58476d1ce4e5b9 & mask
	x ^= x >> half
	x = x * 0x94d049bb133111eb & mask
	return x ^ x>>half
}

// appendDigits appends so many digits that follow from x. Of a number below 0, so many are cut off.
func appendDigits(dst []byte, length int, x uint64) []byte {
	end := len(dst) + length
	for len(dst) < end {
		dst = appendBlock(dst, x)
		x = mix(x)
	}
	return dst[:end]
}

// appendBlock appends the low 40 bits of x as eight digits, the lowest first. The digits are
// spread over the bytes of a word and turned into letters all at once: one by one they take
// four times as long, and are most of the work of making a row.
func appendBlock(dst []byte, x uint64) []byte {
	x = x&0xfffff | x&0xfffff00000<<12
	x = x&0x000003ff_000003ff | x&0x000ffc00_000ffc00<<6
	x = x&0x001f001f_001f001f | x&0x03e003e0_03e003e0<<3
	letters := (x + 0x7676767676767676) >> 7 & 0x0101010101010101 // of digits from 10 on
	return binary.LittleEndian.AppendUint64(dst, x+0x3030303030303030+letters*('a'-'0'-10))
}

// appendElements appends a packed set of at most four elements, which have length bytes
// together. The first digit of each comes from a quarter of its own, so they are in order.
func appendElements(dst []byte, length int, x uint64) []byte {
	count := min(maxElements, length)
	for i := range count {
		size := length / count
		if i < length%count {
			size++
		}
		x = mix(x)
		dst = binary.AppendUvarint(dst, uint64(size))
		start := len(dst)
		dst = appendDigits(dst, size, x)
		dst[start] = digit(uint64(i)*8 + x&7)
	}
	return dst
}

func digit(x uint64) byte {
	if x < 10 {
		return '0' + byte(x)
	}
	return 'a' - 10 + byte(x)
}

func threshold(share float64) uint64 {
	if share >= 1 {
		return math.MaxUint64
	}
	return uint64(share * (1 << 64))
}

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014) behind one step of its
// sequence.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
