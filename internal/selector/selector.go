package selector

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// part is what of an answer a selector names.
type part uint8

const (
	status part = iota
	header
	cookie
	inJSON
	pattern
	body
	size
	sum
)

// Selector names a part of an answer.
type Selector struct {
	text string
	part part
	name string // of the header or the cookie, or the path
	re   *regexp.Regexp
}

// String is the selector as it was written.
func (s *Selector) String() string { return s.text }

// Parse reads a selector:
//
//	status              header NAME         body
//	size                cookie NAME         json PATH         regexp PATTERN
//
// A path is one of gjson. Of a pattern its first group is meant, or the whole of what it matches where it has none.
func Parse(text string) (*Selector, error) {
	s, rest, err := parse(text)
	if err == nil && s.part != pattern {
		err = noPlaces(text)
	}
	if err == nil && rest != "" {
		e := fault.New(fault.Usage, "%q: unexpected %q after %s", text, rest, strings.TrimSuffix(text, rest))
		err = pointing(e, text, rest).Hint("remove it")
	}
	return s, err
}

// selectors are their words, in the order of the parts.
var selectors = [...]string{"status", "header", "cookie", "json", "regexp", "body", "size"}

// parse reads the selector that a text begins with, and gives what stands behind it.
func parse(text string) (*Selector, string, error) {
	word, rest := cutWord(text)
	s := &Selector{text: strings.TrimSpace(text)}
	missing := func(what, example string) (*Selector, string, error) {
		text = strings.TrimSpace(text)
		return nil, "", fault.New(fault.Usage, "%q: %s is missing", text, what).Point(text+" ", len(text)+1, len(text)+1).
			Hint("use a selector such as %s", example)
	}
	switch word {
	case "status", "body", "size":
		s.part = map[string]part{"status": status, "body": body, "size": size}[word]
		return s, rest, nil
	case "header", "cookie":
		s.part = map[string]part{"header": header, "cookie": cookie}[word]
		if s.name, rest = cutWord(rest); s.name == "" {
			return missing("the name", word+" "+map[string]string{"header": "Location", "cookie": "session"}[word])
		}
		return s, rest, nil
	case "json":
		if s.name, rest = cutPath(rest); s.name == "" {
			return missing("the path", "json data.items.0.id")
		}
		if meant := dotted(s.name); meant != s.name {
			return nil, "", fault.New(fault.Usage, "%q: the path %s uses the syntax of JSONPath or JavaScript", text, s.name).
				Hint("write json %s; put a \\ before a bracket that is part of a name", meant)
		}
		s.part = inJSON
		return s, rest, nil
	case "regexp":
		if rest == "" {
			return missing("the pattern", `regexp token=(\w+)`)
		}
		re, err := regexp.Compile(rest)
		if err != nil {
			why, part := trouble(err, rest)
			return nil, "", pointing(fault.New(fault.Usage, "%q: %s", text, why), text, part).
				Hint("patterns use Go's syntax (RE2), which has neither (?=…) nor \\1")
		}
		s.part, s.re = pattern, re
		return s, "", nil
	}
	meant := ""
	if rest == "" {
		meant = "json " + dotted(word)
	}
	return nil, "", unknownWord(text, word, meant, selectors[:])
}

// noPlaces refuses a place: it would be compared, or looked for, as it is written.
func noPlaces(text string) error {
	_, behind, found := strings.Cut(text, "${")
	name, _, closed := strings.Cut(behind, "}")
	if !found || !closed {
		return nil
	}
	return fault.New(fault.Usage, "%q: the placeholder ${%s} is not supported here", text, name).
		Hint("use text that is the same for every request; to match a literal ${, use regexp \\$\\{")
}

// dotted is a path as it is written here: items.0.id for $.items[0].id and items[0].id, as others write it.
func dotted(path string) string {
	others := regexp.MustCompile(`^(\$|[\w-]+)(\.[\w-]+|\[\d+\]|\['[^'.]+'\])+$`)
	if !others.MatchString(path) || !strings.HasPrefix(path, "$") && !strings.Contains(path, "[") {
		return path
	}
	return strings.Join(strings.FieldsFunc(strings.TrimPrefix(path, "$"), func(c rune) bool {
		return strings.ContainsRune(".[]'", c)
	}), ".")
}

// unknownWord says what could stand there; meant is what somebody may have meant, or "".
func unknownWord(text, word, meant string, known []string) error {
	e := fault.New(fault.Usage, "%q begins with %q, which is not a part of a response", text, word)
	at := strings.Index(text, word)
	e = e.Point(text, at, at+len(word))
	if near := fault.Nearest(word, known); near != "" {
		return e.Hint("did you mean %s? The parts are %s", near, strings.Join(known, ", "))
	}
	if meant != "" {
		return e.Hint("did you mean '%s'? The parts are %s", meant, strings.Join(known, ", "))
	}
	return e.Hint("the parts are %s", strings.Join(known, ", "))
}

func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// cutPath cuts off a path, which may have spaces in brackets and in quotes: items.#(name=="a b").id
func cutPath(text string) (path, rest string) {
	depth, quoted, escaped := 0, false, false
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case (c == ' ' || c == '\t') && depth <= 0:
			return text[:i], strings.TrimSpace(text[i:])
		}
	}
	return text, ""
}

// Find gives what it names of an answer; false when that is not there. The value is part of the answer, or of its own.
func (s *Selector) Find(a *Answer) (value []byte, found bool) {
	switch s.part {
	case status:
		return strconv.AppendInt(nil, int64(a.Status), 10), true
	case size:
		return strconv.AppendInt(nil, a.Size, 10), true
	case header:
		if a.Fields == nil {
			return nil, false
		}
		return a.Fields.Value(s.name, 0)
	case cookie:
		return s.findCookie(a)
	case inJSON:
		if v := s.inJSON(a); v.Exists() {
			return valueOf(v), true
		}
		return nil, false
	case pattern:
		return s.match(a.Body)
	}
	return a.Body, true
}

func (s *Selector) inJSON(a *Answer) gjson.Result {
	if !a.isJSON() {
		return gjson.Result{}
	}
	return gjson.GetBytes(a.Body, s.name)
}

// valueOf is the contents of a string, and anything else as it is written.
func valueOf(v gjson.Result) []byte {
	if v.Type == gjson.String {
		return []byte(v.Str)
	}
	return []byte(v.Raw)
}

func (s *Selector) match(in []byte) ([]byte, bool) {
	at := s.re.FindSubmatchIndex(in)
	if at == nil {
		return nil, false
	}
	from, to := at[0], at[1]
	if s.re.NumSubexp() > 0 {
		from, to = at[2], at[3]
	}
	if from < 0 { // the first group is in a branch that did not match
		return nil, false
	}
	return in[from:to], true
}

// findCookie returns the value of a cookie in the Set-Cookie headers (RFC 6265, section 5.2). Of several of its name a
// client keeps the last: servers remove a cookie and set it again in one response.
func (s *Selector) findCookie(a *Answer) (value []byte, found bool) {
	if a.Fields == nil {
		return nil, false
	}
	for n := 0; ; n++ {
		field, more := a.Fields.Value("Set-Cookie", n)
		if !more {
			return value, found
		}
		pair, _, _ := bytes.Cut(field, []byte{';'})
		if name, v, is := bytes.Cut(pair, []byte{'='}); is && string(bytes.TrimSpace(name)) == s.name {
			value, found = bytes.TrimSpace(v), true
		}
	}
}

// Needs is what of an answer must be there to look at.
type Needs struct {
	Body bool // the body, beyond its size
	Sum  bool // its SHA-256
}

// And is what both need.
func (n Needs) And(m Needs) Needs { return Needs{Body: n.Body || m.Body, Sum: n.Sum || m.Sum} }

// Needs is what of an answer the selector looks at.
func (s *Selector) Needs() Needs {
	return Needs{Body: s.part == inJSON || s.part == pattern || s.part == body}
}

// Warning says what the selector costs where that is much; "" where it is not.
func (s *Selector) Warning() string {
	if s.part != pattern {
		return ""
	}
	if prefix, _ := s.re.LiteralPrefix(); prefix != "" {
		return ""
	}
	return strconv.Quote(s.text) + " takes about 30 µs per KiB of response: a pattern that begins with literal " +
		"letters is about a hundred times as fast, and so is a JSON path"
}

// trouble is what is wrong with a pattern, in one line, whatever stands in it, and which part of it that is.
func trouble(err error, pattern string) (why, part string) {
	known := &syntax.Error{Code: "invalid pattern", Expr: pattern}
	errors.As(err, &known)
	return fmt.Sprintf("%s: %q", known.Code, known.Expr), known.Expr
}

// pointing has an error show a part of a text, the last one that is so, or else its end.
func pointing(e *fault.Error, text, part string) *fault.Error {
	at := strings.LastIndex(text, part)
	if at < 0 {
		return e.Point(text, len(text), len(text))
	}
	return e.Point(text, at, at+len(part))
}
