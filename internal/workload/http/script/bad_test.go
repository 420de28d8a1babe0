package script

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// TestAddresses: what is no place to go to is refused, and what is written as people write it is sent as it must be.
func TestAddresses(t *testing.T) {
	for url, want := range map[string]string{
		"http://h":                         "h:80 h GET /",
		"https://h?x=1":                    "h:443 h GET /?x=1",
		"http://h:65535/a#b":               "h:65535 h:65535 GET /a",
		"http://[::1]:8080/":               "[::1]:8080 [::1]:8080 GET /",
		"http://[2001:db8::1]/":            "[2001:db8::1]:80 [2001:db8::1] GET /",
		"http://München.example:81/ü/a b":  "xn--mnchen-3ya.example:81 xn--mnchen-3ya.example:81 GET /%C3%BC/a%20b",
		"http://h/\"<>\\^`{|}\r\n?q=ä&%20": "h:80 h GET /%22%3C%3E%5C%5E%60%7B%7C%7D%0D%0A?q=%C3%A4&%20",
		"http://h/$${x}":                   "h:80 h GET /$%7Bx%7D",
		"http://h:0/":                      "the port is not between 1 and 65535",
		"http://h:65536/":                  "the port is not between 1 and 65535",
		"http://h:x/":                      "not a valid URL",
		"http://a b/":                      "not a valid URL",
		"http://[::1/":                     "not a valid URL",
		"http://-ü.example/":               "the host is not a valid domain name",
		"http://\u0080/":                   "the host is not a valid domain name",
		"http:///x":                        "the URL has no host",
		"http://:80/":                      "the URL has no host",
		"/x":                               "the URL has no scheme",
		"h:80/x":                           "the URL has no scheme",
		"ftp://h/":                         "the scheme is neither http nor https",
		"http://ann:secret@h/":             "contains a user name",
		"http://${id}.example/":            "the host cannot contain placeholders",
		"":                                 "the URL has no scheme",
	} {
		s, service, err := (&Request{URL: url}).Compile(&template.Known{})
		if err != nil {
			if !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v, hint %q; want %q", url, err, fault.HintOf(err), want)
			}
			continue
		}
		if got := fmt.Sprint(service.Address, " ", service.Host, " ", s.Method, " ", s.Target.Leading()); got != want {
			t.Errorf("%q is %s, want %s", url, got, want)
		}
	}
}

