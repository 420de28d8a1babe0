package http_test

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/runtest"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
)

// webServer is one that somebody else wrote, with its log: a line for each answer.
type webServer struct {
	url  string
	logs map[string]string // by their formats
	// visit reads the method, the target, the status and the size of a body of a line of its own format.
	own   string
	visit func(t *testing.T, line string) visit
	seen  int   // lines that there are
	size  int64 // of the body that is compressed
}

type visit struct {
	Method, Target string
	Status         int
	Bytes          int64
	At             float64 // of Caddy, which does not log in the order of its times
}

// site makes the files of a site.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, size := range map[string]int{"small": 17, "large": 200_000, "empty": 0, "text.html": 30_000} {
		text := strings.Repeat("some text for it. ", size/18+1)[:size]
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) { // servers give up being root
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func nginx(t *testing.T) webServer {
	web, dir, root, address := peertest.Web(t), t.TempDir(), site(t), peertest.Addresses(t, 1)[0]
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;"
	}
	big := strings.Repeat("x", 3000)
	config := write(t, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(`%s
daemon off; master_process off; pid %[2]s/pid; error_log stderr notice;
events {}
http {
  client_body_temp_path %[2]s/a; proxy_temp_path %[2]s/b; fastcgi_temp_path %[2]s/c; uwsgi_temp_path %[2]s/d; scgi_temp_path %[2]s/e;
  log_format common '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent';
  log_format lines escape=json '{"time":"$msec","method":"$request_method","uri":"$request_uri","status":$status,"bytes":$body_bytes_sent}';
  access_log %[2]s/lines.jsonl lines;
  access_log %[2]s/combined.log combined;
  access_log %[2]s/common.log common;
  keepalive_requests 100; gzip on; gzip_types *; gzip_min_length 100;
  server {
    listen %[3]s; root %[4]s;
    location = /204 { return 204; }
    location = /301 { return 301 /small; }
    location = /500 { return 500 "an error"; }
    location = /headers { add_header A %[5]s; add_header B %[5]s; add_header C %[5]s; return 200 "ok"; }
  }
}
`, user, dir, address, root, big))
	cmd := exec.Command(filepath.Join(web, "usr/sbin/nginx"), "-p", dir, "-e", "stderr", "-c", config)
	peertest.Start(t, cmd, "event method")
	return webServer{url: "http://" + address, own: "lines.jsonl", visit: jsonVisit, logs: map[string]string{
		"lines.jsonl": dir + "/lines.jsonl", "combined.log": dir + "/combined.log", "common.log": dir + "/common.log"}}
}

func jsonVisit(t *testing.T, line string) (v visit) {
	t.Helper()
	var l struct {
		Method, URI string
		Status      int
		Bytes       int64
	}
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return visit{Method: l.Method, Target: l.URI, Status: l.Status, Bytes: l.Bytes}
}

func apache(t *testing.T) webServer {
	web, dir, root, address := peertest.Web(t), t.TempDir(), site(t), peertest.Addresses(t, 1)[0]
	user := ""
	if os.Geteuid() == 0 {
		user = "User nobody\nGroup nogroup"
	}
	var modules strings.Builder
	for _, name := range []string{"mpm_event", "authz_core", "alias", "deflate", "filter"} {
		fmt.Fprintf(&modules, "LoadModule %s_module %s/usr/lib/apache2/modules/mod_%[1]s.so\n", name, web)
	}
	config := write(t, filepath.Join(dir, "httpd.conf"), fmt.Sprintf(`ServerRoot %[1]s
ServerName localhost
PidFile %[1]s/pid
DefaultRuntimeDir %[1]s
Listen %[2]s
ErrorLog /dev/stderr
LogLevel notice
%[3]s
%[4]s
DocumentRoot %[5]s
KeepAlive On
MaxKeepAliveRequests 100
Redirect 301 /301 /small
Redirect 410 /410
SetOutputFilter DEFLATE
LogFormat "{\"method\":\"%%m\",\"uri\":\"%%U%%q\",\"status\":%%>s,\"bytes\":%%B}" lines
CustomLog %[1]s/lines.jsonl lines
LogFormat "%%h%%l %%u%%t \"%%r\" %%>s %%b" common
CustomLog %[1]s/common.log common
`, dir, address, modules.String(), user, root))
	cmd := exec.Command(filepath.Join(web, "usr/sbin/apache2"), "-f", config, "-X") // one process, which ends when it is killed
	libraries, _ := filepath.Glob(filepath.Join(web, "usr/lib/*-linux-gnu*"))
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	answers(t, address) // it does not say when it is ready
	return webServer{url: "http://" + address, own: "lines.jsonl", visit: jsonVisit, logs: map[string]string{
		"lines.jsonl": dir + "/lines.jsonl", "common.log": dir + "/common.log"}}
}

// answers waits until somebody listens at an address.
func answers(t *testing.T, address string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(runtest.Patience); ; <-tick.C {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func caddy(t *testing.T) webServer {
	web, dir, root, address := peertest.Web(t), t.TempDir(), site(t), peertest.Addresses(t, 1)[0]
	config := write(t, filepath.Join(dir, "Caddyfile"), fmt.Sprintf(`{
	admin off
	auto_https off
}
http://%s {
	root * %s
	encode gzip
	respond /204 204
	redir /301 /small 301
	respond /500 "an error" 500
	file_server
	log {
		output file %s/lines.jsonl
	}
}
`, address, root, dir))
	cmd := exec.Command(filepath.Join(web, "usr/bin/caddy"), "run", "--adapter", "caddyfile", "--config", config)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	peertest.Start(t, cmd, "serving initial configuration")
	return webServer{url: "http://" + address, own: "lines.jsonl", logs: map[string]string{"lines.jsonl": dir + "/lines.jsonl"},
		visit: func(t *testing.T, line string) visit {
			var l struct {
				Request struct{ Method, URI string }
				Status  int
				Size    int64
				TS      float64
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return visit{l.Request.Method, l.Request.URI, l.Status, l.Size, l.TS}
		}}
}

// lines are what a log has, when it has so many; servers write behind their answers.
func (s *webServer) lines(t *testing.T, format string, from, n int) []string {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(runtest.Patience); ; <-tick.C {
		data, err := os.ReadFile(s.logs[format])
		if err != nil {
			t.Fatal(err)
		}
		all := strings.SplitAfter(string(data), "\n")
		if all = all[:len(all)-1]; len(all) >= from+n || time.Now().After(deadline) {
			return all[min(from, len(all)):]
		}
	}
}

// asked are the requests of the test, and whether the server's own count of their bytes has the framing in it.
var asked = []script.Request{
	{URL: "/small"}, {URL: "/large"}, {URL: "/empty"}, {URL: "/no such?x=${seq}"}, {URL: "/204"}, {URL: "/301"}, {URL: "/500"},
	{URL: "/headers"}, {URL: "/410"}, {URL: "/large", Method: "HEAD"}, {URL: "/small", Headers: []string{"If-None-Match: *"}},
	{URL: "/large", Headers: []string{"Range: bytes=10-109"}},
	{URL: "/text.html", Headers: []string{"Accept-Encoding: gzip"}},
}

// TestDocumentAgreesWithLogsOfWebServers: what the document says is what the logs of nginx, Apache and Caddy say: the answers of each status, and
// the bytes of their bodies; and what they logged is played again as it was.
func TestDocumentAgreesWithLogsOfWebServers(t *testing.T) {
	for name, start := range map[string]func(t *testing.T) webServer{"nginx": nginx, "Apache": apache, "Caddy": caddy} {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			s := &script.Script{}
			for i, r := range asked {
				r.Name, r.URL = fmt.Sprint(i, " ", r.URL), server.url+r.URL
				r.Checks = []string{"status 1xx,2xx,3xx,4xx,5xx"}
				one := flow(t, nil, r)
				s.Service, s.Flows = one.Service, append(s.Flows, script.Flow{Name: r.Name, Weight: 1, Steps: one.Flows[0].Steps})
			}
			const n = 500
			server.size, server.seen = sizeOf(t, server.url+"/text.html"), 1
			doc, total := run(t, s, n, nil)
			if total.OK != n {
				t.Errorf("%d of %d ok: %+v", total.OK, n, total.Causes)
			}
			server.compare(t, doc, server.lines(t, server.own, server.seen, n))
			server.seen += n
			if closed := doc.HTTP().Closed; name != "Caddy" && closed < n/100-4 {
				t.Errorf("the server closes connections behind 100 requests, and %d were closed", closed)
			}
			for format := range server.logs {
				server.replay(t, format, n)
			}
		})
	}
}

// compare compares a document with the lines of the server's log.
func (s *webServer) compare(t *testing.T, doc *rundoc.Run, lines []string) {
	t.Helper()
	statuses := map[int]int64{}
	var bytes, framed int64
	for _, line := range lines {
		v := s.visit(t, line)
		statuses[v.Status]++
		if v.Method == "HEAD" {
			continue // of whose body Caddy counts the length that it would have
		}
		if v.Target == "/text.html" { // compressed and chunked: what nginx counts has the framing in it
			framed += s.size
			continue
		}
		bytes += v.Bytes
	}
	d := doc.HTTP()
	for _, got := range d.Statuses {
		if statuses[got.Status] != got.Count {
			t.Errorf("%d answers of status %d, and %d in the server's log", got.Count, got.Status, statuses[got.Status])
		}
		delete(statuses, got.Status)
	}
	if len(statuses) > 0 || d.ReceivedBytes != bytes+framed {
		t.Errorf("%d bytes, and %d+%d by the server's log; statuses of that alone: %v", d.ReceivedBytes, bytes, framed, statuses)
	}
}

// sizeOf is the size of a compressed body by net/http.
func sizeOf(t *testing.T, url string) int64 {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil || response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%s: %v, %v", url, response.Header, err)
	}
	return n
}

