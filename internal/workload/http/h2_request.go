package http

import (
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/http2"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/bodyfile"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// newFields makes the request of a step as HTTP/2 has it: a block of fields, and the body behind it. The value of a
// part has its length before it.
func newFields(s *script.Step, service *script.Service, merges bool, kind int, file *bodyfile.File) *request {
	r := &request{step: s, body: s.Body, kind: kind, file: file, streams: true, authorized: gives(s, "Authorization")}
	r.looksAt(s)
	r.names = map[string][]byte{}
	for _, name := range []string{"Authorization", "Cookie", "Content-Length"} {
		r.names[name] = http2.AppendName(nil, strings.ToLower(name))
	}
	var text []byte
	add := func(name string, t *template.Template) {
		if t.Constant() {
			text = http2.AppendField(text, name, t.Leading())
			return
		}
		r.parts = append(r.parts, part{http2.AppendName(text, name), t})
		text = nil
	}
	text = http2.AppendField(text, ":method", s.Method)
	text = http2.AppendField(text, ":scheme", map[bool]string{false: "http", true: "https"}[service.Secure])
	text = http2.AppendField(text, ":authority", service.Host)
	add(":path", s.Target)
	given := map[string]bool{}
	for _, h := range s.Headers {
		name := strings.ToLower(h.Name)
		given[name] = true
		switch {
		case merges && name == "cookie":
			r.own = append(r.own, h.Value)
		case !ofHTTP1(name, h.Value):
			add(name, h.Value)
		}
	}
	if !given["user-agent"] {
		text = http2.AppendField(text, "user-agent", "plimsoll")
	}
	if !given["accept"] {
		text = http2.AppendField(text, "accept", "*/*")
	}
	r.parts = append(r.parts, part{text: text})
	if len(r.parts) == 1 && (s.Body == nil || s.Body.Constant()) {
		var body []byte
		r.whole, body = r.append(nil, nil, &template.Values{}, nil, nil)
		if r.size = len(body); file != nil {
			r.size = int(file.Size())
		}
	}
	return r
}

// ofHTTP1 reports whether a header is about a connection of HTTP/1.1 (RFC 9113, 8.2.2).
func ofHTTP1(name string, value *template.Template) bool {
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return true
	case "te":
		return value.String() != "trailers"
	}
	return false
}

// appendFields is append for HTTP/2.
func (r *request) appendFields(b, scratch []byte, v *template.Values, patches *[]template.Patch, more []byte) (
	[]byte, []byte) {
	v.Patches = patches
	ofMore := written(patches)
	for i := range r.parts {
		p := &r.parts[i]
		b = append(b, p.text...)
		if p.value == nil {
			continue
		}
		before := written(patches)
		b = append(b, 0)
		from := len(b)
		b = p.value.Append(b, v)
		var moved int
		b, moved = http2.EndValue(b, from)
		shift(patches, before, written(patches), moved)
	}
	shift(patches, 0, ofMore, len(b))
	b = append(b, more...)
	scratch = scratch[:0]
	if r.body == nil && r.file == nil && !bodyExpected(r.step.Method) {
		return b, scratch
	}
	before := written(patches)
	if r.body != nil {
		scratch = r.body.Append(scratch, v)
	}
	length := int64(len(scratch))
	if r.file != nil {
		length = r.file.Size()
	}
	b = append(append(b, r.names["Content-Length"]...), 0)
	from := len(b)
	b, _ = http2.EndValue(strconv.AppendInt(b, length, 10), from)
	shift(patches, before, written(patches), len(b))
	return append(b, scratch...), scratch
}

// bodyExpected reports whether a request of this method says how long its body is, also when it has none (RFC 9110,
// 8.6).
func bodyExpected(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

func written(patches *[]template.Patch) int {
	if patches == nil {
		return 0
	}
	return len(*patches)
}

// shift moves the patches from number from up to number to.
func shift(patches *[]template.Patch, from, to, by int) {
	if patches == nil {
		return
	}
	for i := from; i < to; i++ {
		(*patches)[i].Shift(by)
	}
}
