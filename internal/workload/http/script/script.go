package script

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/template"
)

// Script is what the clients do.
type Script struct {
	Service Service
	Named   string // the address that the file itself has for it, as it is written; "" where it has only paths
	Origin  string // the service that was recorded, of a HAR file
	Flows   []Flow
	Columns []string   // of the table
	Rows    [][]string // of which operation n has number n, from the first again behind the last
	Kept    []string   // the names of what is kept
	// Order is the flow of each row, where that is not drawn; operation n has number n, as the rows.
	Order []uint16
	// Times are when each row was recorded, since the first; nil where they have no times. The recording lasted Length,
	// and its times were whole Units, within which its requests have been spread.
	Times        []time.Duration
	Length, Unit time.Duration
	Left         map[string]int // what a log or a recording has besides, and what cannot be asked again, by what it is
}

// Service is where all requests go.
type Service struct {
	Secure  bool
	Address string // host:port
	Name    string // of the host, as its certificate has it
	Host    string // as the Host header has it
}

// Is reports whether that address is one of the service. What is no address is none of another.
func (s *Service) Is(address string) bool {
	var other Step
	at, err := other.readURL(address, &template.Known{})
	return err != nil || at.Secure == s.Secure && at.Address == s.Address
}

// Flow is what an arrival begins: one request, or several, one after the other.
type Flow struct {
	Name   string
	Weight float64 // its share of the arrivals, among the sum of all
	Steps  []Step
}

// Step is one request, and what is done with its answer.
type Step struct {
	Name    string
	Pause   time.Duration // before it; none before the first of a flow
	Method  string
	Target  *template.Template // path and query
	Headers []Header
	Body    *template.Template // nil: none
	File    *File              // what the body is instead, or nil
	Checks  []*selector.Check
	Keep    []Keep
	// Recorded says that the request was recorded: who asks, and with what cookies, may have changed since.
	Recorded bool
}

// Header is one of a request.
type Header struct {
	Name  string
	Value *template.Template
}

// Keep is a part of the answer that the client keeps.
type Keep struct {
	Number int // of its name among Script.Kept
	From   *selector.Selector
}

// Request is a request as it is written.
type Request struct {
	Name    string
	Pause   time.Duration
	Method  string
	URL     string
	Headers []string // "Name: value"
	Body    string
	HasBody bool
	File    *File // its contents are the body, instead of Body; see TakeFile
	Checks  []string
	Keep    [][2]string // a name, and the selector of what it is
}

// Compile makes a step of a request, and says where it goes. Names are those that its templates may use.
func (r *Request) Compile(names *template.Known) (Step, Service, error) {
	s := Step{Name: r.Name, Pause: r.Pause, Method: r.Method}
	if s.Method == "" {
		s.Method = "GET"
		if r.HasBody {
			s.Method = "POST"
		}
	}
	if upper := strings.ToUpper(s.Method); upper != s.Method && slices.Contains(methods(), upper) {
		return Step{}, Service{}, fault.New(fault.Usage, "%q is not an HTTP method: methods are upper case", s.Method).
			Hint("write %s", upper)
	}
	if !isToken(s.Method) {
		return Step{}, Service{}, fault.New(fault.Usage, "%q is not an HTTP method", s.Method).
			Hint("for example GET, POST or DELETE")
	}
	service, err := s.readURL(r.URL, names)
	if err != nil {
		return Step{}, Service{}, err
	}
	kind := ""
	for _, line := range r.Headers {
		h, err := readHeader(line, names)
		if err != nil {
			return Step{}, Service{}, err
		}
		switch {
		case strings.EqualFold(h.Name, "Host"):
			if !h.Value.Constant() {
				return Step{}, Service{}, fault.New(fault.Usage, "the Host header cannot contain placeholders").
					Hint("write a constant value")
			}
			service.Host = h.Value.Leading()
			continue
		case strings.EqualFold(h.Name, "Content-Type"):
			kind = h.Value.Leading()
		}
		s.Headers = append(s.Headers, h)
	}
	if s.File = r.File; r.HasBody && r.File == nil {
		if s.Body, err = template.Compile(r.Body, bodyPlace(kind, r.Body), names); err != nil {
			return Step{}, Service{}, wrong(partBody, err)
		}
	}
	return s, service, s.compileChecks(r, names)
}

// methods are those that everybody knows.
func methods() []string {
	return []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
}

// templates are those of the step.
func (s *Step) templates() []*template.Template {
	all := []*template.Template{s.Target}
	for _, h := range s.Headers {
		all = append(all, h.Value)
	}
	if s.Body != nil {
		all = append(all, s.Body)
	}
	return all
}

// Columned reports whether any request uses a column of the table.
func (s *Script) Columned() bool {
	for _, f := range s.Flows {
		for i := range f.Steps {
			if slices.ContainsFunc(f.Steps[i].templates(), (*template.Template).Columns) {
				return true
			}
		}
	}
	return false
}

