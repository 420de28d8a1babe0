package planfile

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Call is one call of a kind's command, as somebody typed it.
type Call struct {
	Kind      string
	Arguments []string
	Settings  *setting.Set
	Changed   func(name string) bool // whether the flag was given
}

// Write is the plan file that equals a call: what was given, and nothing else. What may be secret is kept out of it,
// and a variable stands in its place; secrets has the values that these must have.
func Write(c Call) (file string, secrets map[string]string, err error) {
	w := &writer{secrets: map[string]string{}}
	var run strings.Builder
	fmt.Fprintf(&run, "plan: %s\nruns:\n  - kind: %s\n", Schema, c.Kind)
	if len(c.Arguments) > 0 {
		run.WriteString("    arguments:\n")
		for _, a := range c.Arguments {
			fmt.Fprintf(&run, "      - %s\n", w.scalar(w.url(a, "URL")))
		}
	}
	var settings, thresholds, left []string
	for _, one := range c.Settings.All() {
		switch {
		case one.Name == "" || !c.Changed(one.Name):
		case one.Name == threshold:
			for _, t := range one.Texts() {
				thresholds = append(thresholds, "      - "+w.scalar(escape(t))+"\n")
			}
		case refused(one.Name) != nil:
			left = append(left, "--"+one.Name)
		default:
			settings = append(settings, w.setting(one))
		}
	}
	if len(settings) > 0 {
		run.WriteString("    settings:\n" + strings.Join(settings, ""))
	}
	if len(thresholds) > 0 {
		run.WriteString("    thresholds:\n" + strings.Join(thresholds, ""))
	}
	if w.bad != "" {
		return "", nil, fault.New(fault.Usage, "%s is not valid UTF-8, which a plan file needs", w.bad)
	}
	return w.head(c.Kind, left) + run.String(), w.secrets, nil
}

// writer writes a plan, and keeps what it must not hold.
type writer struct {
	secrets map[string]string // by variable
	said    []string          // of each variable, in order: what it is
	bad     string            // what cannot be written
}

// head is the comment above a plan.
func (w *writer) head(kind string, left []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Plan of one run of 'plimsoll %s', with the flags given on its command line.\n"+
		"# Run it with 'plimsoll run FILE'. Add more runs under runs, and shared settings under defaults.\n", kind)
	if len(left) > 0 {
		fmt.Fprintf(&b, "# Left out because they control the output: %s. Set them for 'plimsoll run'.\n",
			strings.Join(left, ", "))
	}
	if len(w.said) > 0 {
		b.WriteString("# Values that may be secret were left out. Set these environment variables before you run the plan:\n")
		for _, line := range w.said {
			b.WriteString("#   " + line + "\n")
		}
	}
	return b.String()
}

// setting is the lines of a setting.
func (w *writer) setting(one *setting.Setting) string {
	texts := one.Texts()
	if !one.Several {
		texts = texts[max(0, len(texts)-1):] // the last one counts
	}
	var written []string
	for _, t := range texts {
		if !utf8.ValidString(t) {
			w.bad = "the value of --" + one.Name
		}
		written = append(written, w.scalar(w.public(one, t)))
	}
	if !one.Several {
		return fmt.Sprintf("      %s: %s\n", one.Name, strings.Join(written, ""))
	}
	return fmt.Sprintf("      %s:\n        - %s\n", one.Name, strings.Join(written, "\n        - "))
}

// public returns a value with variables in place of what may be secret. Its other dollars are doubled.
func (w *writer) public(one *setting.Setting, text string) string {
	if one.Secret && one.Kind == "url" {
		return w.url(text, variableName(one.Name))
	}
	public, secret := one.Split(text)
	name := strings.TrimRight(public, " :=")
	switch {
	case secret == "":
		return escape(public)
	case public == "":
		return w.hide(variableName(one.Name), one.Name, secret)
	}
	return escape(public) + w.hide(variableName(name), one.Name+" "+name, secret)
}

// hide keeps a value, and gives the variable that stands for it.
func (w *writer) hide(variable, what, value string) string {
	name := variable
	for n := 2; ; n++ {
		held, taken := w.secrets[name]
		if !taken {
			w.said = append(w.said, fmt.Sprintf("%s: %s", name, strings.Map(shown, what)))
		}
		if !taken || held == value {
			w.secrets[name] = value
			return "${" + name + "}"
		}
		name = fmt.Sprintf("%s_%d", variable, n)
	}
}

// url returns a URL with variables in place of the user, the password, the values of its query and its fragment. It
// returns text that cannot be parsed as a URL unchanged.
func (w *writer) url(raw, variable string) string {
	if !utf8.ValidString(raw) {
		w.bad = "an argument"
	}
	if redact.URL(raw) == raw && !redact.HasUser(raw) {
		return escape(raw)
	}
	u, err := url.Parse(raw)
	scheme, rest, found := strings.Cut(raw, "://")
	if err != nil || u.Opaque != "" || !found {
		return w.hide(variable, "the whole URL", raw)
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	path, query, asked := strings.Cut(rest, "?")
	host, path, slash := strings.Cut(path, "/")
	if slash {
		path = "/" + path
	}
	var b strings.Builder
	b.WriteString(escape(scheme) + "://")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		b.WriteString(w.hide(variable+"_USER", "user and password in the URL, as user:password", host[:at]) + "@")
		host = host[at+1:]
	}
	b.WriteString(escape(host + path))
	var pairs []string
	if asked {
		pairs = strings.Split(query, "&")
	}
	for i, pair := range pairs {
		name, value, hasValue := strings.Cut(pair, "=")
		b.WriteString([]string{"?", "&"}[min(i, 1)])
		switch {
		case !hasValue:
			b.WriteString(w.hide(variable+"_QUERY", "in the query of the URL", pair))
		case redact.URL("x://h?"+pair) == "x://h?"+pair:
			b.WriteString(escape(pair))
		default:
			b.WriteString(escape(name) + "=" + w.hide(variable+"_"+variableName(name), name+" in the URL", value))
		}
	}
	if fragment != "" {
		b.WriteString("#" + w.hide(variable+"_FRAGMENT", "fragment of the URL", fragment))
	}
	return b.String()
}

// variableName is the name of a variable, made of another name.
func variableName(of string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, strings.TrimSpace(of))
	if !isName(name) {
		name = "VALUE_" + name
	}
	return cmp.Or(name, "VALUE")
}

// shown makes a rune harmless in a comment.
func shown(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// bare is what YAML reads as it stands, in a list, too, and a person as a number, a time, a size, a word or a path.
var bare = regexp.MustCompile(`^-?[0-9A-Za-z/][0-9A-Za-z._/%-]*$`)

// scalar is a text as a value of YAML.
func (w *writer) scalar(s string) string {
	reserved := []string{"null", "yes", "no", "on", "off", "y", "n"}
	switch {
	case bare.MatchString(s) && !slices.Contains(reserved, strings.ToLower(s)):
		return s
	case !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) && !strings.ContainsAny(s, `'\`):
		return "'" + s + "'"
	}
	return doubleQuoted(s)
}

// doubleQuoted is a text in YAML's double quotes (YAML 1.2.2, 5.7), in which every character can be written.
func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(`\U` + fmt.Sprintf("%08s", strconv.FormatInt(int64(r), 16)))
		}
	}
	return b.String() + `"`
}
