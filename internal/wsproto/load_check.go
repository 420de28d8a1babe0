package wsproto

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// check refuses what is right in each part, and wrong as a whole.
func (r *reader) check(root *yamltree.Node) error {
	for i, used := range r.drawn {
		if !used {
			e := root.Lookup(keyDraw).Entries[i]
			return yamltree.Misread(r.name, e.At, "the drawn value %s is not used", e.Key).
				Hint("use it as ${%s}, or remove it", e.Key)
		}
	}
	if r.options.Table != "" && !r.columns {
		return fault.New(fault.Usage, "--data-file: no message uses a column of %s", r.options.Table).
			Hint("insert a column with ${csv.%s}, or remove --data-file", r.p.Columns[0])
	}
	if r.tableAt != nil && !r.columns {
		return r.wrong(r.tableAt, "no message uses a column of %s", r.tableAt.Text).
			Hint("insert a column with ${csv.%s}, or remove csv", r.p.Columns[0])
	}
	if err := r.bits(root); err != nil {
		return err
	}
	return r.named(root)
}

// bits refuses ids of different sizes: their numbers are drawn from one sequence.
func (r *reader) bits(root *yamltree.Node) error {
	first := -1
	for i := range r.p.Messages {
		s := &r.p.Messages[i].Send
		switch {
		case !s.UsesID():
		case first < 0:
			first = i
		case s.IDBits() != r.p.Messages[first].Send.IDBits():
			return r.wrong(root.Lookup(keyMessages).Items[i], "the ${id} of %q and that of %q have different numbers of bits",
				r.p.Messages[i].Name, r.p.Messages[first].Name).Hint("write ${id} in the same way in every message")
		}
	}
	return nil
}

// named refuses messages that no answer can name, and names that nothing answers by.
func (r *reader) named(root *yamltree.Node) error {
	means := func(any ...Meaning) bool {
		return slices.ContainsFunc(r.p.Rules, func(rule Rule) bool { return slices.Contains(any, rule.Means) })
	}
	byName, unnamed, delivered := means(Answers), means(AnswersOrder, AnswersOnly), means(Delivery)
	for i := range r.p.Messages {
		m, n := &r.p.Messages[i], root.Lookup(keyMessages).Items[i]
		id, mark := m.Send.UsesID(), m.Send.UsesMark()
		place := func(of string) yamltree.Place {
			return yamltree.Find(r.data, n.Lookup(keySend).At, "${"+of, 0)
		}
		switch {
		case byName && !unnamed && !id && !mark:
			return r.wrong(n.Lookup(keySend), "message %q has neither ${id} nor ${mark}: replies cannot be matched to it",
				m.Name).
				Hint("put ${mark} in a field that the server echoes, or match replies by answers: order or answers: only")
		case id && !byName:
			return yamltree.Misread(r.name, place("id"), "no rule matches replies by the ${id} of message %q", m.Name).
				Hint("add a rule with answers: SELECTOR; if the server only needs a number, use ${seq}")
		case mark && !byName && !delivered:
			return yamltree.Misread(r.name, place("mark"),
				"no rule matches replies or deliveries by the ${mark} of message %q", m.Name).
				Hint("add a rule with answers: SELECTOR or delivery: SELECTOR; if the server only needs a text, use ${uuid}")
		case delivered && !byName && !unnamed && !mark:
			return r.wrong(n.Lookup(keySend), "message %q has no ${mark}: deliveries cannot be matched to it", m.Name).
				Hint("put ${mark} in a field that the server passes on")
		}
	}
	return nil
}

// NeedsAnswer says why messages could never be answered, or nil: outside of fan-out a rule has to.
func (p *Protocol) NeedsAnswer() error {
	if slices.ContainsFunc(p.Rules, func(r Rule) bool {
		return r.Means == Answers || r.Means == AnswersOrder || r.Means == AnswersOnly
	}) {
		return nil
	}
	return fault.New(fault.Usage, "%s: no rule recognizes replies: every message would time out", p.Name).
		Hint("add a rule with answers: SELECTOR, answers: order or answers: only, or measure deliveries with --fanout")
}

// NeedsDelivery says why messages could never be delivered, or nil: in fan-out a rule has to, and each message has to
// have what deliveries name.
func (p *Protocol) NeedsDelivery() error {
	if !slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Means == Delivery }) {
		return fault.New(fault.Usage, "%s: no rule recognizes deliveries", p.Name).
			Hint("add a rule with delivery: SELECTOR that selects the part with the ${mark} of a message")
	}
	for i := range p.Messages {
		if m := &p.Messages[i]; !m.Send.UsesMark() {
			return fault.New(fault.Usage, "%s: message %q has no ${mark}: deliveries cannot be matched to it", p.Name, m.Name).
				Hint("put ${mark} in a field that the server passes on")
		}
	}
	return nil
}
