package run

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
)

// documentName is the file of a run document in the directory of its run.
const documentName = "run.json"

// Runs is the directory in which runs are kept, one subdirectory each, named by id.
type Runs struct{ Dir string }

// OpenRuns finds the runs by the XDG Base Directory Specification, without touching it.
func OpenRuns(env *Env) (*Runs, error) {
	state := env.Getenv("XDG_STATE_HOME")
	// The specification says to ignore a relative path.
	if state == "" || !filepath.IsAbs(state) {
		home := env.Getenv("HOME")
		if home == "" {
			return nil, fault.New(fault.Usage,
				"there is no place to keep runs: neither XDG_STATE_HOME nor HOME is set").
				Hint("set XDG_STATE_HOME, name a directory with --out, or keep nothing with --no-save")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return &Runs{filepath.Join(state, "plimsoll", "runs")}, nil
}

// NewID makes an id that sorts by time, to the millisecond: 20261121T204700.123Z-1f3a.
func NewID(at time.Time) string {
	var random [2]byte
	_, _ = rand.Read(random[:]) // never fails
	return at.UTC().Format("20060102T150405.000Z") + "-" + hex.EncodeToString(random[:])
}

// Path is where the document of a run is.
func (s *Runs) Path(id string) string { return filepath.Join(s.Dir, id, documentName) }

// IDs are the ids of the runs kept, newest first.
func (s *Runs) IDs() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot list the saved runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}

// Find turns what a person calls a run into the path of its document: a path, an id, the
// unique beginning of one, last, or last~N for the N-th before the last.
func (s *Runs) Find(name string) (string, error) {
	if name == "" { // the beginning of every id
		return "", fault.New(fault.Usage, "the name of the run is empty").
			Hint("'plimsoll runs' lists the saved runs; last is the newest")
	}
	if path, found, err := documentAt(name); found || err != nil {
		return path, err
	}
	ids, err := s.IDs()
	if err != nil {
		return "", err
	}
	if back, ok := fromLast(name); ok {
		return s.fromLast(name, back, ids)
	}
	var matches []string
	for _, id := range ids {
		if id == name {
			return s.Path(id), nil
		}
		if strings.HasPrefix(id, name) {
			matches = append(matches, id)
		}
	}
	switch len(matches) {
	case 1:
		return s.Path(matches[0]), nil
	case 0:
		return "", fault.New(fault.Usage, "there is no run %q: neither a file nor a saved run has this name", name).
			Hint("'plimsoll runs' lists the saved runs")
	}
	return "", fault.New(fault.Usage, "%q is the beginning of %d runs: %s", name, len(matches), someOf(matches)).
		Hint("write more of the id")
}

// someOf lists the first few of ids.
func someOf(ids []string) string {
	const few = 5
	if len(ids) <= few {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:few], ", "), len(ids)-few)
}

// documentAt looks for a document in the file system: a file, or a directory with one.
func documentAt(name string) (path string, found bool, err error) {
	info, statErr := os.Stat(name)
	if statErr != nil {
		// Something that looks like a path was meant as one.
		if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".json") {
			return "", false, fault.New(fault.Usage, "cannot read the run: %w", statErr).
				Hint("'plimsoll runs' lists the saved runs")
		}
		return "", false, nil
	}
	if !info.IsDir() {
		return name, true, nil
	}
	path = filepath.Join(name, documentName)
	if _, err := os.Stat(path); err != nil {
		return "", false, nil // a directory that happens to have this name
	}
	return path, true, nil
}

// fromLast reads last and last~N.
func fromLast(name string) (back int, ok bool) {
	if name == "last" {
		return 0, true
	}
	n, found := strings.CutPrefix(name, "last~")
	if !found {
		return 0, false
	}
	back, err := strconv.Atoi(n)
	return back, err == nil && back >= 0
}

func (s *Runs) fromLast(name string, back int, ids []string) (string, error) {
	switch {
	case len(ids) == 0:
		return "", fault.New(fault.Usage, "no run is saved, so there is no %s", name).
			Hint("make one with 'plimsoll chat'")
	case back >= len(ids):
		return "", fault.New(fault.Usage, "%s is too far back: the saved runs number %d", name, len(ids)).
			Hint("'plimsoll runs' lists them")
	}
	return s.Path(ids[back]), nil
}

// Load finds and reads a run.
func (s *Runs) Load(name string) (*rundoc.Run, error) {
	path, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	run, err := rundoc.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Usage, "the run %s holds no document: %w", name, err).
			Hint("it was killed before it could save one")
	case err != nil:
		return nil, fault.New(fault.Usage, "cannot read the run: %w", err)
	}
	return run, nil
}
