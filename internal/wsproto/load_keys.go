package wsproto

import (
	"errors"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// keys refuses keys that a mapping does not have.
func (r *reader) keys(n *yamltree.Node, what string, known ...string) error {
	if n.Form != yamltree.Mapping {
		return r.wrong(n, "%s must be a mapping, not %s", what, n.Form).Hint("allowed keys: %s", strings.Join(known, ", "))
	}
	for _, e := range n.Entries {
		if slices.Contains(known, e.Key) {
			continue
		}
		err := yamltree.Misread(r.name, e.At, "%q is not a key of %s", e.Key, what)
		if here := elsewhere(e.Key, known); here != "" {
			return err.Hint("use %s instead", here)
		}
		if near := fault.Nearest(e.Key, known); near != "" {
			return err.Hint("did you mean %s?", near)
		}
		return err.Hint("allowed keys: %s", strings.Join(known, ", "))
	}
	return nil
}

// elsewhere is what people may call otherwise, of these keys; "" where that is none of them.
func elsewhere(key string, known []string) string {
	key = strings.ToLower(key)
	for _, line := range []string{
		"path: url uri endpoint address", "subprotocols: subprotocol sec-websocket-protocol", "headers: header",
		"codec: format encoding", "split: delimiter separator", "end: terminator", "csv: data table users",
		"draw: vars variables let", "open: connect login setup handshake", "messages: requests operations",
		"receive: rules on responses replies", "every: heartbeat keepalive keep_alive ping", "close: disconnect teardown",
		"send: text body payload data message", "expect: wait await assert check", "refused: error errors fail rejected",
		"keep: extract capture save store", "when: if match matches", "answers: answer ack acks reply_to",
		"delivery: deliver deliveries broadcast", "reply: respond pong", "ignore: skip drop", "after: interval period every",
	} {
		here, others, _ := strings.Cut(line, ": ")
		if slices.Contains(known, here) && slices.Contains(strings.Fields(others), key) {
			return here
		}
	}
	return ""
}

// unknown is a name that is none of those that there are.
func (r *reader) unknown(at yamltree.Place, name, what string, there []string) error {
	err := yamltree.Misread(r.name, at, "unknown %s %q", what, name)
	if near := fault.Nearest(name, there); near != "" {
		return err.Hint("did you mean %s? Known: %s", near, strings.Join(there, ", "))
	}
	return err.Hint("known: %s", strings.Join(there, ", "))
}

// text is a value that is a text.
func (r *reader) text(n *yamltree.Node, key string) (string, error) {
	if n.Form != yamltree.Text {
		return "", r.wrong(n, "%s must be a string, not %s", key, n.Form).Hint("quote values that contain {, [ or :")
	}
	return n.Text, nil
}

// list is the entries of a value that is a list.
func (r *reader) list(n *yamltree.Node, key string, most int) ([]*yamltree.Node, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.Form != yamltree.List:
		return nil, r.wrong(n, "%s must be a list, not %s", key, n.Form).Hint("start each entry with -")
	case len(n.Items) > most:
		return nil, r.wrong(n.Items[most], "%s has more than %d entries", key, most).Hint("remove some")
	}
	return n.Items, nil
}

// isName refuses a key that is no name of a place.
func (r *reader) isName(e *yamltree.Entry) error {
	for _, c := range e.Key {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return yamltree.Misread(r.name, e.At, "%q is not a valid name", e.Key).Hint("use letters, digits and _")
		}
	}
	if names := template.OfMessage.Names(); e.Key == "" || slices.Contains(names, e.Key) {
		return yamltree.Misread(r.name, e.At, "%q is the name of a built-in placeholder", e.Key).
			Hint("the reserved names are %s", strings.Join(names, ", "))
	}
	return nil
}

// ofTemplate places what is wrong with a template at the place of it that is at fault. The text around that is not
// shown where it may be a secret.
func (r *reader) ofTemplate(n *yamltree.Node, err error, secret bool) error {
	var t *template.Error
	if !errors.As(err, &t) {
		return r.wrong(n, "%w", err)
	}
	piece := t.Text[t.At:t.To]
	at := yamltree.Find(r.data, n.At, piece, strings.Count(t.Text[:t.At], piece))
	wrong := yamltree.Misread(r.name, at, "%w", t).Hint("%s", t.Hint)
	if secret {
		return wrong.Point(piece, 0, len(piece))
	}
	return wrong
}
