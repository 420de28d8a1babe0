package wsproto

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// The keys of a rule that say what a message means.
func meanings() []string { return []string{"reply", "answers", "delivery", "ignore"} }

// rules reads what the messages that come mean.
func (r *reader) rules(root, n *yamltree.Node) error {
	items, err := r.list(n, keyReceive, mostRules)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		if n == nil {
			n = root
		}
		return r.wrong(n, "the file has no rules for received messages").
			Hint("add receive: and below it - {when: {FIELD: VALUE}, answers: SELECTOR}")
	}
	for i, item := range items {
		rule, err := r.rule(item)
		if err != nil {
			return err
		}
		if i > 0 && len(r.p.Rules[i-1].When) == 0 {
			return r.wrong(item, "this rule is never reached: the rule in line %d matches every message", items[i-1].At.Line).
				Hint("add conditions to that rule, or move it to the end")
		}
		r.p.Rules = append(r.p.Rules, rule)
	}
	return nil
}

func (r *reader) rule(n *yamltree.Node) (rule Rule, err error) {
	if err := r.keys(n, "a rule", append([]string{"when", "refused"}, meanings()...)...); err != nil {
		return Rule{}, err
	}
	var means *yamltree.Entry
	for _, key := range meanings() {
		for _, e := range n.Entries {
			if e.Key != key {
				continue
			}
			if means != nil {
				return Rule{}, yamltree.Misread(r.name, e.At, "a rule cannot have both %s and %s", means.Key, key).
					Hint("write two rules with different conditions, or remove one of the two")
			}
			means = e
		}
	}
	if at := n.Lookup("refused"); at != nil && means == nil {
		return Rule{}, r.wrong(at, "refused needs answers").
			Hint("add answers: SELECTOR, or answers: only if the refusal does not name its message")
	}
	if means == nil {
		return Rule{}, r.wrong(n, "the rule has no action").
			Hint("add one of %s", strings.Join(meanings(), ", "))
	}
	rule.Source = n.String()
	if when := n.Lookup("when"); when != nil && (when.Form != yamltree.Mapping || len(when.Entries) > 0) {
		if rule.When, err = r.conditions(when, "when"); err != nil {
			return Rule{}, err
		}
	}
	if at := n.Lookup("refused"); at != nil {
		if means.Key != "answers" {
			return Rule{}, r.wrong(at, "refused needs answers, but the rule has %s", means.Key).
				Hint("add answers: SELECTOR, or answers: only if the refusal does not name its message")
		}
		if rule.Refused, err = r.conditions(at, "refused"); err != nil {
			return Rule{}, err
		}
	}
	return rule, r.meaning(means, &rule)
}

// meaning reads what a message means that the rule takes.
func (r *reader) meaning(e *yamltree.Entry, rule *Rule) (err error) {
	switch e.Key {
	case "reply":
		var s Send
		s, err = r.send(e.Value, e.Key, template.OfConnection)
		rule.Means, rule.Reply = Reply, &s
	case "delivery":
		rule.Means = Delivery
		rule.Of, err = r.selector(e.Value, e.Key)
	case "ignore":
		if e.Value.Text != "true" {
			return r.wrong(e.Value, "ignore can only be true, not %s", e.Value).Hint("remove the rule instead")
		}
		rule.Means = Ignored
	default:
		switch e.Value.Text {
		case "order":
			rule.Means = AnswersOrder
		case "only":
			rule.Means = AnswersOnly
		default:
			rule.Means = Answers
			rule.Of, err = r.selector(e.Value, e.Key)
		}
	}
	return err
}

// conditions reads what must hold of a message; nil where n is nil.
func (r *reader) conditions(n *yamltree.Node, key string) ([]match.Condition, error) {
	if n == nil {
		return nil, nil
	}
	if n.Form != yamltree.Mapping {
		return nil, r.wrong(n, "%s must be a mapping of fields and JSON pointers to values, not %s", key, n.Form).
			Hint("for example %s: {type: \"2\", /0/error: \"*\"}", key)
	}
	if len(n.Entries) == 0 {
		return nil, r.wrong(n, "%s has no conditions", key).Hint("write %s: {FIELD: VALUE}, or remove it", key)
	}
	var all []match.Condition
	for _, e := range n.Entries {
		of, err := r.selectorOf(e.Key, e.At)
		if err != nil {
			return nil, err
		}
		c := match.Condition{Of: of}
		switch {
		case e.Value.Form == yamltree.Nothing:
			c.Relation = match.Absent
		case e.Value.Form != yamltree.Text:
			return nil, r.wrong(e.Value, "%s is %s; it can be compared only with a string, a number, true or false", e.Key,
				e.Value.Form).
				Hint("select a part of it: %s/NAME", strings.TrimSuffix(e.Key, "/"))
		case e.Value.Text == "*":
			c.Relation = match.Present
		default:
			c.Value = e.Value.Text
		}
		all = append(all, c)
	}
	return all, nil
}

// selector reads a value that names a part of a message.
func (r *reader) selector(n *yamltree.Node, key string) (match.Selector, error) {
	text, err := r.text(n, key)
	if err != nil {
		return match.Selector{}, err
	}
	return r.selectorOf(text, n.At)
}

// selectorOf reads a JSON pointer or the name of a field.
func (r *reader) selectorOf(text string, at yamltree.Place) (match.Selector, error) {
	c := r.p.Codec
	if text == "" || strings.HasPrefix(text, "/") {
		if !c.HasBody() {
			return match.Selector{}, yamltree.Misread(r.name, at,
				"%q is a JSON pointer, but messages of the %s codec have no body", text, c.Name()).
				Hint("use codec: json, or define a field named body: fields: '^(?P<body>.*)$'")
		}
		if _, err := match.Names(text); err != nil {
			return match.Selector{}, yamltree.Misread(r.name, at, "%w", err).Hint("see RFC 6901 for JSON pointers")
		}
		return match.Selector{Field: -1, Pointer: text}, nil
	}
	field, err := c.Field(text)
	if err != nil {
		wrong := yamltree.Misread(r.name, at, "%w", err)
		if near := fault.Nearest(text, c.Fields()); near != "" {
			return match.Selector{}, wrong.Hint("did you mean %s? A JSON pointer starts with /", near)
		}
		if c.Name() == "text" {
			return match.Selector{}, wrong.Hint("define the field, for example fields: '^(?P<%s>[^,]*),'", text)
		}
		return match.Selector{}, wrong.Hint("a JSON pointer starts with /: /%s", text)
	}
	return match.Selector{Field: field}, nil
}
