package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func noKind(string) report.Kind { return report.Kind{} }

// idAt is the id of a run that began so many seconds after a certain time.
func idAt(second int) string {
	return time.Date(2026, 11, 21, 10, 0, second, 0, time.UTC).Format("20060102T150405.000Z") + "-aaaa"
}

func write(t testing.TB, path string, doc any) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	switch d := doc.(type) {
	case *rundoc.Run:
		err = errors.Join(err, rundoc.WriteFile(path, d))
	case *setdoc.Set:
		err = errors.Join(err, setdoc.WriteFile(path, d))
	case string:
		err = errors.Join(err, os.WriteFile(path, []byte(d), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func aRun(id string, clients int) *rundoc.Run {
	return &rundoc.Run{
		Schema: rundoc.Schema, ID: id, Workload: "chat", Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		Plan:       json.RawMessage(fmt.Sprintf(`{"load":{"clients":%d,"duration_ns":10000000000}}`, clients)),
		Target:     rundoc.Target{URL: "ws://a.example.org"},
		Operations: []rundoc.Operation{{Name: "send", RatePerS: float64(clients) * 100}},
		Verdict:    rundoc.Verdict{Validity: rundoc.Valid},
	}
}

// aSet saves a sweep of so many runs, whose members' ids are in seconds from second on.
func aSet(t testing.TB, s *Runs, second, runs, planned int) *setdoc.Set {
	t.Helper()
	set := &setdoc.Set{
		ID: idAt(second), Kind: setdoc.KindSweep, Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Planned: planned,
		Plan: json.RawMessage(`{}`), Verdict: rundoc.Verdict{Validity: rundoc.Suspect}, Labels: []string{"nightly"},
		Sweep: &setdoc.Sweep{
			Workload: "chat", Repeats: 3, Figure: setdoc.Figure{Name: "rate", Unit: "per_s"},
			Vary:   []setdoc.Vary{{Setting: "clients", Values: []string{"1", "8", "64"}, Numeric: true}},
			Levels: []setdoc.Level{{Values: []string{"1"}}, {Values: []string{"8"}, Throughput: new(800.0)}}, Best: new(1),
		},
	}
	for i := range runs {
		id := idAt(second + 1 + i)
		path := filepath.Join(MemberDir(s.SetDir(set.ID), id), RunFile)
		write(t, path, aRun(id, i+1))
		relative, err := filepath.Rel(s.SetDir(set.ID), path)
		if err != nil {
			t.Fatal(err)
		}
		set.Members = append(set.Members, setdoc.Member{
			ID: id, Name: "clients " + fmt.Sprint(i+1), Workload: "chat", Path: filepath.ToSlash(relative), Target: "demo",
		})
	}
	write(t, filepath.Join(s.SetDir(set.ID), SetFile), set)
	return set
}

func list(t *testing.T, s *Runs) []Entry {
	t.Helper()
	entries, _, err := s.List(noKind, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// brief is what the tests look at of a list: ids and loads, or errors.
func brief(entries []Entry) (lines []string) {
	for _, e := range entries {
		lines = append(lines, strings.TrimSpace(e.ID+" "+e.What()+" "+e.Load+e.Error))
	}
	return lines
}

// The list is right with any index: none, an old one, one that is torn, hostile, a directory, or that tells lies.
func TestListIsThatOfTheDocuments(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	for i := range 3 {
		write(t, s.Path(idAt(i)), aRun(idAt(i), i+1))
	}
	aSet(t, s, 10, 2, 2)
	if err := os.MkdirAll(filepath.Join(s.Dir, idAt(20)), 0o755); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	want := []string{
		idAt(10) + " sweep chat clients 1…64 × 3", idAt(2) + " chat 3 clients, 10s", idAt(1) + " chat 2 clients, 10s",
		idAt(0) + " chat 1 client, 10s",
	}
	good := func() []byte {
		list(t, s)
		data, err := os.ReadFile(s.index())
		if err != nil {
			t.Fatal(err)
		}
		return data
	}()
	if n := strings.Count(string(good), "}\n"); n != 4 {
		t.Fatalf("%d lines:\n%s", n, good)
	}
	lie := strings.ReplaceAll(string(good), "clients, 10s", "clients, for free")
	for name, index := range map[string]string{
		"whole": string(good), "none": "", "torn": string(good[:len(good)-20]), "torn before": "{\"id\":\"x" + string(good),
		"binary": "\x00\xff\n\n\n" + string(good), "a long line": strings.Repeat("x", 3*mostLine) + "\n" + string(good),
		"gone": strings.ReplaceAll(string(good), idAt(2), "../../etc"), "no fields": "{}\n[]\nnull\n" + string(good),
		"another file": strings.ReplaceAll(string(good), RunFile, "../run.json"),
		"other size":   strings.ReplaceAll(lie, `"size":`, `"size":1`),
		"other time":   strings.ReplaceAll(lie, `"changed":1`, `"changed":2`),
		"twice":        strings.Repeat(string(good), 1000),
	} {
		if err := os.WriteFile(s.index(), []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, when := range []string{"first", "then"} {
			if diff := cmp.Diff(want, brief(list(t, s))); diff != "" {
				t.Errorf("%s, %s: %s", name, when, diff)
			}
		}
		if info, err := os.Stat(s.index()); err != nil || info.Size() > int64(len(good))+4*mostLine {
			t.Errorf("%s: the index was not written anew: %v, %v", name, info, err)
		}
	}
	if err := errors.Join(os.Remove(s.index()), os.Mkdir(s.index(), 0o755)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, brief(list(t, s))); diff != "" {
		t.Errorf("a directory: %s", diff)
	}
}

// Of a file that is on no disk it is not known when its inode changed.
func TestAFileWithoutAnInode(t *testing.T) {
	info, err := fstest.MapFS{"a": {}}.Stat("a")
	if err != nil || inodeChanged(info) != 0 {
		t.Errorf("%v, %v", inodeChanged(info), err)
	}
}

// A document that changed, went or came is seen, and so is one that cannot be read.
func TestListFollowsTheDocuments(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	for i := range 3 {
		write(t, s.Path(idAt(i)), aRun(idAt(i), 1))
	}
	list(t, s)
	write(t, s.Path(idAt(0)), aRun(idAt(0), 64))
	write(t, s.Path(idAt(2)), `{"schema": "plimsoll.run/v1", x`)
	write(t, s.Path(idAt(3)), aRun(idAt(3), 4))
	if err := os.RemoveAll(filepath.Dir(s.Path(idAt(1)))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := brief(list(t, s))
		if len(got) != 3 || got[0] != idAt(3)+" chat 4 clients, 10s" || !strings.Contains(got[1], "run.json:1: not a run") ||
			got[2] != idAt(0)+" chat 64 clients, 10s" {
			t.Errorf("%q", got)
		}
	}
}

// What is saved while others save and list is in the list, and in the index for the next one.
func TestManySaveAndListAtOnce(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	const savers, each = 4, 20
	var all sync.WaitGroup
	for k := range savers {
		all.Go(func() {
			for i := range each {
				id := idAt(k*each + i)
				doc := aRun(id, 7)
				path := s.Path(id)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), rundoc.WriteFile(path, doc)); err != nil {
					t.Error(err)
				}
				found := Saved{Path: path, Run: doc}
				s.Add(id, found.Describe(noKind))
				if i%5 == 0 {
					if _, _, err := s.List(noKind, Choice{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for range 2 {
		entries := list(t, s)
		for _, e := range entries {
			if e.Load != "7 clients, 10s" {
				t.Errorf("%+v", e)
			}
		}
		if len(entries) != savers*each {
			t.Errorf("%d entries", len(entries))
		}
	}
	if known, _ := s.readIndex(); len(known) != savers*each {
		t.Errorf("the index has %d", len(known))
	}
}

// A run that was saved is listed without its document being read.
func TestAddedIsNotRead(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	doc := aRun(idAt(0), 2)
	write(t, s.Path(idAt(0)), doc)
	found := Saved{Run: doc}
	s.Add(idAt(0), found.Describe(noKind))
	entries, _, err := s.List(func(string) report.Kind {
		t.Error("it was read")
		return report.Kind{}
	}, Choice{})
	if err != nil || len(entries) != 1 || entries[0].Load != "2 clients, 10s" {
		t.Errorf("%+v, %v", entries, err)
	}
}

// A directory that cannot be written to is listed all the same.
func TestListOfAReadOnlyDirectory(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 2))
	if err := os.Chmod(s.Dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(s.Dir, 0o755) })
	if got := brief(list(t, s)); len(got) != 1 || got[0] != idAt(0)+" chat 2 clients, 10s" {
		t.Errorf("%q", got)
	}
}

// A set is one entry, with what it varies, its best level, its verdict and how far it came.
func TestASetIsOneEntry(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	aSet(t, s, 0, 2, 9)
	got := list(t, s)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	e := got[0]
	if e.What() != "sweep chat" || e.Rate != "800/s at 8" || e.Verdict != "suspect" || e.Remark != ", 2 of 9 runs completed" ||
		e.Shown != "demo" || !e.Open || !cmp.Equal(e.Labels, []string{"nightly"}) {
		t.Errorf("%+v", e)
	}
}

// Names lead to whole runs and sets, and to members of sets.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	set := aSet(t, s, 10, 3, 3)
	set.Members[2].Path, set.Members[2].Error = "", "it was refused"
	write(t, filepath.Join(s.SetDir(set.ID), SetFile), set)
	if err := os.MkdirAll(filepath.Join(s.Dir, idAt(30)), 0o755); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	member := func(i int) string { return filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11+i)), RunFile) }
	for name, want := range map[string]string{
		"last": filepath.Join(s.SetDir(set.ID), SetFile), "last~1": s.Path(idAt(0)), idAt(0): s.Path(idAt(0)),
		"20261121T100000": s.Path(idAt(0)), "last/1": member(0), "last/2": member(1), set.ID + "/2": member(1),
		"last/" + idAt(12): member(1), "last/20261121T100012": member(1), idAt(12): member(1),
		s.SetDir(set.ID) + "/2": member(1), s.SetDir(set.ID) + "/" + idAt(12): member(1),
	} {
		if got, err := s.Find(name); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "kept", "set") // where --out put it
	if err := os.CopyFS(elsewhere, os.DirFS(s.SetDir(set.ID))); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(MemberDir(elsewhere, idAt(12)), RunFile)
	for _, name := range []string{elsewhere + "/2", filepath.Join(elsewhere, SetFile) + "/2", elsewhere + "/" + idAt(12)} {
		if got, err := s.Find(name); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		elsewhere + "/4": `set has no member "4"`, filepath.Dir(elsewhere) + "/1": "no such file",
		"last/0": `last has no member "0"`, "last/4": `no member "4"`, "last/": `no member ""`, "last/x": `no member "x"`,
		"last/2026": `no member "2026"`, "last/../" + idAt(0): "no member", "last~1/1": "last~1 is a single run",
		"last/3": "the document of clients 3 was not saved", "last~2": "last~2 is too far back", "nothing/1": "cannot read the run",
		idAt(30): "no run ", idAt(77): "no run ", "..": "no run ",
	} {
		if got, err := s.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
}

// last passes over what is not whole, as long as anything is, and not over what another version can read.
func TestLastIsWhole(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(3)), `{"schema": "plimsoll.run/v1", "id"`)
	_, err := s.Load("last")
	if err == nil || !strings.Contains(err.Error(), "cannot read the run: ") ||
		fault.HintOf(err) != "'plimsoll runs rm "+idAt(3)+"' removes it" {
		t.Errorf("%v, %q", err, fault.HintOf(err))
	}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	write(t, s.Path(idAt(1)), aRun(idAt(1), 1))
	write(t, s.Path(idAt(2)), "")
	for name, want := range map[string]string{"last": s.Path(idAt(1)), "last~1": s.Path(idAt(0))} {
		for range 2 { // without an index, and with one
			if got, err := s.Find(name); err != nil || got != want {
				t.Errorf("%s: %s, %v", name, got, err)
			}
			list(t, s)
		}
	}
	if _, err := s.Find("last~2"); err == nil || err.Error() != "last~2 is too far back: there are only 2 saved runs" {
		t.Error(err)
	}
	write(t, s.Path(idAt(4)), `{"schema": "plimsoll.run/v7"}`)
	if got, err := s.Find("last"); err != nil || got != s.Path(idAt(4)) {
		t.Errorf("%s, %v", got, err)
	}
}

// What takes a run alone refuses a set, and says how to name a run of it.
func TestLoadRunRefusesASet(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	aSet(t, s, 0, 1, 1)
	_, err := s.LoadRun("last")
	if err == nil || err.Error() != "last is a sweep, not a single run" ||
		fault.HintOf(err) != "use one of its members, such as last/1 for the first one" {
		t.Errorf("%v, %q", err, fault.HintOf(err))
	}
	if doc, err := s.LoadRun("last/1"); err != nil || doc.ID != idAt(1) {
		t.Errorf("%v, %v", doc, err)
	}
	path := filepath.Join(t.TempDir(), "kept.json")
	set, err := s.Load("last")
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, set.Set)
	if found, err := s.Load(path); err != nil || found.Set == nil || found.Run != nil {
		t.Errorf("a set under another name: %+v, %v", found, err)
	}
}

// List notices an edit that keeps the size and resets the modification time, where inodes have a change time.
func TestListSeesAnEditThatResetsTheModificationTime(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	path := s.Path(idAt(0))
	write(t, path, aRun(idAt(0), 2))
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if inodeChanged(before) == 0 {
		if slices.Contains([]string{"linux", "darwin", "freebsd", "netbsd"}, runtime.GOOS) {
			t.Fatal("the change time of the inode is unknown on a system that has it")
		}
		t.Skip("this system has no change time of inodes")
	}
	list(t, s)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = []byte(strings.Replace(string(data), `"clients": 2`, `"clients": 7`, 1))
	if err := errors.Join(os.WriteFile(path, data, 0o600), os.Chtimes(path, before.ModTime(), before.ModTime())); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Fatalf("%v, %v", after, err)
	}
	if got := brief(list(t, s)); len(got) != 1 || !strings.HasSuffix(got[0], " 7 clients, 10s") {
		t.Errorf("%q", got)
	}
}
