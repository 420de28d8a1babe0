package script

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

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

// TestRequestsOfLogs: how much of a line is the target, and of a proxy's log the path alone.
func TestRequestsOfLogs(t *testing.T) {
	for text, want := range map[string]string{
		"GET /a HTTP/1.1": "GET /a", "HEAD /": "HEAD /", "GET /a b HTTP/1.0": "GET /a b", "GET /x HTTP/1 HTTP/1.1": "GET /x HTTP/1",
		"GET http://h/a://b HTTP/1.1": "GET /a://b", "GET http://h HTTP/1.1": "GET /", "GET http:///x HTTP/1.1": "GET /x", "GET HTTP/1.1": "!\"HTTP/1.1\" is no path",
		"GET  HTTP/1.1": "!\"\" is no path", "GET": "!\"\" is no path", "": "!\"\" is no method of HTTP", "\x16\x03 /": "!\"\\x16\\x03\" is no method of HTTP",
		"CONNECT h:443 HTTP/1.1": "!\"h:443\" is no path",
	} {
		var v visit
		err := v.readRequest(text)
		var none noRequest
		if got := v.method + " " + v.target; err == nil && got != want || err != nil && (!errors.As(err, &none) || "!"+err.Error() != want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestGroupsOfPaths: the first part, where that is short.
func TestGroupsOfPaths(t *testing.T) {
	long := strings.Repeat("a", 40)
	for target, want := range map[string]string{
		"/": "/", "/?a/b": "/", "/a": "/a", "/a?b/c": "/a", "/a/": "/a/…", "/a/b/c": "/a/…", "//a": "//…", "/" + long: "/" + long,
		"/" + long + "/b": "/" + long + "/…", "/" + long + "a": "/…", "/" + long + "a/b": "/…",
	} {
		if got := groupOf(target); got != want {
			t.Errorf("%s: %s", target, got)
		}
	}
}

// TestTimesOfALine: each way to write a time, and what is none.
func TestTimesOfALine(t *testing.T) {
	at := func(sec, ns int64) string { return time.Unix(sec, ns).UTC().Format(time.RFC3339Nano) }
	for text, want := range map[string]string{
		"2026-01-02T03:04:05.123456789Z": "2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05+01:00": "2026-01-02T02:04:05Z",
		"10/Oct/2000:13:55:36 -0700": "2000-10-10T20:55:36Z", "2026-01-02 03:04:05.5": "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05": "2026-01-02T03:04:05Z",
		"1": at(1, 0), "100000000000": at(100_000_000_000, 0), "100000000001": at(100_000_000, 1_000_000),
		"1767323045.5": at(1767323045, 500_000_000), "1767323045.123456789123": at(1767323045, 123_456_789), "1767323045123.5": at(1767323045, 123_500_000),
		"1767323045123456": at(1767323045, 123_456_000), "1767323045123456789": at(1767323045, 123_456_789), "1767323045.": at(1767323045, 0),
		"1.767323045E9": at(1767323045, 0), "5e18": at(5_000_000_000, 0), "1.7673230455e+9": at(1767323045, 500_000_000),
		"9223372036854775807": at(9223372036, 854_775_807),
		"":                    "it has no time", "0": "is no time", "-1": "is no time", "a": "is no time", "1.a": "is no time", "1.2.3": "is no time", "1.-5": "is no time",
		"9223372036854775808": "is no time", "1e30": "is no time", "-1e3": "is no time", "e": "is no time", "9e18": "is no time",
		"2026-01-02": "is no time", "1.+12": "is no time",
	} {
		got, err := readTime(text)
		if err != nil {
			if !strings.Contains(err.Error(), want) || !got.IsZero() {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			continue
		}
		if s := got.UTC().Format(time.RFC3339Nano); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}

// TestObjectsOfLogs: each name that a part has somewhere, the first of several, and what stands within the request.
func TestObjectsOfLogs(t *testing.T) {
	const when, method, path = `"time":1`, `"method":"GET"`, `"path":"/a"`
	for _, key := range []string{"time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "msec", "date"} {
		if v, err := readObject([]byte(`{"` + key + `":"1970-01-01T00:00:07Z",` + method + "," + path + "}")); err != nil || v.at.Unix() != 7 {
			t.Errorf("%s: %v, %v", key, v, err)
		}
	}
	for _, key := range []string{"method", "request_method", "verb", "http_method"} {
		if v, err := readObject([]byte("{" + when + `,"` + key + `":"PUT",` + path + "}")); err != nil || v.method != "PUT" {
			t.Errorf("%s: %v, %v", key, v, err)
		}
	}
	for _, key := range []string{"path", "uri", "url", "request_uri", "target", "request_path"} {
		if v, err := readObject([]byte("{" + when + `,"` + key + `":"/x",` + method + "}")); err != nil || v.target != "/x" {
			t.Errorf("%s: %v, %v", key, v, err)
		}
	}
	for text, want := range map[string]string{
		`{"ts":2,"time":3,"method":"GET","path":"/a","uri":"/b"}`:                   "3 GET /a",
		`{"time":null,"ts":2,"method":5,"path":["x"],"uri":"/b"}`:                   "2 5 /b",
		`{"time":1,"request":"POST /r HTTP/1.1","method":"GET","path":"/a"}`:        "1 POST /r",
		`{"time":1,"request_line":"HEAD /l"}`:                                       "1 HEAD /l",
		`{"time":1,"method":"GET","request":{"method":"PUT","uri":"/in","time":9}}`: "1 GET /in",
		`{"request":{"method":"PUT","uri":"/in","ts":4}}`:                           "4 PUT /in",
		`{"time":1,"method":"GET"}`:                                                 "it has no method and path",
		`{"time":1,"path":"/a"}`:                                                    "it has no method and path",
		`{"time":1,"method":"G T","path":"/a"}`:                                     "is no method of HTTP",
		`{"method":"GET","path":"/a"}`:                                              "it has no time",
		`{"time":"x","method":"GET","path":"/a"}`:                                   "is no time",
		`{"time":1`: "it is no JSON object",
		`{"time":1234567890123456789,"method":"GET","path":"http://h/proxied?http://x"}`: "1234567890 GET /proxied?http://x",
	} {
		v, err := readObject([]byte(text))
		if got := fmt.Sprint(v.at.Unix(), " ", v.method, " ", v.target); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestLinesOfLogs: which are counted and left out, and which end the reading, by their places.
func TestLinesOfLogs(t *testing.T) {
	const at = "h [10/Oct/2000:13:55:36 -0700] "
	const good, none = at + `"GET /a HTTP/1.1" 200`, at + `"-" 408`
	for _, c := range []struct {
		text string
		rows int
		left string
		want string
	}{
		{good, 1, "map[]", ""}, {good + "\n", 1, "map[]", ""}, {"\r\n \n" + good + "\r\n\n", 1, "map[]", ""},
		{none + "\n" + good, 1, "map[lines that hold no request of HTTP:1]", ""}, {good + "\n" + none, 1, "map[lines that hold no request of HTTP:1]", ""},
		{none, 0, "", "l:1: \"\" is no path"}, {none + "\n", 0, "", "l:1: \"\" is no path"}, {"\n" + none, 0, "", "l:2: "},
		{good + "\n" + at, 1, "map[the last line, which is cut off:1]", ""}, {good + "\n" + at + "\n", 0, "", "l:2: it has no request in quotes"},
		{good + "\nx", 1, "map[the last line, which is cut off:1]", ""}, {none + "\nx", 0, "", "l:2: it has no time"}, {good + "\n" + good, 2, "map[]", ""},
		{at, 0, "", "l:1: it has no request in quotes"}, {good + "\n" + at + "\n" + good, 0, "", "l:2: "},
		{at + `"POST /a H" 1` + "\n" + at + `"PUT /a H" 1` + "\n" + at + `"POST /b H" 1` + "\n" + at + `"DELETE /a" 1` + "\n" + at + `"OPTIONS /a" 1` + "\n" + at + `"HEAD /a" 1`,
			3, "map[POST requests:2 PUT requests:1]", ""},
		{at + `"POST /a H" 1`, 0, "", "l: it has no request without a body"},
		{"h 10/Oct/2000:13:55:36 -0700] \"GET / H\"", 0, "", "no time in brackets"}, {"h [10/Oct/2000:13:55:36 -0700 \"GET / H\"", 0, "", "no time in brackets"},
		{"h [10/Oct/2000:13:55:36] \"GET / H\"", 0, "", "is no time of a log"}, {at + `"GET / H`, 0, "", "no request in quotes"},
	} {
		s, err := ReadLog("l", []byte(c.text), Options{Base: "http://h"})
		if err != nil {
			if c.want == "" || !strings.Contains(err.Error(), c.want) || s != nil || fault.HintOf(err) == "" {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
			continue
		}
		if c.want != "" || len(s.Rows) != c.rows || len(s.Times) != c.rows || fmt.Sprint(s.Left) != c.left {
			t.Errorf("%q: %d rows, %v; want %s", c.text, len(s.Rows), s.Left, c.want)
		}
	}
	for begins, want := range map[string]string{"\x1f\x8b": "it is compressed: gunzip it first", "\x1f": "a line is in the common", "x\x1f\x8b": "a line is in the common"} {
		if got := logHint([]byte(begins)); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s", begins, got)
		}
	}
}

// TestScriptsOfLogs: where they go, how long they may be, and what one group is.
func TestScriptsOfLogs(t *testing.T) {
	day := func(days int, seconds int64) string {
		return fmt.Sprintf("{\"ts\":%d,\"method\":\"GET\",\"path\":\"/%d\"}\n", 1_000_000_000+int64(days)*86400+seconds, days)
	}
	for _, c := range []struct {
		text string
		well bool
	}{{day(0, 0) + day(366, 0), true}, {day(366, 0) + day(0, 0), true}, {day(0, 0) + day(366, 1) + day(10, 0), false}} {
		s, err := ReadLog("l", []byte(c.text), Options{Base: "http://h"})
		if (err == nil) != c.well || err != nil && !strings.Contains(err.Error(), "from 2001-09-09 to 2002-09-10") {
			t.Errorf("%q: %v", c.text, err)
		}
		if c.well && (s.Times[0] != 0 || s.Times[1] != 366*24*time.Hour || s.Length != 366*24*time.Hour+time.Second || s.Unit != time.Second) {
			t.Errorf("%v of %v", s.Times, s.Length)
		}
	}
	for base, want := range map[string]string{"http://h": "/0", "http://h/": "/0", "https://h/v1": "/v1/0", "https://h/v1/": "/v1/0"} {
		s, err := ReadLog("l", []byte(day(0, 0)), Options{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.Flows[0].Steps[0].Target.Append(nil, &template.Values{Row: s.Rows[0]})); got != want || s.Service.Secure != (base[4] == 's') ||
			s.Flows[0].Name != "GET /0" || s.Flows[0].Weight != 1 || !slices.Equal(s.Columns, []string{"target"}) {
			t.Errorf("%s: %s, %+v", base, got, s)
		}
	}
	if _, err := ReadLog("l", []byte(day(0, 0)), Options{Base: "nowhere"}); err == nil || !strings.Contains(err.Error(), "it has no scheme") {
		t.Errorf("of a bad base: %v", err)
	}
	if _, err := ReadLog("l", []byte(day(0, 0)), Options{}); err == nil || !strings.Contains(fault.HintOf(err), "--requests l") {
		t.Errorf("without a base: %v, hint %q", err, fault.HintOf(err))
	}
	var b strings.Builder // 60 groups, another method of one that there is, and two of the others
	for i := range 60 {
		fmt.Fprintf(&b, `{"ts":%d,"method":"GET","path":"/%d"}`+"\n", 1000+i, i)
	}
	b.WriteString(`{"ts":2000,"method":"GET","path":"/59?x"}` + "\n" + `{"ts":2001,"method":"GET","path":"/60"}` + "\n" +
		`{"ts":2002,"method":"GET","path":"/61"}` + "\n" + `{"ts":2003,"method":"HEAD","path":"/1"}` + "\n")
	s, err := ReadLog("l", []byte(b.String()), Options{Base: "http://h"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range s.Order[60:] {
		names = append(names, s.Flows[n].Name)
	}
	if got := strings.Join(names, ", "); got != "GET /59, GET other, GET other, HEAD other" || len(s.Flows) != 62 {
		t.Errorf("%s, of %d flows", got, len(s.Flows))
	}
}

// har is a recording of entries, each as JSON with its time, in ms since the first.
func har(entries ...string) []byte {
	return []byte(`{"log":{"entries":[` + strings.Join(entries, ",") + `]}}`)
}

func entry(ms int, lasts float64, method, url, more string) string {
	at := time.UnixMilli(1_000_000_000_000 + int64(ms)).UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"startedDateTime":%q,"time":%v,"request":{"method":%q,"url":%q%s}}`, at, lasts, method, url, more)
}

// TestPausesOfArchives: from the end of the longest request so far to the next one, and none before the first.
func TestPausesOfArchives(t *testing.T) {
	data := har(entry(0, 100, "GET", "http://h/a", ""), entry(10, 10, "GET", "http://h/b", ""), entry(101, 0.5, "GET", "http://h/c", ""),
		entry(101, 0, "GET", "http://h/d", ""), entry(200, 1, "GET", "http://h/e", ""), entry(201, 1, "GET", "http://h/f", ""), entry(203, 1, "GET", "http://h/g", ""))
	for pauses, want := range map[bool]string{
		true:  "/a 0s, /b 0s, /c 1ms, /d 0s, /e 98.5ms, /f 0s, /g 1ms",
		false: "/a 0s, /b 0s, /c 0s, /d 0s, /e 0s, /f 0s, /g 0s",
	} {
		s, err := ReadArchive("a.har", data, Options{Pauses: pauses})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for i, step := range s.Flows[0].Steps {
			target := string(step.Target.Append(nil, &template.Values{}))
			all = append(all, fmt.Sprint(target, " ", step.Pause))
			if want := fmt.Sprintf("%d GET %v", i+1, target); step.Name != want {
				t.Errorf("%s is called %s", want, step.Name)
			}
		}
		if got := strings.Join(all, ", "); got != want || s.Origin != "http://h" || s.Flows[0].Name != "recording" || s.Flows[0].Weight != 1 ||
			s.Service != (Service{Address: "h:80", Name: "h", Host: "h"}) {
			t.Errorf("%s, %+v", got, s)
		}
	}
}

// TestBodiesOfArchives: each way to write one, and what cannot be sent again.
func TestBodiesOfArchives(t *testing.T) {
	raw := base64.StdEncoding.EncodeToString([]byte("\x00${x}"))
	for _, c := range []struct{ post, want, failed, hint string }{
		{`{"text":"a${b}"}`, "a${b}", "", ""}, {`{"text":"` + raw + `","encoding":"base64"}`, "\x00${x}", "", ""}, {`{}`, "", "", ""},
		{`{"text":"t","params":[{"name":"a","value":"b"}]}`, "t", "", ""},
		{`{"params":[{"name":"a b","value":"c&d"},{"name":"e","value":""}]}`, "a+b=c%26d&e=", "", ""},
		{`{"params":[{"name":"a","fileName":"f"}]}`, "", "request 1: its body is a form with a file", "take it out of the file"},
		{`{"text":"x","encoding":"gzip"}`, "", `request 1: its body is written in "gzip"`, "take it out of the file"},
		{`{"text":"!","encoding":"base64"}`, "", "request 1: illegal base64", "take it out of the file"},
	} {
		s, err := ReadArchive("a.har", har(entry(0, 1, "PUT", "http://h/", `,"postData":`+c.post)), Options{})
		if err != nil {
			if c.failed == "" || !strings.Contains(err.Error(), "a.har: "+c.failed) || fault.HintOf(err) != c.hint {
				t.Errorf("%s: %v, hint %q", c.post, err, fault.HintOf(err))
			}
			continue
		}
		if got := string(s.Flows[0].Steps[0].Body.Append(nil, &template.Values{})); got != c.want || c.failed != "" {
			t.Errorf("%s: %q", c.post, got)
		}
	}
	if _, err := ReadArchive("a.har", har(entry(0, 1, "get", "http://h/", "")), Options{}); err == nil || fault.HintOf(err) != "write GET" {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
	s, err := ReadArchive("a.har", har(entry(0, 1, "GET", "http://h/", "")), Options{})
	if err != nil || s.Flows[0].Steps[0].Body != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestHeadersOfArchives: those that follow from the connection are left out, in whatever case.
func TestHeadersOfArchives(t *testing.T) {
	type header struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	all := []header{{"A", "b ${c}"}, {":method", "GET"}, {"", "x"}, {"Sec-Fetch-Mode", "cors"}}
	for _, name := range []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Accept-Encoding", "Keep-Alive", "Upgrade",
		"Proxy-Connection", "TE"} {
		all = append(all, header{name, "x"}, header{strings.ToLower(name), "x"})
	}
	text, _ := json.Marshal(all)
	s, err := ReadArchive("a.har", har(entry(0, 1, "GET", "http://h/?q=${x}#f", `,"headers":`+string(text))), Options{Base: "http://g/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	step := &s.Flows[0].Steps[0]
	var got []string
	for _, h := range step.Headers {
		got = append(got, h.Name+": "+string(h.Value.Append(nil, &template.Values{})))
	}
	if diff := cmp.Diff([]string{"A: b ${c}", "Sec-Fetch-Mode: cors"}, got); diff != "" {
		t.Error(diff)
	}
	if target := string(step.Target.Append(nil, &template.Values{})); target != "/v1/?q=$%7Bx%7D" || s.Service.Address != "g:80" || s.Service.Host != "g" || s.Origin != "http://h" ||
		step.Name != "1 GET /v1/" {
		t.Errorf("%s, %s, %+v", target, step.Name, s)
	}
	for n, want := range map[int]string{59: strings.Repeat("a", 59), 60: strings.Repeat("a", 59) + "…"} {
		s, err := ReadArchive("a.har", har(entry(0, 1, "GET", "http://h/"+strings.Repeat("a", n), "")), Options{})
		if err != nil || s.Flows[0].Steps[0].Name != "1 GET /"+want {
			t.Errorf("%d: %s, %v", n, s.Flows[0].Steps[0].Name, err)
		}
	}
}

// TestWhatArchivesLeaveOut is counted by what it is, and requests are numbered as they stand in the file.
func TestWhatArchivesLeaveOut(t *testing.T) {
	with := func(e, more string) string { return strings.TrimSuffix(e, "}") + more + "}" }
	ok := entry(5, 1, "GET", "https://h:8443/x", "")
	s, err := ReadArchive("a.har", har(
		entry(0, 1, "GET", "ws://h:8443/", ""), entry(1, 1, "GET", "https:///", ""), entry(2, 1, "GET", "https://h:bad/", ""), entry(2, 1, "GET", "chrome://x/", ""),
		with(entry(3, 1, "GET", "https://h:8443/c", ""), `,"_fromCache":"disk"`), with(entry(4, 1, "GET", "https://h:8443/b", ""), `,"response":{"status":0}`),
		with(ok, `,"response":{"status":404}`), entry(6, 1, "GET", "https://h/y", ""), entry(7, 1, "GET", "http://h:8443/y", ""), entry(8, 1, "GET", "https://g/y", ""),
		entry(9, 1, "GET", "https://g/z", "")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"requests over other than HTTP": 4, "requests that the browser answered from its cache": 1,
		"requests that were blocked, or ended without an answer": 1, "requests to h": 1, "requests to h:8443": 1, "requests to g": 2}
	if diff := cmp.Diff(want, s.Left); diff != "" || len(s.Flows[0].Steps) != 1 || s.Flows[0].Steps[0].Name != "7 GET /x" || !s.Service.Secure {
		t.Errorf("%+v %s", s.Flows, diff)
	}
	for n, well := range map[int]bool{500: true, 501: false} {
		var all []string
		for i := range n {
			all = append(all, entry(i, 1, "GET", "http://h/", ""))
		}
		s, err := ReadArchive("a.har", har(all...), Options{})
		if (err == nil) != well || well && len(s.Flows[0].Steps) != n || !well && !strings.Contains(err.Error(), "a.har has 501 requests to http://h: at most 500") {
			t.Errorf("%d: %v", n, err)
		}
	}
	for text, want := range map[string]string{`{"log":{"entries":[`: "it is cut off", `{"log":null}`: "it has no log", `{"log":{}}`: "has no request over HTTP", `[]`: "is no HAR file"} {
		if s, err := ReadArchive("a.har", []byte(text), Options{}); err == nil || s != nil || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSortsOfFiles: by the ending of its name, or else by what a file begins with.
func TestSortsOfFiles(t *testing.T) {
	const line, object = `h [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200`, `{"ts":1,"method":"GET","path":"/"}`
	for _, c := range []struct{ name, data, want string }{
		{"a.yaml", line, "yaml"}, {"a.YML", line, "yaml"}, {"a.har", line, "har"}, {"a.Har", "", "har"}, {"a.log", "requests:", "log"},
		{"a.jsonl", "", "log"}, {"a.ndjson", "", "log"}, {"a", "", "yaml"}, {"a.json", `{"log":{}}`, "har"}, {"a", "\n {\"x\":1,\"log\": 2", "har"},
		{"a", "{\"requests\":[]}", "yaml"}, {"a", object, "log"}, {"a", object + " x", "yaml"}, {"a", " " + object + " \r\n" + object, "log"}, {"a", object + "\n\"log\"", "har"},
		{"a", line, "log"}, {"a", "\n\n" + line + "\n", "log"}, {"a", "a: [1]", "yaml"}, {"a", "a: b\n" + line, "yaml"}, {"a", `{"ts":1`, "yaml"},
		{"a.txt", "{" + strings.Repeat(" ", 4095) + `"log"`, "yaml"}, {"a.txt", "{" + strings.Repeat(" ", 4090) + `"log"`, "har"},
		{"a.txt", "{" + strings.Repeat(" ", 4091) + `"log"`, "yaml"},
	} {
		if got := sortOf(c.name, []byte(c.data)); got != c.want {
			t.Errorf("%s, %.40q: %s, want %s", c.name, c.data, got, c.want)
		}
	}
	o := Options{Base: "http://h"}
	for name, data := range map[string]string{"a.yaml": "requests:\n - url: /\n", "a.har": string(har(entry(0, 1, "GET", "http://h/", ""))), "a.log": line} {
		s, err := Load(name, []byte(data), o)
		if err != nil || len(s.Flows) != 1 || (s.Origin != "") != (name == "a.har") || (len(s.Rows) > 0) != (name == "a.log") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// TestBodiesOfFiles: what cannot be read is told, and what is no file on a disk is read up to its bound.
func TestBodiesOfFiles(t *testing.T) {
	given := func(n int) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return make([]byte, n), nil }
	}
	for n, well := range map[int]bool{0: true, 64 << 20: true} {
		var r Request
		err := r.TakeFile(filepath.Join(t.TempDir(), "none"), given(n)) // of a name that the reader alone knows
		if (err == nil) != well || well && (len(r.Body) != n || !r.HasBody || r.File != nil) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	var r Request
	if err := r.TakeFile(t.TempDir(), os.ReadFile); err == nil || r.Body != "" || r.File != nil {
		t.Errorf("a directory: %v", err)
	}
	if _, err := readPipe(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if err := r.TakeFile(os.DevNull, os.ReadFile); err != nil || r.Body != "" {
		t.Errorf("%v", err)
	}
}
