package aws

import "bytes"

// maxLine bounds a line of the chunked coding: a size with extensions, or a trailer.
const maxLine = 8 << 10

// readChunked reads a body in the chunked coding. Its content is thrown away but for the
// first part, which is gathered beside the buffer.
func (c *conn) readChunked() error {
	q := &c.request
	c.kept = c.kept[:0]
	// What was parsed points into the buffer, which is about to be used again and again.
	q.detach()
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, ok := chunkSize(line)
		if !ok {
			return errRequest
		}
		if size == 0 {
			break
		}
		if err := c.chunk(size); err != nil {
			return err
		}
		if line, err = c.line(); err != nil {
			return err
		} else if len(line) != 0 {
			return errRequest
		}
	}
	// Trailers, until an empty line. Their number is bounded by their length.
	for length := 0; length <= maxHead; {
		line, err := c.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			q.body = c.kept
			return nil
		}
		length += len(line) + 2
	}
	return errRequest
}

// line takes a line out of the buffer. It is valid until the next read.
func (c *conn) line() ([]byte, error) {
	for {
		if end := bytes.Index(c.buf[c.r:c.w], []byte("\r\n")); end >= 0 {
			line := c.buf[c.r : c.r+end]
			c.r += end + 2
			c.request.bytes += int64(end) + 2
			return line, nil
		}
		if c.w-c.r > maxLine {
			return nil, errRequest
		}
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
}

// chunk takes the content of one chunk.
func (c *conn) chunk(size int64) error {
	c.request.bytes += size
	for size > 0 {
		if c.r == c.w {
			c.r, c.w = 0, 0
			if err := c.fill(); err != nil {
				return err
			}
			c.progress.Add(1)
		}
		n := int(min(size, int64(c.w-c.r)))
		if room := maxKept - len(c.kept); room > 0 {
			c.kept = append(c.kept, c.buf[c.r:c.r+min(n, room)]...)
		}
		c.r += n
		size -= int64(n)
	}
	return nil
}

// chunkSize reads the hexadecimal size at a line's beginning; extensions follow a semicolon.
func chunkSize(line []byte) (int64, bool) {
	var size int64
	digits := 0
	for ; digits < len(line); digits++ {
		var d byte
		switch b := line[digits]; {
		case b >= '0' && b <= '9':
			d = b - '0'
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			d = b | 0x20 - 'a' + 10
		default:
			d = 16
		}
		if d == 16 {
			break
		}
		if size >= 1<<58 {
			return 0, false
		}
		size = size<<4 | int64(d)
	}
	rest := bytes.TrimLeft(line[digits:], " \t")
	return size, digits > 0 && (len(rest) == 0 || rest[0] == ';')
}
