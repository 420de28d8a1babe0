package script

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/template"
)

// Bounds on an access log: what is made of it is in memory for as long as a run goes on.
const (
	mostLines  = 20_000_000
	longest    = 366 * 24 * time.Hour
	mostGroups = 60 // that requests are summed up in; the rest are "other"
)

// leftLines are lines of an access log that are left out: of programs that write more than requests, or cut off.
const leftLines = "malformed lines"

// mostUnread is how many lines that cannot be read a log may begin with.
const mostUnread = 1000

// visit is a line of an access log.
type visit struct {
	at     time.Time
	method string
	target string
}

// ReadLog reads an access log in the common or the combined format (of NCSA and Apache; nginx writes it, too), or
// of a JSON object in each line. Its requests have no bodies, since no log has them: those whose methods want one are
// left out and counted.
func ReadLog(name string, from io.Reader, o Options) (*Script, error) {
	in := bufio.NewReaderSize(from, maxLine)
	begins, _ := in.Peek(2)
	hint := logHint(begins)
	var visits []visit
	left := map[string]int{}
	var none noRequest
	var first error // of a line that cannot be read
	read := int64(0)
	for line, last := 1, false; !last; line++ {
		text, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fault.New(fault.Usage, "%s:%d: the line is longer than 1 MiB", name, line).Hint("%s", hint)
		case err != nil && err != io.EOF:
			return nil, fault.New(fault.Usage, "%s: %w", name, err).Hint("check the name and the permissions of the file")
		}
		if read += int64(len(text)); read > maxLog {
			return nil, infile.TooLarge(name, maxLog)
		}
		cut := err == io.EOF
		text = bytes.TrimSpace(text)
		if last = cut; !last && len(visits) == 0 {
			_, err = in.Peek(1)
			last = err != nil
		}
		if len(text) == 0 {
			continue
		}
		v, err := readLine(text)
		switch {
		case errors.As(err, &none) && (len(visits) > 0 || !last):
			left["lines without an HTTP request"]++ // probes of all kinds, which every public server has
			continue
		case err != nil && cut && len(visits) > 0:
			left["the last line, which is truncated"]++
			continue
		case err != nil:
			if left[leftLines]++; first == nil {
				first = fault.New(fault.Usage, "%s:%d: %w", name, line, err).Hint("%s", hint)
			}
			if len(visits) == 0 && left[leftLines] == mostUnread {
				return nil, first
			}
			continue
		}
		switch v.method {
		case "GET", "HEAD", "DELETE", "OPTIONS":
		default:
			left[v.method+" requests"]++
			continue
		}
		if len(visits) == mostLines {
			return nil, fault.New(fault.Usage, "%s has more than %d requests", name, mostLines).Hint("use a part of the file")
		}
		visits = append(visits, v)
	}
	if len(visits) == 0 && first != nil {
		return nil, first
	}
	if len(visits) == 0 {
		return nil, fault.New(fault.Usage, "%s contains no request without a body", name).
			Hint("logs do not record bodies; write requests with bodies in a requests file (YAML)")
	}
	return fromVisits(name, visits, left, o)
}

func logHint(begins []byte) string {
	if bytes.HasPrefix(begins, []byte{0x1f, 0x8b}) {
		return "decompress the file first (gunzip)"
	}
	return "expected the common or combined log format, or one JSON object per line with time, method and path"
}

// noRequest says why a line of a log holds no request that could be sent again.
type noRequest string

func (n noRequest) Error() string { return string(n) }

// fromVisits makes a script of the lines of a log, in the order of their times.
func fromVisits(name string, visits []visit, left map[string]int, o Options) (*Script, error) {
	if o.Base == "" {
		return nil, fault.New(fault.Usage, "no URL given: the log %s contains only paths", name).
			Hint("give the URL on the command line, for example plimsoll http http://localhost:8080 --requests %s", name)
	}
	slices.SortStableFunc(visits, func(a, b visit) int { return a.at.Compare(b.at) })
	if all := visits[len(visits)-1].at.Sub(visits[0].at); all > longest {
		return nil, fault.New(fault.Usage, "%s covers more than a year, from %s to %s", name,
			visits[0].at.UTC().Format(time.DateOnly), visits[len(visits)-1].at.UTC().Format(time.DateOnly)).
			Hint("use a part of the file")
	}
	s := &Script{Columns: []string{"target"}, Left: left}
	s.spread(visits)
	groups := map[string]int{}
	for _, v := range visits {
		group := v.method + " " + groupOf(v.target)
		number, known := groups[group]
		if !known && len(groups) >= mostGroups {
			group = v.method + " other"
			number, known = groups[group]
		}
		if !known {
			step, service, err := (&Request{Name: group, Method: v.method, URL: strings.TrimSuffix(o.Base, "/") + "/"}).
				Compile(&template.Known{})
			if err != nil {
				return nil, err
			}
			path := strings.TrimSuffix(step.Target.Leading(), "/")
			if step.Target, err = template.Compile(path+"/${csv.target raw}", template.URL,
				&template.Known{Columns: s.Columns}); err != nil {
				return nil, err
			}
			number = len(s.Flows)
			groups[group] = number
			s.Service = service
			s.Flows = append(s.Flows, Flow{Name: group, Weight: 1, Steps: []Step{step}})
		}
		s.Rows = append(s.Rows, []string{strings.TrimPrefix(v.target, "/")})
		s.Order = append(s.Order, uint16(number))
	}
	return s, nil
}

// spread says when each request was recorded. A log whose times are whole seconds does not say when within one its
// requests came: at its start they would be a burst that there never was, so they are spread evenly within it, in their
// order. So are those of a millisecond and of a microsecond.
func (s *Script) spread(visits []visit) {
	s.Unit = unitOf(visits)
	s.Times = make([]time.Duration, 0, len(visits))
	first := visits[0].at
	for i := 0; i < len(visits); {
		n := 1
		for i+n < len(visits) && visits[i+n].at.Equal(visits[i].at) {
			n++
		}
		at := visits[i].at.Sub(first)
		for k := range n {
			s.Times = append(s.Times, at+time.Duration(float64(s.Unit)*float64(k)/float64(n)))
		}
		i += n
		s.Length = at + s.Unit
	}
}

// unitOf is that of the times of a log.
func unitOf(visits []visit) time.Duration {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if !slices.ContainsFunc(visits, func(v visit) bool { return v.at.Nanosecond()%int(unit) != 0 }) {
			return unit
		}
	}
	return time.Nanosecond
}

// groupOf is what requests for a path are summed up by: the first part of the path.
func groupOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	rest := strings.TrimPrefix(path, "/")
	first, _, more := strings.Cut(rest, "/")
	if len(first) > 40 {
		return "/…"
	}
	if more {
		return "/" + first + "/…"
	}
	return "/" + first
}

func readLine(text []byte) (visit, error) {
	if text[0] == '{' {
		return readObject(text)
	}
	return readCommon(string(text))
}

// readCommon reads host, ident, user, [time], "request", and does not look at what follows.
func readCommon(text string) (v visit, err error) {
	_, rest, found := strings.Cut(text, "[")
	when, rest, ended := strings.Cut(rest, "]")
	if !found || !ended {
		return visit{}, fmt.Errorf("no time in brackets")
	}
	if v.at, err = time.Parse("02/Jan/2006:15:04:05 -0700", when); err != nil {
		return visit{}, fmt.Errorf("%q is not a log time such as 10/Oct/2000:13:55:36 -0700", when)
	}
	_, rest, found = strings.Cut(rest, `"`)
	request, ended := unquote(rest)
	if !found || !ended {
		return visit{}, fmt.Errorf("no request in quotes")
	}
	return v, v.readRequest(request)
}

