package saved

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Find turns what a person calls a run or a set into the path of its document: a path, an id, the unique beginning of
// one, last, or last~N for the N-th before the last. Behind the name of a set, or the path of its directory, and a
// slash stands one of its members: its number in the order in which they were made, its id, or the beginning of that.
// The whole id of a saved member finds it, too.
func (s *Runs) Find(name string) (string, error) {
	if name == "" { // the beginning of every id
		return "", fault.New(fault.Usage, "the name of the run is empty").
			Hint("'plimsoll runs' lists the saved runs; last is the newest")
	}
	path, found, err := documentAt(name)
	switch {
	case found:
		return path, nil
	case err != nil:
		// An id has no slash, and a path may have many.
		for _, i := range []int{strings.IndexByte(name, '/'), strings.LastIndexByte(name, '/')} {
			if i <= 0 {
				continue
			}
			if path, in := s.memberOf(name[:i], name[i+1:]); in != nil || path != "" {
				return path, in
			}
		}
		return "", err
	}
	id, err := s.id(name)
	if err != nil {
		if path := s.anyMember(name); path != "" {
			return path, nil
		}
		return "", err
	}
	return s.document(id), nil
}

// Kept is the document of the run or set among those kept that has this id, or, where member is not "", of the member
// of that set that has this number or id; "" when there is none. The id is looked for among those that are there:
// whatever it is, nothing else in the file system is touched.
func (s *Runs) Kept(id, member string) (path string, err error) {
	folders, err := s.folders()
	if err != nil || !slices.Contains(folders, id) {
		return "", err
	}
	path = s.document(id)
	if member == "" {
		return path, nil
	}
	return MemberOf(path, member)
}

// MemberOf is the document of the member that has this number or id, of the set whose own document this is; "" when it
// has none.
func MemberOf(set, member string) (path string, err error) {
	if filepath.Base(set) != SetFile {
		return "", nil
	}
	list, err := readSet(set)
	if err != nil {
		return "", fault.New(fault.Usage, "cannot read the set: %w", err)
	}
	for i := range list.Members {
		m := &list.Members[i]
		if member == m.ID && m.ID != "" || member == strconv.Itoa(i+1) {
			return memberPath(set, m)
		}
	}
	return "", nil
}

// id is the id of the run or set among those kept that a person calls so.
func (s *Runs) id(name string) (string, error) {
	ids, err := s.IDs()
	if err != nil {
		return "", err
	}
	if back, ok := fromLast(name); ok {
		return s.fromLast(name, back, ids)
	}
	matches := beginningWith(name, ids)
	switch len(matches) {
	case 1:
		return matches[0], nil
	case 0:
		return "", noRun(name, ids)
	}
	return "", fault.New(fault.Usage, "%q matches %d runs: %s", name, len(matches), someOf(matches)).
		Hint("use more of the id")
}

// beginningWith are the ids that begin so, or the one that this is.
func beginningWith(name string, ids []string) (matches []string) {
	for _, id := range ids {
		if id == name {
			return []string{id}
		}
		if strings.HasPrefix(id, name) {
			matches = append(matches, id)
		}
	}
	return matches
}

// noRun refuses a name that no run has, and finds the one that was meant.
func noRun(name string, ids []string) error {
	e := fault.New(fault.Usage, "no run %q: neither a file nor a saved run has this name", name)
	const list = "'plimsoll runs' lists the saved runs"
	names := []string{"last"}
	for back := range ids {
		names = append(names, "last~"+strconv.Itoa(back))
	}
	if near := fault.Nearest(name, append(names, ids...)); near != "" && len(ids) > 0 {
		return e.Hint("did you mean %s? %s", near, list)
	}
	return e.Hint("%s", list)
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
	path = documentIn(name)
	return path, path != "", nil // "": a directory that happens to have this name
}

// fromLast reads last and last~N, also where it is called latest, as in other tools.
func fromLast(name string) (back int, ok bool) {
	newest, n, counted := strings.Cut(name, "~")
	switch {
	case newest != "last" && newest != "latest":
		return 0, false
	case !counted:
		return 0, true
	}
	back, err := strconv.Atoi(n)
	return back, err == nil && back >= 0
}

// fromLast is the id of the last whole run or set, or of one before it: what cannot be read, as it was cut off, is
// passed over as long as anything can.
func (s *Runs) fromLast(name string, back int, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", fault.New(fault.Usage, "there are no saved runs, so there is no %s", name).
			Hint("create one with 'plimsoll chat'")
	}
	known := map[string]*Entry{}
	if back > 0 {
		known, _ = s.readIndex()
	}
	whole := 0
	for _, id := range ids {
		if !s.isWhole(id, known[id]) {
			continue
		}
		if whole == back {
			return id, nil
		}
		whole++
	}
	if whole == 0 && back == 0 {
		return ids[0], nil // whoever reads it says what is wrong
	}
	count := fmt.Sprintf("there are only %d saved runs", whole)
	if whole == 1 {
		count = "there is only 1 saved run"
	}
	return "", fault.New(fault.Usage, "%s is too far back: %s", name, count).
		Hint("'plimsoll runs' lists them")
}

// isWhole reports whether there is a document that can be read, or could by another version of Plimsoll. e is what the
// index says.
func (s *Runs) isWhole(id string, e *Entry) bool {
	path := s.document(id)
	if info, err := os.Stat(path); err == nil && e != nil && e.is(info) {
		return true
	}
	_, err := read(path)
	return err == nil || errors.Is(err, rundoc.ErrSchema) || errors.Is(err, setdoc.ErrSchema)
}
