package files

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/snappy"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// avroReader reads an Avro object container file (Avro 1.12, "Object Container Files"). The
// framing is our own: the library's reader sets aside whatever a block says that it has, which
// a file of thirty bytes can make 8 EiB, unpacks without a bound, and takes a file that ends
// within a block for one that has ended.
type avroReader struct {
	in      *bufio.Reader
	sync    [syncSize]byte
	unpack  func([]byte) ([]byte, error)
	plan    *avroPlan
	packed  []byte // the block as it is in the file
	block   delta.AvroInput
	left    int64 // records in it
	record  int64 // number of the one that was read last
	blockAt int64 // number of the block
}

const (
	syncSize      = 16
	maxAvroHeader = 1 << 20
	maxBlockCount = 1 << 31
	growth        = 1 << 20 // memory for a block grows with what is there of it, in such steps
)

func newAvroReader(in *bufio.Reader) (*avroReader, error) {
	a := &avroReader{in: in}
	if err := a.header(); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file is truncated in its header")
		}
		return nil, &RowError{Final: true, Err: err}
	}
	return a, nil
}

func (a *avroReader) at() RowError { return RowError{Place: fmt.Sprintf("record %d", a.record)} }

// header reads what stands before the first block.
func (a *avroReader) header() error {
	magic := make([]byte, len(avroMagic))
	if _, err := io.ReadFull(a.in, magic); err != nil {
		return err
	}
	if string(magic) != avroMagic {
		return errors.New("it is not an Avro container file")
	}
	meta, err := a.metadata()
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(a.in, a.sync[:]); err != nil {
		return err
	}
	switch codec := string(meta["avro.codec"]); codec {
	case "", "null":
		a.unpack = func(b []byte) ([]byte, error) { return b, nil }
	case "deflate":
		a.unpack = inflate
	case "snappy":
		a.unpack = unsnap
	default:
		return fmt.Errorf("its blocks use the codec %.40q; null, deflate and snappy are supported", codec)
	}
	schema, err := parseAvroSchema(meta["avro.schema"])
	if err != nil {
		// The error holds the schema's own text, of any length.
		return fmt.Errorf("cannot parse its schema: %.200q", err.Error())
	}
	a.plan, err = planOf(schema)
	return err
}

// metadata reads the map of the header, within bounds.
func (a *avroReader) metadata() (map[string][]byte, error) {
	left := int64(maxAvroHeader)
	tooLong := fmt.Errorf("its header exceeds %d MiB", maxAvroHeader>>20)
	text := func() ([]byte, error) {
		n, err := binary.ReadVarint(a.in)
		if err != nil {
			return nil, err
		}
		if left -= n + 1; n < 0 || left < 0 {
			return nil, tooLong
		}
		b := make([]byte, n)
		_, err = io.ReadFull(a.in, b)
		return b, err
	}
	meta := map[string][]byte{}
	for {
		count, err := binary.ReadVarint(a.in)
		if err != nil || count == 0 {
			return meta, err
		}
		if count < 0 { // the size of the block follows
			count = -count
			if _, err := binary.ReadVarint(a.in); err != nil {
				return nil, err
			}
		}
		if uint64(count) > uint64(left) { // as is the most negative number
			return nil, tooLong
		}
		for range count {
			key, err := text()
			if err != nil {
				return nil, err
			}
			if meta[string(key)], err = text(); err != nil {
				return nil, err
			}
		}
	}
}

func (a *avroReader) next(r *delta.Row) error {
	for a.left == 0 {
		if len(a.block.Rest) > 0 {
			return a.final(errors.New("extra bytes after the last record of the block"))
		}
		if err := a.nextBlock(); err == io.EOF {
			return err
		} else if err != nil {
			return a.final(err)
		}
	}
	a.left--
	a.record++
	if err := a.plan.row(&a.block, r); err != nil {
		place := a.at()
		place.Final, place.Err = a.block.Bad, err
		return &place
	}
	return nil
}

func (a *avroReader) final(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("truncated")
	}
	return &RowError{Place: fmt.Sprintf("block %d", a.blockAt), Final: true, Err: err}
}

