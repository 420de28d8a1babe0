package match

import (
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

// TestNames reads pointers.
func TestNames(t *testing.T) {
	for _, bad := range []string{"a", "/~", "/a~2", "/~0~", "0/a"} {
		if names, err := Names(bad); err == nil {
			t.Errorf("%s: %q", bad, names)
		}
		if _, err := Compile([]Rule{{Of: []Selector{pointer(bad)}}}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	names, err := Names("/a~1b//~01/~0~0")
	if diff := cmp.Diff([]string{"a/b", "", "~1", "~~"}, names); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
