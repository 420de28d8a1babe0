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
		{pages(), "/runs/" + a.ID, nil, []string{">Back to the set<", "Run 1<", "runs of tea"}},
		{pages(), "/runs?with=" + a.ID, []string{"run.json"}, []string{">Back to the set<", "Run 1<", "runs of tea", "1 run of tea"}},
		{pages(), "/runs/" + set + "/1", []string{`href="/runs/` + set + `">Back to the set<`}, nil},
		{pages(), "/runs?with=" + a.ID + "&with=" + b.ID, []string{`href="/runs/` + a.ID + `">Run 1<`, `href="/runs/` + b.ID + `">Run 2<`, ">All runs<"}, []string{"Run 3"}},
		{pages(Named{"mine.json", path}), "/", []string{"run.json"}, []string{"Run 1<", "1 run of tea"}},
		{pages(Named{"my set.json", setPath}), "/", []string{"plimsoll report &#39;my set.json&#39;/N"}, nil},
		{pages(), "/runs/" + set, []string{"plimsoll report " + set + "/N"}, nil},
		{pages(), "/runs/" + set + "/members", []string{"plan " + set, "2 runs", `<th scope="col" class="number">rate`, `<th scope="col" class="number">p99`},
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
		"/nothing":                            "page not found: / lists the saved runs\n",
		"/runs/nope":                          "no saved run has this id: /runs lists them\n",
		"/runs/nope/members":                  "no saved run has this id: /runs lists them\n",
		"/runs/" + a.ID + "/members":          "this is a single run, not a set of runs\n",
		most + "&with=" + a.ID:                "cannot overlay 13 runs: the limit is 12\n",
		"/runs?with=" + a.ID + "&with=" + set: set + " is a set of runs, not a single run (/runs/" + set + "/members lists its runs, which can be overlaid)\n",
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
