package saved

import "path/filepath"

// Unfinished finds what a run has left that was killed, or is not over: the path of its UnfinishedFile. Names are those
// of Find, and such runs count there, too: last is the newest of all. Where the name is that of a document, path is
// "", and document is a name for Find: the same, or the id that it leads to.
func (s *Runs) Unfinished(name string) (path, document string, err error) {
	if path := unfinishedIn(name); path != "" {
		return path, "", nil
	}
	if _, found, err := documentAt(name); found || err != nil {
		return "", name, nil // Find says what is wrong
	}
	folders, err := s.folders()
	if err != nil {
		return "", "", err
	}
	if back, ok := fromLast(name); ok {
		return s.lastOfAll(name, back, folders)
	}
	ids := beginningWith(name, folders)
	if len(ids) != 1 {
		return "", name, nil
	}
	return unfinishedIn(filepath.Join(s.Dir, ids[0])), name, nil
}

// lastOfAll is the run so many before the last, of those with a whole document and of those without any.
func (s *Runs) lastOfAll(name string, back int, folders []string) (path, document string, err error) {
	known, _ := s.readIndex()
	for _, id := range folders {
		path := unfinishedIn(filepath.Join(s.Dir, id))
		if path == "" && !s.isWhole(id, known[id]) {
			continue
		}
		if back == 0 {
			return path, id, nil
		}
		back--
	}
	return "", name, nil
}

// unfinishedIn is what a run without a document has left in its folder; "" when there is none.
func unfinishedIn(dir string) string {
	path := filepath.Join(dir, UnfinishedFile)
	if !isRegular(path) || documentIn(dir) != "" {
		return ""
	}
	return path
}
