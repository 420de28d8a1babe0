package wsproto

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// Explainer says which rule takes a message, and why, to those who write a protocol file. It has the state that a
// connection has; one goroutine uses it.
type Explainer struct {
	p       *Protocol
	decoder codec.Decoder
}

// Explained is what becomes of one message of a frame.
type Explained struct {
	Raw   string // the message, without what is secret
	Err   error  // why it cannot be read; nil: it can
	Tried []Tried
	Rule  int    // the number of what took it, as Tried has it; -1: nothing
	Means string // what that makes of it, in words
}

// Tried is a rule that a message came to, or what a step of the opening waits for.
type Tried struct {
	Name   string // "rule 1", or "expect" and "refused" of a step
	Source string // as the file has it
	Took   bool
	When   []Found
}

// Found is a condition, and what the message has.
type Found struct {
	Part   string // a field or a JSON pointer
	Wanted string
	Found  string // without what is secret
	Holds  bool
}

// NewExplainer makes an Explainer for the frames of a connection.
func (p *Protocol) NewExplainer() *Explainer { return &Explainer{p: p, decoder: p.Codec.NewDecoder()} }

// Rules explains what the rules make of each message of a frame.
func (e *Explainer) Rules(frame []byte) []Explained {
	return e.each(frame, func(m *codec.Message, x *Explained) {
		for i := range e.p.Rules {
			r := &e.p.Rules[i]
			t := Tried{Name: "rule " + strconv.Itoa(i+1), Source: r.Source, When: e.found(m, r.When)}
			var of []match.Selector
			if r.Means == Answers || r.Means == Delivery {
				of = []match.Selector{r.Of}
			}
			took, err := e.try(m, match.Rule{When: r.When, Refused: r.Refused, Of: of}, func(found *match.Matcher) {
				x.Rule, t.Took = i, true
				x.Means = e.means(r, found)
				if len(r.Refused) > 0 {
					x.Means += "; refused: " + map[bool]string{false: "no", true: "yes"}[found.Refused()] + " (" +
						strings.Join(lines(e.found(m, r.Refused)), ", ") + ")"
				}
			})
			x.Tried = append(x.Tried, t)
			if x.Err = err; took || err != nil {
				return
			}
		}
	})
}

// Step explains what a step of the opening, counted from 0, makes of each message of a frame.
func (e *Explainer) Step(step int, frame []byte) []Explained {
	s := &e.p.Open[step]
	return e.each(frame, func(m *codec.Message, x *Explained) {
		for i, of := range []struct {
			name, means string
			when        []match.Condition
		}{{"refused", "the server says no", s.Refused}, {"expect", "the step is done", s.Expect}} {
			if len(of.when) == 0 {
				continue
			}
			t := Tried{Name: of.name, Source: s.Source, When: e.found(m, of.when)}
			rule := match.Rule{When: of.when}
			if of.name == "expect" {
				for _, k := range s.Keep {
					rule.Of = append(rule.Of, k.Of)
				}
			}
			took, err := e.try(m, rule, func(found *match.Matcher) {
				x.Rule, t.Took, x.Means = i, true, of.means
				for n, k := range s.Keep[:len(rule.Of)] {
					x.Means += e.keeps(k, found, n)
				}
			})
			x.Tried = append(x.Tried, t)
			if x.Err = err; took || err != nil {
				return
			}
		}
	})
}

// keeps is what a step keeps of a message, which is value n that was found.
func (e *Explainer) keeps(k Keep, found *match.Matcher, n int) string {
	name := e.p.Kept[k.Kept]
	if _, kind := found.Value(n); kind == match.Missing {
		return fmt.Sprintf("; ${%s} stays empty: there is nothing at %s", name, e.part(k.Of))
	}
	return fmt.Sprintf("; it keeps ${%s}", name)
}

// each goes over the messages of a frame.
func (e *Explainer) each(frame []byte, explain func(m *codec.Message, x *Explained)) []Explained {
	var all []Explained
	var m codec.Message
	e.decoder.Begin(frame)
	for {
		more, err := e.decoder.Next(&m)
		if !more {
			return all
		}
		x := Explained{Raw: e.p.Redact(string(m.Raw)), Err: err, Rule: -1}
		if err == nil {
			explain(&m, &x)
		}
		all = append(all, x)
	}
}