func (s *Step) compileChecks(r *Request, names *template.Known) error {
	for _, text := range r.Checks {
		c, err := selector.ParseCheck(text)
		if err != nil {
			return err
		}
		if needs := c.Needs(); s.Method == "HEAD" && (needs.Body || needs.Sum) {
			return bodiless(text)
		}
		s.Checks = append(s.Checks, c)
	}
	for _, k := range r.Keep {
		from, err := selector.Parse(k[1])
		if err != nil {
			return err
		}
		if s.Method == "HEAD" && from.Needs().Body {
			return bodiless(k[1])
		}
		for n, name := range names.Kept {
			if name == k[0] {
				s.Keep = append(s.Keep, Keep{Number: n, From: from})
			}
		}
	}
	return nil
}

func bodiless(of string) error {
	return fault.New(fault.Usage, "%q checks the body, but responses to HEAD have no body", of).
		Hint("check the status or a header, or use GET")
}

// wrong says which part of a request has a template that is none.
func wrong(part string, err error) error {
	e := fault.New(fault.Usage, "%s: %w", part, err)
	t, is := err.(*template.Error)
	if !is {
		return e
	}
	e = e.Hint("%s", t.Hint)
	if part != partURL { // a header and a body may hold secrets
		return e
	}
	begins := redact.URL(t.Text[:t.At])
	return e.Point(begins+t.Text[t.At:t.To], len(begins), len(begins)+t.To-t.At)
}

// The parts of a request, as errors name them.
const (
	partURL  = "the URL"
	partBody = "the body"
)

// bodyPlace is how the values of a body are escaped: by its type, or by how it begins.
func bodyPlace(kind, body string) template.Place {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	switch kind = strings.TrimSpace(kind); {
	case kind == "application/x-www-form-urlencoded":
		return template.Form
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return template.JSON
	case kind != "":
		return template.Raw
	}
	switch body = strings.TrimSpace(body); {
	case strings.HasPrefix(body, "{") || strings.HasPrefix(body, "["):
		return template.JSON
	}
	return template.Raw
}

// readURL reads the address of a request.
func (s *Step) readURL(text string, names *template.Known) (Service, error) {
	text, _, _ = strings.Cut(text, "#") // which is not sent
	t, err := template.Compile(text, template.URL, names)
	if err != nil {
		return Service{}, wrong(partURL, err)
	}
	begins := t.Leading()
	u, err := url.Parse(begins)
	switch {
	case err != nil:
		return Service{}, badURL(text, "not a valid URL")
	case !strings.Contains(begins, "://"):
		return Service{}, badURL(text, "the URL has no scheme")
	case u.Scheme != "http" && u.Scheme != "https":
		return Service{}, badURL(text, "the scheme is neither http nor https")
	case u.Hostname() == "":
		return Service{}, badURL(text, "the URL has no host")
	case u.User != nil:
		return Service{}, fault.New(fault.Usage, "the URL of %s contains a user name", u.Host).
			Hint("remove it and use --user 'NAME:${env.PASSWORD}'")
	}
	service, why := serviceOf(u)
	if why != "" {
		return Service{}, badURL(text, why)
	}
	rest := strings.IndexAny(begins[len(u.Scheme)+3:], "/?")
	if rest < 0 {
		rest = len(begins)
	} else {
		rest += len(u.Scheme) + 3
	}
	s.Target = t.After(rest)
	if !strings.HasPrefix(s.Target.Leading(), "/") {
		s.Target = s.Target.Before("/")
	}
	return service, nil
}

// serviceOf is where an address leads, or says why that is nowhere. A host of other letters than those of ASCII has the
// name that the Internet knows (RFC 5891).
func serviceOf(u *url.URL) (s Service, why string) {
	s = Service{Secure: u.Scheme == "https", Name: u.Hostname(), Host: u.Host}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[s.Secure]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return Service{}, "the port is not between 1 and 65535"
	}
	if strings.ContainsFunc(s.Name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		name, err := idna.Lookup.ToASCII(s.Name)
		if err != nil {
			return Service{}, "the host is not a valid domain name"
		}
		s.Host = strings.Replace(s.Host, s.Name, name, 1)
		s.Name = name
	}
	s.Address = net.JoinHostPort(s.Name, port)
	return s, ""
}

func badURL(text, why string) error {
	return fault.New(fault.Usage, "%q: %s", text, why).Hint("write http://HOST:PORT/PATH, or https://")
}

// readHeader reads "Name: value". Its errors do not show the value, which may be a secret.
func readHeader(line string, names *template.Known) (Header, error) {
	name, value, found := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	switch {
	case !found:
		return Header{}, fault.New(fault.Usage, "a header must have the form 'Name: value'").Hint("for example 'Accept: " +
			"application/json'")
	case !isToken(name):
		return Header{}, fault.New(fault.Usage, "%q is not a valid header name", name).Hint("for example 'Accept: " +
			"application/json'")
	}
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding", "connection":
		return Header{}, fault.New(fault.Usage, "%s is set by Plimsoll and cannot be given", name).
			Hint("remove it")
	}
	v, err := template.Compile(strings.TrimSpace(value), template.Header, names)
	if err != nil {
		return Header{}, wrong("the header "+name, err)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return Header{}, fault.New(fault.Usage, "the value of %s contains a control character", name).Hint("remove it")
	}
	return Header{Name: name, Value: v}, nil
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
