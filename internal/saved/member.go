package saved

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/setdoc"
)

// memberOf is the document of a member of a set, both as a person calls them; "" when no set is called so. A set that
// was put elsewhere is called by the path of its folder.
func (s *Runs) memberOf(set, member string) (string, error) {
	doc, elsewhere, _ := documentAt(set) // what is no path may be an id
	if !elsewhere {
		id, err := s.id(set)
		if err != nil {
			return "", nil
		}
		doc = s.document(id)
	}
	switch {
	case filepath.Base(doc) == SetFile:
	case elsewhere:
		return "", nil
	default:
		return "", fault.New(fault.Usage, "%s is a single run: it has no member %q", set, member).
			Hint("remove the / and what follows")
	}
	list, err := readSet(doc)
	if err != nil {
		return "", fault.New(fault.Usage, "cannot read the set: %w", err)
	}
	if n, err := strconv.Atoi(member); err == nil && n >= 1 && n <= len(list.Members) {
		return memberPath(doc, &list.Members[n-1])
	}
	var ids []string
	for i := range list.Members {
		ids = append(ids, list.Members[i].ID)
	}
	found := beginningWith(member, ids)
	if member == "" || len(found) != 1 {
		return "", fault.New(fault.Usage, "%s has no member %q", set, member).
			Hint("its members are %s/1 to %s/%d in their order, or their ids",
				set, set, len(ids))
	}
	at := slices.Index(ids, found[0])
	return memberPath(doc, &list.Members[at])
}

// memberPath is the document of a member of the set whose own document this is.
func memberPath(set string, m *setdoc.Member) (string, error) {
	if m.Path == "" {
		e := fault.New(fault.Usage, "the document of %s was not saved", m.Name)
		if m.Error != "" {
			return "", e.Hint("it failed: %s", fault.OneLine(m.Error))
		}
		return "", e
	}
	return filepath.Join(filepath.Dir(set), filepath.FromSlash(m.Path)), nil
}

// anyMember is the document of the member of any set that has this id, "" when none has.
func (s *Runs) anyMember(id string) string {
	if id != filepath.Base(id) || id == "." || id == ".." {
		return ""
	}
	folders, err := s.folders()
	if err != nil {
		return ""
	}
	for _, set := range folders {
		if path := documentIn(MemberDir(s.SetDir(set), id)); path != "" {
			return path
		}
	}
	return ""
}