// TestFilesThatAreRefused: each with the line where it is wrong, and with what to do.
func TestFilesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "f.yaml: the file is empty",
		"hello\n":                            "f.yaml:1:1: the file contains a single value",
		"\x00\x01\x02\xff":                   "f.yaml",
		"request:\n - url: /\n":              "f.yaml:1:1: \"request\" is not a key of a requests file",
		"requests:\n - ulr: /\n":             "f.yaml:2:4: \"ulr\" is not a key of a request",
		"requests: 5\n":                      "f.yaml:1:11: requests must be a list",
		"requests: []\n":                     "f.yaml:1:11: requests is an empty list",
		"requests:\n - url: [1]\n":           "f.yaml:2:9: url must be a string",
		"requests:\n\t- url: /\n":            "f.yaml:2:1: the indentation contains a tab",
		"requests:\n - url: /\n   url: /b\n": "f.yaml:3:4: duplicate key \"url\"",
		"a: &a [1]\nb: [*a,*a,*a]\nrequests:\n - url: /\n":                                     "f.yaml:1:4: \"&\"",
		"requests:\n - url: /\n   weight: 0\n":                                                 "f.yaml:3:12: \"0\" is not a valid weight",
		"requests:\n - url: /\n   weight: NaN\n":                                               "f.yaml:3:12: \"NaN\" is not a valid weight",
		"requests:\n - url: /\n   pause: soon\n":                                               "f.yaml:3:11: \"soon\" is not a valid duration",
		"requests:\n - url: /\n   pause: 1ns\n":                                                "f.yaml:3:11: the first request of a sequence cannot have a pause",
		"flows:\n - steps: [{url: /, pause: 1s}, {url: /}]\n":                                  "f.yaml:2:28: the first request of a sequence cannot have a pause",
		"sequence:\n - url: /\n - url: /b\n   weight: 1\n":                                     "f.yaml:4:12: weight is not allowed here: every request of a sequence is sent",
		"flows:\n - weight: 2\n   steps: [{url: /, weight: 2}]\n":                              "f.yaml:3:29: weight is not allowed here",
		"requests:\n - url: /\n   method: GE T\n":                                              "\"GE T\" is not an HTTP method",
		"requests:\n - url: /${idd}\n":                                                         "f.yaml:2:9: the URL: ${idd}: unknown placeholder",
		"requests:\n - url: /\n   headers: {A: '${idd}'}\n":                                    "f.yaml:3:17: the header A: ${idd}",
		"requests:\n - url: /\n   headers: {'A B': c}\n":                                       "\"A B\" is not a valid header name",
		"requests:\n - url: /\n   headers: {A: \"b\\r\\nC: d\"}\n":                             "the value of A contains a control character",
		"requests:\n - url: /\n   check: statsu 200\n":                                         "f.yaml:3:11: \"statsu 200\" begins with",
		"requests:\n - url: /\n   check: [status 200, json]\n":                                 "f.yaml:3:24: \"json\": the path is missing",
		"requests:\n - url: /\n   check: 'regexp ('\n":                                         "f.yaml:3:11: \"regexp (\"",
		"requests:\n - url: /\n   keep: {a: jsn t}\n":                                          "f.yaml:3:14: \"jsn t\" begins with",
		"requests:\n - url: /\n   keep: {a: json t, a: body}\n":                                "duplicate key \"a\"",
		"requests:\n - url: /\n   method: HEAD\n   check: text hi\n":                           "\"text hi\" checks the body",
		"requests:\n - url: /\n   method: HEAD\n   keep: {a: json t}\n":                        "\"json t\" checks the body",
		"sequence:\n - url: /${token}\n - {url: /b, keep: {token: json t}}\n":                  "f.yaml:2:9: ${token} is used before a request",
		"sequence:\n - {url: '/${token}', keep: {token: json t}}\n":                            "${token} is used before a request",
		"requests:\n - {url: /, keep: {a: body}}\n - {url: '/${a}'}\n":                         "f.yaml:3:10: ${a} is used before a request",
		"flows:\n - {name: a, steps: [{url: /}]}\n - {name: a, steps: [{url: /}]}\n":           "two flows are named \"a\"",
		"flows:\n - {name: a}\n":                                                               "flow \"a\" has no steps",
		"requests:\n - url: /\nsequence:\n - url: /\n":                                         "requests and sequence cannot be combined",
		"requests:\n - url: http://u:secret@h/\n":                                              "contains a user name",
		"requests:\n - url: /\n - url: http://other/\n":                                        "f.yaml:3:9: this request goes to other:80",
		"requests:\n - url: /\n   body: a\n   form: {a: b}\n":                                  "body, body_file and form cannot be combined",
		"requests:\n - url: /\n   body_file: gone\n":                                           "f.yaml:3:15: there is no file gone",
		"csv: gone\nrequests:\n - url: /\n":                                                    "f.yaml:1:6: there is no file gone",
		"csv: t\nrequests:\n - url: /\n":                                                       "f.yaml:1:6: no request uses a column of the table t",
		"csv: t\nrequests:\n - url: /${csv.c}\n":                                               "f.yaml:3:9: the URL: ${csv.c}: the CSV file has no column \"c\"",
		"requests:\n - url: /${csv.a}\n":                                                       "no CSV file is given for column \"a\"",
		"requests:\n - url: /${env.NO_SUCH}\n":                                                 "the environment has no variable \"NO_SUCH\"",
		"requests:\n - url: /\n   headers: [a]\n":                                              "f.yaml:3:13: headers must be a mapping",
		"base: [a]\nrequests:\n - url: /\n":                                                    "f.yaml:1:7: base must be a string",
		"requests:\n - url: buy\n":                                                             "f.yaml:2:9: \"buy\" is neither a path nor a URL",
		"requests:\n - {url: /, method: get}\n":                                                "\"get\" is not an HTTP method: methods are upper case",
		"headers: {A=b}\nrequests:\n - url: /\n":                                               "f.yaml:1:12: header A=b must be a string, not no value",
		"requests:\n - {url: /, check: 'json a = ${id}'}\n":                                    "placeholder ${id} is not supported",
		"requests:\n - url: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n\n": "f.yaml",
	} {
		_, err := Load("f.yaml", strings.NewReader(text), Options{Base: "http://h/", Env: func(string) (string, bool) { return "", false },
			Open: func(name string) (io.ReadCloser, error) {
				if name != "t" {
					return nil, fmt.Errorf("there is no file %s", name)
				}
				return io.NopCloser(strings.NewReader("a,b\n1,2\n")), nil
			}})
		short := text[:min(len(text), 100)]
		if err == nil {
			t.Errorf("%q is taken", short)
			continue
		}
		if !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" || fault.CodeOf(err) != fault.Usage ||
			strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n  %v\n  hint %q\nwant %s", short, err, fault.HintOf(err), want)
		}
	}
}

