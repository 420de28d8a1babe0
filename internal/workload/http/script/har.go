package script

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		PostData *recordedBody `json:"postData"`
	} `json:"request"`
	Response *struct {
		Status int `json:"status"` // 0 where there was no answer
	} `json:"response"`
	FromCache string `json:"_fromCache"` // of Chromium
}

// recordedBody is the body of a request, of the two ways to write it.
type recordedBody struct {
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
	Params   []struct {
		Name     string `json:"name"`
		Value    string `json:"value"`
		FileName string `json:"fileName"`
	} `json:"params"`
}

// read gives the body as it was sent.
func (b *recordedBody) read() (string, error) {
	switch {
	case b.Encoding == "base64":
		raw, err := base64.StdEncoding.DecodeString(b.Text)
		return string(raw), err
	case b.Encoding != "":
		return "", fmt.Errorf("its body is written in %q", b.Encoding)
	case b.Text != "":
		return b.Text, nil
	}
	var pairs []string
	for _, p := range b.Params {
		if p.FileName != "" {
			return "", errors.New("its body is a form with a file, which is not recorded")
		}
		pairs = append(pairs, string(template.Escape([]byte(p.Name), template.Form))+"="+
			string(template.Escape([]byte(p.Value), template.Form)))
	}
	return strings.Join(pairs, "&"), nil
}

// left is why the request is left out; "" where it is not.
func (e *recordedEntry) left() string {
	switch u, err := url.Parse(e.Request.URL); {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "requests over other than HTTP"
	case e.FromCache != "":
		return "requests that the browser answered from its cache"
	case e.Response != nil && e.Response.Status == 0:
		return "requests that were blocked, or ended without an answer"
	}
	return ""
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
		// Unmarshal has no error of its own for that.
		if json.NewDecoder(bytes.NewReader(data)).Decode(&a) == io.ErrUnexpectedEOF {
			err = errors.New("it is cut off")
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
		if why := e.left(); why != "" {
			s.Left[why]++
			continue
		}
		u, _ := url.Parse(e.Request.URL) // which left has looked at
		from := u.Scheme + "://" + u.Host
		if first == "" {
			first = from
		}
		if from != first {
			s.Left["requests to "+u.Host]++
			continue
		}
		if base == "" {
			base = first
		}
		step, service, err := e.compile(strings.TrimSuffix(base, "/")+u.RequestURI(), i+1)
		if err != nil {
			hint := fault.HintOf(err)
			if hint == "" {
				hint = "take it out of the file"
			}
			return nil, fault.New(fault.Usage, "%s: request %d: %w", name, i+1, err).Hint("%s", hint)
		}
		if o.Pauses && len(flow.Steps) > 0 {
			step.Pause = max(0, e.Started.Sub(before))
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
	s.Flows, s.Origin = []Flow{flow}, first
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
		body, err := p.read()
		if err != nil {
			return Step{}, Service{}, err
		}
		q.Body, q.HasBody = literal(body), true
	}
	step, service, err := q.Compile(&template.Known{})
	path := PathOf(url)
	if len(path) > 60 {
		path = path[:60] + "…"
	}
	step.Recorded = true
	step.Name = strconv.Itoa(number) + " " + step.Method + " " + path
	return step, service, err
}

// literal is a text that a template renders as it is.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }
