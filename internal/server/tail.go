package server

import (
	"io"
	"strings"
	"sync"
)

// maxTail is how much of a child's stderr an error repeats.
const maxTail = 2 << 10

// tail keeps the end of what is written to it. It passes everything on once it is released: what a child writes before
// it is ready is in the error if it never is, and must not be shown twice.
type tail struct {
	next io.Writer // may be nil

	mu       sync.Mutex
	last     []byte
	released bool
}

// Write never fails: a parent whose own stderr is gone must not stop its child.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-maxTail):]
	released := t.released
	t.mu.Unlock()
	if t.next != nil && released {
		_, _ = t.next.Write(p)
	}
	return len(p), nil
}

// release passes on what was kept, and everything that is written from now on.
func (t *tail) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released = true
	if t.next != nil && len(t.last) > 0 {
		_, _ = t.next.Write(t.last)
	}
}

// failure returns the error and the hint that the child printed last if it is this program, or "".
func (t *tail) failure() (text, hint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const name = "\nplimsoll: "
	all := "\n" + strings.ToValidUTF8(string(t.last), "\uFFFD")
	at := strings.LastIndex(all, name)
	if at < 0 {
		return "", ""
	}
	text, hint, _ = strings.Cut(strings.TrimSpace(all[at+len(name):]), "\nhint: ")
	return text, hint
}

// String is the end of what was written, as one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(t.last), "�"), isNewline), "; ")
}

func isNewline(r rune) bool { return r == '\n' || r == '\r' }
