package selector

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// headers are those of net/http.
type headers http.Header

func (h headers) Value(name string, n int) ([]byte, bool) {
	if all := http.Header(h).Values(name); n < len(all) {
		return []byte(all[n]), true
	}
	return nil, false
}

const sample = `{"ok":true,"n":12,"f":1.50,"s":"two words","none":null,"big":9007199254740993,"e":1e2,
 "items":[{"name":"a b","id":7},{"name":"c","id":8}],"o":{"x":1,"y":[1,2]},"q":"say \"hi\""}`

func answer() *Answer {
	return &Answer{
		Status: 201, Body: []byte(sample), Size: int64(len(sample)), Sum: sha256.Sum256([]byte(sample)),
		Fields: headers{
			"Content-Type": {"application/json; charset=utf-8"}, "X-Left": {"41"}, "Via": {"a", "b"}, "Empty": {""},
			"Set-Cookie": {"session=; Max-Age=0", "session=abc; Path=/; HttpOnly", "theme = dark"},
		},
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		selector, want string
		found          bool
	}{
		{"status", "201", true},
		{"size", "179", true},
		{"body", sample, true},
		{"header content-type", "application/json; charset=utf-8", true},
		{"header Via", "a", true},
		{"header None", "", false},
		{"header Empty", "", true},
		{"cookie session", "abc", true},
		{"cookie theme", "dark", true},
		{"cookie Path", "", false},
		{"json s", "two words", true},
		{"json n", "12", true},
		{"json f", "1.50", true},
		{"json none", "null", true},
		{"json absent", "", false},
		{"json o", `{"x":1,"y":[1,2]}`, true},
		{`json items.#(name=="a b").id`, "7", true},
		{"json items.1.name", "c", true},
		{"json q", `say "hi"`, true},
		{`regexp "id":(\d+)`, "7", true},
		{`regexp two \w+`, "two words", true},
		{`regexp (?:zzz|"n":(\d+))`, "12", true},
		{`regexp "n"|(zzz)`, "", false},
		{`regexp zzz`, "", false},
		{"  json   s ", "two words", true},
	} {
		s, err := Parse(c.selector)
		if err != nil {
			t.Errorf("%q: %v", c.selector, err)
			continue
		}
		if got, found := s.Find(answer()); string(got) != c.want || found != c.found {
			t.Errorf("%q finds %q, %v; want %q, %v", c.selector, got, found, c.want, c.found)
		}
	}
}

func TestChecks(t *testing.T) {
	digest := sha256.Sum256([]byte(sample))
	hold := []string{
		"status 201", "status 200,201", "status 2xx", "status 2XX", "status 200-299", "status 404, 201", "status = 201",
		"header Content-Type", "header content-type ~ json", "header X-Left = 41", "header X-Left > 40", "header X-Left <= 41",
		"header Via = b", "header Empty", "cookie session", "cookie session = abc", "cookie theme != light",
		"json ok", "json ok = true", "json n = 12", "json n = 12.0", "json n >= 12", "json n < 12.5", "json f = 1.5",
		"json s = two words", `json s = "two words"`, "json s ~ two", "json none = null", "json big = 9007199254740993",
		"json big > 9007199254740992", "json e = 100", `json o = { "y": [1, 2], "x": 1 }`, `json items.#(name=="a b").id = 7`,
		"json items.# = 2", `json q = say "hi"`, "json n != 13", "json n ~ 1", "header Via != c",
		"text two words", `regexp "id":\d`, "size = 179", "size < 1KiB", "size != 180", "size <= 0.2KB",
		"sha256 " + hex.EncodeToString(digest[:]),
		"not status 5xx", "not text error", "not json error", "not header None", "not json n = 13",
	}
	fail := []string{
		"status 200", "status 5xx", "header None", "header None = 1", "header None != 1", "header Via = c", "cookie none",
		"header X-Left < 41", "header Content-Type > 1", "json absent", "json ok = false", "json ok = 1", "json n = 13",
		"json n = 12x", "json s > 1", "json big = 9007199254740992", "json absent != 1", "json o = {}", "json none = nil",
		"json n = \"13\"", "text three", "regexp zzz", "size > 1KiB", "size = 0", "sha256 " + strings.Repeat("00", 32),
		"not status 2xx", "json s != two words", "json o = 5", "header Via != a", "header Via != b", "json n < 12", "json n > 12", "json f <= 1.49",
	}
	for want, list := range map[bool][]string{true: hold, false: fail} {
		for _, text := range list {
			c, err := ParseCheck(text)
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if got := c.Holds(answer()); got != want {
				t.Errorf("%q: %v (%s)", text, got, c.Found(answer()))
			}
			if c.String() != text {
				t.Errorf("%q is shown as %q", text, c)
			}
		}
	}
}

