package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// lines reads lines of bounded length.
type lines struct {
	in   *bufio.Reader
	line int64  // number of the line that was read last
	long []byte // a line that is longer than the buffer of in
}

var errTooLong = fmt.Errorf("the row exceeds %d MiB", MaxRow>>20)

// mostPassed is how long a line may be that is passed over. What has longer ones is a device, or no file of rows.
const mostPassed = 1 << 30

var errEndless = errors.New("the row exceeds 1 GiB: this is not a delta file")

// next is the next line with its end, valid until the next call. At the end of the file it is
// io.EOF. A line that is too long is passed over.
func (l *lines) next() ([]byte, error) {
	b, err := l.in.ReadSlice('\n')
	if err == nil || err == io.EOF && len(b) > 0 {
		l.line++
		return b, nil
	}
	if err != bufio.ErrBufferFull {
		return nil, err
	}
	l.line++
	l.long = append(l.long[:0], b...)
	tooLong, length := false, int64(len(b))
	for err == bufio.ErrBufferFull {
		b, err = l.in.ReadSlice('\n')
		if tooLong = tooLong || len(l.long)+len(b) > MaxRow; !tooLong {
			l.long = append(l.long, b...)
		}
		if length += int64(len(b)); length > mostPassed {
			return nil, &RowError{Line: l.line, Final: true, Err: errEndless}
		}
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case tooLong:
		return nil, errTooLong
	}
	return l.long, nil
}

// withoutEnd is a line without LF or CRLF.
func withoutEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// jsonReader reads an object a line.
type jsonReader struct{ lines lines }

func newJSONReader(in *bufio.Reader) *jsonReader { return &jsonReader{lines{in: in}} }

func (j *jsonReader) at() RowError { return RowError{Line: j.lines.line} }

func (j *jsonReader) next(r *delta.Row) error {
	for {
		line, err := j.lines.next()
		if errors.Is(err, errTooLong) {
			return &RowError{Line: j.lines.line, Err: err}
		}
		if err != nil {
			return err
		}
		if line = withoutEnd(line); blank(line) {
			continue
		}
		if err := delta.ParseJSON(line, r); err != nil {
			return &RowError{Line: j.lines.line, Err: err}
		}
		return nil
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
