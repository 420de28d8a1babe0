package http

import (
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/bodyfile"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// request is how a step is written on the wire.
type request struct {
	step  *script.Step
	whole []byte // all of it, if it is always the same
	size  int    // of its body then
	parts []part
	body  *template.Template // behind the parts, with its length; nil: none
	file  *bodyfile.File     // the body instead; nil: none
	waits bool               // for 100 Continue before the body
	kind  int                // of the operation
	looks selector.Needs     // of its checks, and of what is kept

	streams    bool              // it is one of HTTP/2
	names      map[string][]byte // of fields whose values are not in the parts, as HTTP/2 has them
	authorized bool              // it has an Authorization header of its own
	// own are the values of its Cookie headers, where the client keeps cookies: they are merged with those.
	own []*template.Template
}

// part is a text that is always the same, and a value behind it.
type part struct {
	text  []byte
	value *template.Template // nil: none
}

// newRequest makes the request of a step. If merges is true, its Cookie headers are left to be merged with the client's
// cookies.
func newRequest(s *script.Step, service *script.Service, closes, merges bool, kind int, file *bodyfile.File) *request {
	r := &request{step: s, body: s.Body, kind: kind, file: file, authorized: gives(s, "Authorization")}
	var text []byte
	add := func(t *template.Template) {
		if t.Constant() {
			text = append(text, t.Leading()...)
			return
		}
		r.parts = append(r.parts, part{text, t})
		text = nil
	}
	text = append(text, s.Method+" "...)
	add(s.Target)
	text = append(text, " HTTP/1.1\r\nHost: "+service.Host+"\r\n"...)
	given := map[string]bool{}
	for _, h := range s.Headers {
		given[strings.ToLower(h.Name)] = true
		if merges && strings.EqualFold(h.Name, "Cookie") {
			r.own = append(r.own, h.Value)
			continue
		}
		if strings.EqualFold(h.Name, "Expect") && strings.EqualFold(h.Value.Leading(), "100-continue") {
			r.waits = s.Body != nil || s.File != nil
		}
		text = append(text, h.Name+": "...)
		add(h.Value)
		text = append(text, "\r\n"...)
	}
	if !given["user-agent"] {
		text = append(text, "User-Agent: plimsoll\r\n"...)
	}
	if !given["accept"] {
		text = append(text, "Accept: */*\r\n"...)
	}
	if closes {
		text = append(text, "Connection: close\r\n"...)
	}
	r.parts = append(r.parts, part{text: text})
	r.looksAt(s)
	if len(r.parts) == 1 && (s.Body == nil || s.Body.Constant()) {
		var body []byte
		r.whole, body = r.append(nil, nil, &template.Values{}, nil, nil)
		if r.size = len(body); file != nil {
			r.size = int(file.Size())
		}
	}
	return r
}

// looksAt notes what of an answer is looked at.
func (r *request) looksAt(s *script.Step) {
	for _, c := range s.Checks {
		r.looks = r.looks.And(c.Needs())
	}
	for _, k := range s.Keep {
		r.looks = r.looks.And(k.From.Needs())
	}
}

// append renders the request behind b, and gives its body, for which scratch is room. patches, if not nil, takes where
// the time stands; it has those of more already, which are lines of further headers.
func (r *request) append(b, scratch []byte, v *template.Values, patches *[]template.Patch, more []byte) (
	[]byte, []byte) {
	scratch = scratch[:0]
	if r.streams {
		return r.appendFields(b, scratch, v, patches, more)
	}
	v.Patches = patches
	ofMore := written(patches)
	for i := range r.parts {
		p := &r.parts[i]
		b = append(b, p.text...)
		if p.value != nil {
			b = p.value.Append(b, v)
		}
	}
	shift(patches, 0, ofMore, len(b))
	b = append(b, more...)
	switch {
	case r.file != nil:
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, r.file.Size(), 10)
		b = append(b, "\r\n\r\n"...)
	case r.body != nil:
		before := written(patches)
		scratch = r.body.Append(scratch, v)
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, int64(len(scratch)), 10)
		b = append(b, "\r\n\r\n"...)
		shift(patches, before, written(patches), len(b))
		b = append(b, scratch...)
	case r.step.Method == "POST" || r.step.Method == "PUT" || r.step.Method == "PATCH": // RFC 9110, 8.6
		b = append(b, "Content-Length: 0\r\n\r\n"...)
	default:
		b = append(b, "\r\n"...)
	}
	return b, scratch
}
