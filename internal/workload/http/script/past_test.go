package script

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// sent are the requests of a script in their order, with the times of a log.
func sent(s *Script) string {
	var b strings.Builder
	for i, row := range s.Rows {
		step := &s.Flows[s.Order[i]].Steps[0]
		fmt.Fprintf(&b, "%v %s: %s %s\n", s.Times[i], step.Name, step.Method, step.Target.Append(nil, &template.Values{Row: row}))
	}
	return b.String()
}

func TestLogs(t *testing.T) {
	const want = "0s GET /a: GET /v1/a?x=1\n1s GET /img/…: GET /v1/img/b%20c.png\n1.5s HEAD /: HEAD /v1/\n"
	for name, text := range map[string]string{
		"common": `h - - [10/Oct/2000:13:55:37 -0700] "GET /img/b%20c.png HTTP/1.0" 200 2326
h - ann [10/Oct/2000:13:55:36 -0700] "GET /a?x=1 HTTP/1.0" 200 2326
h - ann [10/Oct/2000:13:55:36 -0700] "POST /form HTTP/1.0" 200 2326

h - - [10/Oct/2000:20:55:37 +0000] "HEAD / HTTP/1.0" 304 -
`,
		"combined": `h - ann [10/Oct/2000:13:55:36 -0700] "GET /a?x=1 HTTP/1.1" 200 2326 "http://r/?q=\"x\"" "Mozilla/4.08 [en] (Win98)"
h - - [10/Oct/2000:13:55:37 -0700] "GET /img/b%20c.png HTTP/1.1" 200 1 "-" "-"
h - - [10/Oct/2000:13:55:37 -0700] "HEAD / HTTP/1.1" 200 1 "-" "-"
h - - [10/Oct/2000:13:55:37 -0700] "PUT / HTTP/1.1" 200 1 "-" "-"
`,
		"JSON": `{"time":"2026-01-02T03:04:05Z","method":"GET","path":"/a?x=1","status":200}
{"time":"2026-01-02T03:04:06Z","request":"GET /img/b%20c.png HTTP/1.1"}
{"ts":1767323046.0,"request":{"method":"HEAD","uri":"/"}}
{"msec":1767323046000,"request_method":"PATCH","request_uri":"/x"}
`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ReadLog("access.log", strings.NewReader(text), Options{Base: "http://h/v1/"})
			if err != nil {
				t.Fatal(err)
			}
			if got := sent(s); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			left := 0
			for _, n := range s.Left {
				left += n
			}
			if left != 1 || s.Service.Address != "h:80" {
				t.Errorf("left out %v, service %+v", s.Left, s.Service)
			}
		})
	}
}

// TestTimesOfLogs: what a log does not tell apart is spread evenly within its unit, in its order, and the log is as long as
// up to the end of the last unit.
func TestTimesOfLogs(t *testing.T) {
	for name, c := range map[string]struct {
		at     []string
		want   []time.Duration
		length time.Duration
	}{
		"whole seconds": {[]string{"1767323046", "1767323045", "1767323045", "1767323045", "1767323045", "1767323048"},
			[]time.Duration{0, 250e6, 500e6, 750e6, 1e9, 3e9}, 4e9},
		"milliseconds": {[]string{"1767323045.123", "1767323045.123", "1767323045.200"},
			[]time.Duration{0, 500e3, 77e6}, 78e6},
		"milliseconds as whole numbers": {[]string{"1767323045123", "1767323045200"}, []time.Duration{0, 77e6}, 78e6},
		"microseconds":                  {[]string{"1767323045.123456", "1767323045.123457"}, []time.Duration{0, 1000}, 2000},
		"nanoseconds":                   {[]string{"1767323045123456789", "1767323045123456799"}, []time.Duration{0, 10}, 11},
		"with an exponent":              {[]string{"1.767323045e9", "1.767323047e+09"}, []time.Duration{0, 2e9}, 3e9},
		"one":                           {[]string{"1767323045"}, []time.Duration{0}, 1e9},
		"RFC 3339": {[]string{`"2026-01-02T03:04:05.5Z"`, `"2026-01-02T04:04:06.5+01:00"`},
			[]time.Duration{0, 1e9}, 1001e6},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i, at := range c.at {
				fmt.Fprintf(&b, `{"ts":%s,"method":"GET","path":"/%d"}`+"\n", at, i)
			}
			s, err := ReadLog("l", strings.NewReader(b.String()), Options{Base: "http://h"})
			if err != nil || !slices.Equal(s.Times, c.want) || s.Length != c.length {
				t.Errorf("%v of %v, %v; want %v of %v", s.Times, s.Length, err, c.want, c.length)
			}
		})
	}
}

func TestInvalidLogsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n":                         "l:1: no time in brackets",
		"\n\nh [x] \"GET / HTTP/1.1\"":    `l:3: "x" is not a log time`,
		"h [10/Oct/2000:13:55:36 -0700] ": "no request in quotes",
		"h [10/Oct/2000:13:55:36 -0700] \"\\x16\\x03\" 400 0": "is not an HTTP method",
		"h [10/Oct/2000:13:55:36 -0700] \"GET x\" 400 0":      `"x" is not a path`,
		"h [10/Oct/2000:13:55:36 -0700] \"POST /x HTTP/1.1\"": "no request without a body",
		"":                     "no request without a body",
		"{\"a\":":              "l:1: not a JSON object",
		"{\"method\":\"GET\"}": "l:1: no time",
		"{\"time\":\"never\"}": `"never" is not a valid time`,
		"{\"time\":5}":         "no method and path",
	} {
		_, err := ReadLog("l", strings.NewReader(text), Options{Base: "http://h"})
		if err == nil || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadLog("l", strings.NewReader("h [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\""), Options{}); err == nil ||
		!strings.Contains(fault.HintOf(err), "URL on the command line") {
		t.Errorf("without a base: %v", err)
	}
}

const recording = `{"log":{"version":"1.2","entries":[
 {"startedDateTime":"2026-01-02T03:04:06.000Z","time":100,"request":{"method":"POST","url":"https://shop/cart?x=1",
  "headers":[{"name":":authority","value":"shop"},{"name":"Content-Type","value":"application/json"},{"name":"Content-Length","value":"9"}],
  "postData":{"mimeType":"application/json","text":"{\"a\":\"${b}\"}"}}},
 {"startedDateTime":"2026-01-02T03:04:05.000Z","time":250.5,"request":{"method":"GET","url":"https://shop/","headers":[{"name":"Accept","value":"*/*"}]}},
 {"startedDateTime":"2026-01-02T03:04:05.100Z","time":10,"request":{"method":"GET","url":"https://ads/x.js","headers":[]}},
 {"startedDateTime":"2026-01-02T03:04:06.050Z","time":10,"request":{"method":"GET","url":"https://shop/late","headers":[]}},
 {"startedDateTime":"2026-01-02T03:04:06.050Z","time":10,"request":{"method":"GET","url":"data:text/plain,x","headers":[]}}
]}}`

// TestArchivesOfBrowsers: files as Chromium and Firefox write them.
func TestArchivesOfBrowsers(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		left map[string]int
	}{
		"chromium.har": {`flow recording ×1
  0s 1 GET /: GET /
    accept: text/html,*/*;q=0.8
    cookie: id=a%3D1
  0s 2 POST /login: POST /login
    content-type: application/x-www-form-urlencoded
    body user=ann&password=p%40ss
  0s 4 POST /upload: POST /upload?name=a%20b.bin
    content-type: application/octet-stream
    body \x00\x01\xffbin${id}
`, map[string]int{
			"requests to cdn.example":                       1,
			"requests served from the browser cache":        1,
			"requests that were blocked or got no response": 1,
			"requests that do not use HTTP":                 2,
		}},
		"firefox.har": {`flow recording ×1
  0s 1 GET /cart: GET /cart
    User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
    Accept: */*
    If-None-Match: "abc"
  0s 2 POST /cart: POST /cart
    Content-Type: application/json
    body {"item":"x","text":"line\n"}
  0s 3 POST /search: POST /search
    Content-Type: application/x-www-form-urlencoded
    body q=a+b&lang=d%C3%A9
`, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Load(name, bytes.NewReader(data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer("\x00", `\x00`, "\x01", `\x01`, "\xff", `\xff`).Replace(written(s))
			if got != c.want || !maps.Equal(s.Left, c.left) {
				t.Errorf("got\n%s\nwant\n%s\nleft out %v", got, c.want, s.Left)
			}
			for n := range data { // cut off anywhere it is refused, and nothing else happens
				if _, err := ReadArchive(name, data[:n], Options{}); err == nil && n < len(data)-2 || err != nil && fault.HintOf(err) == "" {
					t.Fatalf("cut behind %d bytes: %v", n, err)
				}
			}
		})
	}
}

