package view

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// made is a document of a run that began so many minutes after noon.
func made(minute int, workload string, labels ...string) *rundoc.Run {
	started := time.Date(2026, 11, 21, 12, minute, 0, 0, time.UTC)
	p50, p99 := int64(1e6), int64(2e6+minute)
	times := rundoc.Summary{Count: 2000, MinNS: 1, P50NS: &p50, P99NS: &p99, MaxNS: 3e6}
	doc := &rundoc.Run{
		Schema: rundoc.Schema, ID: fmt.Sprintf("20261121T12%02d00.000Z-%04d", minute, minute), Workload: workload, Labels: labels,
		Started: started, Ended: started.Add(2 * time.Second), Plan: json.RawMessage(`{}`),
		Ledger:     rundoc.Ledger{Clients: 2, WindowNS: 2e9},
		Operations: []rundoc.Operation{{Name: "ask", Scheduled: 2000, OK: 2000, RatePerS: 1000, ResponseTime: times}},
		Series:     []rundoc.Point{{Second: 0, OK: 1000, P50NS: 1e6, P99NS: 2e6}, {Second: 1, OK: 1000, P50NS: 1e6, P99NS: 2e6}},
		Verdict:    rundoc.Verdict{Validity: rundoc.Valid},
	}
	return doc
}