// nextBlock reads a block. It is io.EOF when the file ends before it, and ErrUnexpectedEOF when
// it ends within it.
func (a *avroReader) nextBlock() error {
	if _, err := a.in.Peek(1); err != nil {
		return err
	}
	a.blockAt++
	count, err := binary.ReadVarint(a.in)
	if err != nil {
		return noEOF(err)
	}
	size, err := binary.ReadVarint(a.in)
	if err != nil {
		return noEOF(err)
	}
	if count < 0 || count > maxBlockCount || size < 0 || size > MaxBlock {
		return fmt.Errorf("%d records in %d bytes: the count must not be negative, and the size is limited to %d MiB",
			count, size, MaxBlock>>20)
	}
	if a.packed, err = readN(a.in, a.packed[:0], int(size)); err != nil {
		return noEOF(err)
	}
	var sync [syncSize]byte
	if _, err := io.ReadFull(a.in, sync[:]); err != nil {
		return noEOF(err)
	}
	if sync != a.sync {
		return errors.New("the sync marker at its end is missing: the file is damaged")
	}
	rest, err := a.unpack(a.packed)
	if err != nil {
		return fmt.Errorf("cannot decompress: %w", err)
	}
	a.block = delta.AvroInput{Rest: rest}
	a.left = count
	return nil
}

// noEOF makes the end of the file one that nobody expects.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readN appends so many bytes of in to b. What memory it takes follows from what is there, not
// from what n says.
func readN(in io.Reader, b []byte, n int) ([]byte, error) {
	for n > 0 {
		step := min(n, max(growth, cap(b)-len(b)))
		at := len(b)
		if cap(b)-at < step {
			b = append(b, make([]byte, step)...)
		}
		b = b[:at+step]
		if _, err := io.ReadFull(in, b[at:]); err != nil {
			return nil, err
		}
		n -= step
	}
	return b, nil
}

var errUnpacked = fmt.Errorf("its decompressed size exceeds %d MiB", MaxBlock>>20)

func inflate(b []byte) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), MaxBlock+1))
	switch {
	case err != nil:
		return nil, errors.New("the compressed data is damaged")
	case len(out) > MaxBlock:
		return nil, errUnpacked
	}
	return out, nil
}

// unsnap unpacks a block of snappy, behind which stands the checksum of what was packed.
func unsnap(b []byte) ([]byte, error) {
	if size, _ := binary.Uvarint(b); size > MaxBlock {
		return nil, errUnpacked
	}
	damaged := errors.New("the compressed data is damaged")
	if len(b) < crc32.Size {
		return nil, damaged
	}
	end := len(b) - crc32.Size
	out, err := snappy.Decode(nil, b[:end])
	if err != nil || crc32.ChecksumIEEE(out) != binary.BigEndian.Uint32(b[end:]) {
		return nil, damaged
	}
	return out, nil
}

// avroWriter writes a container file without compression. It writes the few bytes around the
// blocks itself, too: the same rows shall make the same file, and the library chooses the
// mark between blocks and the order of the header at random.
type avroWriter struct {
	out   io.Writer
	block []byte
	count int64
	frame []byte
}

const avroBlock = 64 << 10 // bytes from which a block is full, as other writers have it

// avroSync ends each block: any sixteen bytes that the data is not likely to hold.
const avroSync = "\x9d\x2f\xe1\x70lPlimsoll\xc4\x1b\xa8"

func newAvroWriter(out io.Writer) (*avroWriter, error) {
	text := func(b []byte, s string) []byte { return append(binary.AppendVarint(b, int64(len(s))), s...) }
	b := binary.AppendVarint([]byte(avroMagic), 2)
	b = text(text(b, "avro.schema"), delta.AvroSchema)
	b = text(text(b, "avro.codec"), "null")
	b = append(append(b, 0), avroSync...)
	_, err := out.Write(b)
	return &avroWriter{out: out}, err
}

func (a *avroWriter) write(r *delta.Row) error {
	b, err := delta.AppendAvro(a.block, r)
	if err != nil {
		return &RowError{Err: err}
	}
	a.block = b
	a.count++
	if len(a.block) < avroBlock {
		return nil
	}
	return a.flush()
}

func (a *avroWriter) flush() error {
	if a.count == 0 {
		return nil
	}
	a.frame = binary.AppendVarint(a.frame[:0], a.count)
	a.frame = binary.AppendVarint(a.frame, int64(len(a.block)))
	for _, part := range [][]byte{a.frame, a.block, []byte(avroSync)} {
		if _, err := a.out.Write(part); err != nil {
			return err
		}
	}
	a.block, a.count = a.block[:0], 0
	return nil
}

func (a *avroWriter) end() error { return a.flush() }
