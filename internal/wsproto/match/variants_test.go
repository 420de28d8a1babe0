package match

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

// writer writes a value of JSON in one of the ways that mean the same.
type writer struct {
	r      *rand.Rand
	spaces bool // between tokens
	order  bool // members stand in any order
	escape bool // characters of strings and names are escaped, though they need not be
	b      strings.Builder
}

// member is a member of an object; values are *[]member, []any, string, and literals as they are written.
type member struct {
	name  string
	value any
}

type literal string

func (w *writer) space() {
	for w.spaces && w.r.IntN(2) == 0 {
		w.b.WriteByte(" \t\r\n"[w.r.IntN(4)])
	}
}

func (w *writer) token(s string) {
	w.space()
	w.b.WriteString(s)
	w.space()
}

func (w *writer) value(v any) {
	switch v := v.(type) {
	case literal:
		w.token(string(v))
	case string:
		w.text(v)
	case []any:
		w.token("[")
		for i, e := range v {
			if i > 0 {
				w.token(",")
			}
			w.value(e)
		}
		w.token("]")
	case []member:
		order := make([]int, len(v))
		for i := range order {
			order[i] = i
		}
		if w.order {
			order = w.r.Perm(len(v))
		}
		w.token("{")
		for i, at := range order {
			if i > 0 {
				w.token(",")
			}
			w.text(v[at].name)
			w.token(":")
			w.value(v[at].value)
		}
		w.token("}")
	}
}

func (w *writer) text(s string) {
	w.space()
	w.b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r < ' ' || w.escape && w.r.IntN(3) == 0:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&w.b, [2]string{`\u%04x`, `\u%04X`}[w.r.IntN(2)], unit)
			}
		default:
			w.b.WriteRune(r)
		}
	}
	w.b.WriteByte('"')
	w.space()
}

// drawValue draws a value whose names are among a few, so that pointers meet them.
func drawValue(r *rand.Rand, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return literal([]string{"0", "-1", "17", "1.50", "1e5", "true", "false", "null"}[r.IntN(8)])
	case 1, 2, 3:
		return []string{"", "ack", "x", "17", "a\"b\\c", "é 😀", "words that are longer than one word", "\x01"}[r.IntN(8)]
	case 4:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = drawValue(r, depth-1)
		}
		return list
	default:
		var members []member
		for _, name := range []string{"type", "id", "é/~", "0", "data"} {
			if r.IntN(2) == 0 {
				members = append(members, member{name, drawValue(r, depth-1)})
			}
		}
		return members
	}
}

// TestVariants writes bodies in other ways that mean the same: white space between tokens, the order of members, escapes
// that need not be. No rule that takes a message, and no value, changes.
func TestVariants(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	scalars := []Selector{pointer("/id"), pointer("/data/id"), pointer("/0"), pointer("/data/0/type"), pointer("/é~1~0"), pointer("")}
	m := compile(t,
		Rule{When: []Condition{equal(pointer("/type"), "ack"), {Of: pointer("/id"), Relation: Present}}, Of: scalars},
		Rule{When: []Condition{equal(pointer("/data/type"), "17")}, Of: scalars, Refused: []Condition{equal(pointer("/id"), "null")}},
		Rule{When: []Condition{equal(pointer("/é~1~0"), "é 😀")}, Of: scalars},
		Rule{When: []Condition{{Of: pointer("/1"), Relation: Absent}, {Of: pointer("/0"), Relation: Present}}, Of: scalars},
		Rule{Of: scalars, Refused: []Condition{equal(pointer(""), `a"b\c`)}},
	)
	type answer struct {
		Rule    int
		Refused bool
		Values  []found
	}
	read := func(w writer, v any) answer {
		w.value(v)
		rule, err := m.Match(&codec.Message{Body: []byte(w.b.String())})
		if err != nil {
			t.Fatalf("%v: %s", err, w.b.String())
		}
		a := answer{Rule: rule, Refused: m.Refused()}
		for i := range scalars {
			value, kind := m.Value(i)
			if kind == Compound { // whose contents are as they are written
				value = value[:1]
			}
			a.Values = append(a.Values, found{string(value), kind})
		}
		return a
	}
	rules := map[int]int{}
	for range 3000 {
		v := drawValue(r, 4)
		switch r.IntN(6) { // what is seldom drawn
		case 0:
			v = []member{{"type", "ack"}, {"id", v}}
		case 1, 2:
			v = []member{{"data", []member{{"type", "17"}, {"id", v}}}, {"id", literal("null")}, {"0", v}}
		}
		want := read(writer{r: r}, v)
		rules[want.Rule]++
		for _, w := range []writer{{r: r, spaces: true}, {r: r, order: true}, {r: r, escape: true}, {r: r, spaces: true, order: true, escape: true}} {
			if diff := cmp.Diff(want, read(w, v)); diff != "" {
				t.Fatalf("%+v: %s", v, diff)
			}
		}
	}
	if len(rules) < 5 {
		t.Errorf("rules that took a message: %v", rules)
	}
}

// TestNoAllocations reads what comes without allocating, once its memory has grown.
func TestNoAllocations(t *testing.T) {
	m := compile(t, chatRules()...)
	messages := []*codec.Message{
		body(string(replyTo("0a1b2c3d-1-2.3", `{"messageId":"x"}`))), body(`{"messageId":"\u0061\n","x":[[{}]],"\u0073tatus":"\u0065rror"}`), body(`[]`),
	}
	if n := testing.AllocsPerRun(100, func() {
		for _, msg := range messages {
			if _, err := m.Match(msg); err != nil {
				t.Fatal(err)
			}
			m.Value(0)
			m.Refused()
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