func TestInvalidSelectorsAreRefused(t *testing.T) {
	for text, in := range map[string]string{
		"": "empty", "not": "empty", "statu 200": "did you mean status", "status abc": "not a status code", "status 99": "not a status code",
		"status 300-200": "not a status code", "status 10xx": "not a status code", "status": "not a status code", "header": "the name",
		"cookie": "the name", "json": "the path", "regexp": "the pattern", "regexp (": "missing closing", "text": "missing",
		"size": "missing", "size < many": "not a valid size", "size ~ 5": "not a valid size", "sha256 abc": "not a SHA-256",
		"json n is 5": "not an operator", "json n =": "no value after", "json n > five": "not a number",
		"header X = ": "no value after", "size 5": "not an operator",
		// As other tools have them.
		"200": "did you mean 'status 200'", "body contains hi": "did you mean 'text PART'", "contains hi": "did you mean 'text",
		"$.a[0].b = 1": "did you mean 'json a.0.b'", "json $.a.b": "write json a.b", "json a[0].b = 1": "write json a.0.b",
		"json $['a'][12]": "write json a.12", "json by = ${csv.user}": "the placeholder ${csv.user}",
		"text ${x}": "regexp \\$\\{", "not header X = ${id}": "is not supported here",
	} {
		_, err := ParseCheck(text)
		if err == nil || !strings.Contains(err.Error()+fault.HintOf(err), in) || fault.HintOf(err) == "" {
			t.Errorf("%q: %v; %s", text, err, fault.HintOf(err))
		}
	}
	for text, in := range map[string]string{"text a": "the parts are", "status 200": "remove it", "json a b": "remove it",
		"token": "did you mean 'json token'", "$.a.b": "did you mean 'json a.b'", "json $.a": "write json a",
		"header ${x}": "is not supported here"} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error()+fault.HintOf(err), in) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFailureShowsTheFoundValue(t *testing.T) {
	for text, want := range map[string]string{
		"status 200": `"201"`, "header None": "it is missing", "json n = 5": `"12"`, "json absent": "it is missing",
		"text zzz": "the body is \"{\\\"ok\\\":true", "sha256 " + strings.Repeat("0", 64): "the body has the digest ",
	} {
		c, err := ParseCheck(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Found(answer()); !strings.HasPrefix(got, want) || len(got) > 400 {
			t.Errorf("%q: %s", text, got)
		}
	}
	c, _ := ParseCheck("json a = 1")
	if got := c.Found(&Answer{Body: []byte("<html>\x1b[31m"), Size: 11}); got != `the body is not JSON: "<html>\x1b[31m"` {
		t.Error(got)
	}
	if got := c.Found(&Answer{Body: []byte(`{"a":[`), Size: 11}); !strings.Contains(got, "exceeds the part that is kept") {
		t.Error(got)
	}
	if got := short([]byte("a" + strings.Repeat("é", 60))); got != `"a`+strings.Repeat("é", 39)+`"…` {
		t.Error(got)
	}
}

func TestNeeds(t *testing.T) {
	for text, want := range map[string]Needs{
		"status 200": {}, "size < 5": {}, "header A": {}, "cookie A": {}, "json a": {Body: true}, "text a": {Body: true},
		"regexp a": {Body: true}, "sha256 " + strings.Repeat("0", 64): {Sum: true},
	} {
		if c, err := ParseCheck(text); err != nil || c.Needs() != want {
			t.Errorf("%q needs %+v: %v", text, c.Needs(), err)
		}
	}
	for text, warns := range map[string]bool{`regexp \d+`: true, `regexp id=\d+`: false, "json a": false, `not regexp .*x`: true} {
		if c, err := ParseCheck(text); err != nil || (c.Warning() != "") != warns {
			t.Errorf("%q warns %q: %v", text, c.Warning(), err)
		}
	}
}

// TestDeepJSON: a server's brackets do not use up the stack, which would end the process.
func TestDeepJSON(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 16<<20),
		strings.Repeat(`{"a":`, 3<<20) + "1" + strings.Repeat("}", 3<<20)} {
		a := &Answer{Body: []byte(text), Size: int64(len(text))}
		c, err := ParseCheck("json a.a.a")
		if err != nil {
			t.Fatal(err)
		}
		if c.Holds(a) {
			t.Error("it holds")
		}
	}
}

