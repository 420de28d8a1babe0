package template

// The part of an address that has been read.
const (
	scheme = iota
	host
	behind // path, query, fragment
)

// addressPart follows an address as far as it matters for what may stand in it: its host must not change. An address
// without a scheme is a path.
type addressPart struct {
	part    int
	slashes int // of the two behind the scheme
	begun   bool
}

func (a *addressPart) next(c byte) {
	switch {
	case a.part == scheme && !a.begun && c == '/':
		a.part = behind
	case a.part == scheme && c == '/':
		if a.slashes++; a.slashes == 2 {
			a.part = host
		}
	case a.part == scheme && (c == '?' || c == '#'), a.part == host && (c == '/' || c == '?' || c == '#'):
		a.part = behind
	}
	a.begun = true
}

// jsonPart knows whether the text so far ends within a string.
type jsonPart struct {
	inString bool
	escaped  bool
}

func (j *jsonPart) next(c byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case j.inString && c == '\\':
		j.escaped = true
	case c == '"':
		j.inString = !j.inString
	}
}

// value says that a value stands here: it ends nothing that it stands in.
func (j *jsonPart) value() { j.escaped = false }
