package http1

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Field is a header, as it was sent; space around its value is not part of it. It is part of the Conn's buffer.
type Field struct{ Name, Value []byte }

// Head is what an answer begins with.
type Head struct {
	Status int
	Minor  int // of its version, HTTP/1.Minor
	Reason []byte
	Fields []Field // in their order
	Length int64   // of its body; −1 when only its end tells
	Closes bool    // no further request may follow on the connection
}

// Value is the n-th value, from 0, of the header of this name in whatever case; false when there are not so many.
func (h *Head) Value(name string, n int) ([]byte, bool) { return value(h.Fields, name, n) }

func value(fields []Field, name string, n int) ([]byte, bool) {
	for i := range fields {
		if equalFold(fields[i].Name, name) {
			if n == 0 {
				return fields[i].Value, true
			}
			n--
		}
	}
	return nil, false
}

// equalFold compares letters of ASCII, and nothing else, whatever their case.
func equalFold(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// ReadHead reads the head of the answer to a request of this method. Interim answers (1xx) before it are skipped. What
// was left of the answer before must have been read. io.EOF, as it is, says that the connection ended before an answer
// began; an *Error that the answer breaks a rule; other errors are those of the connection, or wrap ErrCut.
func (c *Conn) ReadHead(method string) (*Head, error) {
	if c.spent {
		return nil, io.EOF
	}
	c.rewind()
	c.spent = true // until the body has said how it ends
	allowed := c.limits.Head
	if c.w == 0 {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	if c.First != nil {
		c.First()
	}
	for interims := 0; ; interims++ {
		size, err := c.readHead(allowed)
		if err != nil {
			return nil, err
		}
		h := &c.answer
		if h.Status/100 != 1 {
			c.head, c.r = size, size
			return h, c.begin(method)
		}
		if h.Status == 101 {
			return nil, broken(UnaskedSwitching, "the server switched protocols without a request to do so", nil)
		}
		if allowed -= size; interims == mostInterims {
			return nil, broken(TooManyInterims, "it follows more than 100 interim responses", nil)
		}
		c.r = size
		if c.Interim != nil {
			if err := c.Interim(h.Status); err != nil {
				return nil, err
			}
		}
		c.rewind()
		if c.w == 0 {
			if err := c.more(allowed); err != nil {
				return nil, err
			}
		}
		if c.First != nil { // what came first was another answer's
			c.First()
		}
	}
}

// mostInterims bounds the interim answers: a server that says "processing" every second may go on for a while.
const mostInterims = 100

// readHead reads the head that the buffer begins with, of at most so many bytes, and says how long it is.
func (c *Conn) readHead(most int) (size int, err error) {
	h := &c.answer
	*h = Head{Fields: h.Fields[:0], Length: -1}
	line, err := c.statusLine(most)
	if err != nil {
		return 0, err
	}
	if size, err = c.section(line, most); err != nil {
		return 0, err
	}
	h.Reason = bytes.TrimPrefix(withoutCR(c.buf[len("HTTP/1.1 200"):line-1]), []byte{' '})
	h.Fields, err = c.fields(h.Fields, c.buf[line:size])
	return size, err
}

// statusLine reads the first line of a head, and says where the next one begins. What cannot become one is refused at
// once: a server of another protocol may wait for us.
func (c *Conn) statusLine(most int) (next int, err error) {
	const begins = "HTTP/"
	for seen := 0; ; {
		if n := min(c.w, len(begins)); string(c.buf[:n]) != begins[:n] {
			return 0, broken(BadStatusLine, "it does not begin with a status line", c.buf[:c.w])
		}
		if i := bytes.IndexByte(c.buf[seen:c.w], '\n'); i >= 0 {
			next = seen + i + 1
			return next, c.answer.readStatusLine(withoutCR(c.buf[:next-1]))
		}
		seen = c.w
		if err := c.more(most); err != nil {
			return 0, err
		}
	}
}

// section reads until the buffer has, from r on, lines up to an empty one. The first at bytes are lines that were read
// already. It gives the length of all.
func (c *Conn) section(at, most int) (int, error) {
	seen := at
	for {
		if n := emptyLine(c.buf[c.r+at : c.w]); n > 0 {
			if at+n > most {
				return 0, c.tooLong()
			}
			return at + n, nil
		}
		if i := bytes.IndexByte(c.buf[c.r+seen:c.w], '\n'); i >= 0 {
			at = seen + i + 1
			seen = at
			continue
		}
		seen = c.w - c.r
		if err := c.more(most); err != nil {
			return 0, err
		}
	}
}

// emptyLine is the length of the empty line that the text begins with; 0: it begins with none, as far as it has come.
func emptyLine(text []byte) int {
	switch {
	case len(text) > 0 && text[0] == '\n':
		return 1
	case len(text) > 1 && text[0] == '\r' && text[1] == '\n':
		return 2
	}
	return 0
}

// tooLong names the longest line of what has come, which says most often why.
func (c *Conn) tooLong() error {
	var longest []byte
	for line := range bytes.Lines(c.buf[c.r:c.w]) {
		if len(line) > len(longest) {
			longest = line
		}
	}
	name, _, _ := bytes.Cut(longest, []byte{':'}) // its value may be a secret
	return broken(HeadTooLong, fmt.Sprintf("the headers or the trailers exceed %d bytes; the longest line has %d",
		c.limits.Head, len(longest)), name)
}

// tooMany says how many headers a section has whose rest this is.
func (c *Conn) tooMany(rest []byte) error {
	n := c.limits.Fields + 1
	for line := range bytes.Lines(rest) {
		switch line[0] {
		case ' ', '\t', '\r', '\n':
		default:
			n++
		}
	}
	return broken(TooManyHeaders, fmt.Sprintf("it has %d headers; the limit is %d", n, c.limits.Fields), nil)
}

func withoutCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// readStatusLine reads "HTTP/1.1 200 OK" (RFC 9112, 4).
func (h *Head) readStatusLine(line []byte) error {
	const version = "HTTP/1."
	if len(line) < len("HTTP/1.1 200") || string(line[:5]) != version[:5] {
		return broken(BadStatusLine, "it does not begin with a status line", line)
	}
	if string(line[:7]) != version || line[7] != '0' && line[7] != '1' || line[8] != ' ' {
		return broken(BadVersion, "the version is neither HTTP/1.1 nor HTTP/1.0", line)
	}
	h.Minor = int(line[7] - '0')
	code := line[9:12]
	if len(line) > 12 && line[12] != ' ' || !digits(code) || code[0] == '0' {
		return broken(BadStatusLine, "the status is not a three-digit number", line)
	}
	h.Status = int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	return nil
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// fields reads the headers of a section, the empty line at its end included.
func (c *Conn) fields(into []Field, section []byte) ([]Field, error) {
	for {
		end := bytes.IndexByte(section, '\n')
		line := withoutCR(section[:end])
		section = section[end+1:]
		if len(section) == 0 {
			return into, nil
		}
		if line[0] == ' ' || line[0] == '\t' {
			if len(into) == 0 {
				return nil, broken(BadHeader, "the first header begins with a space", line)
			}
			if err := unfold(&into[len(into)-1], line); err != nil {
				return nil, err
			}
			continue
		}
		f, err := readField(line)
		if err != nil {
			return nil, err
		}
		if len(into) == c.limits.Fields {
			return nil, c.tooMany(section)
		}
		into = append(into, f)
	}
}

// readField reads "Name: value" (RFC 9112, 5).
func readField(line []byte) (Field, error) {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return Field{}, broken(BadHeader, "a header has no name", line)
	}
	for _, b := range line[:colon] {
		if !token(b) {
			return Field{}, broken(BadHeader, "a header name contains an invalid character", line)
		}
	}
	value := trim(line[colon+1:])
	return Field{Name: line[:colon], Value: value}, checkValue(line[:colon], value)
}

// checkValue names the header, whose value may be a secret.
func checkValue(name, value []byte) error {
	for _, b := range value {
		if b < ' ' && b != '\t' || b == 0x7f {
			return broken(BadHeader, "a header value contains a control character", name)
		}
	}
	return nil
}

// unfold joins a header with the line that continues it, with one space between them (RFC 9112, 5.2).
func unfold(f *Field, line []byte) error {
	more := trim(line)
	if err := checkValue(f.Name, more); err != nil {
		return err
	}
	joined := make([]byte, 0, len(f.Value)+1+len(more)) // nobody sends this any more
	f.Value = bytes.TrimLeft(append(append(append(joined, f.Value...), ' '), more...), " ")
	return nil
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// token reports whether a name may have the character (RFC 9110, 5.6.2).
func token(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
