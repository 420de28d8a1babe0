package saved

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
		"": "the name of the run is empty", "./kept": "is not one of the saved runs", "kept/run.json": "cannot be removed here",
		"last~1/1": "is a single run", set.ID + "/1": "belongs to the set " + set.ID + " and cannot be removed alone",
		filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11))): "belongs to the set", "..": "no run ",
		"2026": "matches 2 runs", idAt(11): "no run ", "/": "no run ", "kept": "no run ",
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

// A set that lacks members may be written for a week; one that has all is not.
func TestMayBeWritten(t *testing.T) {
	const week = 7 * 24 * time.Hour
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		open bool
		age  time.Duration
		want bool
	}{
		{true, 0, true}, {true, week - 1, true}, {true, week, false}, {true, week + 1, false}, {false, 0, false},
		{false, 2 * week, false},
	} {
		e := Entry{Open: c.open, Changed: now.Add(-c.age).UnixNano()}
		if got := e.MayBeWritten(now); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// An id that leads elsewhere is refused by what it is, and one that cannot be removed is told of.
func TestRemoveRefuses(t *testing.T) {
	s := &Runs{Dir: filepath.Join(t.TempDir(), "runs")}
	for _, id := range []string{"", ".", "..", "../x", "a/b"} {
		if err := s.Remove(id); err == nil || !strings.HasSuffix(err.Error(), " is not a valid run id") {
			t.Errorf("%q: %v", id, err)
		}
	}
	write(t, filepath.Join(s.Dir, removed+"x", "full"), "") // in the way
	write(t, s.Path("x"), aRun("x", 1))
	if err := s.Remove("x"); err == nil || err.Error() != "cannot remove x: file exists" {
		t.Error(err)
	}
	if names, _, err := s.look(); err != nil || len(names) != 1 || names[0] != "x" { // what is being removed is no run
		t.Errorf("%q, %v", names, err)
	}
}

// Runs are where the specification says; an id says when a run began.
func TestWhereRunsAre(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/s", "/h", "/s/plimsoll/runs"}, {"", "/h", "/h/.local/state/plimsoll/runs"},
		{"relative", "/h", "/h/.local/state/plimsoll/runs"}, {"/s", "", "/s/plimsoll/runs"},
	} {
		s, err := Open(func(name string) string { return map[string]string{"XDG_STATE_HOME": c.state, "HOME": c.home}[name] })
		if err != nil || s.Dir != c.want {
			t.Errorf("%+v: %v, %v", c, s, err)
		}
	}
	if s, err := Open(func(string) string { return "" }); s != nil || err == nil ||
		!strings.Contains(err.Error(), "neither XDG_STATE_HOME nor HOME is set") {
		t.Errorf("%v, %v", s, err)
	}
	id := NewID(time.Date(2026, 11, 21, 20, 47, 0, 123e6, time.FixedZone("", 3600)))
	if began, random, _ := strings.Cut(id, "-"); began != "20261121T194700.123Z" || len(random) != 4 {
		t.Error(id)
	}
	none := &Runs{Dir: filepath.Join(t.TempDir(), "none")}
	if ids, err := none.IDs(); len(ids) != 0 || err != nil {
		t.Errorf("%q, %v", ids, err)
	}
	if err := os.WriteFile(none.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if ids, err := none.IDs(); ids != nil || err == nil {
		t.Errorf("%q, %v", ids, err)
	}
	if _, _, err := none.Unfinished("x"); err == nil {
		t.Error("no directory, and no error")
	}
}

// A document is read by its path, whatever it is called.
func TestReadDocument(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.json"), aRun("a", 1))
	if found, err := ReadDocument(filepath.Join(dir, "a.json")); err != nil || found.Run == nil || found.Run.ID != "a" {
		t.Errorf("%+v, %v", found, err)
	}
	write(t, filepath.Join(dir, "b.json"), "torn")
	for _, name := range []string{"b.json", "none.json"} {
		found, err := ReadDocument(filepath.Join(dir, name))
		if found != nil || err == nil || !strings.HasPrefix(err.Error(), "cannot read the run: ") {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
	if run, err := (&Runs{Dir: dir}).LoadRun("none"); run != nil || err == nil {
		t.Errorf("%v, %v", run, err)
	}
}

// Cleaning removes old leftovers of Plimsoll, and no files of others among the runs, whatever they are called.
func TestCleanKeepsForeignFiles(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	stay := []string{
		filepath.Join(s.Dir, "notes.partial"), filepath.Join(s.Dir, ".notes"), filepath.Join(s.Dir, "x.plimsoll-probe-1"),
		filepath.Join(s.Dir, idAt(0), "samples.csv.partial"), filepath.Join(s.Dir, idAt(0), "mine", ".x.partial"),
		filepath.Join(s.Dir, idAt(0), members, "mine"),
	}
	gone := []string{filepath.Join(s.Dir, ".x.partial"), filepath.Join(s.Dir, ".plimsoll-probe-1"),
		filepath.Join(s.Dir, idAt(0), ".x.partial"), filepath.Join(s.Dir, idAt(0), members, idAt(1), ".x.partial")}
	for _, path := range append(slices.Clone(stay), gone...) {
		write(t, path, "x")
	}
	s.Clean(time.Now().Add(25 * time.Hour))
	for _, path := range stay {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}
