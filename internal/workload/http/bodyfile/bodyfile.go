package bodyfile

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
)

// File is a file that is sent from the disk: it is larger than what is kept in memory. It is open for the whole of
// the run, and each request reads it by itself, from the beginning. That it is still what it was is asked before each
// request: a run must not go on with other bytes than it began with, nor with those of a file that is there no more.
type File struct {
	name string
	size int64
	file *os.File
	was  identity

	sent    atomic.Int64 // bytes
	reading atomic.Int64 // ns that reading them took
	longest atomic.Int64 // ns, of one piece
}

// Set are the files of a workload, each open once.
type Set struct{ list []*File }

// Open opens the file of a step; nil for a step without one.
func (s *Set) Open(from *script.File) (*File, error) {
	if from == nil {
		return nil, nil
	}
	for _, b := range s.list {
		if b.name == from.Name {
			return b, nil
		}
	}
	file, err := os.Open(from.Name)
	if err != nil {
		return nil, fault.New(fault.Usage, "cannot open the body file: %w", err).Hint("check the name and the " +
			"permissions of the file")
	}
	b := &File{name: from.Name, size: from.Size, file: file}
	if b.was, err = identify(file); err != nil || b.was.size != from.Size {
		_ = file.Close()
		return nil, fault.New(fault.Usage, "%s changed while it was being read", from.Name).
			Hint("wait until it is complete, or use a copy of it")
	}
	s.list = append(s.list, b)
	return b, nil
}

// Close closes all.
func (s *Set) Close() {
	for _, b := range s.list {
		_ = b.file.Close()
	}
}

// What becomes of a body's file. Trying again helps nothing.
const (
	fileGone       = "body-file:gone"
	fileShrunk     = "body-file:shrunk"
	fileChanged    = "body-file:changed"
	fileUnreadable = "body-file:unreadable"
)

func (b *File) failure(cause, why string) *op.Failure {
	return &op.Failure{Cause: cause, Final: true, Err: errors.New(b.name + " " + why)}
}

// Check says what has become of the file, or nil: it is as it was.
func (b *File) Check() *op.Failure {
	is, err := identify(b.file)
	switch {
	case err != nil:
		return b.failure(fileUnreadable, "cannot be checked: "+err.Error())
	case is == b.was:
		return nil
	case is.links == 0:
		return b.failure(fileGone, "was removed or replaced while it was being sent")
	case is.size < b.size:
		return b.failure(fileShrunk, "became shorter while it was being sent")
	case is.links != b.was.links && is.size == b.was.size && is.changed == b.was.changed:
		return nil // another name of it
	}
	return b.failure(fileChanged, "was modified while it was being sent")
}

// Name is how it was given.
func (b *File) Name() string { return b.name }

// Size is how long it was when the run began.
func (b *File) Size() int64 { return b.size }

// Read reads what stands at a place; counted says that the time of it is told.
func (b *File) Read(p []byte, at int64, counted bool) (int, *op.Failure) {
	p = p[:min(int64(len(p)), b.size-at)]
	began := time.Now()
	n, err := b.file.ReadAt(p, at)
	if counted {
		b.count(n, int64(time.Since(began)))
	}
	switch {
	case n == len(p):
		return n, nil
	case err == nil || errors.Is(err, io.EOF):
		return n, b.failure(fileShrunk, "became shorter while it was being sent")
	}
	return n, b.failure(fileUnreadable, "cannot be read: "+err.Error())
}

func (b *File) count(n int, took int64) {
	b.sent.Add(int64(n))
	b.reading.Add(took)
	for longest := b.longest.Load(); took > longest && !b.longest.CompareAndSwap(longest, took); {
		longest = b.longest.Load()
	}
}

// Document is what a document has of the files.
func (s *Set) Document() (list []rundoc.HTTPBodyFile) {
	for _, b := range s.list {
		list = append(list, rundoc.HTTPBodyFile{Name: b.name, SizeBytes: b.size, ReadBytes: b.sent.Load(),
			ReadNS: b.reading.Load(), LongestReadNS: b.longest.Load()})
	}
	return list
}
