package http_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/report"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// TestInvalidFlagsAreRefused: each says which flag, what is wrong with it, and what to do.
func TestInvalidFlagsAreRefused(t *testing.T) {
	table := file(t, "t.csv", "a,b\n1,2\n")
	there := file(t, "there.yaml", "base: http://there:81\nrequests:\n - url: /\n")
	for _, c := range []struct {
		url   string
		flags map[string]string
		want  string
	}{
		{"http:///x", nil, "http:///x has no host"},
		{"localhost:8080", nil, "has no scheme"},
		{"http://h:99999/", nil, "the port is not between 1 and 65535"},
		{"http://h:0/", nil, "the port is not between 1 and 65535"},
		{"http://[::1/", nil, "missing ']' in host"},
		{"http://ann:secret@h/", nil, "contains a user name"},
		{"http://${id}.example/", nil, "the host cannot contain placeholders"},
		{"http://h/${idd}", nil, `unknown placeholder "idd"`},
		{"http://h/${id", nil, "a } is missing"},
		{"http://h/${}", nil, "the placeholder is empty"},
		{"http://h/${int 5 1}", nil, "the lowest number 5 is above the highest 1"},
		{"http://h/${env.NO_SUCH_VARIABLE}", nil, "the environment has no variable"},
		{"http://h/${csv.a}", nil, `no CSV file is given for column "a"`},
		{"http://h/${csv.c}", map[string]string{"data-file": table}, `the CSV file has no column "c"`},
		{"http://h/", map[string]string{"data-file": table}, "--data-file: the request uses no column of "},
		{"http://h/", map[string]string{"data-file": "/no/such.csv"}, "--data-file: open /no/such.csv"},
		{"http://h/", map[string]string{"data-file": "/"}, "--data-file: "},
		{"http://h/", map[string]string{"requests": "/no/such.yaml"}, "--requests: open /no/such.yaml"},
		{"http://h/", map[string]string{"requests": table, "data-file": table}, "--requests cannot be combined"},
		{"http://h/", map[string]string{"body": "@/no/such"}, "--body: open /no/such"},
		{"http:/h/", nil, `"http:/h/" is not a URL: it has no scheme`},
		{"http://h/", map[string]string{"method": "get"}, `"get" is not an HTTP method: methods are upper case`},
		{"http://h/", map[string]string{"requests": there}, "go to http://there:81, but the URL is http://h/"},
		{"https://there:81/", map[string]string{"requests": there}, "go to http://there:81, but the URL is https://there:81/"},
		{"http://h/", map[string]string{"method": "GE T"}, `"GE T" is not an HTTP method`},
		{"http://h/", map[string]string{"header": "X"}, "a header must have the form 'Name: value'"},
		{"http://h/", map[string]string{"header": "X: secret\r\nB: c"}, "the value of X contains a control character"},
		{"http://h/", map[string]string{"header": "A B: c"}, `"A B" is not a valid header name`},
		{"http://h/", map[string]string{"header": "Content-Length: 5"}, "Content-Length is set by Plimsoll"},
		{"http://h/", map[string]string{"check": "statsu 200"}, `begins with "statsu"`},
		{"http://h/", map[string]string{"check": "status abc"}, `"abc" is not a status`},
		{"http://h/", map[string]string{"check": "json a > b"}, `"b" is not a number`},
		{"http://h/", map[string]string{"check": "sha256 12"}, `"12" is not a SHA-256`},
		{"http://h/", map[string]string{"check": "regexp (", "method": "GET"}, "missing closing )"},
		{"http://h/", map[string]string{"check": "text x", "method": "HEAD"}, "checks the body"},
		{"http://h/", map[string]string{"connect-to": "x"}, "--connect-to"},
		{"http://h/", map[string]string{"source-address": "x"}, "--source-address"},
		{"http://h/", map[string]string{"insecure": "true"}, "needs TLS"},
		{"http://h/", map[string]string{"http2": "true", "rates": "all"}, "--rates all does not support --http2"},
		{"https://h/", map[string]string{"cert": table}, "--cert and --key must be used together"},
	} {
		_, err := resolved(c.flags, c.url)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.HintOf(err) == "" || fault.CodeOf(err) != fault.Usage ||
			strings.Contains(err.Error()+fault.HintOf(err), "secret") {
			t.Errorf("%s %v: %v, hint %q; want %q", c.url, c.flags, err, fault.HintOf(err), c.want)
		}
	}
}

