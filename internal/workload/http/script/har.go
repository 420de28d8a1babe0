package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// archive is what a browser or a proxy has recorded (HTTP Archive 1.2), as far as it matters here.
type archive struct {
	Log *struct {
		Creator struct {
			Name any `json:"name"`
		} `json:"creator"`
		Entries []recordedEntry `json:"entries"`
	} `json:"log"`
}

// recordedEntry is a request of an archive. What can be guessed is any: exporters differ in it.
type recordedEntry struct {
	Started any `json:"startedDateTime"`
	Time    any `json:"time"` // ms
	Request struct {
		Method      string        `json:"method"`
		URL         string        `json:"url"`
		Headers     []pair        `json:"headers"`
		Cookies     []pair        `json:"cookies"`
		QueryString []pair        `json:"queryString"`
		PostData    *recordedBody `json:"postData"`
	} `json:"request"`
	Response *struct {
		Status      any `json:"status"` // 0 where there was no answer
		RedirectURL any `json:"redirectURL"`
	} `json:"response"`
	FromCache any `json:"_fromCache"` // of Chromium

	number    int       // of the entry, in the order of the times
	at        time.Time // zero: not known
	url       *url.URL
	malformed bool
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// UnmarshalJSON notes what is not as HAR has it, and fails only where Unmarshal would stop: one malformed entry says
// nothing about the others.
func (e *recordedEntry) UnmarshalJSON(text []byte) error {
	type plain recordedEntry
	err := json.Unmarshal(text, (*plain)(e))
	var mismatch *json.UnmarshalTypeError
	e.malformed = errors.As(err, &mismatch)
	if err != nil && !e.malformed {
		return err
	}
	return nil
}

// What of an archive is left out.
const (
	leftMalformed = "malformed requests"
	leftInvalid   = "requests that are not valid HTTP"
	leftOther     = "requests that do not use HTTP"
	leftCached    = "requests served from the browser cache"
	leftBlocked   = "requests that were blocked or got no response"
	leftConnect   = "CONNECT requests to a proxy"
	leftSocket    = "WebSocket connections"
	leftEvents    = "event streams"
	leftMoved     = "redirects from another host"
	leftHeaders   = "headers that cannot be sent"
	leftPauses    = "pauses before requests without a recorded time"
)

// left returns why the request is left out; "" where it is not. unsent says that the exporter writes requests that it
// has not sent yet.
func (e *recordedEntry) left(unsent bool) string {
	r := &e.Request
	status, answered := e.status()
	switch u, err := url.Parse(strings.TrimSpace(r.URL)); {
	case e.malformed || r.URL == "":
		return leftMalformed
	case strings.EqualFold(r.Method, "CONNECT"):
		return leftConnect
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return leftOther
	case r.Method == "":
		return leftMalformed
	case e.FromCache != nil && e.FromCache != "" && e.FromCache != false:
		return leftCached
	case answered && status == 0 && !unsent:
		return leftBlocked
	case status == 101 || strings.EqualFold(e.header("Upgrade"), "websocket"):
		return leftSocket
	case r.Method == "GET" && strings.HasPrefix(e.header("Accept"), "text/event-stream"):
		return leftEvents
	default:
		e.url = u
	}
	return ""
}

// status returns that of the response; false where there is none, or none that can be read.
func (e *recordedEntry) status() (status int, answered bool) {
	if e.Response == nil {
		return 0, false
	}
	n, ok := number(e.Response.Status)
	return int(n), ok
}

// number reads a number that may be written as a text.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil && !math.IsNaN(n)
	}
	return 0, false
}

// header returns the value of a header, or "".
func (e *recordedEntry) header(name string) string {
	for _, h := range e.Request.Headers {
		if strings.EqualFold(h.Name, name) {
			return strings.TrimSpace(h.Value)
		}
	}
	return ""
}