func FuzzPast(f *testing.F) {
	f.Add([]byte(recording))
	f.Add([]byte("h - - [10/Oct/2000:13:55:37 -0700] \"GET /a/${b} HTTP/1.0\" 200 2326\n{\"time\":1,\"request\":\"GET / x\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := Options{Base: "http://h", Pauses: true}
		if s, err := ReadLog("l", bytes.NewReader(data), o); err == nil {
			for _, at := range s.Times {
				if at < 0 || at > longest {
					t.Errorf("recorded at %v", at)
				}
			}
			sent(s)
		}
		if s, err := ReadArchive("a", data, o); err == nil {
			written(s)
		}
	})
}

// TestLogWithManyPaths: what is not summed up by itself is in a group of the others.
func TestLogWithManyPaths(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "h - - [10/Oct/2000:13:55:36 -0700] \"GET /p%d HTTP/1.0\" 200 1\n", i)
	}
	s, err := ReadLog("l", strings.NewReader(b.String()), Options{Base: "http://h"})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Flows) != mostGroups+1 || s.Flows[mostGroups].Name != "GET other" || len(s.Rows) != 500 {
		t.Errorf("%d groups of %d requests", len(s.Flows), len(s.Rows))
	}
	if got := sent(s); !strings.HasSuffix(got, "GET other: GET /p499\n") {
		t.Errorf("…%s", got[len(got)-60:])
	}
}

// TestRequestsOfLogs: how much of a line is the target, and of a proxy's log the path alone.
func TestRequestsOfLogs(t *testing.T) {
	for text, want := range map[string]string{
		"GET /a HTTP/1.1": "GET /a", "HEAD /": "HEAD /", "GET /a b HTTP/1.0": "GET /a b", "GET /x HTTP/1 HTTP/1.1": "GET /x HTTP/1",
		"GET http://h/a://b HTTP/1.1": "GET /a://b", "GET http://h HTTP/1.1": "GET /", "GET http:///x HTTP/1.1": "GET /x", "GET HTTP/1.1": "!\"HTTP/1.1\" is not a path",
		"GET  HTTP/1.1": "!\"\" is not a path", "GET": "!\"\" is not a path", "": "!\"\" is not an HTTP method", "\x16\x03 /": "!\"\\x16\\x03\" is not an HTTP method",
		"CONNECT h:443 HTTP/1.1": "!\"h:443\" is not a path",
	} {
		var v visit
		err := v.readRequest(text)
		var none noRequest
		if got := v.method + " " + v.target; err == nil && got != want || err != nil && (!errors.As(err, &none) || "!"+err.Error() != want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestQuotedRequests: what servers escape is undone, and what they did not write so stays.
func TestQuotedRequests(t *testing.T) {
	for text, want := range map[string]string{
		`a"b`: "a", `"`: "", `\"\\"`: `"\`, `\x41\x7e\xFFz"`: "A~\xffz", `\x4`: "!", `\x4"`: `\x4`, `\xg1"`: `\xg1`, `\n"`: `\n`, `\x"`: `\x`,
		`a`: "!", `a\`: "!", `a\"`: "!", `\x41`: "!", `\x412"`: "A2", `\xf"b`: `\xf`,
	} {
		got, ended := unquote(text)
		if ended != (want != "!") || ended && got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, ended, want)
		}
	}
}
