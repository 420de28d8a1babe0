package delta

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Codec says how the rows of a message are encoded.
type Codec uint8

// The codecs.
const (
	Compact Codec = iota // the format of this package
	JSON                 // an array of objects, for people
	Avro                 // an Avro array of records, without a file's container
)

// String is the codec's name, as ParseCodec reads it.
func (c Codec) String() string {
	switch c {
	case Compact:
		return "compact"
	case JSON:
		return "json"
	case Avro:
		return "avro"
	}
	return fmt.Sprintf("codec %d", uint8(c))
}

// ParseCodec reads the name of a codec.
func ParseCodec(name string) (Codec, error) {
	for c := Compact; c <= Avro; c++ {
		if c.String() == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("%q is not a codec: use compact, json or avro", name)
}

// Header begins every message.
//
// Times are nanoseconds on the monotonic clock of the publisher's machine (CLOCK_MONOTONIC),
// which all processes of that machine share. Clock tells machines apart: it is 0 when the
// clock is not known, and else the same exactly for the processes of one boot of one machine.
type Header struct {
	Codec     Codec
	Warmup    bool // the batch belongs to the warm-up: it is applied and proved, and in no figure
	Publisher Publisher
	Clock     uint64
	Sequence  uint64 // of the batch, by its publisher, from 0 and without gaps
	Count     uint32 // rows
	Scheduled int64  // intended start of the publishing
	Sent      int64  // actual start of this attempt to publish
}

// The message is the header, the rows, and the CRC-32C of both, all little endian. Whatever
// Stamp changes stands at a fixed place.
const (
	// Magic begins every message.
	Magic   = "PLMD"
	version = 1

	atVersion   = 4
	atCodec     = 5
	atFlags     = 6 // bit 0: warm-up; then a byte that is 0
	atRun       = 8
	atClock     = 16
	atPublisher = 24
	atCount     = 28
	atSequence  = 32
	atScheduled = 40
	atSent      = 48
	headerSize  = 56
	crcSize     = 4

	flagWarmup = 1
)

// Overhead is the size of a message without rows, in bytes.
const Overhead = headerSize + crcSize

// Why a message cannot be read. The errors of ReadHeader and Decode wrap one of these.
var (
	ErrForeign   = errors.New("not an update message")
	ErrVersion   = errors.New("unsupported message version")
	ErrCorrupt   = errors.New("damaged message")
	ErrMalformed = errors.New("invalid message")
)

// Append appends the message of a header and its rows to dst. The header's Count is set from
// the rows. It fails, and returns dst as it was, for rows that no message can carry.
func Append(dst []byte, h *Header, rows []Row) ([]byte, error) {
	start := len(dst)
	if len(rows) > maxCount {
		return dst, fmt.Errorf("%d rows exceed the limit for one message", len(rows))
	}
	h.Count = uint32(len(rows))
	b := appendHeader(dst, h)
	var err error
	switch h.Codec {
	case Compact:
		b, err = appendCompact(b, rows)
	case JSON:
		b, err = appendJSONRows(b, rows)
	case Avro:
		b, err = appendAvroRows(b, rows)
	default:
		err = fmt.Errorf("cannot write the codec %v", h.Codec)
	}
	if err != nil {
		return dst, err
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:])), nil
}

// maxCount bounds the rows of a message: an index of a row has to fit into Order.Row.
const maxCount = 1 << 30

func appendHeader(dst []byte, h *Header) []byte {
	var b [headerSize]byte
	copy(b[:], Magic)
	b[atVersion] = version
	b[atCodec] = byte(h.Codec)
	if h.Warmup {
		b[atFlags] = flagWarmup
	}
	le := binary.LittleEndian
	le.PutUint64(b[atRun:], h.Publisher.Run)
	le.PutUint64(b[atClock:], h.Clock)
	le.PutUint32(b[atPublisher:], h.Publisher.Number)
	le.PutUint32(b[atCount:], h.Count)
	le.PutUint64(b[atSequence:], h.Sequence)
	le.PutUint64(b[atScheduled:], uint64(h.Scheduled))
	le.PutUint64(b[atSent:], uint64(h.Sent))
	return append(dst, b[:]...)
}

// Stamp changes the sequence and the times of a message that Append made, in place. b is that
// message and nothing else.
func Stamp(b []byte, sequence uint64, scheduled, sent int64) {
	le := binary.LittleEndian
	end := len(b) - crcSize
	le.PutUint64(b[atSequence:], sequence)
	le.PutUint64(b[atScheduled:], uint64(scheduled))
	le.PutUint64(b[atSent:], uint64(sent))
	le.PutUint32(b[end:], checksum(b[:end]))
}

// ReadHeader checks that b is an undamaged message and returns its header. What it returns can
// be believed; the rows behind it may still break the format.
func ReadHeader(b []byte) (Header, error) {
	if len(b) < len(Magic) || string(b[:len(Magic)]) != Magic {
		return Header{}, ErrForeign
	}
	if len(b) < Overhead {
		return Header{}, fmt.Errorf("%w: only %d bytes", ErrCorrupt, len(b))
	}
	if b[atVersion] != version {
		return Header{}, fmt.Errorf("%w: %d (supported: %d)", ErrVersion, b[atVersion], version)
	}
	le := binary.LittleEndian
	end := len(b) - crcSize
	if checksum(b[:end]) != le.Uint32(b[end:]) {
		return Header{}, fmt.Errorf("%w: checksum mismatch", ErrCorrupt)
	}
	if b[atCodec] > byte(Avro) || b[atFlags]&^flagWarmup != 0 || b[atFlags+1] != 0 {
		return Header{}, fmt.Errorf("%w: codec %d, flags %d", ErrMalformed, b[atCodec], b[atFlags])
	}
	return Header{
		Codec:     Codec(b[atCodec]),
		Warmup:    b[atFlags]&flagWarmup != 0,
		Publisher: Publisher{Run: le.Uint64(b[atRun:]), Number: le.Uint32(b[atPublisher:])},
		Clock:     le.Uint64(b[atClock:]),
		Sequence:  le.Uint64(b[atSequence:]),
		Count:     le.Uint32(b[atCount:]),
		Scheduled: int64(le.Uint64(b[atScheduled:])),
		Sent:      int64(le.Uint64(b[atSent:])),
	}, nil
}

// Decode reads a message. The rows are put into rows, from its start, and share the memory of
// b. Decoding the codec Compact allocates only when rows is too short.
func Decode(b []byte, rows []Row) (Header, []Row, error) {
	h, err := ReadHeader(b)
	if err != nil {
		return Header{}, nil, err
	}
	rows, err = ReadRows(&h, b, rows)
	return h, rows, err
}

// ReadRows reads the rows of a message whose header ReadHeader has returned, as Decode does.
func ReadRows(h *Header, b []byte, rows []Row) ([]Row, error) {
	body := b[headerSize : len(b)-crcSize]
	switch h.Codec {
	case Compact:
		return readCompact(body, h.Count, rows)
	case JSON:
		return readJSONRows(body, h.Count, rows)
	case Avro:
		return readAvroRows(body, h.Count, rows)
	}
	return nil, fmt.Errorf("%w: the %v", ErrMalformed, h.Codec)
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
