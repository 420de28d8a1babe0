package content

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// The kinds of data.
const (
	Random = "random"
	Text   = "text"
	Zero   = "zero"
)

// A file is pages of one stamp each: the stamp holds the file's tag and the number of the
// page, and the rest of the page is of a pattern that all files of this kind share. So no two
// pages of all files are the same and nothing can deduplicate them, making a block that was
// made before takes one stamp a page, and a file tells by itself what it must hold.
const (
	// PageSize is the bytes of a page.
	PageSize = 4096
	// StampBytes is the bytes of a stamp. In text twice that, because text stays text.
	StampBytes = 16

	// patternSize is how much of a random pattern there is before it repeats: as much as the
	// window of a compressor that a store may use, and no more than a part has by default, so
	// that the memory of a part holds the pattern for any other one.
	patternSize = 8 << 20

	// proof is how much of the pattern behind a stamp tells its pages apart.
	proof = 32
)

// Pattern is what the pages of one kind of data are made of.
type Pattern struct {
	kind  string
	data  []byte // of whole pages
	stamp int    // bytes of a stamp
}

// NewPattern makes the pattern of a kind of data. It is the same in every process.
func NewPattern(kind string) *Pattern {
	p := &Pattern{kind: kind, stamp: StampBytes}
	switch kind {
	case Text:
		p.data, p.stamp = text(1<<20), hex.EncodedLen(StampBytes)
	case Zero:
		p.data = make([]byte, PageSize)
	default:
		p.data = make([]byte, patternSize)
		_, _ = rand.NewChaCha8([32]byte([]byte("plimsoll bandwidth: random data."))).Read(p.data) // never fails
	}
	return p
}

// text is English-like text, as compressible as log files are.
func text(size int) []byte {
	words := strings.Fields(`the ship lies deep in the water when its load is more than the line
		allows and so each captain must know what the hull can carry before the harbour is left
		request response client server bandwidth latency block upload download error warning info`)
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, "%s %d ", words[r.IntN(len(words))], r.IntN(1000))
	}
	return b.Bytes()[:size]
}

// File is what one file holds.
type File struct {
	*Pattern
	Tag  uint64 // its upper half is the same for all files of a run
	Size int64
}

// writeStamp writes what page number n begins with.
func (c *File) writeStamp(to []byte, n int64) {
	if c.stamp == StampBytes {
		binary.BigEndian.PutUint64(to, c.Tag)
		binary.BigEndian.PutUint64(to[8:], uint64(n))
		return
	}
	var raw [StampBytes]byte
	binary.BigEndian.PutUint64(raw[:8], c.Tag)
	binary.BigEndian.PutUint64(raw[8:], uint64(n))
	hex.Encode(to, raw[:])
}

// readStamp reads the stamp that a page begins with.
func (p *Pattern) readStamp(page []byte) (tag uint64, number int64, ok bool) {
	if p.stamp == StampBytes {
		return binary.BigEndian.Uint64(page), int64(binary.BigEndian.Uint64(page[8:])), true
	}
	var raw [StampBytes]byte
	if _, err := hex.Decode(raw[:], page[:p.stamp]); err != nil {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(raw[:8]), int64(binary.BigEndian.Uint64(raw[8:])), true
}

// page gives what the file holds from the offset to the end of its page: first of a stamp,
// then of the pattern. stamp is memory for the former.
func (c *File) page(offset int64, stamp []byte) (stamped, plain []byte) {
	within := offset % PageSize
	at := offset % int64(len(c.data))
	if within >= int64(c.stamp) {
		return nil, c.data[at : at-within+PageSize]
	}
	c.writeStamp(stamp, offset/PageSize)
	return stamp[within:c.stamp], c.data[at-within+int64(c.stamp) : at-within+PageSize]
}

// Fill writes what the file holds at the offset into p. A page of p that an earlier fill left
// there, at the same place of the pattern, needs a new stamp only.
func (c *File) Fill(p []byte, offset int64) {
	var stamp [2 * StampBytes]byte
	whole := offset%PageSize == 0
	for len(p) > 0 {
		page, number := p, offset/PageSize
		if rest := int(PageSize - offset%PageSize); len(page) > rest {
			page = page[:rest]
		}
		if whole && len(page) == PageSize && c.holds(page, number) {
			c.writeStamp(page, number)
		} else {
			stamped, plain := c.page(offset, stamp[:])
			copy(page[copy(page, stamped):], plain)
		}
		p, offset = p[len(page):], offset+int64(len(page))
	}
}

// holds reports whether a page of memory that was filled before holds the pattern for the
// page of this number: its old stamp tells. The last page of a file may have been filled in
// part, and is not believed. It may even have ended within its stamp, of which the rest is then
// that of the page before, or nothing: so what follows the stamp has to be right, too.
func (c *File) holds(page []byte, number int64) bool {
	tag, old, ok := c.readStamp(page)
	pages := int64(len(c.data) / PageSize)
	if !ok || tag>>32 != c.Tag>>32 || old < 0 || old >= c.Size/PageSize || old%pages != number%pages {
		return false
	}
	from := number%pages*PageSize + int64(c.stamp)
	return string(page[c.stamp:c.stamp+proof]) == string(c.data[from:from+proof])
}

// Compare gives the offset of the first byte of p that is not what the file holds there, or -1.
func (c *File) Compare(p []byte, offset int64) int64 {
	var stamp [2 * StampBytes]byte
	for len(p) > 0 {
		stamped, plain := c.page(offset, stamp[:])
		for _, want := range [2][]byte{stamped, plain} {
			n := min(len(p), len(want))
			if !bytes.Equal(p[:n], want[:n]) {
				return offset + int64(firstDifference(p[:n], want))
			}
			p, offset = p[n:], offset+int64(n)
		}
	}
	return -1
}

// firstDifference is the index of the first byte of p that is not the one of want.
func firstDifference(p, want []byte) int {
	for i := range p {
		if p[i] != want[i] {
			return i
		}
	}
	return len(p)
}

// Recognise tells what a file of this size holds by its beginning, when a run of this program
// wrote it.
func Recognise(start []byte, size int64, patterns []*Pattern) (*File, bool) {
	for _, p := range patterns {
		if len(start) < p.stamp {
			continue
		}
		tag, number, ok := p.readStamp(start)
		c := &File{p, tag, size}
		if ok && number == 0 && c.Compare(start[:min(len(start), PageSize)], 0) < 0 {
			return c, true
		}
	}
	return nil, false
}
