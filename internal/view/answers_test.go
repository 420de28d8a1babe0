package view

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/saved"
)

// What a page is made of says whether it is that of one or of several, and leads to what belongs to it and no further.
func TestPageLinks(t *testing.T) {
	store := newPages(t).Store
	a, b := made(1, "tea"), made(2, "tea")
	keep(t, store, a)
	keep(t, store, b)
	set := keepSet(t, store)
	path := store.Path(a.ID)
	setPath := filepath.Join(store.SetDir(set), saved.SetFile)
	pages := func(named ...Named) *Pages {
		p := newPages(t, named...)
		p.Store = store
		return p
	}
	for _, tt := range []struct {
		p          *Pages
		target     string
		has, lacks []string
	}{
		{pages(), "/runs/" + a.ID, nil, []string{">The set<", "Run 1<", "runs of tea"}},
		{pages(), "/runs?with=" + a.ID, []string{"run.json"}, []string{">The set<", "Run 1<", "runs of tea", "1 run of tea"}},
		{pages(), "/runs/" + set + "/1", []string{`href="/runs/` + set + `">The set<`}, nil},
		{pages(), "/runs?with=" + a.ID + "&with=" + b.ID, []string{`href="/runs/` + a.ID + `">Run 1<`, `href="/runs/` + b.ID + `">Run 2<`, ">All runs<"}, []string{"Run 3"}},
		{pages(Named{"mine.json", path}), "/", []string{"run.json"}, []string{"Run 1<", "1 run of tea"}},
		{pages(Named{"my set.json", setPath}), "/", []string{"plimsoll report &#39;my set.json&#39;/N"}, nil},
		{pages(), "/runs/" + set, []string{"plimsoll report " + set + "/N"}, nil},
		{pages(), "/runs/" + set + "/members", []string{"plan " + set, "2 runs, in the order", `<th scope="col" class="number">rate`, `<th scope="col" class="number">p99`},
			[]string{`class="number">run`, `class="number">verdict`}},
	} {
		status, body, _ := get(tt.p, tt.target)
		if status != 200 || !strings.HasSuffix(body, "</html>\n") {
			t.Errorf("%s: %d, …%s", tt.target, status, body[max(0, len(body)-50):])
		}
		plain := strings.NewReplacer("&#39;", "'", "&apos;", "'", "&quot;", `"`).Replace(body)
		for _, text := range tt.has {
			if text = strings.ReplaceAll(text, "&#39;", "'"); !strings.Contains(plain, text) {
				t.Errorf("%s: there is no %s", tt.target, text)
			}
		}
		for _, text := range tt.lacks {
			if strings.Contains(plain, text) {
				t.Errorf("%s: there is %s", tt.target, text)
			}
		}
	}
}

// What is refused is refused in words, with a hint where there is one.
func TestErrorPages(t *testing.T) {
	p := newPages(t)
	a := made(1, "tea")
	keep(t, p.Store, a)
	set := keepSet(t, p.Store)
	most := "/runs?"
	for i := range sets.MostOverlaid {
		doc := made(20+i, "tea")
		keep(t, p.Store, doc)
		most += "&with=" + doc.ID
	}
	if status, body, _ := get(p, most); status != 200 || !strings.Contains(body, "12 runs of tea") {
		t.Errorf("as many as can be told apart: %d", status)
	}
	for target, want := range map[string]string{
		"/nothing":                            "there is no such page: / has all of them\n",
		"/runs/nope":                          "there is no saved run of this name: /runs lists them\n",
		"/runs/nope/members":                  "there is no saved run of this name: /runs lists them\n",
		"/runs/" + a.ID + "/members":          "this is a single run, and no set of several\n",
		most + "&with=" + a.ID:                "13 runs are chosen: 12 can be told apart\n",
		"/runs?with=" + a.ID + "&with=" + set: set + " is a set of several runs, and no single one (/runs/" + set + "/members has its runs, which can be overlaid)\n",
	} {
		if _, body, _ := get(p, target); body != want {
			t.Errorf("%s: %q, want %q", target, body, want)
		}
	}
	p.Store = &saved.Runs{Dir: filepath.Join(t.TempDir(), "file")}
	if err := os.WriteFile(p.Store.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/runs", "/runs?q=tea"} {
		if status, body, _ := get(p, target); status != 500 || strings.Count(body, "\n") != 1 {
			t.Errorf("%s of what is no folder: %d %q", target, status, body)
		}
	}
}

// Nothing is made for whoever is gone before it is his turn.
func TestCancelledRequestsRenderNothing(t *testing.T) {
	p := newPages(t)
	for range cap(p.turns) {
		p.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, target := range []string{"/runs", "/document/x"} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("GET", target, nil).WithContext(ctx))
		if w.Body.Len() > 0 || len(p.turns) != cap(p.turns) {
			t.Errorf("%s: %q, %d work", target, w.Body, len(p.turns))
		}
	}
}
