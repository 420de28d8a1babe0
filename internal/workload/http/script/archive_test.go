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
	for _, c := range []struct{ post, want, failed string }{
		{`{"text":"a${b}"}`, "a${b}", ""}, {`{"text":"` + raw + `","encoding":"base64"}`, "\x00${x}", ""}, {`{}`, "", ""},
		{`{"text":"t","params":[{"name":"a","value":"b"}]}`, "t", ""}, {`{"text":"_-8","encoding":"BASE64"}`, "\xff\xef", ""},
		{`{"params":[{"name":"a b","value":"c&d"},{"name":"e","value":""}]}`, "a+b=c%26d&e=", ""},
		{`{"params":[{"name":"a","fileName":"f"}]}`, "", "requests whose uploaded file was not recorded (1)"},
		{`{"params":[{"name":"a","fileName":"f","value":"(binary)"}]}`, "", "requests whose uploaded file was not recorded (1)"},
		{`{"text":"x","encoding":"gzip"}`, "", "requests whose body has an unknown encoding (1)"},
		{`{"text":"!","encoding":"base64"}`, "", "requests whose body has an unknown encoding (1)"},
		{`{"text":5}`, "", "malformed requests (1)"},
	} {
		s, err := ReadArchive("a.har", har(entry(0, 1, "PUT", "http://h/", `,"postData":`+c.post)), Options{})
		if err != nil {
			if want := "a.har contains no request that can be sent: " + c.failed; c.failed == "" || err.Error() != want || fault.HintOf(err) == "" {
				t.Errorf("%s: %v", c.post, err)
			}
			continue
		}
		if got := string(s.Flows[0].Steps[0].Body.Append(nil, &template.Values{})); got != c.want || c.failed != "" {
			t.Errorf("%s: %q", c.post, got)
		}
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

// TestQuirksOfExporters: what exporters write otherwise than HAR has it is read, and what cannot be sent is counted.
func TestQuirksOfExporters(t *testing.T) {
	at := func(at, more string) string {
		return `{"startedDateTime":` + at + `,"request":{"method":"GET","url":"http://h/` + more + `}`
	}
	const form = `multipart/form-data`
	for name, c := range map[string]struct {
		har, want string
		left      map[string]int
	}{
		"zones and missing times": {"\ufeff" + string(har(at(`"2026-01-02T03:04:06.5+0100"`, `a"}`), at(`""`, `b"}`), at(`null`, `c"}`), at(`1767319447000`, `d"}`),
			at(`"2026-01-02 02:04:08"`, `e"}`), at(`"2026-01-02T03:04:05Z"`, `f"}`), at(`"soon"`, `g"}`), at(`"2026-01-02T02:04:09+00"`, `h"}`))),
			"  0s 1 GET /a: GET /a\n  0s 2 GET /b: GET /b\n  0s 3 GET /c: GET /c\n  0s 4 GET /d: GET /d\n  1s 5 GET /e: GET /e\n" +
				"  1s 6 GET /h: GET /h\n  59m56s 7 GET /f: GET /f\n  0s 8 GET /g: GET /g\n", map[string]int{leftPauses: 4}},
		"Insomnia": {`{"log":{"creator":{"name":"Insomnia REST Client"},"entries":[{"startedDateTime":"2026-01-02T03:04:05Z","time":0,"request":` +
			`{"method":"get","url":"http://h/a","queryString":[{"name":"q","value":"a b"}],"cookies":[{"name":"id","value":"1"}],"headers":[],` +
			`"postData":{"mimeType":"application/json","text":""}},"response":{"status":0}}]}}`,
			"  0s 1 GET /a: GET /a?q=a+b\n    Cookie: id=1\n", map[string]int{}},
		"type beside the headers": {string(har(at(`""`, `","method":"POST","headers":[{"name":"A","value":"b"}],"postData":{"mimeType":"application/json","text":"{}"}}`))),
			"  0s 1 POST /: POST /\n    Content-Type: application/json\n    A: b\n    body {}\n", map[string]int{}},
		"a recorded file": {string(har(at(`""`, `","method":"POST","headers":[{"name":"Content-Type","value":"`+form+`"}],"postData":{"params":[`+
			`{"name":"a","value":"b"},{"name":"f\"","fileName":"x.txt","contentType":"text/plain","value":"text"}]}}`))),
			"  0s 1 POST /: POST /\n    Content-Type: " + form + "; boundary=B\n    body --B|Content-Disposition: form-data; name=\"a\"||b|--B|" +
				"Content-Disposition: form-data; name=\"f%22\"; filename=\"x.txt\"|Content-Type: text/plain||text|--B--|\n", map[string]int{}},
		"what is no request": {string(har(at(`""`, `ok"}`), `null`, `7`, `{}`, at(`""`, `","headers":7}`), at(`""`, `a","method":5}`), at(`""`, `a","method":""}`),
			at(`""`, `a","method":"A B"}`), at(`""`, `","method":"CONNECT","url":"h:443"}`), at(`""`, `","url":"blob:http://h/1"}`), at(`""`, `","url":"data:,x"}`),
			at(`""`, `","url":"wss://h/"}`), at(`""`, `","headers":[{"name":"Upgrade","value":"websocket"}]}`), at(`""`, `"},"response":{"status":"101"}`),
			at(`""`, `"},"response":{"status":0}`), at(`""`, `"},"_fromCache":true`), at(`""`, `","headers":[{"name":"Accept","value":"text/event-stream"}]}`))),
			"  0s 1 GET /ok: GET /ok\n", map[string]int{leftMalformed: 6, leftInvalid: 1, leftConnect: 1, leftOther: 3, leftSocket: 2, leftBlocked: 1,
				leftCached: 1, leftEvents: 1}},
		"headers": {string(har(at(`""`, `","headers":[{"name":":path","value":"/"},{"name":"a b","value":"c"},{"name":"A","value":"b\nc"},{"name":"B","value":null}]}`))),
			"  0s 1 GET /: GET /\n    B: \n", map[string]int{leftHeaders: 2}},
		"raw URLs": {string(har(at(`""`, ` a|b?q=c d&é#f"}`))), "  0s 1 GET /%20a%7Cb: GET /%20a%7Cb?q=c%20d&%C3%A9\n", map[string]int{}},
		"a redirect to HTTPS": {string(har(at(`""`, `"},"response":{"status":307,"redirectURL":"https://h/"}`), at(`""`, `","url":"HTTPS://H:443/b"}`))),
			"  0s 2 GET /b: GET /b\n", map[string]int{leftMoved: 1}},
		"_fields and no response": {string(har(at(`""`, `","_x":{"y":[1]}},"_initiator":null,"response":null,"time":"5","connection":7,"timings":false`))),
			"  0s 1 GET /: GET /\n", map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Load("a.har", strings.NewReader(c.har), Options{Pauses: true})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer("\r\n", "|", "----PlimsollFormBoundary7MA4YWxkTrZu0gW", "B").Replace(written(s))
			if diff := cmp.Diff("flow recording ×1\n"+c.want, got) + cmp.Diff(c.left, s.Left); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestArchiveOfTheServiceUnderTest: of several services in a recording that of the URL is taken.
func TestArchiveOfTheServiceUnderTest(t *testing.T) {
	text := har(entry(0, 1, "GET", "http://www/", ""), entry(1, 1, "GET", "http://api/x", ""))
	for base, want := range map[string]string{"http://API:80/": "http://api", "http://test/": "http://www", "": "http://www"} {
		if s, err := ReadArchive("a.har", text, Options{Base: base}); err != nil || s.Origin != want || len(s.Flows[0].Steps) != 1 {
			t.Errorf("%q: %+v, %v", base, s, err)
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
	want := map[string]int{"requests that do not use HTTP": 4, "requests served from the browser cache": 1,
		"requests that were blocked or got no response": 1, "requests to h": 1, "requests to h:8443": 1, "requests to g": 2}
	if diff := cmp.Diff(want, s.Left); diff != "" || len(s.Flows[0].Steps) != 1 || s.Flows[0].Steps[0].Name != "7 GET /x" || !s.Service.Secure {
		t.Errorf("%+v %s", s.Flows, diff)
	}
	for n, well := range map[int]bool{500: true, 501: false} {
		var all []string
		for i := range n {
			all = append(all, entry(i, 1, "GET", "http://h/", ""))
		}
		s, err := ReadArchive("a.har", har(all...), Options{})
		if (err == nil) != well || well && len(s.Flows[0].Steps) != n || !well && !strings.Contains(err.Error(), "a.har has 501 requests to http://h; at most 500 are allowed") {
			t.Errorf("%d: %v", n, err)
		}
	}
	for text, want := range map[string]string{`{"log":{"entries":[`: "the file is truncated", `{"log":null}`: "it has no log object", `{"log":{}}`: "contains no requests", `[]`: "is not a valid HAR file"} {
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
		s, err := Load(name, strings.NewReader(data), o)
		if err != nil || len(s.Flows) != 1 || (s.Origin != "") != (name == "a.har") || (len(s.Rows) > 0) != (name == "a.log") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
