package server

import (
	"io"
	"strings"
	"sync"
)

// maxTail is how much of a child's stderr an error repeats.
const maxTail = 2 << 10

// tail passes on what is written to it, and remembers the end of it.
type tail struct {
	next io.Writer // may be nil

	mu   sync.Mutex
	last []byte
}

// Write never fails: a parent whose own stderr is gone must not stop its child.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-maxTail):]
	t.mu.Unlock()
	if t.next != nil {
		_, _ = t.next.Write(p)
	}
	return len(p), nil
}

// String is the end of what was written, as one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(t.last), "�"), isNewline), "; ")
}

func isNewline(r rune) bool { return r == '\n' || r == '\r' }