// FuzzNumbers: numbers compare as their decimals do.
func FuzzNumbers(f *testing.F) {
	f.Add("1", "1.0")
	f.Add("9007199254740993", "9007199254740992")
	f.Add("-0", "0")
	f.Add("1e3", "1000")
	f.Add("0.1", "0.10000000000000001")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := readNumber(a)
		y, ok2 := readNumber(b)
		if !ok || !ok2 || len(a) > 40 || len(b) > 40 || strings.ContainsAny(a+b, "eE") {
			return
		}
		if got, want := x.compare(y), compareDecimals(a, b); got != want {
			t.Errorf("%s against %s: %d, want %d", a, b, got, want)
		}
	})
}

// compareDecimals compares digit by digit.
func compareDecimals(a, b string) int {
	plain := func(s string) (negative bool, whole, part string) {
		s, negative = strings.CutPrefix(s, "-")
		whole, part, _ = strings.Cut(s, ".")
		return negative, strings.Repeat("0", 60-len(whole)) + whole, part + strings.Repeat("0", 60-len(part))
	}
	an, aw, ap := plain(a)
	bn, bw, bp := plain(b)
	if zero := strings.Repeat("0", 120); aw+ap == zero && bw+bp == zero {
		return 0
	}
	order := strings.Compare(aw+ap, bw+bp)
	switch {
	case an && bn:
		return -order
	case an:
		return -1
	case bn:
		return 1
	}
	return order
}

// FuzzChecks: no check and no answer makes anything panic, and equality of JSON is what encoding/json says.
func FuzzChecks(f *testing.F) {
	f.Add("json a = 1", `{"a":1}`)
	f.Add("json a.#(b>1)#.c ~ x", `{"a":[{"b":2,"c":"x"}]}`)
	f.Add("not regexp (a|b)+", "abba")
	f.Add("size >= 1KiB", "")
	f.Add("cookie a = b", "a=b;c")
	f.Fuzz(func(t *testing.T, text, body string) {
		c, err := ParseCheck(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		a := &Answer{Status: 200, Body: []byte(body), Size: int64(len(body)), Fields: headers{"Set-Cookie": {body}, "X": {body}}}
		c.Holds(a)
		if found := c.Found(a); len(found) > 1000 {
			t.Errorf("%q finds %d bytes", text, len(found))
		}
		if json.Valid([]byte(body)) != a.isJSON() {
			t.Errorf("%q: encoding/json and gjson disagree on whether it is JSON", body)
		}
	})
}

func BenchmarkHolds(b *testing.B) {
	for _, text := range []string{"status 2xx", "header X-Left = 41", "text two words", "json items.1.id = 8", `regexp "id":\d`, `regexp \d\d\d\d\d\d`} {
		b.Run(strings.Fields(text)[0]+" "+strings.Fields(text)[1], func(b *testing.B) {
			c, err := ParseCheck(text)
			if err != nil {
				b.Fatal(err)
			}
			a := answer()
			b.ReportAllocs()
			for b.Loop() {
				a.json = unknown
				c.Holds(a)
			}
		})
	}
}

// TestBuffersAreReleased: one long answer does not take its room for ever, and those that are long all the time keep it.
func TestBuffersAreReleased(t *testing.T) {
	a := &Answer{Body: make([]byte, 8<<20)}
	a.Reset()
	if cap(a.Body) != 8<<20 {
		t.Errorf("room for %d bytes is left of a body that took it", cap(a.Body))
	}
	a.Body = append(a.Body, "short"...)
	a.Reset()
	if cap(a.Body) != 0 {
		t.Errorf("room for %d bytes is kept behind a short body", cap(a.Body))
	}
}