// try has a rule tried as a run does it, and looks at what it took.
func (e *Explainer) try(m *codec.Message, r match.Rule, took func(found *match.Matcher)) (bool, error) {
	set, err := match.Compile([]match.Rule{r})
	if err != nil {
		return false, err
	}
	found := set.NewMatcher()
	n, err := found.Match(m)
	if n != 0 || err != nil {
		return false, err
	}
	took(found)
	return true, nil
}

// means is what a rule makes of a message that it took, in words.
func (e *Explainer) means(r *Rule, found *match.Matcher) string {
	switch r.Means {
	case Reply:
		return "it is answered with " + r.Reply.Source
	case AnswersOrder:
		return "it is the answer to the oldest message that waits"
	case AnswersOnly:
		return "it is the answer to the only message that waits"
	case Answers, Delivery:
		value, kind := found.Value(0)
		means := "it is the answer to the message that "
		if r.Means == Delivery {
			means = "it is a delivery of the message that "
		}
		if kind == match.Missing {
			return means + e.part(r.Of) + " names, and nothing is there"
		}
		return means + e.part(r.Of) + " names: " + e.shown(value, kind)
	}
	return "it is ignored"
}

// found is what a message has of what conditions want.
func (e *Explainer) found(m *codec.Message, when []match.Condition) []Found {
	var all []Found
	for _, c := range when {
		f := Found{Part: e.part(c.Of), Wanted: wanted(c)}
		f.Holds, _ = e.try(m, match.Rule{When: []match.Condition{c}}, func(*match.Matcher) {})
		_, err := e.try(m, match.Rule{Of: []match.Selector{c.Of}}, func(found *match.Matcher) {
			value, kind := found.Value(0)
			f.Found = e.shown(value, kind)
		})
		if err != nil {
			f.Found = "no JSON"
		}
		all = append(all, f)
	}
	return all
}

func (e *Explainer) part(of match.Selector) string {
	if of.Field < 0 {
		return strconv.Quote(of.Pointer)[1 : len(strconv.Quote(of.Pointer))-1]
	}
	return e.p.Codec.Fields()[of.Field]
}

func wanted(c match.Condition) string {
	switch c.Relation {
	case match.Present:
		return "something"
	case match.Absent:
		return "nothing"
	}
	return strconv.Quote(c.Value)
}

// longestShown bounds what is shown of a value, in bytes.
const longestShown = 80

func (e *Explainer) shown(value []byte, kind match.Kind) string {
	text := e.p.Redact(string(value))
	if len(text) > longestShown {
		text = text[:longestShown] + "…"
	}
	switch kind {
	case match.Missing:
		return "nothing"
	case match.Field, match.String:
		return strconv.Quote(text)
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
}

// lines are conditions and what they found, in words.
func lines(all []Found) []string {
	var list []string
	for _, f := range all {
		list = append(list, f.String())
	}
	return list
}

// String is one line: what there is, and what was wanted if that is something else.
func (f Found) String() string {
	if f.Holds {
		return f.Part + " is " + f.Found
	}
	return f.Part + " is " + f.Found + ", not " + f.Wanted
}

// String is one line: whether the rule took the message, and the conditions that say why.
func (t Tried) String() string {
	var why []Found
	for _, f := range t.When {
		if f.Holds == t.Took {
			why = append(why, f)
		}
	}
	verb := "does not take it"
	if t.Took {
		verb = "takes it"
	}
	if len(why) == 0 && t.Took {
		return t.Name + " takes it, as it takes every message"
	}
	return t.Name + " " + verb + ": " + strings.Join(lines(why), ", ")
}

// Lines are what becomes of the message: what took it and why, and before that the ones that did not.
func (x Explained) Lines() []string {
	var list []string
	for _, t := range x.Tried {
		list = append(list, t.String())
	}
	switch {
	case x.Err != nil:
		return append(list, "it cannot be read: "+x.Err.Error())
	case x.Rule < 0:
		return append(list, "nothing takes it")
	}
	return append(list, x.Means)
}

// Redact is a text without the values of the environment that stand in what is sent, as they are and as JSON and
// addresses have them.
func (p *Protocol) Redact(text string) string {
	for _, value := range p.secrets {
		text = strings.ReplaceAll(text, value, "…")
	}
	return text
}
