package saved

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// The index has a line of JSON for each document: its entry. It is a cache, and may be thrown away at any time: what
// it says of a document counts as long as the document has the size and the times of change that it had, and what it
// does not say is read from the document. So it needs no lock, which would be none on many network filesystems: a
// line that is torn, or lost because another process has replaced the file, costs one reading of one document.
const (
	// indexFile names the version of the index' form. Another form, or another meaning of what an entry says, is
	// another file: programs of several versions do not take the one for the other.
	indexFile = ".index-3.jsonl"
	mostLine  = 64 << 10 // bytes; a longer line is passed over
	leastLine = 48       // bytes; a shorter one has no room for what an entry says at least
	mostIndex = 64 << 20 // bytes; of a longer file the rest is passed over
	mostLines = 200_000  // of more the first are passed over: those at the end are the newest
	mostStale = 1000     // lines that no document is left for, or twice, before the file is written anew
)

func (s *Runs) index() string { return filepath.Join(s.Dir, indexFile) }

// indexText is what the index has; nothing where there is none, or it cannot be read.
func (s *Runs) indexText() []byte {
	if info, err := os.Lstat(s.index()); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(s.index())
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, mostIndex)) // what was read before an error counts
	return data
}

// readIndex is what the index says by id, and how many of its lines say nothing more. One that cannot be read says
// nothing.
func (s *Runs) readIndex() (known map[string]*Entry, stale int) {
	known = map[string]*Entry{}
	var lines [][]byte
	for line := range bytes.Lines(s.indexText()) {
		switch {
		case !bytes.HasSuffix(line, []byte("\n")): // it is torn
		case len(line) == 1: // the line end before an entry, see put
		case len(line) < leastLine:
			stale++
		default:
			lines = append(lines, line)
		}
	}
	over := max(0, len(lines)-mostLines)
	lines, stale = lines[over:], stale+over
	entries := make([]Entry, len(lines))
	parallel(len(lines), manyAtOnce, len(lines), func(i int) {
		if e, ok := decodeEntry(lines[i]); ok && len(lines[i]) <= mostLine {
			entries[i] = e
		}
	})
	for i := range entries {
		e := &entries[i]
		if _, twice := known[e.ID]; twice || e.ID == "" {
			stale++
		}
		if e.ID != "" {
			known[e.ID] = e
		}
	}
	return known, stale
}

// isRegular reports whether a path is that of a file. Others are not opened: a pipe would be waited for, and a device
// has no end.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func decodeEntry(line []byte) (Entry, bool) {
	var e Entry
	ok := json.Unmarshal(line, &e) == nil && e.ID != "" && e.Kind != "" && !e.Started.IsZero() &&
		(e.File == RunFile || e.File == SetFile)
	return e, ok
}

// Add puts the entry of a document that was just saved into the index. It is for the next list to be quick, and so
// no error is told: an entry that is not there is made from the document.
func (s *Runs) Add(id string, e Entry) {
	info, err := os.Stat(filepath.Join(s.Dir, id, fileOf(&e)))
	if err != nil {
		return
	}
	s.put(e.of(id, info))
}

// put appends entries to the index, in one write and between line ends, so that what another process was killed in
// spoils nothing.
func (s *Runs) put(entries ...Entry) {
	lines := linesOf(entries)
	if len(lines) == 0 {
		return
	}
	_ = s.Files.Append(s.index(), append([]byte{'\n'}, lines...)) // no link is followed: it may lead to a document
}

// linesOf are the lines of entries in the index.
func linesOf(entries []Entry) (lines []byte) {
	for i := range entries {
		line, err := json.Marshal(&entries[i])
		if err != nil || len(line) >= mostLine || !entries[i].indexed() {
			continue
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines
}

// of is the entry as that of a document.
func (e Entry) of(id string, info os.FileInfo) Entry {
	e.ID, e.File, e.Size, e.Changed, e.Inode = id, fileOf(&e), info.Size(), info.ModTime().UnixNano(), inodeChanged(info)
	return e
}

// fileOf is the name of the document that an entry is of.
func fileOf(e *Entry) string {
	if e.Kind == KindRun {
		return RunFile
	}
	return SetFile
}

// is reports whether the entry is of the document as it now is. The time of change of a file may be set to what it was;
// that of its inode may not, where there is one.
func (e *Entry) is(info os.FileInfo) bool {
	return e.Size == info.Size() && e.Changed == info.ModTime().UnixNano() && e.Inode == inodeChanged(info)
}

// writeIndex replaces the index. Where it cannot be written, as in a directory of somebody else, there is none.
func (s *Runs) writeIndex(entries []Entry) {
	f, err := s.Files.Private().Create(s.index(), true)
	if err != nil {
		return
	}
	if _, err := f.Write(linesOf(entries)); err != nil {
		_ = f.Abandon()
		return
	}
	_ = f.Commit()
}

// indexed reports whether the entry says what its document does. That a document cannot be read may be otherwise the
// next time.
func (e *Entry) indexed() bool { return e.File != "" }
