package kv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/server"
)

// journal is a file of the batches that were applied, in the order in which that ended, as records.go
// has it. A nil journal keeps nothing.
type journal struct {
	sync bool

	mu     sync.Mutex
	file   journalFile
	size   int64
	begun  bool // the magic was written
	buf    []byte
	broken error // it could not be brought back to a whole number of batches
}

// journalFile is the file, or in tests one of which calls fail.
type journalFile interface {
	io.WriteSeeker
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

const journalName = "journal"

// openJournal opens the journal in a directory, which is made if it is not there, and gives
// its batches to apply. It says how many bytes of a batch that was being written were cut off
// at the end. With sync, its name is on the disk, too: what is written to a file that nobody finds is lost.
func openJournal(dir string, sync bool, apply func(message []byte) error) (j *journal, cut int64, err error) {
	if err := (outfile.Files{}).MkdirAll(dir); err != nil {
		return nil, 0, journalFault(err)
	}
	name := filepath.Join(dir, journalName)
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0, journalFault(err)
	}
	j = &journal{file: file, sync: sync}
	if err := server.LockFile(file); err != nil {
		return nil, 0, errors.Join(fault.New(fault.RunFailed, "the journal %s is in use: %w", name, err).
			Hint("use a separate directory for each server with --journal"), file.Close())
	}
	r, err := replay(file, apply)
	if err == nil {
		j.size, j.begun = r.end, r.checked
		cut, err = j.trim()
	}
	if err == nil && sync {
		if err = (outfile.Machine{}).SyncDir(dir); err != nil {
			err = journalFault(err)
		}
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return j, cut, nil
}

func journalFault(err error) error {
	return fault.New(fault.RunFailed, "cannot use the journal: %w", err).
		Hint("use a writable directory with --journal")
}

// replay gives all whole batches to apply, and returns where they end. What follows is what a
// server that was killed had begun to write. All other damage is an error: batches that
// were acknowledged would be missing without a word.
func replay(file *os.File, apply func([]byte) error) (*records, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, journalFault(err)
	}
	r := &records{in: bufio.NewReaderSize(file, 1<<20), size: info.Size()}
	for {
		message, record, err := r.next()
		if errors.Is(err, io.EOF) && r.end == r.size {
			return r, nil
		}
		if err == nil {
			err = apply(message)
		}
		if err == nil {
			r.end += record
			continue
		}
		if errors.Is(err, errKeep) {
			return nil, damaged(file, r.end, err)
		}
		switch torn, cannot := r.torn(file); {
		case cannot != nil:
			return nil, journalFault(cannot)
		case !torn:
			return nil, damaged(file, r.end, err)
		}
		return r, nil
	}
}

// errKeep says that a batch could not be applied, though nothing is wrong with it.
var errKeep = errors.New("it cannot be stored")

func damaged(file *os.File, at int64, why error) error {
	if errors.Is(why, errKeep) {
		return fault.New(fault.RunFailed, "the data in the journal %s does not fit in memory: %w", file.Name(), why).
			Hint("raise --memory")
	}
	name := file.Name()
	return fault.New(fault.RunFailed, "the journal %s is damaged at byte %d and was not changed: %w", name, at, why).
		Hint("restore the file, or move it away to start with an empty journal; to discard the rest: truncate -s %d %s",
			at, name)
}

// trim cuts off what is behind the whole batches.
func (j *journal) trim() (cut int64, err error) {
	info, err := j.file.Stat()
	if err != nil {
		return 0, journalFault(err)
	}
	if cut = info.Size() - j.size; cut > 0 {
		err = j.file.Truncate(j.size)
	}
	if err == nil {
		_, err = j.file.Seek(j.size, io.SeekStart)
	}
	if err != nil {
		return 0, journalFault(err)
	}
	return cut, nil
}

// append writes the batches, all or none. After it they outlive the process; with sync, the
// machine.
func (j *journal) append(batches []*work) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	j.buf = j.buf[:0]
	if !j.begun {
		j.buf = append(j.buf, journalMagic...)
	}
	for _, w := range batches {
		j.buf = appendRecord(j.buf, w.payload)
	}
	_, err := j.file.Write(j.buf)
	if err == nil && j.sync {
		err = j.file.Sync()
	}
	if err == nil {
		j.size += int64(len(j.buf))
		j.begun = true
		return nil
	}
	err = fmt.Errorf("cannot write to the journal: %w", err)
	if _, back := j.trim(); back != nil {
		j.broken = errors.Join(err, back)
	}
	return err
}

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.file.Close()
}

// recover applies the batches of a journal.
func (s *Server) recover() error {
	if s.cfg.Journal == "" {
		return nil
	}
	l := &listener{s: s}
	j, cut, err := openJournal(s.cfg.Journal, s.cfg.JournalSync, func(message []byte) error {
		s.replayed.Add(1)
		return l.replay(message)
	})
	if err != nil {
		return err
	}
	s.journal = j
	if !s.about.AtLeastOnce {
		s.notes = append(s.notes,
			"This transport has no acknowledgements: acknowledgement times are those of writing to the journal.")
	}
	if cut > 0 {
		s.log.Warn("the journal ended in the middle of an unacknowledged batch, which was removed",
			"bytes", cut)
	}
	if batches := s.replayed.Load(); batches > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Recovered %d batches from the journal.", batches))
	}
	return nil
}

// replay applies a message of the journal.
func (l *listener) replay(message []byte) error {
	var h delta.Header
	var err error
	if h, l.rows, err = decode(message, l.rows); err != nil {
		return err
	}
	p := l.s.registry.use(h.Publisher)
	defer l.s.registry.release(p)
	switch c, err := p.claim(h.Sequence, len(l.rows)); c {
	case duplicate:
		return nil
	case refused:
		return err
	}
	a, err := l.s.store.Apply(batchOf(p, h.Sequence), l.rows)
	p.settle(h.Sequence, err == nil, a.Applied, a.Stale)
	if err != nil {
		return errors.Join(errKeep, err)
	}
	return nil
}
