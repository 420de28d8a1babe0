package template

import "slices"

// Split is the text up to the first place that attempts of the same operation may have other values of, which are its
// id, its mark, a time, and what the connection keeps, and the rest from there. Both together render what t does.
func (t *Template) Split() (head, tail *Template) {
	i := slices.IndexFunc(t.segments, func(s segment) bool { return s.kind.ofAttempt() })
	if i < 0 {
		return t, &Template{}
	}
	first, second := *t, *t
	first.segments = append(slices.Clone(t.segments[:i]), segment{text: t.segments[i].text})
	second.segments = slices.Clone(t.segments[i:])
	second.segments[0].text = ""
	first.kept = nil
	return &first, &second
}

// ofAttempt reports whether attempts of the same operation may differ in it.
func (k kind) ofAttempt() bool {
	return k == number64 || k == mark || k == kept || k >= firstTime
}

// IDBits is how many bits its ${id N} has; 0 where it has none, or one without a bound.
func (t *Template) IDBits() uint { return t.idBits }

// UsesID reports whether the attempt's number is in it.
func (t *Template) UsesID() bool { return t.uses(number64) }

// UsesMark reports whether the attempt's mark is in it.
func (t *Template) UsesMark() bool { return t.uses(mark) }

// UsesRoom reports whether the room is in it, or in what it draws.
func (t *Template) UsesRoom() bool { return t.uses(room) }

func (t *Template) uses(k kind) bool {
	return slices.ContainsFunc(t.segments, func(s segment) bool {
		return s.kind == k || s.kind == drawn && s.of.uses(k)
	})
}

// UsesDraw reports whether a place of that name is in it.
func (t *Template) UsesDraw(name string) bool {
	return slices.ContainsFunc(t.segments, func(s segment) bool { return s.name == name })
}

// Least is how many bytes it renders at least.
func (t *Template) Least() int {
	n := 0
	for i := range t.segments {
		s := &t.segments[i]
		switch n += len(s.text); s.kind {
		case words:
			n += s.length
		case drawn:
			n += s.of.Least()
		}
	}
	return n
}
