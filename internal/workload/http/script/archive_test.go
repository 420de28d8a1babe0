package script

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// har is a recording of entries, each as JSON with its time, in ms since the first.
func har(entries ...string) []byte {
	return []byte(`{"log":{"entries":[` + strings.Join(entries, ",") + `]}}`)
}

func entry(ms int, lasts float64, method, url, more string) string {
	at := time.UnixMilli(1_000_000_000_000 + int64(ms)).UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"startedDateTime":%q,"time":%v,"request":{"method":%q,"url":%q%s}}`, at, lasts, method, url, more)
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

// TestSkippedArchiveEntries is counted by what it is, and requests are numbered as they stand in the file.
func TestSkippedArchiveEntries(t *testing.T) {
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

// TestFileFormatsAreRecognized: by the ending of its name, or else by what a file begins with.
func TestFileFormatsAreRecognized(t *testing.T) {
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