// started reads when the request was sent: RFC 3339, which HAR demands, and what exporters write instead. The zero time
// is one that is not known.
func (e *recordedEntry) started() time.Time {
	if ms, ok := e.Started.(float64); ok && ms > 0 && ms < 1e15 {
		return time.UnixMilli(int64(ms))
	}
	text, _ := e.Started.(string)
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	const local = "2006-01-02T15:04:05.999999999"
	for _, form := range []string{time.RFC3339Nano, local + "Z0700", local + "Z07", local} {
		if at, err := time.Parse(form, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// ended is when the request and those before it had ended.
func (e *recordedEntry) ended(before time.Time) time.Time {
	if e.at.IsZero() {
		return time.Time{}
	}
	ms, _ := number(e.Time)
	ended := e.at.Add(time.Duration(min(max(ms, 0), 1e9) * float64(time.Millisecond)))
	if ended.Before(before) {
		return before
	}
	return ended
}

// origin is the service that the request went to.
func (e *recordedEntry) origin() string { return originOf(e.url) }

func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if (scheme == "http" && u.Port() == "80") || (scheme == "https" && u.Port() == "443") {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	return scheme + "://" + host
}

// ReadArchive reads a HAR file as one flow: its requests in their order, each when the one before has ended, with the
// pauses that there were where o.Pauses says so. Requests to other services than that of the first are left out and
// counted, and so is all that cannot be sent again. Where nothing else is left, that is an error.
func ReadArchive(name string, data []byte, o Options) (*Script, error) {
	a, err := parseArchive(name, data)
	if err != nil {
		return nil, err
	}
	s := &Script{Left: map[string]int{}}
	entries := a.sendable(s.Left)
	first := originIn(entries, o.Base)
	base := cmp.Or(o.Base, first)
	flow := Flow{Name: "recording", Weight: 1}
	var before time.Time // when the requests before had ended; zero where that is not known
	for _, e := range entries {
		switch {
		case e.origin() == first:
		case len(flow.Steps) == 0 && e.redirects():
			s.Left[leftMoved]++
			continue
		default:
			s.Left["requests to "+e.url.Host]++
			continue
		}
		step, service, why := e.compile(base, s.Left)
		if why != "" {
			s.Left[why]++
			continue
		}
		switch {
		case !o.Pauses || len(flow.Steps) == 0:
		case e.at.IsZero() || before.IsZero():
			s.Left[leftPauses]++
		default:
			step.Pause = max(0, e.at.Sub(before))
		}
		before = e.ended(before)
		s.Service = service
		flow.Steps = append(flow.Steps, step)
	}
	if len(flow.Steps) == 0 {
		return nil, nothingLeft(name, s.Left)
	}
	if len(flow.Steps) > mostSteps {
		return nil, fault.New(fault.Usage, "%s has %d requests to %s; at most %d are "+
			"allowed", name, len(flow.Steps), first, mostSteps).
			Hint("use a part of the file")
	}
	s.Flows, s.Origin = []Flow{flow}, first
	return s, nil
}

// mostSteps bounds what a recording has: each is an operation with times of its own.
const mostSteps = 500

// mostParts bounds the objects, lists and elements of an archive: each may take much more memory than bytes.
const mostParts = 10_000_000

// parts counts them: braces, brackets and commas outside strings.
func parts(data []byte) (n int) {
	for text := false; len(data) > 0; data = data[1:] {
		switch c := data[0]; {
		case c == '"':
			text = !text
		case c == '\\' && text && len(data) > 1:
			data = data[1:]
		case !text && (c == ',' || c == '{' || c == '['):
			n++
		}
	}
	return n
}

func parseArchive(name string, data []byte) (*archive, error) {
	if parts(data) > mostParts {
		return nil, fault.New(fault.Usage, "%s has more than %d JSON values", name, mostParts).
			Hint("use a part of the file")
	}
	var a archive
	err := json.Unmarshal(data, &a)
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch) && a.Log != nil && a.Log.Entries != nil:
	case err == nil && a.Log != nil:
	case json.NewDecoder(bytes.NewReader(data)).Decode(&archive{}) == io.ErrUnexpectedEOF:
		err = errors.New("the file is truncated") // Unmarshal has no error of its own for that
		fallthrough
	default:
		if err == nil {
			err = errors.New("it has no log object")
		}
		e := fault.New(fault.Usage, "%s is not a valid HAR file: %w", name, err)
		if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			return nil, e.Hint("decompress the file first (gunzip)")
		}
		return nil, e.Hint("in the network panel of a browser, choose Save all as HAR")
	}
	return &a, nil
}

// sendable returns the requests over HTTP, in the order of their times, and counts the others. A request whose time is
// not known keeps its place behind the one before it.
func (a *archive) sendable(left map[string]int) []*recordedEntry {
	creator, _ := a.Log.Creator.Name.(string)
	unsent := strings.Contains(strings.ToLower(creator), "insomnia")
	type placed struct {
		*recordedEntry
		at time.Time
	}
	var all []placed
	var last time.Time
	for i := range a.Log.Entries {
		e := &a.Log.Entries[i]
		if e.at = e.started(); !e.at.IsZero() {
			last = e.at
		}
		all = append(all, placed{e, last})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.at.Compare(b.at) })
	var entries []*recordedEntry
	for i, e := range all {
		e.number = i + 1
		if why := e.left(unsent); why != "" {
			left[why]++
			continue
		}
		entries = append(entries, e.recordedEntry)
	}
	return entries
}

