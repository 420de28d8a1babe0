package blob

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// smallBlob is what is not worth a place in the memory file, whose pages it would not fill.
const smallBlob = 32 << 10

// memfile is a medium in one file in memory, from which the kernel sends without copying.
//
// Every blob gets a place behind all others, and a hole is made in its place when it is
// freed: offsets are never used twice, since there are 2⁶³ of them and the file is sparse.
// Bytes that are on their way to a client are never overwritten that way, even if the object
// is: they stay with the packets that refer to them.
type memfile struct {
	file    *os.File
	end     atomic.Int64
	buffers buffers

	mu   sync.Mutex
	idle []*os.File // opened again, since each has an offset of its own
}

// newMemory is where data in memory is.
func newMemory() (medium, error) { return memoryIn(memoryFile) }

func memoryIn(file func() (*os.File, error)) (medium, error) {
	f, err := file()
	if errors.Is(err, unix.ENOSYS) {
		return heap{}, nil
	}
	if err != nil {
		return nil, err
	}
	m := &memfile{file: f}
	if !m.opens() {
		return heap{}, f.Close()
	}
	return m, nil
}

// opens reports whether the file can be opened again, which it cannot where there is no /proc.
func (m *memfile) opens() bool {
	again, err := m.reopen()
	if err == nil {
		m.keepIdle(again)
	}
	return err == nil
}

func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("plimsoll-s3", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot create a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), "memory"), nil
}

const pageSize = 4 << 10

func (m *memfile) fill(b *Blob, src Source) error {
	if src.Size() < smallBlob {
		return heap{}.fill(b, src)
	}
	room := (src.Size() + pageSize - 1) &^ (pageSize - 1)
	at := m.end.Add(room) - room
	b.at = at
	buffer := m.buffers.get(src.Size())
	defer m.buffers.put(buffer)
	return drain(src, buffer, func(data []byte) error {
		_, err := m.file.WriteAt(data, at)
		at += int64(len(data))
		return err
	})
}

func (m *memfile) open(b *Blob, offset, size, position int64) (io.Reader, func(), error) {
	if b.size < smallBlob {
		return heap{}.open(b, offset, size, position)
	}
	return m.section(b.at+offset, size)
}

// section is a reader of a part of the file, with an open file of its own.
func (m *memfile) section(offset, size int64) (io.Reader, func(), error) {
	f, err := m.reopen()
	if err != nil {
		return nil, nil, err
	}
	done := func() { m.keepIdle(f) }
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		done()
		return nil, nil, err
	}
	return &io.LimitedReader{R: f, N: size}, done, nil
}

func (m *memfile) reopen() (*os.File, error) {
	m.mu.Lock()
	if n := len(m.idle); n > 0 {
		f := m.idle[n-1]
		m.idle = m.idle[:n-1]
		m.mu.Unlock()
		return f, nil
	}
	m.mu.Unlock()
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", m.file.Fd()))
}

// maxIdle is how many open files are kept for the next answers.
const maxIdle = 64

func (m *memfile) keepIdle(f *os.File) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.idle) < maxIdle {
		m.idle = append(m.idle, f)
		return
	}
	_ = f.Close() // nothing was written
}

func (m *memfile) free(b *Blob) {
	if b.size < smallBlob {
		return
	}
	room := (b.size + pageSize - 1) &^ (pageSize - 1)
	// It cannot fail on a file in memory; if it did, the memory would stay in use.
	_ = unix.Fallocate(int(m.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, b.at, room)
}

func (m *memfile) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.idle {
		_ = f.Close()
	}
	m.idle = nil
	return m.file.Close()
}

// newPattern is where discarded data comes from.
func newPattern() (medium, error) { return patternIn(memoryFile) }

func patternIn(file func() (*os.File, error)) (medium, error) {
	f, err := file()
	if err != nil {
		return &discard{pattern: pattern()}, nil
	}
	if _, err := f.WriteAt(pattern(), 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	m := &memfile{file: f}
	if !m.opens() {
		return &discard{pattern: pattern()}, f.Close()
	}
	return &discard{pattern: pattern(), section: m.section, closer: m.close}, nil
}
