package aws

import (
	"bytes"
)

// request is what is looked at of a request. Its parts point into the connection's buffer and
// are valid until the next request.
type request struct {
	method, path, query                              []byte
	host, target, smithy, authorization              []byte
	contentType, contentEncoding, agent              []byte
	body                                             []byte // its first part
	protocol                                         string // HTTP11 and so on
	length                                           int64  // of the body, unless it is chunked
	bytes                                            int64  // so far
	chunked, expects, close, head, copies, hasLength bool
	foreign                                          bool // a browser sent it for a page of another origin
}

func (q *request) reset() { *q = request{} }

// detach copies the parts, so that the buffer can be used for other things.
func (q *request) detach() {
	for _, part := range []*[]byte{&q.method, &q.path, &q.query, &q.host, &q.target, &q.smithy, &q.authorization,
		&q.contentType, &q.contentEncoding, &q.agent} {
		*part = bytes.Clone(*part)
	}
}

// parse reads a request's line and headers, each with its line's end.
func (q *request) parse(head []byte) bool {
	end := bytes.Index(head, []byte("\r\n"))
	if end < 0 || !q.line(head[:end]) {
		return false
	}
	for head = head[end+2:]; len(head) > 0; head = head[end+2:] {
		if end = bytes.Index(head, []byte("\r\n")); end <= 0 {
			return false
		}
		colon := bytes.IndexByte(head[:end], ':')
		// Lines that begin with a space would belong to the one before; nobody sends them.
		if colon <= 0 || head[0] == ' ' || head[0] == '\t' || head[colon-1] == ' ' || head[colon-1] == '\t' {
			return false
		}
		if !q.header(head[:colon], trim(head[colon+1:end])) {
			return false
		}
	}
	return !(q.chunked && q.hasLength)
}

// line reads METHOD TARGET HTTP/1.x.
func (q *request) line(line []byte) bool {
	space := bytes.IndexByte(line, ' ')
	last := bytes.LastIndexByte(line, ' ')
	if space <= 0 || last == space {
		return false
	}
	q.setMethod(line[:space])
	switch version := line[last+1:]; {
	case bytes.Equal(version, []byte(HTTP11)):
		q.protocol = HTTP11
	case bytes.Equal(version, []byte(HTTP10)):
		q.protocol, q.close = HTTP10, true
	default:
		return false
	}
	return q.setTarget(line[space+1 : last])
}

func (q *request) setMethod(method []byte) {
	q.method = method
	q.head = string(method) == "HEAD"
}

// setTarget takes the path and the query apart; a proxy's absolute form is taken, too.
func (q *request) setTarget(target []byte) bool {
	for _, scheme := range [2]string{"http://", "https://"} {
		if len(target) > len(scheme) && string(target[:len(scheme)]) == scheme {
			target = target[len(scheme):]
			slash := bytes.IndexByte(target, '/')
			if slash < 0 {
				return false
			}
			target = target[slash:]
		}
	}
	if len(target) == 0 || target[0] != '/' || bytes.IndexByte(target, ' ') >= 0 {
		return false
	}
	q.path = target
	if mark := bytes.IndexByte(target, '?'); mark >= 0 {
		q.path, q.query = target[:mark], target[mark+1:]
	}
	return true
}

// header takes a header; false if it cannot be.
func (q *request) header(name, value []byte) bool {
	switch len(name) {
	case 4:
		if is(name, "host") {
			if q.host != nil {
				return false // of two, others may believe the other one
			}
			q.host = value
		}
	case 6:
		if is(name, "expect") {
			q.expects = is(value, "100-continue")
		} else if is(name, "origin") {
			q.foreign = true // there is no page of this server
		}
	case 10:
		if is(name, "user-agent") {
			q.agent = value
		} else if is(name, "connection") && is(value, "close") {
			q.close = true
		}
	case 12:
		if is(name, "x-amz-target") {
			q.target = value
		} else if is(name, "content-type") {
			q.contentType = value
		}
	case 13:
		if is(name, "authorization") {
			q.authorization = value
		}
	case 14:
		if is(name, "content-length") {
			return q.setLength(value)
		}
		if is(name, "sec-fetch-site") {
			q.foreign = q.foreign || !is(value, "none") && !is(value, "same-origin")
		}
	case 15:
		if is(name, "smithy-protocol") {
			q.smithy = value
		}
	case 16:
		if is(name, "content-encoding") {
			q.contentEncoding = value
		}
	case 17:
		if is(name, "transfer-encoding") {
			q.chunked = is(value, "chunked")
			return q.chunked
		} else if is(name, "x-amz-copy-source") {
			q.copies = true
		}
	}
	return true
}

// maxBody is that of S3, 5 GiB, generously.
const maxBody = 1 << 40

func (q *request) setLength(value []byte) bool {
	var n int64
	for _, b := range value {
		if b < '0' || b > '9' || n > maxBody {
			return false
		}
		n = n*10 + int64(b-'0')
	}
	if len(value) == 0 || n > maxBody || q.hasLength && q.length != n {
		return false
	}
	q.length, q.hasLength = n, true
	return true
}

// service is what the signature is for, as it names itself: the part of the credential's
// scope before the last. It is nil without a signature in the headers.
func (q *request) service() []byte {
	at := bytes.Index(q.authorization, []byte("Credential="))
	if at < 0 {
		return nil
	}
	scope := q.authorization[at:]
	if end := bytes.IndexAny(scope, ", "); end >= 0 {
		scope = scope[:end]
	}
	last := bytes.LastIndexByte(scope, '/')
	if last < 0 {
		return nil
	}
	scope = scope[:last]
	return scope[bytes.LastIndexByte(scope, '/')+1:]
}

// is compares a header's name or value with one in lower case.
func is(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range b {
		c := b[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// parameter finds a value in a query or a form, undecoded; nil if it is not there.
func parameter(form []byte, name string) []byte {
	for len(form) > 0 {
		pair := form
		if end := bytes.IndexByte(form, '&'); end >= 0 {
			pair, form = form[:end], form[end+1:]
		} else {
			form = nil
		}
		if len(pair) > len(name) && pair[len(name)] == '=' && string(pair[:len(name)]) == name {
			return pair[len(name)+1:]
		}
	}
	return nil
}
