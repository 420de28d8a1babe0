package saved

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
)

// Removable is the id of a saved run or set that a person calls so, to remove it. A path is taken when it is that of
// one of them; a member of a set, and what lies elsewhere, is refused.
func (s *Runs) Removable(name string) (string, error) {
	if name == "" {
		return "", fault.New(fault.Usage, "the name of the run is empty").Hint("'plimsoll runs' lists the saved runs")
	}
	if !strings.ContainsRune(name, filepath.Separator) {
		return s.id(name) // a file of this name is not meant here
	}
	path, err := s.Find(name)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fault.New(fault.Usage, "cannot remove %s: %w", name, err)
	}
	home, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		home = s.Dir
	}
	switch {
	case filepath.Dir(dir) == home:
		return filepath.Base(dir), nil
	case filepath.Base(filepath.Dir(dir)) == members && strings.HasPrefix(dir, home+string(filepath.Separator)):
		set := filepath.Base(filepath.Dir(filepath.Dir(dir)))
		return "", fault.New(fault.Usage, "%s belongs to the set %s and cannot be removed alone", name, set).
			Hint("remove the set with 'plimsoll runs rm %s'", set)
	}
	return "", fault.New(fault.Usage, "%s is not one of the saved runs in %s, so it cannot be removed here",
		name, s.Dir).Hint("delete the directory yourself")
}

// removed begins the names of folders that are being removed: a list does not show them.
const removed = ".removed-"

// Remove removes a run, or a set with its members. It is gone at once for everybody who lists, also when the
// removing is cut short; that another process removes it, too, is no error.
func (s *Runs) Remove(id string) error {
	if id != filepath.Base(id) || id == "." || id == ".." {
		return fault.New(fault.Usage, "%q is not a valid run id", id)
	}
	gone := filepath.Join(s.Dir, removed+id)
	err := os.Rename(s.SetDir(id), gone)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(gone)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot remove %s: %w", id, outfile.Reason(err))
	}
	return nil
}

// MayBeWritten reports whether a command may still be writing an entry: a set that lacks members, within a week of its
// last change. A set is written after each of its runs, and none of them takes a week. There is no lock to tell, since
// on a home that several machines share a lock may not be seen by the others.
func (e *Entry) MayBeWritten(now time.Time) bool {
	const week = 7 * 24 * time.Hour
	return e.Open && now.Sub(time.Unix(0, e.Changed)) < week
}

// leftover is how old something must be that a killed process has left, to be removed: what is written whole or not at
// all has another name within seconds, so that nothing that lives is as old, also where the clocks of two machines are
// hours apart.
const leftover = 24 * time.Hour

// Clean removes what killed processes have left: files that were begun and folders in which nothing is, when they are
// old, and what was to be removed. A whole document is never removed. It tells no error: what stays is tried again.
func (s *Runs) Clean(now time.Time) {
	if folders, others, err := s.look(); err == nil {
		s.cleanAll(append(folders, others...), now)
	}
}

// cleanAll is Clean for some of what is there.
func (s *Runs) cleanAll(names []string, now time.Time) {
	for _, name := range names {
		path := filepath.Join(s.Dir, name)
		if strings.HasPrefix(name, removed) {
			_ = os.RemoveAll(path)
			continue
		}
		cleanUp(path, now)
	}
}

// cleanUp removes a file that was begun, or what was begun in a folder and in those of the members of a set; the
// folder too, when nothing is left in it.
func cleanUp(path string, now time.Time) {
	info, err := os.Lstat(path)
	if err != nil || now.Sub(info.ModTime()) <= leftover {
		return
	}
	if !info.IsDir() {
		if begun(info) {
			_ = os.Remove(path)
		}
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range entries {
		switch below := filepath.Join(path, e.Name()); {
		case e.IsDir() && e.Name() == members:
			cleanMembers(below, now)
		case !e.IsDir():
			cleanUp(below, now)
		}
	}
	if documentIn(path) == "" {
		_ = os.Remove(path) // which fails when anything is in it
	}
}

func cleanMembers(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		cleanUp(filepath.Join(dir, e.Name()), now)
	}
}

// begun reports whether something has the name of a file that was not completed.
func begun(info fs.FileInfo) bool {
	name := info.Name()
	return info.Mode().IsRegular() && strings.HasPrefix(name, ".") &&
		(strings.HasSuffix(name, outfile.Temporary) || strings.HasPrefix(name, ".plimsoll-probe-"))
}