// TestHugeFilesAreRefused: what is too large, or has no end, is refused before much of it was read.
func TestHugeFilesAreRefused(t *testing.T) {
	for name, want := range map[string]string{"l.log": "l.log:1: the line is longer than 1 MiB", "r.har": "is not a valid HAR file",
		"r.yaml": "the file is larger than 1024 KiB"} {
		huge := file(t, name, "")
		grow(t, huge, 2<<30)
		if _, err := resolved(map[string]string{"requests": huge}, "http://h/"); err == nil || !strings.Contains(err.Error(), want) ||
			fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	table := file(t, "t.csv", "a,b\n1,\"x\n")
	grow(t, table, 2<<30)
	_, err := resolved(map[string]string{"data-file": table}, "http://h/${csv.a}")
	if err == nil || !strings.Contains(err.Error(), "row 1 is longer than 1 MiB") {
		t.Error(err)
	}
}

// TestPipesCanBeInput: a command reads its files several times, and a pipe once.
func TestPipesCanBeInput(t *testing.T) {
	for name, c := range map[string]struct{ text, flag, url string }{
		"requests": {"requests: [{url: /}]", "requests", "http://h/"}, "a table": {"a\n1\n", "data-file", "http://h/${csv.a}"},
		"a body": {"text", "body", "http://h/"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			_, _ = w.WriteString(c.text)
			_ = w.Close()
			at := fmt.Sprint("/dev/fd/", r.Fd())
			if _, err := os.Stat(at); err != nil {
				t.Skip(err)
			}
			if c.flag == "body" {
				at = "@" + at
			}
			command, err := resolved(map[string]string{c.flag: at}, c.url)
			if err != nil {
				t.Fatal(err)
			}
			s, err := command.Plan.Script()
			if err != nil {
				t.Fatal(err)
			}
			step := &s.Flows[0].Steps[0]
			if c.flag == "body" && step.Body.Leading() != "text" || c.flag == "data-file" && len(s.Rows) != 1 {
				t.Errorf("%+v", step)
			}
		})
	}
}

// grow makes a file of that size, which takes no room.
func grow(t *testing.T, name string, size int64) {
	t.Helper()
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
}

// TestBaseOfFileIsTheURL: what it says is the URL of the run, which is no demo, and none other can be given.
func TestBaseOfFileIsTheURL(t *testing.T) {
	there := file(t, "there.yaml", "base: http://there:81\nrequests:\n - url: /\n")
	for _, c := range []struct{ url, file, want string }{
		{"", there, "http://there:81"},
		{"http://there:81/", there, "http://there:81/"},
		{"", file(t, "paths.yaml", "requests:\n - url: /\n"), ""},
	} {
		args := []string{c.url}
		if c.url == "" {
			args = nil
		}
		got, err := resolved(map[string]string{"requests": c.file}, args...)
		if err != nil || got.Plan.URL != c.want || (got.Plan.Load.ThinkTime > 0) != (c.want == "") {
			t.Errorf("%s: %q, a pause of %v, %v", c.file, got.Plan.URL, got.Plan.Load.ThinkTime, err)
		}
	}
}

// TestRecordingNeedsAURL: without one it is not the demo that is measured, even where the demo is set up.
func TestRecordingNeedsAURL(t *testing.T) {
	har := file(t, "a.har", `{"log":{"entries":[{"startedDateTime":"2026-01-02T03:04:05Z","time":0,`+
		`"request":{"method":"GET","url":"https://shop.example:8443/cart?a=1","headers":[]}}]}}`)
	log := file(t, "access.log", "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1\n")
	for _, c := range []struct{ file, want, hint string }{
		{har, "no URL given: " + har + " was recorded at https://shop.example:8443",
			"to measure that service, run: plimsoll http https://shop.example:8443 --requests " + har},
		{log, "no URL given: the log " + log + " contains only paths", "plimsoll http http://HOST:PORT --requests " + log},
	} {
		for _, more := range []map[string]string{{}, {"recorded-times": "true"}, {"target-flag": "delay=1ms"}} {
			more["requests"] = c.file
			_, err := resolved(more)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(fault.HintOf(err), c.hint) ||
				fault.CodeOf(err) != fault.Usage {
				t.Errorf("%v: %v, hint %q", more, err, fault.HintOf(err))
			}
			delete(more, "target-flag")
			if _, err := resolved(more, "http://h/"); err != nil {
				t.Errorf("%v, with a URL: %v", more, err)
			}
		}
	}
}

// TestMissingTokenVariableHasHint: what to do is said of it as of any variable.
func TestMissingTokenVariableHasHint(t *testing.T) {
	c, err := resolved(map[string]string{"bearer": "${env.NO_SUCH_VARIABLE}"}, "http://h/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Plan.Script()
	if err != nil {
		t.Fatal(err)
	}
	_, err = room.New(c.Plan, s)
	if hint := fault.HintOf(err); !strings.Contains(hint, "export NO_SUCH_VARIABLE=") {
		t.Errorf("%v, hint %q", err, hint)
	}
}

// hostile are answers that break each rule of HTTP/1.1, with what is said of them.
var hostile = map[http1.Rule]struct{ answer, found string }{
	http1.BadStatusLine:    {"SSH-2.0-OpenSSH_9\r\n", `it does not begin with a status line: "SSH-2.0-OpenSSH_9`},
	http1.BadVersion:       {"HTTP/3.0 200 OK\r\n\r\n", `the version is neither HTTP/1.1 nor HTTP/1.0: "HTTP/3.0 200 OK"`},
	http1.BadHeader:        {"HTTP/1.1 200 OK\r\nX: secret\x01\r\n\r\n", `a header value contains a control character: "X"`},
	http1.HeadTooLong:      {"HTTP/1.1 200 OK\r\nB: " + strings.Repeat("x", 70000) + "\r\n\r\n", `exceed 65536 bytes`},
	http1.TooManyHeaders:   {"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n c\r\n", 1234) + "\r\n", `it has 1234 headers`},
	http1.BadLength:        {"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n", `Content-Length is not a number: "five"`},
	http1.BadCoding:        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", `the body has a transfer coding other than chunked: "gzip"`},
	http1.BadChunk:         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", `the length of a chunk is not a hexadecimal number: "zz"`},
	http1.TooMuchAroundIt:  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\na\r\n", 100), "extensions of the chunks"},
	http1.TooManyInterims:  {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 102), "more than 100 interim responses"},
	http1.UnaskedSwitching: {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "switched protocols"},
}

// TestEachHTTPRuleIsExplained: a run against a server that breaks it has it as the cause, says in its first lines what came, and
// explains it.
func TestEachHTTPRuleIsExplained(t *testing.T) {
	for _, rule := range http1.Rules() {
		t.Run(string(rule), func(t *testing.T) {
			c := hostile[rule]
			doc, total := run(t, flow(t, nil, script.Request{URL: scripted(t, c.answer)}), 3, func(p *room.Plan) { p.Load.Clients = 1 })
			if total.Failed != 3 || len(total.Causes) != 1 || total.Causes[0].Cause != "protocol:"+string(rule) {
				t.Errorf("%d failed: %+v", total.Failed, total.Causes)
			}
			found := doc.HTTP().Found
			if len(found) != 1 || !strings.Contains(found[0].What, c.found) || strings.Contains(found[0].What, "secret") {
				t.Errorf("found %q, want %q", found, c.found)
			}
			v := room.ReportKind().Show(report.NewView(doc, room.ReportKind(), report.Options{}))
			first := false
			for _, f := range v.Answer() {
				first = first || f.Key == report.KeyErrors && strings.Contains(strings.Join(f.Points, "\n"), "protocol:"+string(rule)+", first seen: ")
			}
			explained := false
			for _, s := range v.Sections() {
				explained = explained || s.Title == "Protocol violations" && strings.HasPrefix(s.Notes[0], string(rule)+": "+rule.Means()) &&
					rule.Means() != "" && strings.Contains(s.Notes[0], c.found)
			}
			if !first || !explained {
				t.Errorf("in the first lines: %v; explained: %v", first, explained)
			}
		})
	}
}
