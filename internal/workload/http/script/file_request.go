package script

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// step reads a request.
func (r *reader) step(n *yamltree.Node) (Step, error) {
	if err := r.keys(n, "a request", "name", "method", "url", "headers", "body", "body_file", "form", "check", "keep",
		"pause", "weight"); err != nil {
		return Step{}, err
	}
	q := Request{Headers: slices.Clone(r.headers)}
	for key, into := range map[string]*string{"name": &q.Name, "method": &q.Method, "url": &q.URL} {
		if at := n.Lookup(key); at != nil {
			text, err := r.text(at, key)
			if err != nil {
				return Step{}, err
			}
			*into = text
		}
	}
	url := n.Lookup("url")
	if url == nil {
		return Step{}, r.wrong(n, "the request has no url").Hint("add url: /PATH, with base: at the top level, or a full URL")
	}
	if strings.HasPrefix(q.URL, "/") {
		if r.base == "" {
			return Step{}, r.wrong(url, "%q is a path, but no host is given", q.URL).
				Hint("add base: http://HOST:PORT at the top level, or give the URL on the command line")
		}
		q.URL = strings.TrimSuffix(r.base, "/") + q.URL
	} else if q.URL != "" && !strings.ContainsAny(q.URL, ":$") {
		return Step{}, r.wrong(url, "%q is neither a path nor a URL", q.URL).
			Hint("write /%s, if it is a path, or http://HOST:PORT/PATH", q.URL)
	}
	if at := n.Lookup("pause"); at != nil {
		d, err := setting.ParseDuration(at.Text)
		if err != nil || d < 0 {
			return Step{}, r.wrong(at, "%q is not a valid duration", at.Text).Hint("for example pause: 1s")
		}
		q.Pause = d
	}
	for _, part := range []func(*yamltree.Node, *Request) error{r.addHeaders, r.addBody, r.addChecks} {
		if err := part(n, &q); err != nil {
			return Step{}, err
		}
	}
	step, service, err := q.Compile(&r.known)
	if err != nil {
		return Step{}, r.at(n, err)
	}
	if r.named == nil {
		r.named, r.service, r.script.Service = map[string]bool{}, service, service
		if !strings.HasPrefix(url.Text, "/") {
			r.script.Named = addressIn(url.Text)
		}
	}
	if service.Host != r.service.Host && service.Address == r.service.Address && service.Secure == r.service.Secure {
		return Step{}, r.wrong(url, "the Host header is %s, but that of the first request is "+
			"%s", service.Host, r.service.Host).
			Hint("a run measures one service; use a file for each service")
	}
	if service != r.service {
		return Step{}, r.wrong(url, "this request goes to %s, but the first one to %s", service.Address, r.service.Address).
			Hint("a run measures one service; use a file for each service")
	}
	if step.Name == "" {
		step.Name = step.Method + " " + PathOf(n.Lookup("url").Text)
	}
	return step, nil
}

// addressIn is what a URL begins with, up to its path. A place that it begins with is its whole address.
func addressIn(url string) string {
	from := strings.Index(url, "://") + 3
	if strings.HasPrefix(url, "${") {
		from = strings.IndexByte(url, '}')
	}
	if end := strings.IndexAny(url[from:], "/?#"); end >= 0 {
		return url[:from+end]
	}
	return url
}

// at puts the place of what is wrong before it: of the part of a request that quotes it, or of the request.
func (r *reader) at(n *yamltree.Node, err error) error {
	place := n.At
	var t *template.Error
	if errors.As(err, &t) {
		if found := holding(n, t.Text[t.At:t.To]); found != nil {
			place = found.At
		}
	}
	return yamltree.Misread(r.name, place, "%w", err).Hint("%s", fault.HintOf(err))
}

// holding is the value below n that has this text.
func holding(n *yamltree.Node, text string) *yamltree.Node {
	if n.Form == yamltree.Text && strings.Contains(n.Text, text) {
		return n
	}
	for _, e := range n.Entries {
		if found := holding(e.Value, text); found != nil {
			return found
		}
	}
	for _, i := range n.Items {
		if found := holding(i, text); found != nil {
			return found
		}
	}
	return nil
}

// readHeaders reads a mapping of headers as lines.
func (r *reader) readHeaders(n *yamltree.Node) ([]string, error) {
	if n == nil {
		return nil, nil
	}
	if n.Form != yamltree.Mapping {
		return nil, r.wrong(n, "headers must be a mapping of names to values, not %s", n.Form).
			Hint("for example headers: {Accept: application/json}")
	}
	var lines []string
	for _, e := range n.Entries {
		values := []*yamltree.Node{e.Value}
		if e.Value.Form == yamltree.List {
			values = e.Value.Items
		}
		for _, v := range values {
			if v.Form != yamltree.Text {
				return nil, r.wrong(v, "header %s must be a string, not %s", e.Key, v.Form).
					Hint("write Name: value; quote values that contain {, [ or :")
			}
			text := v.Text
			lines = append(lines, e.Key+": "+text)
		}
	}
	return lines, nil
}

func (r *reader) addHeaders(n *yamltree.Node, q *Request) error {
	own, err := r.readHeaders(n.Lookup("headers"))
	if err != nil {
		return err
	}
	for _, line := range own { // its own take the place of those of all
		name, _, _ := strings.Cut(line, ":")
		q.Headers = slices.DeleteFunc(q.Headers, func(of string) bool {
			other, _, _ := strings.Cut(of, ":")
			return strings.EqualFold(name, other)
		})
	}
	q.Headers = append(q.Headers, own...)
	return nil
}

// addBody reads the body, of the three ways to say it.
func (r *reader) addBody(n *yamltree.Node, q *Request) error {
	body, file, form := n.Lookup("body"), n.Lookup("body_file"), n.Lookup("form")
	given := 0
	for _, one := range []*yamltree.Node{body, file, form} {
		if one != nil {
			given++
		}
	}
	switch {
	case given > 1:
		return r.wrong(n, "body, body_file and form cannot be combined").Hint("use one of them")
	case body != nil:
		text, err := r.text(body, "body")
		q.Body, q.HasBody = text, true
		return err
	case file != nil:
		name, err := r.text(file, "body_file")
		if err != nil {
			return err
		}
		if err := q.TakeFile(name, r.options.Open); err != nil {
			return r.wrong(file, "%w", err).Hint("%s", cmp.Or(fault.HintOf(err), lookedFor))
		}
	case form != nil:
		return r.addForm(form, q)
	}
	return nil
}

func (r *reader) addForm(n *yamltree.Node, q *Request) error {
	if n.Form != yamltree.Mapping {
		return r.wrong(n, "form must be a mapping of names to values, not %s", n.Form).Hint("for example form: {user: ann}")
	}
	var pairs []string
	for _, e := range n.Entries {
		text, err := r.text(e.Value, e.Key)
		if err != nil {
			return err
		}
		value, err := template.Written(text, template.Form)
		if err != nil {
			return r.at(e.Value, wrong("form", err))
		}
		pairs = append(pairs, string(template.Escape([]byte(e.Key), template.Form))+"="+value)
	}
	q.Body, q.HasBody = strings.Join(pairs, "&"), true
	q.Headers = append(q.Headers, "Content-Type: application/x-www-form-urlencoded")
	return nil
}

func (r *reader) addChecks(n *yamltree.Node, q *Request) error {
	if at := n.Lookup("check"); at != nil {
		items := []*yamltree.Node{at}
		if at.Form == yamltree.List {
			items = at.Items
		}
		for _, item := range items {
			text, err := r.text(item, "check")
			if err != nil {
				return err
			}
			if _, err := selector.ParseCheck(text); err != nil {
				return r.at(item, err)
			}
			q.Checks = append(q.Checks, text)
		}
	}
	if at := n.Lookup("keep"); at != nil {
		for _, e := range at.Entries {
			text, err := r.text(e.Value, e.Key)
			if err != nil {
				return err
			}
			if _, err := selector.Parse(text); err != nil {
				return r.at(e.Value, err)
			}
			q.Keep = append(q.Keep, [2]string{e.Key, text})
		}
	}
	return nil
}

// PathOf is the path of an address as it is written, without its query.
func PathOf(url string) string {
	if end := strings.IndexAny(url, "?#"); end >= 0 {
		url = url[:end]
	}
	_, rest, found := strings.Cut(url, "://")
	if !found {
		return url
	}
	at := strings.IndexByte(rest, '/')
	if at < 0 {
		return "/"
	}
	return rest[at:]
}
