package script

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// archive is what a browser has recorded (HTTP Archive 1.2), as far as it matters here.
type archive struct {
	Log *struct {
		Entries []recordedEntry `json:"entries"`
	} `json:"log"`
}

type recordedEntry struct {
	Started time.Time `json:"startedDateTime"`
	Time    float64   `json:"time"` // ms
	Request struct {
		Method  string `json:"method"`
		URL     string `json:"url"`
		Headers []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"headers"`
		PostData *struct {
			Text string `json:"text"`
		} `json:"postData"`
	} `json:"request"`
}

// ReadArchive reads a HAR file as one flow: its requests in their order, each when the one before has ended, with the
// pauses that there were where o.Pauses says so. Requests to other services than that of the first are left out and
// counted.
func ReadArchive(name string, data []byte, o Options) (*Script, error) {
	var a archive
	if err := json.Unmarshal(data, &a); err != nil || a.Log == nil {
		if err == nil {
			err = errors.New("it has no log")
		}
		return nil, fault.New(fault.Usage, "%s is no HAR file: %w", name, err).
			Hint("save it from the network panel of a browser: Save all as HAR")
	}
	entries := a.Log.Entries
	slices.SortStableFunc(entries, func(a, b recordedEntry) int { return a.Started.Compare(b.Started) })
	s := &Script{Left: map[string]int{}}
	flow := Flow{Name: "recording", Weight: 1}
	first, base := "", o.Base
	var before time.Time // when the request before had ended
	for i := range entries {
		e := &entries[i]
		u, err := url.Parse(e.Request.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			s.Left["other than HTTP"]++
			continue
		}
		from := u.Scheme + "://" + u.Host
		if first == "" {
			first = from
		}
		if from != first {
			s.Left["to "+u.Host]++
			continue
		}
		if base == "" {
			base = first
		}
		step, service, err := e.compile(strings.TrimSuffix(base, "/")+u.RequestURI(), i+1)
		if err != nil {
			return nil, fault.New(fault.Usage, "%s: request %d: %w", name, i+1, err).Hint("%s", fault.HintOf(err))
		}
		if gap := e.Started.Sub(before); o.Pauses && len(flow.Steps) > 0 && gap > 0 {
			step.Pause = gap
		}
		if ended := e.Started.Add(time.Duration(e.Time * float64(time.Millisecond))); ended.After(before) {
			before = ended
		}
		s.Service = service
		flow.Steps = append(flow.Steps, step)
	}
	if len(flow.Steps) == 0 {
		return nil, fault.New(fault.Usage, "%s has no request over HTTP", name).Hint("record a page load first")
	}
	if len(flow.Steps) > mostSteps {
		return nil, fault.New(fault.Usage, "%s has %d requests to %s: at most %d", name, len(flow.Steps), first, mostSteps).
			Hint("take a part of it")
	}
	s.Flows = []Flow{flow}
	return s, nil
}

// mostSteps bounds what a recording has: each is an operation with times of its own.
const mostSteps = 500

// compile makes a step of a recorded request. What follows from the connection is left out of its headers.
func (e *recordedEntry) compile(url string, number int) (Step, Service, error) {
	q := Request{Method: e.Request.Method, URL: literal(url)}
	for _, h := range e.Request.Headers {
		switch strings.ToLower(h.Name) {
		case "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "keep-alive", "upgrade",
			"proxy-connection", "te", "":
			continue
		}
		if strings.HasPrefix(h.Name, ":") { // of HTTP/2
			continue
		}
		q.Headers = append(q.Headers, h.Name+": "+literal(h.Value))
	}
	if p := e.Request.PostData; p != nil {
		q.Body, q.HasBody = literal(p.Text), true
	}
	step, service, err := q.Compile(&template.Known{})
	path := PathOf(url)
	if len(path) > 60 {
		path = path[:60] + "…"
	}
	step.Name = strconv.Itoa(number) + " " + step.Method + " " + path
	return step, service, err
}

// literal is a text that a template renders as it is.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }
