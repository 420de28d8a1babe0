package ws

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// explainer says why rules take messages or not. It is for people, and has time.
type explainer struct {
	codec codec.Codec
	show  func([]byte) string // a part of a message
}

// broken is the first of the conditions that does not hold of a message, in words; "" where all hold.
func (x *explainer) broken(when []match.Condition, m *codec.Message) string {
	for _, c := range when {
		set, err := match.Compile([]match.Rule{{When: []match.Condition{c}}})
		if err != nil {
			return err.Error()
		}
		switch taken, err := set.NewMatcher().Match(m); {
		case err != nil:
			return "the body is not JSON: " + err.Error()
		case taken < 0:
			return x.instead(c, m)
		}
	}
	return ""
}

// instead says what stands there, and what should.
func (x *explainer) instead(c match.Condition, m *codec.Message) string {
	name := x.name(c.Of)
	if x.missing(c.Of, m) {
		return "there is no " + name
	}
	value := x.show(x.part(c.Of, m))
	switch c.Relation {
	case match.Absent:
		return fmt.Sprintf("%s is present: %s", name, value)
	case match.Equal:
		return fmt.Sprintf("%s is %s, not %s", name, value, c.Value)
	}
	return name + " is " + value
}

// name is what a protocol file calls a part.
func (x *explainer) name(of match.Selector) string {
	if fields := x.codec.Fields(); of.Field >= 0 && of.Field < len(fields) {
		return fields[of.Field]
	}
	if of.Pointer == "" {
		return "body"
	}
	return of.Pointer
}

// part is a part of a message; nil where it has none.
func (x *explainer) part(of match.Selector, m *codec.Message) []byte {
	there := match.Condition{Of: of, Relation: match.Present}
	set, err := match.Compile([]match.Rule{{When: []match.Condition{there}, Of: []match.Selector{of}}})
	if err != nil {
		return nil
	}
	k := set.NewMatcher()
	if taken, err := k.Match(m); err != nil || taken < 0 {
		return nil
	}
	value, _ := k.Value(0)
	return append([]byte{}, value...)
}

func (x *explainer) missing(of match.Selector, m *codec.Message) bool { return x.part(of, m) == nil }

// passed says why none of these rules took a message.
func (x *explainer) passed(rules []wsproto.Rule, m *codec.Message) (why []string) {
	for i := range rules {
		why = append(why, fmt.Sprintf("rule %d: %s", i+1, x.broken(rules[i].When, m)))
	}
	return why
}
