package script

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// TestServices: where an address leads, and what is left of it for the request.
func TestServices(t *testing.T) {
	for url, c := range map[string]struct {
		of     Service
		target string
	}{
		"http://h":                 {Service{false, "h:80", "h", "h"}, "/"},
		"https://H:444/a/b?c#d":    {Service{true, "H:444", "H", "H:444"}, "/a/b?c"},
		"https://h?":               {Service{true, "h:443", "h", "h"}, "/?"},
		"http://h:1?x=/y":          {Service{false, "h:1", "h", "h:1"}, "/?x=/y"},
		"http://[::1]":             {Service{false, "[::1]:80", "::1", "[::1]"}, "/"},
		"https://ü.de:9/":          {Service{true, "xn--tda.de:9", "xn--tda.de", "xn--tda.de:9"}, "/"},
		"http://h/${csv.a}?${seq}": {Service{false, "h:80", "h", "h"}, "/x?7"},
		"http://h?q=${seq}":        {Service{false, "h:80", "h", "h"}, "/?q=7"},
	} {
		s, service, err := (&Request{URL: url}).Compile(&template.Known{Columns: []string{"a"}})
		if err != nil || service != c.of {
			t.Errorf("%s: %+v, %v", url, service, err)
			continue
		}
		if got := string(s.Target.Append(nil, &template.Values{Index: 7, Row: []string{"x"}})); got != c.target {
			t.Errorf("%s asks for %s", url, got)
		}
	}
	h, tls := Service{Address: "h:80"}, Service{Secure: true, Address: "h:443"}
	for _, c := range []struct {
		of      *Service
		address string
		want    bool
	}{
		{&h, "http://h/a", true}, {&h, "http://h:80", true}, {&h, "http://h:81", false}, {&h, "https://h:80", false}, {&h, "http://g/", false},
		{&tls, "https://h", true}, {&tls, "http://h:443/", false}, {&h, "nothing", true}, {&h, "/path", true},
	} {
		if got := c.of.Is(c.address); got != c.want {
			t.Errorf("%s is of %s: %v", c.address, c.of.Address, got)
		}
	}
}

// TestHeaders: what one is, and what cannot be given; Host is that of all requests.
func TestHeaders(t *testing.T) {
	for line, want := range map[string]string{
		"A: b": "A=b", "A:b:c": "A=b:c", " A \t: \tb\tc ": "A=b\tc", "A:": "A=", "A: ~\u00e9": "A=~é",
		"A": "a header must have the form 'Name: value'", ": b": "is not a valid header name", "A b: c": "is not a valid header name",
		"Content-Length: 1": "cannot be given", "transfer-encoding: x": "cannot be given", "CONNECTION: x": "cannot be given",
		"A: \x1f": "a control character", "A: b\x7f": "a control character", "A: b\nc": "a control character", "A: ${x}": "the header A: ",
	} {
		h, err := readHeader(line, &template.Known{})
		if err != nil {
			if !strings.Contains(err.Error(), want) || h.Value != nil || fault.HintOf(err) == "" {
				t.Errorf("%q: %v, hint %q; want %s", line, err, fault.HintOf(err), want)
			}
			continue
		}
		if got := h.Name + "=" + string(h.Value.Append(nil, &template.Values{})); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	s, service, err := (&Request{URL: "http://h:81/", Headers: []string{"A: b", "hOST: other", "C: d"}}).Compile(&template.Known{})
	if err != nil || service != (Service{false, "h:81", "h", "other"}) || len(s.Headers) != 2 || s.Headers[0].Name != "A" || s.Headers[1].Name != "C" {
		t.Errorf("%+v, %+v, %v", s, service, err)
	}
}

// TestBodyIsEscaped: by its type, or else by how it begins.
func TestBodyIsEscaped(t *testing.T) {
	const raw, inJSON, inForm = "a\"&b", "\"a\\\"&b\"", "a%22%26b"
	for _, c := range []struct{ kind, body, want string }{
		{"", "${csv.v}", raw}, {"", "{${csv.v}", "{" + inJSON}, {"", "\n [${csv.v}", "\n [" + inJSON}, {"", "(${csv.v}", "(" + raw},
		{"text/plain", "{${csv.v}", "{" + raw}, {" ; charset=x", "{${csv.v}", "{" + inJSON},
		{"application/json", "${csv.v}", inJSON}, {"Application/JSON ; charset=utf-8", "${csv.v}", inJSON}, {"application/jsonx", "${csv.v}", raw},
		{"application/problem+json", "${csv.v}", inJSON}, {"application/problem+jsonx", "${csv.v}", raw},
		{"application/x-www-form-urlencoded", "${csv.v}", inForm}, {"application/x-www-form-urlencoded;a", "{${csv.v}", "{" + inForm},
	} {
		r := &Request{URL: "http://h/", Body: c.body, HasBody: true, Headers: []string{"X: text/plain", "content-TYPE: " + c.kind}}
		s, _, err := r.Compile(&template.Known{Columns: []string{"v"}})
		if err != nil || string(s.Body.Append(nil, &template.Values{Row: []string{`a"&b`}})) != c.want {
			t.Errorf("%s, %s: %q, %v", c.kind, c.body, s.Body.Append(nil, &template.Values{Row: []string{`a"&b`}}), err)
		}
	}
	file := &File{Name: "f", Size: 1}
	if s, _, err := (&Request{URL: "http://h/", Body: "x", HasBody: true, File: file}).Compile(&template.Known{}); err != nil || s.File != file || s.Body != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if s, _, err := (&Request{URL: "http://h/", Body: "x"}).Compile(&template.Known{}); err != nil || s.Body != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestWhatIsLookedAt of an answer: the checks and what is kept, by its number; of HEAD nothing of the body.
func TestWhatIsLookedAt(t *testing.T) {
	sum := "sha256 " + strings.Repeat("0", 64)
	for _, c := range []struct {
		method string
		checks []string
		keep   [][2]string
		want   string
	}{
		{"GET", []string{"status 200", "text a", sum}, [][2]string{{"b", "json x"}, {"a", "header Y"}, {"c", "body"}},
			"status 200, text a, " + sum + ", 1=json x, 0=header Y"},
		{"HEAD", []string{"status 200", "header A"}, [][2]string{{"a", "header Y"}}, "status 200, header A, 0=header Y"},
		{"HEAD", []string{"text a"}, nil, "!text a"}, {"HEAD", []string{sum}, nil, "!" + sum}, {"HEAD", nil, [][2]string{{"a", "json x"}}, "!json x"},
		{"GET", []string{"nothing"}, nil, "!nothing"}, {"GET", nil, [][2]string{{"a", "nothing"}}, "!nothing"},
	} {
		s, _, err := (&Request{Method: c.method, URL: "http://h/", Checks: c.checks, Keep: c.keep}).Compile(&template.Known{Kept: []string{"a", "b"}})
		var all []string
		for _, check := range s.Checks {
			all = append(all, check.String())
		}
		for _, k := range s.Keep {
			all = append(all, string(rune('0'+k.Number))+"="+k.From.String())
		}
		if got := strings.Join(all, ", "); err == nil && got != c.want {
			t.Errorf("%+v: %s", c, got)
		} else if wrong, is := strings.CutPrefix(c.want, "!"); is != (err != nil) || is && (!strings.Contains(err.Error(), wrong) || fault.HintOf(err) == "") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