// originIn returns the service whose requests are taken: that of the base, if it was recorded, else that of the first
// request that is not redirected to another one.
func originIn(entries []*recordedEntry, base string) string {
	if u, err := url.Parse(base); err == nil {
		for _, e := range entries {
			if e.origin() == originOf(u) {
				return originOf(u)
			}
		}
	}
	for i, e := range entries {
		if i == len(entries)-1 || !e.redirects() {
			return e.origin()
		}
	}
	return ""
}

// redirects reports whether the response leads to another service.
func (e *recordedEntry) redirects() bool {
	status, _ := e.status()
	if status < 301 || status > 308 {
		return false
	}
	to, _ := e.Response.RedirectURL.(string)
	u, err := e.url.Parse(to)
	return err == nil && originOf(u) != e.origin()
}

// nothingLeft is the error of an archive of which nothing can be sent.
func nothingLeft(name string, left map[string]int) error {
	if len(left) == 0 {
		return fault.New(fault.Usage, "%s contains no requests", name).Hint("record a page load, or use another file")
	}
	var why []string
	for what, n := range left {
		why = append(why, fmt.Sprintf("%s (%d)", what, n))
	}
	slices.Sort(why)
	const most = 5
	if len(why) > most {
		why = append(why[:most], fmt.Sprintf("%d others", len(why)-most))
	}
	return fault.New(fault.Usage, "%s contains no request that can be sent: %s", name, strings.Join(why, ", ")).
		Hint("record a page load, or use another file")
}

// compile makes a step of a recorded request, or returns why it cannot be sent. Headers that follow from the connection
// are left out.
func (e *recordedEntry) compile(base string, left map[string]int) (step Step, service Service, why string) {
	r := &e.Request
	target := e.target()
	q := Request{Method: r.Method, URL: strings.TrimSuffix(base, "/") + literal(target)}
	if upper := strings.ToUpper(r.Method); slices.Contains(methods(), upper) {
		q.Method = upper
	}
	if r.PostData != nil {
		body, kind, why := r.PostData.read(e.header("Content-Type"))
		if why != "" {
			return Step{}, Service{}, why
		}
		q.Body, q.HasBody = literal(body), body != "" || q.Method != "GET" && q.Method != "HEAD"
		if q.HasBody && kind != e.header("Content-Type") {
			q.Headers = append(q.Headers, "Content-Type: "+literal(kind))
		}
	}
	q.Headers = append(q.Headers, e.lines(len(q.Headers) > 0, left)...)
	step, service, err := q.Compile(&template.Known{})
	if err != nil {
		return Step{}, Service{}, leftInvalid
	}
	path := PathOf(strings.TrimSuffix(base, "/") + target)
	if len(path) > 60 {
		path = path[:60] + "…"
	}
	step.Recorded = true
	step.Name = strconv.Itoa(e.number) + " " + step.Method + " " + path
	return step, service, ""
}

// target is the path and the query. Some exporters write the query beside the URL only.
func (e *recordedEntry) target() string {
	u := *e.url
	if u.RawQuery == "" && len(e.Request.QueryString) > 0 {
		var pairs []string
		for _, p := range e.Request.QueryString {
			pairs = append(pairs, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Value))
		}
		u.RawQuery = strings.Join(pairs, "&")
	}
	var b strings.Builder
	for _, c := range []byte(u.RequestURI()) { // a request line has no spaces, and is ASCII
		if c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// lines are the headers; typed says that the Content-Type is another one.
func (e *recordedEntry) lines(typed bool, left map[string]int) (lines []string) {
	cookied := false
	for _, h := range e.Request.Headers {
		switch strings.ToLower(h.Name) {
		case "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "keep-alive", "upgrade",
			"http2-settings", "proxy-connection", "te", "":
			continue
		case "content-type":
			if typed {
				continue
			}
		case "cookie":
			cookied = true
		}
		if strings.HasPrefix(h.Name, ":") { // of HTTP/2
			continue
		}
		line := h.Name + ": " + literal(h.Value)
		if _, err := readHeader(line, &template.Known{}); err != nil {
			left[leftHeaders]++
			continue
		}
		lines = append(lines, line)
	}
	if cookied || len(e.Request.Cookies) == 0 {
		return lines
	}
	var pairs []string
	for _, c := range e.Request.Cookies {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	line := "Cookie: " + literal(strings.Join(pairs, "; "))
	if _, err := readHeader(line, &template.Known{}); err != nil {
		left[leftHeaders]++
		return lines
	}
	return append(lines, line)
}

// literal is a text that a template renders as it is.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }
