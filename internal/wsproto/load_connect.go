package wsproto

import (
	"net/textproto"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// path reads the path of the address.
func (r *reader) path(n *yamltree.Node) error {
	if n == nil {
		return nil
	}
	text, err := r.text(n, keyPath)
	if err != nil {
		return err
	}
	switch {
	case !strings.HasPrefix(text, "/"):
		return r.wrong(n, "path %q does not start with /", text).
			Hint("scheme and host come from the URL on the command line")
	case strings.Contains(text, "#"):
		return r.wrong(n, "the path has a fragment (#…), which WebSocket URLs do not allow").
			Hint("remove it, or write %%23 for a literal # (RFC 6455, section 3)")
	}
	r.p.Path, err = template.Compile(text, template.URL, r.known(template.OfConnection))
	if err != nil {
		return r.ofTemplate(n, err, true)
	}
	r.use(r.p.Path)
	return nil
}

func (r *reader) subprotocols(n *yamltree.Node) error {
	items, err := r.list(n, keySubprotocols, mostEntries)
	if err != nil {
		return err
	}
	for _, item := range items {
		name, err := r.text(item, "a subprotocol")
		switch {
		case err != nil:
			return err
		case !isToken(name):
			return r.wrong(item, "%q is not a valid subprotocol name", name).
				Hint("it must be a token (RFC 6455, section 4.1), for example graphql-transport-ws")
		case slices.Contains(r.p.Subprotocols, name):
			return r.wrong(item, "subprotocol %q is listed twice", name).Hint("remove one of them")
		}
		r.p.Subprotocols = append(r.p.Subprotocols, name)
	}
	return nil
}

// headers reads the headers of the request that opens a connection. Their values are shown in no error: they may be
// secrets.
func (r *reader) headers(n *yamltree.Node) error {
	if n == nil {
		return nil
	}
	if n.Form != yamltree.Mapping {
		return r.wrong(n, "headers must be a mapping of names to values, not %s", n.Form).
			Hint("for example headers: {Authorization: \"Bearer ${env.TOKEN}\"}")
	}
	for _, e := range n.Entries {
		if err := r.headerName(e); err != nil {
			return err
		}
		values := []*yamltree.Node{e.Value}
		if e.Value.Form == yamltree.List {
			values = e.Value.Items
		}
		for _, v := range values {
			switch {
			case v.Form != yamltree.Text:
				return r.wrong(v, "header %s must be a string, not %s", e.Key, v.Form).
					Hint("quote values that contain {, [ or :").Point(e.Key, 0, len(e.Key))
			case strings.ContainsFunc(v.Text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
				return yamltree.Misread(r.name, e.At, "the value of %s contains a control character", e.Key).
					Hint("remove it").Point(e.Key, 0, len(e.Key))
			}
			t, err := template.Compile(strings.TrimSpace(v.Text), template.Header, r.known(template.OfConnection))
			if err != nil {
				return r.ofTemplate(v, err, true)
			}
			r.use(t)
			r.p.Headers = append(r.p.Headers, Header{Name: e.Key, Value: t})
		}
	}
	return nil
}

// headerName refuses what is no name of a header, and those that the handshake sets (RFC 6455, section 4.1).
func (r *reader) headerName(e *yamltree.Entry) error {
	if !isToken(e.Key) {
		return yamltree.Misread(r.name, e.At, "%q is not a valid header name", e.Key).Hint("write Name: value")
	}
	switch textproto.CanonicalMIMEHeaderKey(e.Key) {
	case "Host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding",
		"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Sec-Websocket-Accept":
		return yamltree.Misread(r.name, e.At, "%s is set by the handshake and cannot be given", e.Key).
			Hint("remove it")
	case "Origin":
		return yamltree.Misread(r.name, e.At, "Origin cannot be set in a protocol file").Hint("use --origin")
	case "Sec-Websocket-Protocol":
		return yamltree.Misread(r.name, e.At, "%s cannot be set as a header", e.Key).Hint("write subprotocols: [NAME]")
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// open reads the steps that open a connection.
func (r *reader) open(n *yamltree.Node) error {
	items, err := r.list(n, keyOpen, mostEntries)
	if err != nil {
		return err
	}
	if err := r.keptNames(items); err != nil {
		return err
	}
	for _, item := range items {
		s, err := r.step(item)
		if err != nil {
			return err
		}
		r.p.Open = append(r.p.Open, s)
		for _, k := range s.Keep {
			r.kept[k.Kept] = true
		}
	}
	return nil
}

// keptNames finds the names of all that is kept, before the first template that may use them.
func (r *reader) keptNames(steps []*yamltree.Node) error {
	for _, s := range steps {
		n := s.Lookup("keep")
		if n == nil {
			continue
		}
		if n.Form != yamltree.Mapping {
			return r.wrong(n, "keep must be a mapping of names to selectors, not %s", n.Form).
				Hint("for example keep: {sid: /sid}")
		}
		for _, e := range n.Entries {
			if err := r.isName(e); err != nil {
				return err
			}
			if slices.ContainsFunc(r.draws, func(d template.Draw) bool { return d.Name == e.Key }) {
				return yamltree.Misread(r.name, e.At, "%q is already defined in draw", e.Key).Hint("use another name")
			}
			if !slices.Contains(r.p.Kept, e.Key) {
				r.p.Kept = append(r.p.Kept, e.Key)
			}
		}
	}
	if len(r.p.Kept) > mostEntries {
		return r.wrong(steps[0], "keep has more than %d values", mostEntries).Hint("keep only values that are sent later")
	}
	r.kept = make([]bool, len(r.p.Kept))
	return nil
}

func (r *reader) step(n *yamltree.Node) (s Step, err error) {
	if err := r.keys(n, "a step of open", keySend, "expect", "refused", "keep"); err != nil {
		return Step{}, err
	}
	s.Source = n.String()
	if at := n.Lookup(keySend); at != nil {
		send, err := r.send(at, keySend, template.OfConnection)
		if err != nil {
			return Step{}, err
		}
		s.Send = &send
	}
	if s.Expect, err = r.conditions(n.Lookup("expect"), "expect"); err != nil {
		return Step{}, err
	}
	if s.Refused, err = r.conditions(n.Lookup("refused"), "refused"); err != nil {
		return Step{}, err
	}
	for _, key := range []string{"refused", "keep"} {
		if at := n.Lookup(key); at != nil && s.Expect == nil {
			return Step{}, r.wrong(at, "%s needs expect: the step does not wait for a message", key).
				Hint("add expect: {FIELD: VALUE}")
		}
	}
	if s.Send == nil && s.Expect == nil {
		return Step{}, r.wrong(n, "the step neither sends nor expects a message").
			Hint("add send: TEXT or expect: {FIELD: VALUE}")
	}
	if at := n.Lookup("keep"); at != nil {
		for _, e := range at.Entries {
			of, err := r.selector(e.Value, e.Key)
			if err != nil {
				return Step{}, err
			}
			s.Keep = append(s.Keep, Keep{Kept: slices.Index(r.p.Kept, e.Key), Of: of})
		}
	}
	return s, nil
}
