package template

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withEnv are names with one column, one kept value, and a variable that needs escaping wherever it stands.
func withEnv(of Of) *Known {
	return &Known{Of: of, Columns: []string{"c"}, Kept: []string{"k"}, Env: func(name string) (string, bool) {
		return `"/ q`, name == "Q"
	}}
}

// Each character of a value stands for itself just where it may.
func TestEachCharacter(t *testing.T) {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
	compiled := func(text string, at Place) *Template {
		c, err := Compile(text, at, withEnv(OfRequest))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	value, raw, form := compiled("/${k}", URL), compiled("/${k raw}", URL), compiled("${k}", Form)
	header, inside := compiled("${k}", Header), compiled(`"${k}"`, JSON)
	for c := range 256 {
		s := string([]byte{byte(c)})
		v := &Values{Kept: [][]byte{[]byte(s)}}
		coded := fmt.Sprintf("%%%02X", c)
		check := func(of *Template, want string) {
			t.Helper()
			if got := string(of.Append(nil, v)); got != want {
				t.Errorf("%q becomes %q, want %q", s, got, want)
			}
		}
		asIs := func(is bool, otherwise string) string {
			if is {
				return s
			}
			return otherwise
		}
		isPlain := strings.Contains(unreserved, s)
		check(value, "/"+asIs(isPlain || c == '~', coded))
		check(raw, "/"+asIs(c > 0x20 && c < 0x7f && !strings.Contains("\"<>\\^`{|}", s), coded))
		check(form, asIs(isPlain || c == '*', strings.ReplaceAll(coded, "%20", "+")))
		check(header, asIs(c == '\t' || c >= 0x20 && c != 0x7f, " "))
		escaped, special := map[int]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}[c]
		switch {
		case special:
		case c < 0x20:
			escaped = fmt.Sprintf(`\u%04X`, c)
		case c > 0x7f:
			escaped = "\ufffd"
		default:
			escaped = s
		}
		check(inside, `"`+escaped+`"`)
	}
}

