package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Saved is a document that was read: a run or a set.
type Saved struct {
	Path string // of the document
	Run  *rundoc.Run
	Set  *setdoc.Set
}

// Load finds and reads a run or a set.
func (s *Runs) Load(name string) (*Saved, error) {
	path, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	found, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Usage, "the run %s has no document: %w", name, err).
			Hint("it was removed in the meantime; 'plimsoll runs' lists the saved runs")
	case err != nil:
		e := fault.New(fault.Usage, "cannot read the run: %w", err)
		if id := filepath.Base(filepath.Dir(path)); s.document(id) == path {
			return nil, e.Hint("'plimsoll runs rm %s' removes it", id)
		}
		return nil, e
	}
	return found, nil
}

// ReadDocument reads the document of a run or a set.
func ReadDocument(path string) (*Saved, error) {
	found, err := read(path)
	if err != nil {
		return nil, fault.New(fault.Usage, "cannot read the run: %w", err)
	}
	return found, nil
}

// read reads a document. A file with a name of its own may have either: its schema says which.
func read(path string) (*Saved, error) {
	found := &Saved{Path: path}
	err := isFile(path)
	if err != nil {
		return nil, err
	}
	if filepath.Base(path) != SetFile {
		if found.Run, err = rundoc.ReadFile(path); !errors.Is(err, rundoc.ErrSchema) || filepath.Base(path) == RunFile {
			return found, err
		}
	}
	no := err
	found.Set, err = setdoc.ReadFile(path)
	if no != nil && errors.Is(err, setdoc.ErrSchema) && !errors.Is(err, docfile.ErrVersion) {
		err = no // it is no set either
	}
	found.Run = nil
	return found, err
}

// OpenDocument opens a document, which is a file: it is for those who serve it as it is.
func OpenDocument(path string) (*os.File, error) {
	if !isRegular(path) {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return os.Open(path)
}

// isFile refuses what lies where a document is kept and is no file: a pipe would be waited for, a device has no end.
// What has a name of its own may be a pipe, as a shell makes it of a command.
func isFile(path string) error {
	if base := filepath.Base(path); base != RunFile && base != SetFile {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	return nil // of what is not there the reader says so
}

// readSet is setdoc.ReadFile of what is a file.
func readSet(path string) (*setdoc.Set, error) {
	if err := isFile(path); err != nil {
		return nil, err
	}
	return setdoc.ReadFile(path)
}

// LoadRun finds and reads what has to be a run.
func (s *Runs) LoadRun(name string) (*rundoc.Run, error) {
	found, err := s.Load(name)
	if err != nil {
		return nil, err
	}
	if found.Set != nil {
		return nil, fault.New(fault.Usage, "%s is a %s, not a single run", name, found.Set.Kind).
			Hint("use one of its members, such as %s/1 for the first one", name)
	}
	return found.Run, nil
}
