package template

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withEnv are names with one column, one kept value, and a variable that needs escaping wherever it stands.
func withEnv(of Of) *Known {
	return &Known{Of: of, Columns: []string{"c"}, Kept: []string{"k"}, Env: func(name string) (string, bool) {
		return `"/ q`, name == "Q"
	}}
}

// What is refused beside what the other tests have, and what to do.
func TestRefusalsAreExplained(t *testing.T) {
	for _, c := range []struct {
		known      *Known
		text, want string // "": it is taken
	}{
		{&Known{}, "${env.X}", `the environment has no variable "X"; set it before you start Plimsoll: export X=…`},
		{&Known{}, "${csv.x}", `no CSV file is given for column "x"; add --data-file FILE`},
		{&Known{Of: OfMessage}, "${csv.x}", `no CSV file is given for column "x"; add csv: FILE at the top level of the file`},
		{&Known{Of: OfConnection}, "${room 8}", "room takes no arguments; write ${room}"},
		{&Known{}, "${text 16777216}", ""},
		{&Known{}, "${text 16777217}", "text takes a number of characters, at most 16777216; for example ${text 200}"},
		{&Known{}, "${text -1}", "text takes a number of characters, at most 16777216; for example ${text 200}"},
		{&Known{}, "${text 9223372036854775807}", "text takes a number of characters, at most 16777216; for example " +
			"${text 200}"},
		{&Known{}, "${now unix unix}", `"unix unix" is not a time format; known formats: rfc3339, unix, unix_ms, unix_us, unix_ns, http, rfc3339_us`},
		{&Known{}, "x${", "the placeholder is not closed: a } is missing; write $${ for a literal ${"},
	} {
		_, err := Compile(c.text, Raw, c.known)
		var wrong *Error
		if errors.As(err, &wrong); c.want == "" && err != nil || c.want != "" && (wrong == nil || wrong.Why+"; "+wrong.Hint != c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// A draw of what is secret is secret itself, and so is what it stands in.
func TestSecretsAreNotDrawn(t *testing.T) {
	known := withEnv(OfMessage)
	for _, d := range [][2]string{{"secret", "${env.Q}"}, {"open", "x"}} {
		draw, err := NewDraw(d[0], d[1], known)
		if err != nil {
			t.Fatal(err)
		}
		known.Draws = append(known.Draws, draw)
	}
	for text, want := range map[string]bool{"${secret}": true, "${open}": false, "${env.Q}${open}": true, "${secret}${open}": true, "x": false} {
		if c, err := Compile(text, Raw, known); err != nil || c.Secret() != want {
			t.Errorf("%s: %v, %v", text, c.Secret(), err)
		}
	}
}

// A seed that a report names draws in another version what it drew in this one.
func TestSeedDeterminesDraws(t *testing.T) {
	c, err := Compile("${id}|${uuid}|${int -5 1000000000}|${pick a|b|c|d|e|f}|${text 160}", Raw, withEnv(OfRequest))
	if err != nil {
		t.Fatal(err)
	}
	const want = "42ebe1abcaad9f61|0a184134-95a5-4419-a5e9-ab7d79538ea3|441893610|b|crkkrj tqt hfufeq cltopy knfc cqxed gzc " +
		"vodmbxyajt dlvhulhr ouwelb vnrx oix cx qirimf kmnlr sfua sg jjcp kylyjzxwdx qrzmjb mb jneomlka fjwczbjkur zztqergulb bri"
	if diff := cmp.Diff(want, string(c.Append(nil, &Values{Seed: 7, Index: 41}))); diff != "" {
		t.Error(diff)
	}
	// The same values may be used again for another operation.
	v := &Values{}
	for _, of := range []Values{{Seed: 7, Index: 41}, {Seed: 8, Index: 41}, {Seed: 8, Index: 42}, {Seed: 7, Index: 42}, {}, {Index: 1}} {
		v.Seed, v.Index = of.Seed, of.Index
		if again, fresh := string(c.Append(nil, v)), string(c.Append(nil, &Values{Seed: of.Seed, Index: of.Index})); again != fresh {
			t.Errorf("%+v: %q, and at first %q", of, again, fresh)
		}
	}
}

// A template can be taken apart at its beginning.
func TestConstantPrefix(t *testing.T) {
	v := &Values{Client: 3}
	for text, want := range map[string]struct{ leading, after, before string }{
		"":            {"", "", "x-"},
		"ab":          {"ab", "b", "x-ab"},
		"ab${client}": {"ab", "b3", "x-ab3"},
		"${client}b":  {"", "", "x-3b"},
	} {
		c, err := Compile(text, Raw, withEnv(OfRequest))
		if err != nil {
			t.Fatal(err)
		}
		whole := string(c.Append(nil, v))
		if got := c.Leading(); got != want.leading {
			t.Errorf("%q: it begins with %q", text, got)
		}
		if got := string(c.After(0).Append(nil, v)); got != whole {
			t.Errorf("%q: without nothing it is %q", text, got)
		}
		if want.leading != "" {
			if got := string(c.After(1).Append(nil, v)); got != want.after {
				t.Errorf("%q: %q", text, got)
			}
		}
		if got := string(c.Before("x-").Append(nil, v)); got != want.before || string(c.Append(nil, v)) != whole {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What is escaped in a template is all but its places.
func TestPlaceholderAsWritten(t *testing.T) {
	value := []byte("a b")
	if got := string(Escape(value, Form)); got != "a+b" || string(value) != "a b" {
		t.Errorf("%q of %q", got, value)
	}
	for text, want := range map[string]string{
		"": "", "a b": "a+b", "${x y}": "${x y}", "a ${x} b${y}": "a+${x}+b${y}", "$${x} ": "%24%7Bx%7D+", " $${x": "+%24%7Bx", "$": "%24",
		"%${x}": "%25${x}", "a$ ${x}": "a%24+${x}", "${x}$${y}${z}": "${x}%24%7By%7D${z}",
	} {
		if got, err := Written(text, Form); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	_, err := Written("a ${x} ${y", Form)
	if want := (&Error{Text: "a ${x} ${y", At: 7, To: 10, Why: "the placeholder is not closed: a } is missing",
		Hint: "write $${ for a literal ${"}); !cmp.Equal(err, error(want)) {
		t.Errorf("%+v", err)
	}
}
