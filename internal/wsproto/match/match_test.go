package match

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

func pointer(p string) Selector { return Selector{Field: -1, Pointer: p} }
func field(n int) Selector      { return Selector{Field: n} }

func equal(of Selector, value string) Condition {
	return Condition{Of: of, Relation: Equal, Value: value}
}

func compile(t testing.TB, rules ...Rule) *Matcher {
	t.Helper()
	s, err := Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	return s.NewMatcher()
}

func body(s string) *codec.Message { return &codec.Message{Body: []byte(s), Raw: []byte(s)} }

// TestValue takes what pointers point at.
func TestValue(t *testing.T) {
	type value struct {
		Text string
		Kind Kind
	}
	for _, c := range []struct {
		name, body, pointer string
		want                value
	}{
		{"whole", ` {"a": 1} `, "", value{`{"a": 1}`, Compound}},
		{"whole scalar", ` 17 `, "", value{"17", Number}},
		{"member", `{"a":"x","b":true}`, "/b", value{"true", Bool}},
		{"string", `{"a":"x"}`, "/a", value{"x", String}},
		{"empty string", `{"a":""}`, "/a", value{"", String}},
		{"escapes", `{"a":"\u0041\n\"\\\/\ud83d\ude00z"}`, "/a", value{"A\n\"\\/😀z", String}},
		{"number as written", `{"a":1.50e+1}`, "/a", value{"1.50e+1", Number}},
		{"false", `[false]`, "/0", value{"false", Bool}},
		{"small number", `{"a":-1E-5}`, "/a", value{"-1E-5", Number}},
		{"null", `{"a":null}`, "/a", value{"null", Null}},
		{"element", `["x",{"b":[1,2]}]`, "/1/b/1", value{"2", Number}},
		{"no element", `["x"]`, "/1", value{}},
		{"an index of an object is a name", `{"0":{"1":"x"}}`, "/0/1", value{"x", String}},
		{"no index", `["x","y"]`, "/01", value{}},
		{"behind the last", `["x"]`, "/-", value{}},
		{"first of two names", `{"a":1,"a":2}`, "/a", value{"1", Number}},
		{"first of two names, deeper", `{"a":1,"a":{"b":2}}`, "/a/b", value{}},
		{"first of two names, written otherwise", `{"a":1,"\u0061":2}`, "/a", value{"1", Number}},
		{"escaped name", `{"\u0061b":1}`, "/ab", value{"1", Number}},
		{"names of a pointer", `{"a/b":{"c~d":1}}`, "/a~1b/c~0d", value{"1", Number}},
		{"the name ~1", `{"~1":5}`, "/~01", value{"5", Number}},
		{"empty name", `{"":{"":1}}`, "//", value{"1", Number}},
		{"through a scalar", `{"a":1}`, "/a/b", value{}},
		{"spaces", " {\t\"a\" :\r\n[ 1 , 2 ] } ", "/a/1", value{"2", Number}},
		{"compound", `{"a":{"b":[]}}`, "/a/b", value{"[]", Compound}},
		{"not of a member in it", `{"b":{"a":1}}`, "/a", value{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := compile(t, Rule{Of: []Selector{pointer(c.pointer)}})
			for range 2 { // what was before leaves nothing
				rule, err := m.Match(body(c.body))
				if rule != 0 || err != nil {
					t.Fatal(rule, err)
				}
				v, kind := m.Value(0)
				if diff := cmp.Diff(c.want, value{string(v), kind}); diff != "" {
					t.Error(diff)
				}
				if rule, err := m.Match(body(`7`)); rule != 0 || err != nil {
					t.Fatal(rule, err)
				}
			}
		})
	}
}

// TestMatch finds the first rule whose conditions hold.
func TestMatch(t *testing.T) {
	rules := []Rule{
		{When: []Condition{equal(field(0), "2")}},
		{When: []Condition{equal(pointer("/type"), "pong"), equal(field(0), "42")}},
		{When: []Condition{{Of: pointer("/id"), Relation: Present}, {Of: pointer("/error"), Relation: Absent}}},
		{When: []Condition{{Of: pointer("/id"), Relation: Present}}, Refused: []Condition{equal(pointer("/error/code"), "7")}},
		{When: []Condition{equal(field(0), "x"), {Of: field(1), Relation: Absent}}},
	}
	for _, c := range []struct {
		name    string
		fields  []string
		body    string
		want    int
		refused bool
	}{
		{"a field alone", []string{"2"}, `{`, 0, false},
		{"field and pointer", []string{"42"}, `{"type":"pong"}`, 1, false},
		{"a null is absent", nil, `{"id":1,"error":null}`, 2, false},
		{"not absent", nil, `{"id":1,"error":{}}`, 3, false},
		{"refused", nil, `{"id":null,"error":{"code":7}}`, 3, true},
		{"no rule", []string{"y"}, `{}`, -1, false},
		{"no body", []string{"x"}, "", 4, false},
		{"field there", []string{"x", "z"}, "", -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			msg := &codec.Message{}
			for _, f := range c.fields {
				msg.Fields = append(msg.Fields, []byte(f))
			}
			if c.body != "" {
				msg.Body = []byte(c.body)
			}
			m := compile(t, rules...)
			got, err := m.Match(msg)
			if got != c.want || err != nil || m.Refused() != c.refused {
				t.Errorf("rule %d, %v, refused %v", got, err, m.Refused())
			}
		})
	}
}

