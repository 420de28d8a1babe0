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
		return r.wrong(n, "%q is no path: it begins with /", text).
			Hint("the scheme and the host are of the URL on the command line")
	case strings.Contains(text, "#"):
		return r.wrong(n, "the path has a fragment (#…), which a WebSocket URL must not have").
			Hint("leave it out, or write %%23 for a # in the path (RFC 6455, section 3)")
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
			return r.wrong(item, "%q is no name of a subprotocol", name).
				Hint("it is a token (RFC 6455, section 4.1), such as graphql-transport-ws")
		case slices.Contains(r.p.Subprotocols, name):
			return r.wrong(item, "the subprotocol %q stands there twice", name).Hint("leave one of them out")
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
		return r.wrong(n, "headers is %s: it is a mapping of names to values", n.Form).
			Hint("such as headers: {Authorization: \"Bearer ${env.TOKEN}\"}")
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
				return r.wrong(v, "the header %s is %s: it is a text", e.Key, v.Form).
					Hint("put a value that has {, [ or : in quotes").Point(e.Key, 0, len(e.Key))
			case strings.ContainsFunc(v.Text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
				return yamltree.Misread(r.name, e.At, "the value of %s holds a control character", e.Key).
					Hint("leave it out").Point(e.Key, 0, len(e.Key))
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
		return yamltree.Misread(r.name, e.At, "%q is not the name of a header", e.Key).Hint("write Name: value")
	}
	switch textproto.CanonicalMIMEHeaderKey(e.Key) {
	case "Host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding",
		"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Sec-Websocket-Accept":
		return yamltree.Misread(r.name, e.At, "%s is set by the handshake itself and cannot be given", e.Key).
			Hint("leave it out")
	case "Origin":
		return yamltree.Misread(r.name, e.At, "Origin is not of the protocol").Hint("give it with --origin")
	case "Sec-Websocket-Protocol":
		return yamltree.Misread(r.name, e.At, "%s has a key of its own", e.Key).Hint("write subprotocols: [NAME]")
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
			return r.wrong(n, "keep is %s: it is a mapping of names to what they keep", n.Form).
				Hint("such as keep: {sid: /sid}")
		}
		for _, e := range n.Entries {
			if err := r.isName(e); err != nil {
				return err
			}
			if slices.ContainsFunc(r.draws, func(d template.Draw) bool { return d.Name == e.Key }) {
				return yamltree.Misread(r.name, e.At, "%q is drawn already", e.Key).Hint("give it another name")
			}
			if !slices.Contains(r.p.Kept, e.Key) {
				r.p.Kept = append(r.p.Kept, e.Key)
			}
		}
	}
	if len(r.p.Kept) > mostEntries {
		return r.wrong(steps[0], "more than %d values are kept", mostEntries).Hint("keep what is sent later")
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
			return Step{}, r.wrong(at, "%s is of what comes, and the step expects nothing", key).
				Hint("write expect: {FIELD: VALUE}")
		}
	}
	if s.Send == nil && s.Expect == nil {
		return Step{}, r.wrong(n, "the step neither sends nor expects anything").
			Hint("write send: TEXT or expect: {FIELD: VALUE}")
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
