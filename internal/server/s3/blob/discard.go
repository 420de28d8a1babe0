package blob

import (
	"bytes"
	"io"
)

// discard is a medium that keeps nothing. What is read of it is a pattern: the byte at an
// offset of an object is the same in every answer, ranges included.
type discard struct {
	buffers buffers
	pattern []byte
	section func(offset, size int64) (io.Reader, func(), error) // of the pattern; nil: from memory
	closer  func() error
}

// PatternLine is repeated. Its length divides that of the pattern.
const PatternLine = "Plimsoll discarded what was here\n----------------------------- \n"

// PatternSize is after how many bytes the pattern begins anew.
const PatternSize = int64(len(PatternLine)) << 16 // 4 MiB

func pattern() []byte { return bytes.Repeat([]byte(PatternLine), int(PatternSize)/len(PatternLine)) }

func (d *discard) fill(_ *Blob, src Source) error {
	// A quarter of a piece stays in the cache and is read into again and again.
	buffer := d.buffers.get(src.Size())
	defer d.buffers.put(buffer)
	return drain(src, buffer[:min(len(buffer), PieceSize/4)], nil)
}

func (d *discard) open(_ *Blob, _, size, position int64) (io.Reader, func(), error) {
	r := &patternReader{d: d, left: size, at: position}
	return r, r.close, nil
}

func (d *discard) free(*Blob) {}

func (d *discard) close() error {
	if d.closer != nil {
		return d.closer()
	}
	return nil
}

// patternReader gives the pattern again and again.
type patternReader struct {
	d    *discard
	left int64
	at   int64
	done func()
	now  io.Reader
}

// Read is for what cannot use WriteTo.
func (r *patternReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), r.left)], r.d.pattern[r.at%PatternSize:])
	r.at += int64(n)
	r.left -= int64(n)
	return n, nil
}

// next is the longest run that one reader can give, at most limit bytes.
func (r *patternReader) next(limit int64) (io.Reader, int64, error) {
	offset := r.at % PatternSize
	n := min(r.left, PatternSize-offset, limit)
	r.close()
	if r.d.section == nil {
		r.now = bytes.NewReader(r.d.pattern[offset : offset+n])
	} else {
		var err error
		if r.now, r.done, err = r.d.section(offset, n); err != nil {
			return nil, 0, err
		}
	}
	r.at += n
	r.left -= n
	return r.now, n, nil
}

func (r *patternReader) close() {
	if r.done != nil {
		r.done()
		r.done = nil
	}
}

// NextRun is the next bytes of r, at most limit, as a reader that the kernel can send from.
func NextRun(r io.Reader, limit int64) (io.Reader, int64, error) {
	switch r := r.(type) {
	case *patternReader:
		return r.next(limit)
	case *io.LimitedReader:
		n := min(limit, r.N)
		r.N -= n
		return r.R, n, nil
	}
	return r, limit, nil
}
