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
			return yamltree.Misread(r.name, e.At, "no message uses what %s draws", e.Key).
				Hint("write ${%s} where it is to stand, or leave it out", e.Key)
		}
	}
	if r.options.Table != "" && !r.columns {
		return fault.New(fault.Usage, "--csv: nothing that is sent uses a column of %s", r.options.Table).
			Hint("write ${csv.%s} where a value of it is to stand, or leave --csv out", r.p.Columns[0])
	}
	if r.tableAt != nil && !r.columns {
		return r.wrong(r.tableAt, "nothing uses a column of the table %s", r.tableAt.Text).
			Hint("write ${csv.%s} where a value of it is to stand, or leave csv out", r.p.Columns[0])
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
			return r.wrong(root.Lookup(keyMessages).Items[i], "the id of %q has other bits than that of %q",
				r.p.Messages[i].Name, r.p.Messages[first].Name).Hint("write ${id} in the same way in each message")
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
			return r.wrong(n.Lookup(keySend), "neither ${id} nor ${mark} is in the message %q: no answer can name it", m.Name).
				Hint("write ${mark} where the server gives it back, or answers: order, or answers: only")
		case id && !byName:
			return yamltree.Misread(r.name, place("id"), "no rule answers by the ${id} of the message %q", m.Name).
				Hint("write a rule with answers: SELECTOR, or ${seq} where the server only wants a number")
		case mark && !byName && !delivered:
			return yamltree.Misread(r.name, place("mark"),
				"no rule answers by the ${mark} of the message %q, or delivers it", m.Name).
				Hint("write a rule with answers: SELECTOR or delivery: SELECTOR, or ${uuid} where the server only wants a text")
		case delivered && !byName && !unnamed && !mark:
			return r.wrong(n.Lookup(keySend), "${mark} is not in the message %q: no delivery can name it", m.Name).
				Hint("write ${mark} where the server passes it on")
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
	return fault.New(fault.Usage, "%s: no rule answers: every message would wait in vain", p.Name).
		Hint("write a rule with answers: SELECTOR, answers: order or answers: only, or measure deliveries with --fanout")
}

// NeedsDelivery says why messages could never be delivered, or nil: in fan-out a rule has to, and each message has to
// have what deliveries name.
func (p *Protocol) NeedsDelivery() error {
	if !slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Means == Delivery }) {
		return fault.New(fault.Usage, "%s: no rule has a delivery: receivers could not tell what they receive", p.Name).
			Hint("write a rule with delivery: SELECTOR, of the part that has the ${mark} of a message")
	}
	for i := range p.Messages {
		if m := &p.Messages[i]; !m.Send.UsesMark() {
			return fault.New(fault.Usage, "%s: ${mark} is not in the message %q: no delivery can name it", p.Name, m.Name).
				Hint("write ${mark} where the server passes it on")
		}
	}
	return nil
}