var inQuotes = regexp.MustCompile(`"(\S+) (\S+)[^"]*"`)

// requestOf is the method and the target of a line of any format.
func (s *webServer) requestOf(t *testing.T, format, line string) string {
	t.Helper()
	if format == s.own {
		v := s.visit(t, line)
		return v.Method + " " + v.Target
	}
	found := inQuotes.FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("%s is no line of a log", line)
	}
	return found[1] + " " + found[2]
}

// replay plays the first lines of a log again, by one client, and looks at what the server logs then.
func (s *webServer) replay(t *testing.T, format string, before int) {
	t.Helper()
	const n = 100
	logged := s.lines(t, format, 1, before)
	if strings.Contains(logged[0], `"bytes"`) && !strings.Contains(logged[0], `"time"`) {
		return // the lines for counting alone
	}
	name := file(t, format, strings.Join(logged[:n], ""))
	c, err := resolved(map[string]string{"requests": name, "recorded-times": "true", "clients": "1", "warmup-clients": "0"}, s.url)
	if err != nil {
		t.Fatal(err)
	}
	played, err := c.Plan.Script()
	if err != nil {
		t.Fatal(err)
	}
	if len(played.Rows) != n {
		t.Fatalf("%s: %d requests of %d lines; left out %v", format, len(played.Rows), n, played.Left)
	}
	_, total := run(t, played, 0, func(p *room.Plan) {
		retry := p.Load.Retry
		p.Load, p.Request = c.Plan.Load, c.Plan.Request
		p.Load.Retry, p.Load.Drain, p.Load.Pacing = retry, runtest.Patience, plan.Auto
		p.Load.MaxClients = p.Load.Clients // one connection keeps the order
	})
	if total.Scheduled != n {
		t.Errorf("%s: %d of %d requests were scheduled", format, total.Scheduled, n)
	}
	if format == s.own {
		slices.SortStableFunc(logged[:n], func(a, b string) int { return cmp.Compare(s.visit(t, a).At, s.visit(t, b).At) })
	}
	again := s.lines(t, format, s.seen, n)
	s.seen += len(again)
	var got, want []string
	for i := range min(n, len(again)) {
		got, want = append(got, s.requestOf(t, format, again[i])), append(want, s.requestOf(t, format, logged[i]))
	}
	if len(again) != n || !slices.Equal(got, want) {
		t.Errorf("%s: %d requests were logged again of %d, in the order\n%s\nwant\n%s", format, len(again), n,
			strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// package state: the linker fills it in.
//
//go:embed testdata/shop.py
var shop string

// TestFlowAgainstAPythonService: a service in Python that nobody wrote for this, as a user meets it: a login, a list, an item of
// it, with what each answer gives.
func TestFlowAgainstAPythonService(t *testing.T) {
	url := peertest.Start(t, exec.Command(peertest.Python(t), "-c", shop), peertest.URL)
	text := `
csv: users.csv
sequence:
  - name: login
    method: POST
    url: /login
    form: {user: '${csv.user}', password: '${csv.password}'}
    check: [status 200, json token]
    keep: {token: json token, session: cookie session}
  - name: list
    url: /items?page=${int 1 3}
    headers: {Authorization: 'Bearer ${token}', Cookie: 'session=${session}'}
    check: [status 200, json items.#]
    keep: {item: json items.0.id}
  - name: item
    url: /items/${item}
    headers: {Authorization: 'Bearer ${token}', Cookie: 'session=${session}'}
    check: 'json owner'
`
	const users = "user,password\nann,a&b=c ü\nbob,\"quoted \"\", and comma\"\neve,wrong\n"
	s, err := script.Load("shop.yaml", strings.NewReader(text), script.Options{Base: url,
		Open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(users)), nil }})
	if err != nil {
		t.Fatal(err)
	}
	const n = 90 // flows, a third of which cannot log in
	doc, total := run(t, s, n, nil)
	if total.OK != n*2/3*3 || total.Failed != n/3 {
		t.Errorf("%d ok, %d failed: %+v", total.OK, total.Failed, total.Causes)
	}
	f := doc.Flows[0]
	if f.Completed != n*2/3 || f.Failed != n/3 || len(f.FailedAt) != 1 || f.FailedAt[0].Operation != "login" {
		t.Errorf("%+v", f)
	}
	response, err := http.Get(url + "/counts")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var counts map[string]int64
	if err := json.NewDecoder(response.Body).Decode(&counts); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"login 200": 60, "login 403": 30, "items 200": 60, "item 200": 60, "own items": 60}
	for key, value := range want {
		if counts[key] != value {
			t.Errorf("the service counts %v, want %v", counts, want)
			break
		}
	}
}
