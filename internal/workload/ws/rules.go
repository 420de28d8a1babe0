package ws

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
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

// shown is the beginning of a message that came where these values were kept, printable and without secrets.
func (t *Traffic) shown(data []byte, kept [][]byte) string {
	if hidden := t.hidden(data); hidden != "" {
		return hidden
	}
	text := string(data[:min(len(data), 16*shownLength)])
	for _, secret := range t.secrets(kept) {
		text = strings.ReplaceAll(text, secret, "…")
	}
	text = withoutEnd(text, t.secrets(kept))
	whole := len(text) <= shownLength && len(data) <= 16*shownLength
	if !whole {
		text = strings.ToValidUTF8(text[:min(len(text), shownLength)], "")
	}
	s := strconv.Quote(text)
	s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	if !whole {
		s += "…"
	}
	return s
}

// withoutEnd is a text without what a secret begins with that was cut off at its end.
func withoutEnd(text string, secrets []string) string {
	for _, secret := range secrets {
		for n := min(len(secret)-1, len(text)); n >= shortestSecret; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + "…"
			}
		}
	}
	return text
}

// shortestSecret is what a value has at least that is looked for in texts: a shorter one stands everywhere.
const shortestSecret = 4

// hidden stands for a message where a value of the environment is too short to be looked for; "" elsewhere.
func (t *Traffic) hidden(data []byte) string {
	if slices.ContainsFunc(t.protocol.Secrets, func(v string) bool { return v != "" && len(v) < shortestSecret }) {
		return fmt.Sprintf("(%d bytes, not shown: an environment value is too short to be redacted reliably)", len(data))
	}
	return ""
}

// secrets are the texts that must not be shown where these values were kept, in each form that they may have.
func (t *Traffic) secrets(kept [][]byte) (all []string) {
	values := slices.Clone(t.protocol.Secrets)
	if t.dialer != nil {
		values = append(values, t.secret...)
	}
	for _, k := range kept {
		values = append(values, string(k))
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // one may be in another
	for _, v := range values {
		if len(v) >= shortestSecret {
			quoted, _ := json.Marshal(v) // a string can always be written
			all = append(all, v, string(quoted[1:len(quoted)-1]), url.QueryEscape(v), url.PathEscape(v))
		}
	}
	return all
}

// keepExample keeps the first message that no use could be made of.
func (t *Traffic) keepExample(data []byte, kept [][]byte) { t.keep(&t.replies.example, data, kept) }

// noRule counts a message that no rule takes.
func (t *Traffic) noRule(data []byte, kept [][]byte) {
	t.replies.Unmatched.Add(1)
	t.replies.Untaken.Add(1)
	t.keepExample(data, kept)
	t.keep(&t.replies.untaken, data, kept)
}

func (t *Traffic) keep(in *atomic.Pointer[string], data []byte, kept [][]byte) {
	if in.Load() == nil {
		s := t.shown(data, kept)
		in.CompareAndSwap(nil, &s)
	}
}
