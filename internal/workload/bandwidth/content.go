package bandwidth

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// A file is pages of one stamp each: the stamp holds the file's tag and the number of the
// page, and the rest of the page is of a pattern that all files of this kind share. So no two
// pages of all files are the same and nothing can deduplicate them, making a block that was
// made before takes one stamp a page, and a file tells by itself what it must hold.
const (
	pageSize  = 4096
	stampSize = 32 // hexadecimal, so that text stays text

	// patternSize is how much of a random pattern there is before it repeats: more than the
	// window of a compressor that a store may use.
	patternSize = 16 << 20
)

// pattern is what the pages of one kind of data are made of.
type pattern struct {
	kind string
	data []byte // of whole pages
}

// newPattern makes the pattern of a kind of data. It is the same in every process.
func newPattern(kind string) *pattern {
	p := &pattern{kind: kind}
	switch kind {
	case plan.DataText:
		p.data = text(1 << 20)
	case plan.DataZero:
		p.data = make([]byte, pageSize)
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

// content is what one file holds.
type content struct {
	*pattern
	tag uint64
}

// stamp is what page number n begins with.
func (c *content) stamp(n int64) (s [stampSize]byte) {
	var raw [stampSize / 2]byte
	binary.BigEndian.PutUint64(raw[:8], c.tag)
	binary.BigEndian.PutUint64(raw[8:], uint64(n))
	hex.Encode(s[:], raw[:])
	return s
}

// span is a stretch of a file in which everything is of the pattern, or of a stamp.
type span struct {
	bytes   []byte // of the file
	want    []byte
	stamped bool
}

// each cuts p, which is at the offset of the file, into spans. It ends when do is false.
func (c *content) each(p []byte, offset int64, do func(s span) bool) {
	for len(p) > 0 {
		page, within := offset/pageSize, offset%pageSize
		s := span{}
		if within < stampSize {
			stamp := c.stamp(page)
			s.want, s.stamped = stamp[within:], true
		} else {
			at := offset % int64(len(c.data))
			s.want = c.data[at : at+pageSize-within]
		}
		n := min(len(p), len(s.want))
		s.bytes, s.want = p[:n], s.want[:n]
		if !do(s) {
			return
		}
		p, offset = p[n:], offset+int64(n)
	}
}

// fill writes what the file holds at the offset into p. A page of p that an earlier fill left
// there, at the same place of the pattern, needs a new stamp only: that it is one, its old
// stamp and its last bytes tell.
func (c *content) fill(p []byte, offset int64) {
	for len(p) > 0 {
		n := min(len(p), int(pageSize-offset%pageSize))
		if n == pageSize && c.holds(p[:n], offset) {
			stamp := c.stamp(offset / pageSize)
			copy(p, stamp[:])
		} else {
			c.each(p[:n], offset, func(s span) bool {
				copy(s.bytes, s.want)
				return true
			})
		}
		p, offset = p[n:], offset+int64(n)
	}
}

// holds reports whether a page holds the pattern of this offset, with whatever stamp.
func (c *content) holds(page []byte, offset int64) bool {
	at := offset % int64(len(c.data))
	if !bytes.Equal(page[pageSize-stampSize:], c.data[at+pageSize-stampSize:at+pageSize]) {
		return false
	}
	tag, number, ok := readStamp(page)
	return ok && tag>>32 == c.tag>>32 && number*pageSize%int64(len(c.data)) == at
}

// readStamp reads the stamp that a page begins with.
func readStamp(page []byte) (tag uint64, number int64, ok bool) {
	var raw [stampSize / 2]byte
	if _, err := hex.Decode(raw[:], page[:stampSize]); err != nil {
		return 0, 0, false
	}
	number = int64(binary.BigEndian.Uint64(raw[8:]))
	return binary.BigEndian.Uint64(raw[:8]), number, number >= 0 && number <= math.MaxInt64/pageSize
}

// compare gives the offset of the first byte of p that is not what the file holds there, or -1.
func (c *content) compare(p []byte, offset int64) int64 {
	at, wrong := offset, int64(-1)
	c.each(p, offset, func(s span) bool {
		if bytes.Equal(s.bytes, s.want) {
			at += int64(len(s.bytes))
			return true
		}
		for i := range s.bytes {
			if s.bytes[i] != s.want[i] {
				wrong = at + int64(i)
				return false
			}
		}
		return true
	})
	return wrong
}

// recognise tells what a file holds by its beginning, when a run of this program wrote it.
func recognise(start []byte, patterns []*pattern) (*content, bool) {
	if len(start) < stampSize {
		return nil, false
	}
	tag, number, ok := readStamp(start)
	if !ok || number != 0 {
		return nil, false
	}
	for _, p := range patterns {
		c := &content{p, tag}
		if c.compare(start[:min(len(start), pageSize)], 0) < 0 {
			return c, true
		}
	}
	return nil, false
}
