package kv

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// A journal is journalMagic and then records: recordMark, the length of the message, the CRC-32C of
// both (all little endian), and the message as it was received, which ends with a checksum of its own.
// So a length that was damaged is known to be: without that, what is behind it could not be found, and
// would look like a batch that was not written to its end.
//
// Journals of earlier versions have no magic, and of each record only the length, as an unsigned
// varint, before the message. They are read, and go on behind a magic in this format.
const (
	// journalMagic begins with what is no record of an earlier version: an empty message.
	journalMagic = "\x00PLMJRN2"
	recordMark   = 0xA7524A50
	recordHead   = 12
	// messageEnd is how many bytes at the end of a message are its checksum.
	messageEnd = 4
	// maxRecord bounds a message that is read back. Brokers take far less.
	maxRecord = 1 << 30
)

// headSum is the checksum of a record's head.
func headSum(head []byte) uint32 {
	return crc32.Checksum(head[:8], crc32.MakeTable(crc32.Castagnoli)) // the library keeps the table
}

// appendRecord appends a record.
func appendRecord(b, message []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, recordMark)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(message)))
	b = binary.LittleEndian.AppendUint32(b, headSum(b[start:]))
	return append(b, message...)
}

// readHead reads the length of the message behind a record's head; false says that it is none.
func readHead(b []byte) (length int, ok bool) {
	if len(b) < recordHead || binary.LittleEndian.Uint32(b) != recordMark ||
		binary.LittleEndian.Uint32(b[8:]) != headSum(b) {
		return 0, false
	}
	length = int(binary.LittleEndian.Uint32(b[4:]))
	return length, length <= maxRecord
}

var (
	errHead = errors.New("no record begins here")
	errTorn = errors.New("the record is longer than the file")
)

// records reads the messages of a journal.
type records struct {
	in      *bufio.Reader
	size    int64 // of the file
	end     int64 // of what was read
	checked bool  // lengths have a checksum
	message []byte
}

// next reads a message, and how long its record is. It is valid until the next call.
func (r *records) next() (message []byte, record int64, err error) {
	if r.end == r.size {
		return nil, 0, io.EOF
	}
	if !r.checked {
		if head, _ := r.in.Peek(len(journalMagic)); string(head) == journalMagic {
			r.checked = true
			r.end += int64(len(journalMagic))
			_, _ = r.in.Discard(len(journalMagic)) // it was peeked at
			return r.next()
		}
	}
	head, length, err := r.head()
	if err != nil {
		return nil, 0, err
	}
	if record = head + length; record > r.size-r.end {
		return nil, 0, errTorn
	}
	if int64(cap(r.message)) < length {
		r.message = make([]byte, length)
	}
	r.message = r.message[:length]
	_, err = io.ReadFull(r.in, r.message)
	return r.message, record, err
}

// head reads how long a record's head is, and how long its message.
func (r *records) head() (head, length int64, err error) {
	if !r.checked {
		n, err := binary.ReadUvarint(r.in)
		if err != nil || n > maxRecord {
			return 0, 0, errors.Join(errors.New("invalid length"), err)
		}
		return int64(len(binary.AppendUvarint(nil, n))), int64(n), nil
	}
	var b [recordHead]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return 0, 0, err
	}
	n, ok := readHead(b[:])
	if !ok {
		return 0, 0, errHead
	}
	return recordHead, int64(n), nil
}

// torn reports whether what begins at the end of the whole records is one that a server that was
// killed, or a machine that crashed, had begun to write: it is not whole, and nothing behind it is.
// A file system may have made room for what it then did not write, which reads as zeros.
func (r *records) torn(file *os.File) (bool, error) {
	if r.size-r.end > recordHead+maxRecord {
		return false, nil
	}
	tail := make([]byte, r.size-r.end)
	if _, err := file.ReadAt(tail, r.end); err != nil {
		return false, err
	}
	if anyWhole(tail) {
		return false, nil
	}
	written := len(bytes.TrimRight(tail, "\x00"))
	if r.checked {
		length, ok := readHead(tail)
		return written < recordHead || ok && unfinished(tail, written, recordHead+length), nil
	}
	if written == 0 || bytes.HasPrefix([]byte(journalMagic), tail) {
		return true, nil
	}
	length, n := binary.Uvarint(tail)
	return n == 0 || n > 0 && length <= maxRecord && unfinished(tail, written, n+int(length)), nil
}

// unfinished reports whether a record has no end in a file, of which so many bytes were written.
func unfinished(tail []byte, written, record int) bool {
	return len(tail) < record || written <= record-messageEnd
}

// anyWhole reports whether there is a whole message in the rest of a file: it was acknowledged.
func anyWhole(tail []byte) bool {
	for at := 0; ; at++ {
		i := bytes.Index(tail[at:], []byte(delta.Magic))
		if i < 0 {
			return false
		}
		if at += i; wholeAt(tail, at) {
			return true
		}
	}
}

// wholeAt reports whether a message begins here and is whole: it is as long as its record says in
// either format, or ends with the file, where nothing but its length may be damaged.
func wholeAt(tail []byte, at int) bool {
	whole := func(end int) bool {
		if end < at || end > len(tail) {
			return false
		}
		_, _, err := delta.Decode(tail[at:end], nil)
		return err == nil
	}
	if at >= recordHead {
		if length, ok := readHead(tail[at-recordHead:]); ok && whole(at+length) {
			return true
		}
	}
	for n := 1; n <= min(at, binary.MaxVarintLen32); n++ {
		if length, used := binary.Uvarint(tail[at-n : at]); used == n && length <= maxRecord && whole(at+int(length)) {
			return true
		}
	}
	return whole(len(tail))
}