// keep writes the document of a run into a store.
func keep(t *testing.T, s *saved.Runs, doc *rundoc.Run) string {
	t.Helper()
	path := s.Path(doc.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := rundoc.WriteFile(path, doc); err != nil {
		t.Fatal(err)
	}
	return path
}

// keepSet writes a set of one run and one that was not kept.
func keepSet(t *testing.T, s *saved.Runs) string {
	t.Helper()
	const id = "20261121T130000.000Z-5e75"
	member := made(7, "tea")
	path := filepath.Join(saved.MemberDir(s.SetDir(id), member.ID), saved.RunFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	set := &setdoc.Set{
		Schema: setdoc.Schema, ID: id, Kind: setdoc.KindPlan, Started: member.Started, Ended: member.Ended,
		Plan: json.RawMessage(`{}`), Planned: 2,
		Members: []setdoc.Member{
			{ID: member.ID, Name: "first", Workload: "tea", Path: "members/" + member.ID + "/run.json", Started: member.Started,
				Target: "demo", Verdict: member.Verdict},
			{Name: "second", Workload: "tea", Error: "it did not start", Exit: 1, Started: member.Started},
		},
	}
	if err := rundoc.WriteFile(path, member); err != nil {
		t.Fatal(err)
	}
	if err := setdoc.WriteFile(filepath.Join(s.SetDir(id), saved.SetFile), set); err != nil {
		t.Fatal(err)
	}
	return id
}

func newPages(t *testing.T, named ...Named) *Pages {
	return New(Config{
		Store: &saved.Runs{Dir: filepath.Join(t.TempDir(), "runs")}, Kinds: func(string) report.Kind { return report.Kind{} },
		Broken: func(*saved.Saved) []string { return nil }, Named: named,
	})
}

func get(p *Pages, target string) (status int, body string, h http.Header) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	r := w.Result()
	text, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(text), r.Header
}

// ids are the runs that a list leads to.
func ids(page string) (all []string) {
	for _, m := range regexp.MustCompile(`<th scope="row"><a href="/runs/([^"]*)"`).FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

// Every page is there, says what it is, and leads on.
func TestPages(t *testing.T) {
	p := newPages(t)
	status, body, _ := get(p, "/")
	if status != 200 || !strings.Contains(body, "No saved runs") {
		t.Errorf("without a run: %d %s", status, body)
	}
	a, b := made(1, "tea", "before"), made(2, "tea", "<b>after</b>")
	keep(t, p.Store, a)
	keep(t, p.Store, b)
	set := keepSet(t, p.Store)
	for target, want := range map[string][]string{
		"/": {"saved runs", `href="/runs/` + a.ID + `"`, `value="` + a.ID + `"`, "&lt;b&gt;after", `href="/document/` + set + `"`,
			`class="good">valid`},
		"/runs?q=BEFORE+tea": {a.ID, `value="BEFORE tea"`},
		"/runs/" + a.ID:      {"Plimsoll tea", `href="/runs"`, "run.json"},
		"/runs/" + set:       {"set.json", `href="/runs/` + set + `/members"`},
		"/runs/" + set + "/members": {"1. first", `href="/runs/` + set + `/1"`, `value="` + set + `/1"`, "2. second",
			"it did not start"},
		"/runs/" + set + "/1":                                            {"Plimsoll tea", `href="/runs/` + set + `"`},
		"/runs/" + a.ID + "?with=" + b.ID:                                {"2 runs of tea", `href="/runs/` + b.ID},
		"/runs?with=" + a.ID + "&with=" + set + "/1":                     {"2 runs of tea"},
		"/runs?with=" + a.ID + "&with=" + a.ID:                           {"Plimsoll tea · "},
		"/runs?with=" + a.ID + "&with=" + b.ID + "&with=" + set + "%2F1": {"3 runs of tea"},
	} {
		status, body, h := get(p, target)
		if status != 200 || h.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: status %d, %s", target, status, h)
		}
		for _, text := range want {
			if !strings.Contains(strings.ReplaceAll(body, "Plimsoll tea</h1>", "Plimsoll tea · </h1>"), text) {
				t.Errorf("%s: there is no %s", target, text)
			}
		}
	}
	if _, body, _ := get(p, "/runs?q=before"); !cmp.Equal(ids(body), []string{a.ID}) {
		t.Errorf("filtered: %v", ids(body))
	}
	c := made(3, "tea")
	keep(t, p.Store, c)
	if _, body, _ := get(p, "/runs"); !cmp.Equal(ids(body), []string{set, c.ID, b.ID, a.ID}) {
		t.Errorf("with a new run: %v", ids(body))
	}
}

// What is asked for and not there is refused in a line, and nothing beside the documents can be had.
func TestRefusals(t *testing.T) {
	p := newPages(t)
	a := made(1, "tea")
	path := keep(t, p.Store, a)
	keep(t, p.Store, made(2, "milk"))
	set := keepSet(t, p.Store)
	outside := filepath.Join(filepath.Dir(p.Store.Dir), "outside")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := rundoc.WriteFile(filepath.Join(outside, "run.json"), made(9, "secret")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Store.Dir, a.ID, "samples.csv"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := made(4, "tea")
	if err := os.WriteFile(keep(t, p.Store, broken), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	many := "/runs?"
	for i := range sets.MostOverlaid + 1 {
		doc := made(20+i, "tea")
		keep(t, p.Store, doc)
		many += "&with=" + doc.ID
	}
	for target, want := range map[string]int{
		"/nothing": 404, "/runs/": 404, "/runs/nope": 404, "/runs/nope/1": 404, "/runs/2026": 404, "/runs/last": 404,
		"/runs/" + set + "/3": 404, "/runs/" + set + "/0": 404, "/runs/" + set + "/2": 422, "/runs/" + a.ID + "/1": 404,
		"/runs/" + a.ID + "/members": 404, "/runs/" + set + "/1/members": 404,
		"/runs/..%2foutside": 404, "/document/..%2foutside": 404, "/document/" + a.ID + "/samples.csv": 404,
		"/document/" + a.ID + "%2fsamples.csv": 404, "/document/" + strings.ReplaceAll(path, "/", "%2f"): 404,
		"/runs/" + strings.ReplaceAll(path, "/", "%2f"): 404, "/document/.": 404, "/document/%2e%2e": 404,
		"/runs?with=" + path + "&with=" + a.ID: 404, "/document/" + set + "/..%2f..": 404,
		"/runs/" + broken.ID: 422, "/runs?with=" + a.ID + "&with=" + set: 422, many: 422,
		"/runs?with=" + a.ID + "&with=" + made(2, "milk").ID: 422, "/runs/named-1": 404,
	} {
		status, body, h := get(p, target)
		if loc := h.Get("Location"); status == 301 || status == 307 {
			status, body, _ = get(p, loc) // what a path is when it is cleaned
		}
		if status != want || strings.Count(body, "\n") != 1 || strings.Contains(body, "secret") {
			t.Errorf("%s: status %d, want %d: %q", target, status, want, body)
		}
	}
	for i := range 10 { // whatever the filter and the page say, there is a list
		if status, _, _ := get(p, "/runs?q=%00&from="+strings.Repeat("9", i)); status != 200 {
			t.Errorf("status %d", status)
		}
	}
}

// A document is saved as it lies there, under a name of its own.
func TestDocuments(t *testing.T) {
	p := newPages(t)
	a := made(1, "tea")
	text, err := os.ReadFile(keep(t, p.Store, a))
	if err != nil {
		t.Fatal(err)
	}
	set := keepSet(t, p.Store)
	status, body, h := get(p, "/document/"+a.ID)
	if status != 200 || body != string(text) || h.Get("Content-Type") != "application/json" ||
		h.Get("Content-Disposition") != `attachment; filename="`+a.ID+`-run.json"` {
		t.Errorf("%d %v %.80s", status, h, body)
	}
	if status, _, h = get(p, "/document/"+set+"/1"); status != 200 || !strings.Contains(h.Get("Content-Disposition"), set+"-1-run.json") {
		t.Errorf("of a member: %d %v", status, h)
	}
	if got := (reference{"a\"b\r\nc/d", ""}).file("x/run.json"); got != "a_b__c_d-run.json" {
		t.Errorf("a hostile name becomes %q", got)
	}
}

// Those that the command named come first, wherever they lie.
func TestNamedDocumentsComeFirst(t *testing.T) {
	dir := t.TempDir()
	var named []Named
	for i, workload := range []string{"tea", "tea"} {
		path := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		if err := rundoc.WriteFile(path, made(i, workload)); err != nil {
			t.Fatal(err)
		}
		named = append(named, Named{path, path})
	}
	if _, body, _ := get(newPages(t, named[0]), "/"); !strings.Contains(body, "Plimsoll tea") {
		t.Error("one that is named does not come first")
	}
	p := newPages(t, named...)
	if _, body, _ := get(p, "/"); !strings.Contains(body, "2 runs of tea") || !strings.Contains(body, `href="/runs/named-2"`) {
		t.Error("two that are named are not overlaid first")
	}
	if status, body, _ := get(p, "/runs"); status != 200 || !strings.Contains(body, `href="/runs/named-1"`) {
		t.Errorf("the list leads to none of them: %d", status)
	}
	if status, _, _ := get(p, "/document/named-2"); status != 200 {
		t.Errorf("the document of one: %d", status)
	}
}

// A list of many is shown in parts, and each run is in one of them.
func TestListOfMany(t *testing.T) {
	p := newPages(t)
	const all = 2*perPage + 3
	for i := range all {
		doc := made(0, "tea")
		doc.ID = fmt.Sprintf("20261121T120000.000Z-%04d", i)
		keep(t, p.Store, doc)
	}
	seen := map[string]bool{}
	next, pages := "/runs", 0
	for next != "" {
		_, body, _ := get(p, next)
		pages++
		for _, id := range ids(body) {
			if seen[id] {
				t.Errorf("%s is there twice", id)
			}
			seen[id] = true
		}
		next = ""
		if m := regexp.MustCompile(`href="(/runs\?from=\d+)">Older`).FindStringSubmatch(body); m != nil {
			next = m[1]
		}
	}
	if len(seen) != all || pages != 3 {
		t.Errorf("%d of %d runs on %d pages", len(seen), all, pages)
	}
	if _, body, _ := get(p, "/runs?q=z-0007"); !cmp.Equal(ids(body), []string{"20261121T120000.000Z-0007"}) {
		t.Errorf("filtered: %v", ids(body))
	}
	if _, body, _ := get(p, "/runs?q=tea&from=100"); len(ids(body)) != perPage || !strings.Contains(body, `href="/runs?q=tea">Newer`) ||
		!strings.Contains(body, `href="/runs?from=200&amp;q=tea">Older`) {
		t.Error("a filter is lost between pages")
	}
}

// Many may ask at once.
func TestConcurrentRequests(t *testing.T) {
	p := newPages(t)
	a := made(1, "tea")
	keep(t, p.Store, a)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if status, _, _ := get(p, []string{"/", "/runs/" + a.ID, "/document/" + a.ID}[i%3]); status != 200 {
				t.Errorf("status %d", status)
			}
		})
	}
	all.Wait()
}