// TestNotJSON refuses bodies that are no JSON, where a rule must look into them.
func TestNotJSON(t *testing.T) {
	m := compile(t, Rule{When: []Condition{equal(pointer("/a"), "x")}})
	for _, text := range []string{
		``, ` `, `{`, `[`, `"`, `"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `[1,]`, `[1 2]`, `{,}`, `{a:1}`,
		`01`, `-`, `1.`, `.1`, `1e`, `1e+`, `+1`, `tru`, `nulls`, `True`, "\"\x01\"", "\"a\tb\"", `"\x"`, `"\u12"`, `"\ud800"`,
		`"\ud800\u0041"`, `"\udc00"`, "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", `{} {}`, `1 1`, `{"a":1}]`, "\ufeff{}",
		`{"a":1]`, `[}`, `{"a" 1}`, `{"b":[{"c":1]}}`, "\"12345678\x1f\"", "\"1234567\x7f89\xf5\"",
	} {
		for _, in := range []string{text, `{"a":` + text + `}`, `[` + text + `]`, `{"b":{"c":[` + text + `]}}`} {
			if text == "" && in == "[]" || text == " " && in == "[ ]" || text == "" && in == `{"b":{"c":[]}}` ||
				text == " " && in == `{"b":{"c":[ ]}}` || text == `{"a":1}]` || text == `1 1` || text == `nulls` {
				continue
			}
			if rule, err := m.Match(body(in)); err == nil {
				t.Errorf("%q: rule %d", in, rule)
			}
		}
	}
	if rule, err := m.Match(&codec.Message{}); rule != -1 || err != nil {
		t.Error(rule, err) // what has no body cannot be no JSON
	}
}

// TestWhy says where a body is no JSON, and why, whether a rule leads there or not.
func TestWhy(t *testing.T) {
	ways := []*Matcher{finder(t, "/a/0"), finder(t, strings.Repeat("/a", deepest+1)), finder(t, strings.Repeat("/0", deepest+1))}
	for _, c := range []struct {
		body, why string
		at        int
	}{
		{``, "unexpected end", 0},
		{`{"a":1`, "unexpected end", 6},
		{`{"a":"x`, "unexpected end", 7},
		{`{"a":"é`, "unexpected end", 8},
		{`{"a"`, "unexpected end", 4},
		{`{"a":`, "unexpected end", 5},
		{`[1,`, "unexpected end", 3},
		{`{"b":[1,`, "unexpected end", 8},
		{`{"b":{"c":1`, "unexpected end", 11},
		{`{} x`, "unexpected data after the value", 3},
		{`{"a" 1}`, "expected :", 5},
		{`{"b":{"a" 1}}`, "expected :", 10},
		{`{a:1}`, "expected a member name", 1},
		{`{"a":1,}`, "expected a member name", 7},
		{`{"b":{1:2}}`, "expected a member name", 6},
		{`{"b":{"c":1,2:3}}`, "expected a member name", 12},
		{`{"a":1 "b":2}`, "expected , or }", 7},
		{`{"a":[1 2]}`, "expected , or ]", 8},
		{`{"b":[1 2]}`, "expected , or the end of an object or array", 8},
		{`{"b":{"c":1]}`, "expected , or the end of an object or array", 11},
		{`{"a":x}`, "expected a value", 5},
		{`{"a":tru}`, "expected a value", 5},
		{`{"b":[,]}`, "expected a value", 6},
		{`{"b":01}`, "invalid number", 5},
		{`{"a":1.}`, "invalid number", 5},
		{`{"a":-1e}`, "invalid number", 5},
		{`{"a":"\x"}`, "invalid escape", 6},
		{`{"a":"\`, "invalid escape", 6},
		{`{"a":"\u12`, "invalid escape", 6},
		{`{"a":"\u123`, "invalid escape", 6},
		{`{"a"::1}`, "expected a value", 5},
		{`{"a":"\ud800"}`, "invalid escape", 6},
		{"{\"a\":\"12345678\n\"}", "control character in a string", 14},
		{"{\"a\":\"1\xff\"}", "invalid UTF-8", 7},
		{"{\"a\":\"1\xc3", "invalid UTF-8", 7},
		{strings.Repeat("[", deepest+1), "nested too deeply", deepest},
		{strings.Repeat("[", 1000) + "{", "unexpected end", 1001},
		{strings.Repeat(`{"a":`, deepest+1), "nested too deeply", 5 * deepest},
		{`{"b":` + strings.Repeat(`[`, deepest), "nested too deeply", 4 + deepest},
	} {
		for i, m := range ways {
			msg := body(c.body + "456")
			msg.Body = msg.Body[:len(c.body)] // what stands behind it in memory is none of it
			_, err := m.Match(msg)
			e, ok := err.(*Error)
			if !ok {
				t.Errorf("%.40s, %d: %v", c.body, i, err)
				continue
			}
			why := c.why
			if strings.HasPrefix(why, "expected , or") && strings.HasPrefix(e.Why, "expected , or") { // which of them depends on the rules
				why = e.Why
			}
			if e.At != c.at || e.Error() != "not JSON: "+why {
				t.Errorf("%.40s, %d: %d, %v", c.body, i, e.At, e)
			}
		}
	}
}

// TestLooks looks into a body only for a rule whose fields fit, and only where that names something in it.
func TestLooks(t *testing.T) {
	there := func(of Selector) Condition { return Condition{Of: of, Relation: Present} }
	for _, c := range []struct {
		name  string
		rule  Rule
		looks bool
	}{
		{"everything", Rule{}, false},
		{"fields", Rule{When: []Condition{equal(field(0), "x"), there(field(1))}, Refused: []Condition{there(field(0))}, Of: []Selector{field(0)}}, false},
		{"another field, behind a pointer", Rule{When: []Condition{there(pointer("/a")), equal(field(0), "y")}}, false},
		{"another field, between pointers", Rule{When: []Condition{there(pointer("/a")), there(field(1)), equal(field(0), "y"), there(pointer("/b"))}}, false},
		{"a pointer", Rule{When: []Condition{there(pointer("/a"))}}, true},
		{"a pointer behind a field", Rule{When: []Condition{equal(field(0), "x"), there(pointer("/a"))}}, true},
		{"a value", Rule{When: []Condition{equal(field(0), "x")}, Of: []Selector{field(0), pointer("/a")}}, true},
		{"a refusal", Rule{When: []Condition{equal(field(0), "x")}, Refused: []Condition{there(field(0)), there(pointer("/a"))}}, true},
	} {
		m := compile(t, c.rule, Rule{})
		rule, err := m.Match(&codec.Message{Fields: [][]byte{[]byte("x"), {}}, Body: []byte("{")})
		if c.looks != (err != nil) || err != nil && rule != -1 {
			t.Errorf("%s: rule %d, %v", c.name, rule, err)
		}
		if value, kind := m.Value(9); kind != Missing {
			t.Errorf("%s: %s", c.name, value)
		}
	}
	for _, r := range []Rule{
		{When: []Condition{there(pointer("a"))}}, {Refused: []Condition{there(pointer("a"))}}, {Of: []Selector{pointer("a")}},
	} {
		if _, err := Compile([]Rule{r}); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
}

// TestEqual compares scalars alone, and nothing with what is not there.
func TestEqual(t *testing.T) {
	for _, c := range []struct {
		pointer, value string
		want           int
	}{
		{"/none", "", -1}, {"/empty", "", 0}, {"/list", "[]", -1}, {"/null", "null", 0}, {"/one", "1.0", 0}, {"/one", "1", -1}, {"/yes", "true", 0},
	} {
		m := compile(t, Rule{When: []Condition{equal(pointer(c.pointer), c.value)}})
		rule, err := m.Match(body(`{"empty":"","list":[],"null":null,"one":1.0,"yes":true}`))
		if rule != c.want || err != nil {
			t.Errorf("%s = %s: rule %d, %v", c.pointer, c.value, rule, err)
		}
		if _, kind := m.Value(0); kind != Missing {
			t.Error(kind)
		}
	}
	m := compile(t, Rule{When: []Condition{equal(field(0), "")}})
	for want, fields := range map[int][][]byte{-1: {nil}, 0: {{}}} {
		if rule, err := m.Match(&codec.Message{Fields: fields}); rule != want || err != nil {
			t.Errorf("%d instead of %d, %v", rule, want, err)
		}
	}
}

// TestAPlainStringIsNotCopied: what has no escape is given where it stands, also behind one that has.
func TestAPlainStringIsNotCopied(t *testing.T) {
	m := compile(t, Rule{Of: []Selector{pointer("/a"), pointer("/b")}})
	msg := body(`{"a":"\u0041","b":"plain"}`)
	if _, err := m.Match(msg); err != nil {
		t.Fatal(err)
	}
	escaped, _ := m.Value(0)
	plain, _ := m.Value(1)
	if string(escaped) != "A" || string(plain) != "plain" || &plain[0] != &msg.Body[19] {
		t.Errorf("%q and %q", escaped, plain)
	}
}
