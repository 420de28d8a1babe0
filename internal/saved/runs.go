package saved

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
)

// The files of a saved run and of a set in their folders.
const (
	RunFile = "run.json"
	SetFile = "set.json"
)

// UnfinishedFile is what a kind of traffic may keep in the folder of a run until its document is there. What a run that
// was killed has left of it is removed when it is a day old, as other files that were begun.
const UnfinishedFile = ".manifest" + outfile.Temporary

// members is the folder of a set in which the folders of its members are.
const members = "members"

// Runs is the directory in which runs are kept, one subdirectory each, named by id.
type Runs struct {
	Dir   string
	Files outfile.Files // what the index is written with
}

// Open finds the runs by the XDG Base Directory Specification, without touching it.
func Open(getenv func(name string) string) (*Runs, error) {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification says to ignore a relative path
		home := getenv("HOME")
		if home == "" {
			return nil, fault.New(fault.Usage,
				"no directory for saved runs: neither XDG_STATE_HOME nor HOME is set").
				Hint("set XDG_STATE_HOME, choose a directory with --out, or use --no-save")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return &Runs{Dir: filepath.Join(state, "plimsoll", "runs")}, nil
}

// NewID makes an id that sorts by time, to the millisecond: 20261121T204700.123Z-1f3a.
func NewID(at time.Time) string {
	var random [2]byte
	_, _ = rand.Read(random[:]) // never fails
	return at.UTC().Format("20060102T150405.000Z") + "-" + hex.EncodeToString(random[:])
}

// Path is where the document of a run is.
func (s *Runs) Path(id string) string { return filepath.Join(s.Dir, id, RunFile) }

// SetDir is the folder of a set, with its document and its members.
func (s *Runs) SetDir(id string) string { return filepath.Join(s.Dir, id) }

// MemberDir is the folder of a member in the folder of its set.
func MemberDir(setDir, id string) string { return filepath.Join(setDir, members, id) }

// IDs are the ids of the runs and sets kept, newest first. Folders without a document are none: what was killed
// before it could save one leaves no run.
func (s *Runs) IDs() ([]string, error) {
	folders, err := s.folders()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(folders, func(id string) bool { return s.document(id) == "" }), nil
}

// folders are the names of all folders, those of the newest runs first.
func (s *Runs) folders() ([]string, error) {
	folders, _, err := s.look()
	return folders, err
}

// look is what the directory has: the folders, those of the newest runs first, and the names of what else is there.
func (s *Runs) look() (folders, others []string, err error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fault.New(fault.RunFailed, "cannot list the saved runs: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders = append(folders, e.Name())
		} else {
			others = append(others, e.Name())
		}
	}
	slices.Sort(folders)
	slices.Reverse(folders)
	return folders, others, nil
}

// document is where the document of a run or of a set is; "" when there is none.
func (s *Runs) document(id string) string { return documentIn(filepath.Join(s.Dir, id)) }

// documentIn is the document in a folder; "" when there is none.
func documentIn(dir string) string {
	for _, file := range []string{RunFile, SetFile} {
		path := filepath.Join(dir, file)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}