// What stands where, beside what the other tests have.
func TestWhereValuesStand(t *testing.T) {
	v := &Values{Seed: 7, Client: 30, Now: values().Now, Row: []string{`x"y`}}
	for _, c := range []struct {
		at         Place
		text, want string // "" where it is refused
	}{
		{URL, "http://h/a b?x=é|${client}", "http://h/a%20b?x=%C3%A9%7C30"},
		{URL, "http://ü |/", "http://ü |/"},
		{Raw, "/a b", "/a b"},
		{URL, "http://h/${client}", "http://h/30"},
		{URL, "http://h?x=${client}", "http://h?x=30"},
		{URL, "http://h#${client}", "http://h#30"},
		{URL, "?x=${client}", "?x=30"},
		{URL, "#${client}", "#30"},
		{URL, "a?${client}", "a?30"},
		{URL, "a/b${client}", ""},
		{URL, "http://h${client}", ""},
		{URL, "http://h@${client}", ""},
		{URL, "http://h$${client}/", "http://h${client}/"},
		{URL, "a@${client}", ""},
		{URL, "/x?q=${env.Q}", "/x?q=%22%2F%20q"},
		{JSON, `{"a":"${env.Q}"}`, `{"a":"\"/ q"}`},
		{Header, "${env.Q}", `"/ q`},
		{Form, "a=${env.Q}", "a=%22%2F+q"},
		{JSON, `{"e":"\"","n":${csv.c},"s":"${csv.c}"}`, `{"e":"\"","n":"x\"y","s":"x\"y"}`},
		{JSON, `{"e":"]","n":${csv.c}}`, `{"e":"]","n":"x\"y"}`},
		{JSON, `{"e":"\\","n":${csv.c}}`, `{"e":"\\","n":"x\"y"}`},
		{JSON, `["${pick "x"|"x"}",${pick "x"|"x"}]`, `["\"x\"","\"x\""]`},
		{JSON, "${k}", `""`},
		{STOMP, "S\n\n{\"a\":${csv.c}}", "S\n\n{\"a\":\"x\\\"y\"}"},
		{Raw, "${client} ${int 30 30} ${now rfc3339}", "30 30 2026-03-04T04:06:07.089Z"},
		{URL, "/${now}", "/2026-03-04T04%3A06%3A07.089Z"},
		{Form, "${now http}", "Wed%2C+04+Mar+2026+04%3A06%3A07+GMT"},
		{Header, "${now}", "2026-03-04T04:06:07.089Z"},
		{Raw, "${k}", ""},
	} {
		of, err := Compile(c.text, c.at, withEnv(OfRequest))
		if c.want == "" && c.text != "${k}" {
			if err == nil || !strings.Contains(err.Error(), "the same host for every request") {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := string(of.Append(nil, v)); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	// What is no number or literal of JSON is a text there.
	bare, err := Compile("${k}", JSON, withEnv(OfRequest))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"9": "9", "-1.5e3": "-1.5e3", "true": "true", "null": "null", " 1": `" 1"`, "1 ": `"1 "`, "\t1": `"\t1"`, `{"a":1}`: `"{\"a\":1}"`,
		"[1]": `"[1]"`, `"x"`: `"\"x\""`, "": `""`, "x": `"x"`, "!": `"!"`,
	} {
		if got := string(bare.Append(nil, &Values{Kept: [][]byte{[]byte(value)}})); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	// Words have spaces between them.
	for at, space := range map[Place]string{Raw: " ", URL: "%20", Form: "+", Header: " "} {
		of, err := Compile("/${text 60}", at, withEnv(OfRequest))
		if err != nil {
			t.Fatal(err)
		}
		got := string(of.Append(nil, v))
		if !strings.Contains(got, space) || space != " " && strings.Contains(got, " ") {
			t.Errorf("%q", got)
		}
	}
	for text, want := range map[string]string{`${text 9}`: `^"[a-z ]{9}"$`, `"${text 9}"`: `^"[a-z ]{9}"$`} {
		of, err := Compile(text, JSON, withEnv(OfRequest))
		if got := string(of.Append(nil, v)); err != nil || !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

// What is refused beside what the other tests have, and what to do.
func TestWhatIsRefusedAndWhy(t *testing.T) {
	for _, c := range []struct {
		known      *Known
		text, want string // "": it is taken
	}{
		{&Known{}, "${env.X}", `the environment has no variable "X"; set it where Plimsoll is started: export X=…`},
		{&Known{}, "${csv.x}", `there is no table with a column "x"; give one with --csv FILE`},
		{&Known{Of: OfMessage}, "${csv.x}", `there is no table with a column "x"; name one at the top of the file: csv: FILE`},
		{&Known{Of: OfConnection}, "${room 8}", "room takes nothing behind it; write ${room}"},
		{&Known{}, "${text 16777216}", ""},
		{&Known{}, "${text 16777217}", "text takes a number of characters, at most 16777216; such as ${text 200}"},
		{&Known{}, "${text -1}", "text takes a number of characters, at most 16777216; such as ${text 200}"},
		{&Known{}, "${text 9223372036854775807}", "text takes a number of characters, at most 16777216; such as ${text 200}"},
		{&Known{}, "${now unix unix}", `"unix unix" is no form of the time; the forms are rfc3339, unix, unix_ms, unix_us, unix_ns, http, rfc3339_us`},
		{&Known{}, "x${", "the place has no end: a } is missing; write $${ where ${ itself is meant"},
	} {
		_, err := Compile(c.text, Raw, c.known)
		var wrong *Error
		if errors.As(err, &wrong); c.want == "" && err != nil || c.want != "" && (wrong == nil || wrong.Why+"; "+wrong.Hint != c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// A draw of what is secret is secret itself, and so is what it stands in.
func TestSecretDraws(t *testing.T) {
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

// What a text draws does not depend on where an address leads, and on all the rest of it.
func TestWhatDrawsDependOn(t *testing.T) {
	drawn := func(text string, at Place) string {
		const place = "${int 1 1000000000000}"
		c, err := Compile(text+place, at, withEnv(OfRequest))
		if err != nil {
			t.Fatal(err)
		}
		got := string(c.Append(nil, &Values{Seed: 7, Index: 41}))
		return got[len(text):]
	}
	first := drawn("http://h/x?", URL)
	for text, same := range map[string]bool{"https://other:8080/x?": true, "a:///x?": true, "http://h/y?": false, "/x?": true, "/y?": false, "?": false} {
		if got := drawn(text, URL) == first; got != same {
			t.Errorf("%s draws the same: %v", text, got)
		}
	}
	if drawn("http://h/x", Raw) == drawn("http://i/x", Raw) || drawn("/a", URL) == drawn("/b", URL) {
		t.Error("what is no address, or a path alone, draws the same as another")
	}
}

// The generator is SplitMix64: its first numbers from 1234567 are those of its authors.
func TestSplitMix(t *testing.T) {
	d := draws{1234567}
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := d.next(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	// By hand: of 599ed017fb08fc85 and 2c73f08458540fa5, with the version and the variant.
	if got := string(appendUUID(nil, draws{1234567})); got != "599ed017-fb08-4c85-ac73-f08458540fa5" {
		t.Error(got)
	}
	if got := string(appendHex(nil, 0x0123456789abcdef, 8)); got != "0123456789abcdef" {
		t.Error(got)
	}
}

// A seed that a report names draws in another version what it drew in this one.
func TestASeedDrawsTheSameAlways(t *testing.T) {
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

// Words have two letters or more and are as long as they should be in all, with one space between them.
func TestWords(t *testing.T) {
	form := regexp.MustCompile(`^([a-z]{2,10} )*[a-z]{1,11}$`)
	lengths := map[int]int{}
	for n := 1; n < 400; n++ {
		got := string(appendWords(nil, n, draws{uint64(n)}))
		if len(got) != n || !form.MatchString(got) {
			t.Fatalf("%d: %q", n, got)
		}
		words := strings.Fields(got)
		for _, word := range words[:len(words)-1] {
			lengths[len(word)]++
		}
	}
	if len(lengths) != 9 || lengths[2] == 0 || lengths[10] == 0 {
		t.Errorf("%v", lengths)
	}
	picks := map[string]int{}
	c, err := Compile("${pick a|b}", Raw, withEnv(OfRequest))
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(200) {
		picks[string(c.Append(nil, &Values{Index: i}))]++
	}
	if picks["a"] < 60 || picks["b"] < 60 {
		t.Errorf("%v", picks)
	}
}

// A template can be taken apart at its beginning.
func TestTheBeginningOfATemplate(t *testing.T) {
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
func TestWritten(t *testing.T) {
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
	if want := (&Error{Text: "a ${x} ${y", At: 7, To: 10, Why: "the place has no end: a } is missing",
		Hint: "write $${ where ${ itself is meant"}); !cmp.Equal(err, error(want)) {
		t.Errorf("%+v", err)
	}
}
