package planfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// variables puts what the environment holds into the values of a file.
type variables struct {
	name   string // of the file
	lookup func(string) (string, bool)
	held   []held // what was put in
}

// held is the value of a variable that a file names.
type held struct{ name, value string }

// value is a text of a file with its variables put in.
type value struct {
	at      yamltree.Place
	text    string
	written string   // as it stands in the file
	names   []string // of the variables in it
}

// fill puts the variables into a text: ${NAME}, ${NAME:-what to take where it is not set or empty}, and $$ for a
// dollar. It is done when the file's structure is known, which no value can change any more.
func (v *variables) fill(n *yamltree.Node) (value, error) {
	got := value{at: n.At, written: n.Text}
	var b strings.Builder
	for rest := n.Text; ; {
		before, after, found := strings.Cut(rest, "$")
		b.WriteString(before)
		if !found {
			got.text = b.String()
			return got, nil
		}
		if behind, ok := strings.CutPrefix(after, "$"); ok {
			b.WriteByte('$')
			rest = behind
			continue
		}
		inside, behind, closed := strings.Cut(strings.TrimPrefix(after, "{"), "}")
		if !strings.HasPrefix(after, "{") || !closed {
			return got, yamltree.Misread(v.name, n.At, "single $ in a value").
				Hint("write $$ for a dollar sign, or ${NAME} for a variable")
		}
		name, otherwise, hasDefault := strings.Cut(inside, ":-")
		if !isName(name) {
			return got, yamltree.Misread(v.name, n.At, "${%s} is not a variable", inside).
				Hint("write ${NAME} or ${NAME:-default}, with letters, digits and _ in NAME; $$ is a dollar sign")
		}
		content, set := v.lookup(name)
		switch {
		case hasDefault && content == "":
			content = otherwise
		case !set:
			return got, yamltree.Misread(v.name, n.At, "the environment variable %s is not set", name).
				Hint("set it, or write ${%s:-default}", name)
		default:
			v.held = append(v.held, held{name, content})
			got.names = append(got.names, name)
		}
		b.WriteString(content)
		rest = behind
	}
}

// isName reports whether a shell could have a variable of that name.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// escape is a text as fill gives it back.
func escape(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// shortest is the length from which on the value of a variable is looked for in messages: a shorter one stands in half
// of all words.
const shortest = 4

// hide returns a message in which the values of variables, any of which may be secret, are replaced by their names.
// Where one value contains another, the longer is replaced; what has been replaced is not searched again.
func (v *variables) hide(message string) string {
	type form struct{ value, name string }
	var forms []form
	for _, h := range slices.Backward(v.held) {
		quoted := strconv.Quote(h.value)
		values := []string{h.value, strings.TrimSpace(h.value), quoted[1 : len(quoted)-1], strings.ToLower(h.value)}
		for _, value := range values {
			if len(value) >= shortest {
				forms = append(forms, form{value, "${" + h.name + "}"})
			}
		}
	}
	slices.SortStableFunc(forms, func(a, b form) int { return len(b.value) - len(a.value) })
	var pairs []string
	for _, f := range forms {
		pairs = append(pairs, f.value, f.name)
	}
	return strings.NewReplacer(pairs...).Replace(message)
}

// told is an error of another package's, in other words, as one of the file's.
func (v *variables) told(at yamltree.Place, err error, words func(string) string) *fault.Error {
	e := yamltree.Misread(v.name, at, "%s", v.hide(words(err.Error())))
	if hint := fault.HintOf(err); hint != "" {
		return e.Hint("%s", v.hide(words(hint)))
	}
	return e
}
