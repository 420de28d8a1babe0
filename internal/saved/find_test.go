package saved

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What is kept has the whole of an id, and of a member the whole id or the number.
func TestKept(t *testing.T) {
	s := &Runs{Dir: filepath.Join(t.TempDir(), "runs")}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	write(t, s.Path("../beside"), aRun(idAt(5), 1)) // which nobody keeps
	set := aSet(t, s, 10, 2, 3)
	set.Members = append(set.Members, setdoc.Member{Name: "clients 3"})
	doc := filepath.Join(s.SetDir(set.ID), SetFile)
	write(t, doc, set)
	if err := os.MkdirAll(filepath.Join(s.Dir, idAt(30)), 0o755); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	member := func(i int) string { return filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11+i)), RunFile) }
	for of, want := range map[[2]string]string{
		{idAt(0), ""}: s.Path(idAt(0)), {idAt(0), "1"}: "", {idAt(30), ""}: "", {idAt(30), "1"}: "", {"", ""}: "",
		{"last", ""}: "", {idAt(0)[:8], ""}: "", {"..", ""}: "", {"../beside", ""}: "", {idAt(10), ""}: doc,
		{idAt(10), "1"}: member(0), {idAt(10), "2"}: member(1), {idAt(10), idAt(11)}: member(0), {idAt(10), idAt(12)}: member(1),
		{idAt(10), "0"}: "", {idAt(10), "4"}: "", {idAt(10), idAt(1)}: "", {idAt(10), "../x"}: "",
	} {
		if got, err := s.Kept(of[0], of[1]); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", of, got, err, want)
		}
	}
	if got, err := s.Kept(idAt(10), "3"); got != "" || err == nil || err.Error() != "the document of clients 3 was not saved" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := MemberOf(doc, ""); got != "" || err != nil { // one without an id is not called by none
		t.Errorf("%q, %v", got, err)
	}
	write(t, doc, "torn")
	if got, err := s.Kept(idAt(10), "1"); got != "" || err == nil || !strings.HasPrefix(err.Error(), "cannot read the set: ") {
		t.Errorf("%q, %v", got, err)
	}
	s.Dir = doc // no directory
	if got, err := s.Kept(idAt(10), ""); got != "" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.Find(idAt(10)); got != "" || err == nil || !strings.Contains(err.Error(), "cannot list the saved runs") {
		t.Errorf("%q, %v", got, err)
	}
	if list, _, err := s.List(noKind, Choice{}); list != nil || err == nil {
		t.Errorf("%v, %v", list, err)
	}
}

// A beginning of several ids names some of them, and a name that nothing has the nearest, if anything is saved.
func TestNamesThatFindNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Runs{Dir: t.TempDir()}
	const list = "'plimsoll runs' lists the saved runs"
	refused := func(name, want, hint string) {
		t.Helper()
		if got, err := s.Find(name); err == nil || got != "" || !strings.HasSuffix(err.Error(), want) || fault.HintOf(err) != hint {
			t.Errorf("%s: %q, %v, %q; want %s, %s", name, got, err, fault.HintOf(err), want, hint)
		}
	}
	const none = "neither a file nor a saved run has this name"
	refused("lst", none, list)
	refused("last", "there are no saved runs, so there is no last", "create one with 'plimsoll chat'")
	var ids []string
	for i := range 6 {
		write(t, s.Path(idAt(i)), aRun(idAt(i), 1))
		ids = append([]string{idAt(i)}, ids...)
		switch i {
		case 0:
			refused("lst", none, "did you mean last? "+list)
			refused("quite another", none, list)
		case 4:
			refused("2026", "matches 5 runs: "+strings.Join(ids, ", "), "use more of the id")
		case 5:
			refused("2026", "matches 6 runs: "+strings.Join(ids[:5], ", ")+" and 1 more", "use more of the id")
		}
	}
	for name, want := range map[string]string{"last~0": idAt(5), "latest": idAt(5), "last~1": idAt(4), "last~5": idAt(0)} {
		if got, err := s.Find(name); got != s.Path(want) || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	refused("last~6", "last~6 is too far back: there are only 6 saved runs", "'plimsoll runs' lists them")
	for _, name := range []string{"last~-1", "last~x", "last~"} {
		if _, err := s.Find(name); err == nil || !strings.Contains(err.Error(), none) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile("x.json", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find("x.json"); got != "x.json" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, found, err := documentAt("x.json"); got != "x.json" || !found || err != nil {
		t.Errorf("%s, %v, %v", got, found, err)
	}
}