// TestBaseOfAFile: a file that says itself where its requests go is asked for that; one of paths is not.
func TestBaseOfAFile(t *testing.T) {
	env := func(string) (string, bool) { return "http://secret.example:81/v1", true }
	for text, want := range map[string]string{
		"requests:\n - url: /a\n":                                         "",
		"base: http://other:81/v1\nrequests:\n - url: /a\n":               "http://other:81/v1",
		"requests:\n - url: https://other/a?b\n":                          "https://other",
		"requests:\n - url: https://other?b\n":                            "https://other",
		"requests:\n - url: https://other\n":                              "https://other",
		"requests:\n - url: '${env.BASE}/a'\n":                            "${env.BASE}",
		"base: ${env.BASE}\nrequests:\n - url: /a\n":                      "${env.BASE}",
		"base: http://other/\nrequests:\n - url: http://other:80/${id}\n": "http://other:80",
	} {
		s, err := Load("f.yaml", strings.NewReader(text), Options{Base: "http://h/", Env: env})
		if err != nil || s.Named != want {
			t.Errorf("%q: %v, %v; want %q", text, s, err, want)
		}
	}
}

// TestUnreadableLinesOfLogsAreCounted: programs write more than requests into their logs.
func TestUnreadableLinesOfLogsAreCounted(t *testing.T) {
	s, err := ReadLog("l", strings.NewReader(`{"ts":1,"msg":"server running"}
{"ts":2,"request":{"method":"GET","uri":"/"}}
goroutine 1 [running]:
{"ts":3,"request":{"method":"GET","uri":"/"}}
`), Options{Base: "http://h"})
	if err != nil || len(s.Rows) != 2 || len(s.Left) != 1 || s.Left["malformed lines"] != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestLogFormats: what every public server has in its log besides requests is left out and counted, and what servers
// escape is sent as it was asked for.
func TestLogFormats(t *testing.T) {
	const at = `h - - [10/Oct/2000:13:55:36 -0700] `
	s, err := ReadLog("l", strings.NewReader(at+`"\x16\x03\x01" 400 0 "-" "-"`+"\n"+at+`"-" 408 0`+"\n"+at+`"GET /\xC3\xA9/a b?q=\"x\" HTTP/1.1" 200 1`+"\n"+
		at+`"OPTIONS * HTTP/1.1" 200 1`+"\n"+at+`"POST /x HTTP/1.1" 200 1`+"\n"+at+`"GET /cut`), Options{Base: "http://h"})
	if err != nil {
		t.Fatal(err)
	}
	if got := sent(s); !strings.HasSuffix(got, "GET /%C3%A9/a%20b?q=%22x%22\n") || len(s.Rows) != 1 {
		t.Errorf("sent: %s", got)
	}
	if s.Left["lines without an HTTP request"] != 3 || s.Left["POST requests"] != 1 || s.Left["the last line, which is truncated"] != 1 {
		t.Errorf("left out: %v", s.Left)
	}
	for text, want := range map[string]string{
		"\x1f\x8b\x08\x00binary": "gunzip",
		"\nhello\nyou\n":         "l:2: no time in brackets",
		strings.Repeat("hello\n", mostUnread) + at + `"GET / HTTP/1.1"`: "l:1: no time in brackets",
	} {
		_, err := ReadLog("l", strings.NewReader(text), Options{Base: "http://h"})
		if err == nil || !strings.Contains(err.Error()+fault.HintOf(err), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