// unquote reads up to the quote that ends a text, in which servers write \", \\ and \xHH for what could not stand
// there.
func unquote(text string) (plain string, ended bool) {
	var b []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return string(b), true
		case c != '\\' || i+1 == len(text):
			b = append(b, c)
		case text[i+1] == 'x' && i+3 < len(text):
			if n, err := strconv.ParseUint(text[i+2:i+4], 16, 8); err == nil {
				b = append(b, byte(n))
				i += 3
			} else {
				b = append(b, c)
			}
		case text[i+1] == '"' || text[i+1] == '\\':
			i++
			b = append(b, text[i])
		default:
			b = append(b, c)
		}
	}
	return "", false
}

// readRequest reads "GET /path HTTP/1.1".
func (v *visit) readRequest(text string) error {
	method, rest, _ := strings.Cut(text, " ")
	target := rest
	if at := strings.LastIndex(rest, " HTTP/"); at >= 0 { // a target may hold a space that nobody escaped
		target = rest[:at]
	}
	v.method, v.target = method, target
	return v.check()
}

func (v *visit) check() error {
	if _, rest, whole := strings.Cut(v.target, "://"); whole { // a log of a proxy
		if at := strings.IndexByte(rest, '/'); at >= 0 {
			v.target = rest[at:]
		} else {
			v.target = "/"
		}
	}
	switch {
	case !isToken(v.method):
		return noRequest(strconv.Quote(v.method) + " is not an HTTP method")
	case !strings.HasPrefix(v.target, "/"):
		return noRequest(strconv.Quote(v.target) + " is not a path")
	}
	return nil
}

// The names that the parts of a line have in logs of JSON.
var (
	timeKeys   = [...]string{"time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "msec", "date"}
	methodKeys = [...]string{"method", "request_method", "verb", "http_method"}
	pathKeys   = [...]string{"path", "uri", "url", "request_uri", "target", "request_path"}
	lineKeys   = [...]string{"request", "request_line"}
)

func readObject(text []byte) (v visit, err error) {
	var o map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		return visit{}, fmt.Errorf("not a JSON object: %w", err)
	}
	if inner, is := o["request"].(map[string]any); is { // of Caddy
		for key, value := range inner {
			if _, taken := o[key]; !taken {
				o[key] = value
			}
		}
	}
	of := func(keys []string) string {
		for _, key := range keys {
			switch value := o[key].(type) {
			case string:
				return value
			case json.Number:
				return value.String()
			}
		}
		return ""
	}
	if v.at, err = readTime(of(timeKeys[:])); err != nil {
		return visit{}, err
	}
	if request := of(lineKeys[:]); request != "" {
		return v, v.readRequest(request)
	}
	v.method, v.target = of(methodKeys[:]), of(pathKeys[:])
	if v.method == "" || v.target == "" {
		return visit{}, fmt.Errorf("no method and path")
	}
	return v, v.check()
}

// readTime reads a time as RFC 3339, as logs have it, or as seconds, milliseconds or more since 1970.
func readTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, fmt.Errorf("no time")
	}
	for _, form := range []string{time.RFC3339Nano, "02/Jan/2006:15:04:05 -0700", "2006-01-02 15:04:05.999999999",
		"2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	if strings.ContainsAny(text, "eE") {
		if f, err := strconv.ParseFloat(text, 64); err == nil && f > 0 && f < 9e18 {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	// Digits are taken as they are: a float64 has no nanoseconds of today.
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n <= 0 || strings.Trim(part, "0123456789") != "" {
		return time.Time{}, fmt.Errorf("%q is not a valid time", text)
	}
	unit := int64(1)    // of n, in a second
	for n/unit > 1e11 { // milliseconds, microseconds, nanoseconds
		unit *= 1000
	}
	ns, _ := strconv.ParseInt((part + "000000000")[:9], 10, 64) // of digits
	return time.Unix(n/unit, n%unit*(1e9/unit)+ns/unit), nil
}
