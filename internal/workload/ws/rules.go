package ws

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// rulesOf makes a set of the rules of a protocol: what the rule is about is its first value.
func rulesOf(p *wsproto.Protocol) (*match.Set, error) {
	rules := make([]match.Rule, len(p.Rules))
	for i := range p.Rules {
		r := &p.Rules[i]
		rules[i] = match.Rule{When: r.When, Refused: r.Refused}
		if r.Means == wsproto.Answers || r.Means == wsproto.Delivery {
			rules[i].Of = []match.Selector{r.Of}
		}
	}
	return match.Compile(rules)
}

// The rules of a step.
const (
	stepRefused = iota
	stepExpects
)

// stepOf makes a set of what a step of the opening waits for.
func stepOf(s *wsproto.Step) (*match.Set, error) {
	never := match.Condition{Of: match.Selector{Field: -1}, Relation: match.Absent}
	refused, expects := match.Rule{When: s.Refused}, match.Rule{When: s.Expect}
	if len(s.Refused) == 0 {
		present := never
		present.Relation = match.Present
		refused.When = []match.Condition{never, present}
	}
	for _, k := range s.Keep {
		expects.Of = append(expects.Of, k.Of)
	}
	return match.Compile([]match.Rule{refused, expects})
}

// shownLength bounds what is shown of a message that the server sent, in bytes of it.
const shownLength = 200

// shown is the beginning of a message, printable; nothing of it where secrets may stand in it.
func (t *Traffic) shown(data []byte) string {
	if t.protocol.Secret {
		return fmt.Sprintf("a message of %d bytes, not shown as a variable of the environment is in what is sent", len(data))
	}
	s := strconv.QuoteToASCII(string(data[:min(len(data), shownLength)]))
	s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	if len(data) > shownLength {
		s += "…"
	}
	return s
}

// keepExample keeps the first message that no use could be made of.
func (t *Traffic) keepExample(data []byte) { t.keep(&t.replies.example, data) }

// noRule counts a message that no rule takes.
func (t *Traffic) noRule(data []byte) {
	t.replies.Unmatched.Add(1)
	t.replies.Untaken.Add(1)
	t.keepExample(data)
	t.keep(&t.replies.untaken, data)
}

func (t *Traffic) keep(in *atomic.Pointer[string], data []byte) {
	if in.Load() == nil {
		s := t.shown(data)
		in.CompareAndSwap(nil, &s)
	}
}
