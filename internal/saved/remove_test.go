package saved

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRemovable(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	set := aSet(t, s, 10, 2, 2)
	write(t, "kept/run.json", aRun(idAt(50), 1))
	write(t, "last/run.json", aRun(idAt(51), 1)) // a directory in the way of a name
	for name, want := range map[string]string{
		"last": set.ID, "last~1": idAt(0), idAt(0): idAt(0), "20261121T100000": idAt(0), s.SetDir(set.ID): set.ID,
		s.Path(idAt(0)): idAt(0), s.Dir + "/../" + filepath.Base(s.Dir) + "/" + idAt(0): idAt(0),
	} {
		if got, err := s.Removable(name); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if err := os.Symlink(filepath.Join(s.Dir, idAt(0)), "link"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": "the name of the run is empty", "./kept": "is not among the saved runs", "kept/run.json": "nothing is removed elsewhere",
		"last~1/1": "is a single run", set.ID + "/1": "is a run of the set " + set.ID + ": it is removed with it",
		filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11))): "is a run of the set", "..": "there is no run",
		"2026": "is the beginning of 2 runs", idAt(11): "there is no run", "/": "there is no run", "kept": "there is no run",
	} {
		if got, err := s.Removable(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v; want %s", name, got, err, want)
		}
	}
}

func TestRemove(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	set := aSet(t, s, 10, 2, 2)
	list(t, s)
	if err := errors.Join(s.Remove(set.ID), s.Remove(set.ID)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.SetDir(set.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	if got := brief(list(t, s)); len(got) != 1 {
		t.Errorf("%q", got)
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b"} {
		if err := s.Remove(id); err == nil {
			t.Errorf("%q: no error", id)
		}
	}
}

// What killed processes have left goes when it is old; documents, what others put there and what is fresh stay.
func TestClean(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	set := aSet(t, s, 10, 1, 2)
	if err := os.Remove(filepath.Join(s.SetDir(set.ID), SetFile)); err != nil { // killed before its first saving
		t.Fatal(err)
	}
	write(t, filepath.Join(s.Dir, idAt(20), ".run.json.1.partial"), "{")
	write(t, filepath.Join(s.Dir, idAt(21), "samples.csv"), "of the user")
	write(t, filepath.Join(s.Dir, ".plimsoll-probe-1"), "")
	write(t, filepath.Join(s.Dir, idAt(0), ".run.json.2.partial"), "{") // beside a whole document
	write(t, filepath.Join(MemberDir(s.SetDir(set.ID), idAt(12)), ".run.json.3.partial"), "{")
	write(t, filepath.Join(s.Dir, removed+"x", RunFile), "{}")
	write(t, filepath.Join(s.Dir, idAt(22), "x"), "")
	if err := os.Remove(filepath.Join(s.Dir, idAt(22), "x")); err != nil {
		t.Fatal(err)
	}
	there := func() (names string) {
		entries, err := os.ReadDir(s.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names += e.Name() + " "
		}
		return names
	}
	before := there()
	s.Clean(time.Now().Add(23 * time.Hour))
	if want := strings.Replace(before, removed+"x ", "", 1); there() != want {
		t.Errorf("fresh: %s, want %s", there(), want)
	}
	s.Clean(time.Now().Add(25 * time.Hour))
	s.Clean(time.Now().Add(50 * time.Hour))
	if want := strings.Join([]string{idAt(0), set.ID, idAt(21), ""}, " "); there() != want {
		t.Errorf("old: %s, want %s", there(), want)
	}
	if _, err := os.Stat(filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11)), RunFile)); err != nil {
		t.Error(err)
	}
	for dir, want := range map[string]string{filepath.Join(s.Dir, idAt(0)): RunFile, filepath.Join(s.SetDir(set.ID), members): idAt(11)} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != want {
			t.Errorf("%s has %v, %v; want %s", dir, entries, err, want)
		}
	}
}

// A list removes what it sees without looking for it: not what lies beside a whole document, but in a set that was killed.
func TestAListCleans(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	set := aSet(t, s, 10, 1, 2)
	begun := filepath.Join(s.SetDir(set.ID), ".set.json.1.partial")
	write(t, begun, "{")
	write(t, filepath.Join(s.Dir, idAt(20), ".run.json.1.partial"), "{")
	list(t, s)
	for _, hours := range []time.Duration{0, 23, 25} {
		if _, _, err := s.List(noKind, Choice{Now: time.Now().Add(hours * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{begun, filepath.Join(s.Dir, idAt(20))} {
			if _, err := os.Stat(path); (err == nil) != (hours < 24) {
				t.Errorf("after %d hours %s: %v", hours, path, err)
			}
		}
	}
	if got := brief(list(t, s)); len(got) != 2 {
		t.Errorf("%q", got)
	}
}
