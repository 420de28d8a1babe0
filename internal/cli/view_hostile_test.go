package cli

import (
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/saved"
	pages "github.com/plimsoll/plimsoll/internal/view"
)

// forged is what a document may have been made to say in the place of a value, mostly one of the same sort: another one
// is refused before anything is made of it.
func forged(random *rand.Rand, was any) any {
	numbers := []any{-1.0, 0.0, 1.0, 7.0, 1e-300, -9e20, 1e300, float64(1 << 62), -float64(1 << 62), 1e15}
	texts := []any{
		"", "<script>forged()</script>\x1b[2J\r\n\u202e", "\"><img src=x onerror=forged()>", strings.Repeat("y", 1<<16),
	}
	all := []any{nil, true, []any{}, map[string]any{}, []any{nil, 7.0, "x"}, map[string]any{"<b>forged</b>\x1b": -1.0}}
	switch was.(type) {
	case float64:
		all = append(numbers, 1.5, nil)
	case string:
		all = append(texts, nil)
	case bool:
		all = []any{true, false}
	}
	return all[random.IntN(len(all))]
}

// forge puts something else in a place of a document, leaves it out, or has it twice.
func forge(random *rand.Rand, v any) any {
	if random.IntN(40) == 0 {
		return forged(random, v)
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return v
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys) // so that the seed says which
		key := keys[random.IntN(len(keys))]
		if random.IntN(8) == 0 {
			delete(v, key)
		} else {
			v[key] = forge(random, v[key])
		}
		return v
	case []any:
		if len(v) == 0 {
			return v
		}
		at := random.IntN(len(v))
		if random.IntN(8) == 0 {
			return append(v, v[at])
		}
		v[at] = forge(random, v[at])
		return v
	}
	return forged(random, v)
}

// Whatever a saved document says, its page is one or says in a line why there is none, and the list has room for it: no
// panic, nothing that a browser or a terminal would run, no page without bounds.
func TestViewOfForgedDocuments(t *testing.T) {
	t.Parallel()
	const each = 2    // of each document
	seed := uint64(1) // the same forgeries each time; PLIMSOLL_SEED has others
	if text := os.Getenv("PLIMSOLL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var documents []string
	for _, of := range []string{"workload/*/show", "report", "report/sets"} {
		pattern := "../" + of + "/testdata/*.json"
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		documents = append(documents, names...)
	}
	store := &saved.Runs{Dir: filepath.Join(t.TempDir(), "runs")}
	p := pages.New(pages.Config{Store: store, Kinds: reportKind, Broken: rereadSet})
	get := func(target string) int {
		t.Helper()
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		body := w.Body.String()
		if w.Code != 200 && w.Code != 404 && w.Code != 422 {
			t.Errorf("%s: status %d: %.200s", target, w.Code, body)
		}
		h := w.Header()
		sort, plain := h.Get("Content-Type"), h.Get("X-Content-Type-Options") == "nosniff"
		if refused := w.Code != 200; refused != (sort == "text/plain; charset=utf-8" && plain) {
			t.Errorf("%s: status %d, and the headers %v", target, w.Code, h)
		}
		if sort == "text/html; charset=utf-8" && regexp.MustCompile("<script>forged|<img src=x|<b>forged").MatchString(body) {
			t.Errorf("%s: what the document says is markup", target)
		}
		if at := strings.IndexAny(body, "\x1b\u202e"); at >= 0 && sort != "application/json" {
			t.Errorf("%s: what the document says moves text about: %.200q", target, body[max(0, at-80):])
		}
		if len(body) > 16<<20 {
			t.Errorf("%s: %d bytes", target, len(body))
		}
		return w.Code
	}
	const id = "20261121T120000.000Z-0bad"
	shown, refused := 0, 0
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var whole any
		if json.Unmarshal(text, &whole) != nil {
			continue
		}
		is, _ := whole.(map[string]any)
		file := saved.RunFile
		if schema, _ := is["schema"].(string); strings.Contains(schema, ".set/") {
			file = saved.SetFile
		}
		for i := range each {
			var doc any
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
			for range 1 + i%4 {
				doc = forge(random, doc)
			}
			bad, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if i%6 == 5 {
				bad = bad[:random.IntN(len(bad)+1)]
			}
			dir := store.SetDir(id)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if get("/runs/"+id) == 200 {
				shown++
			} else {
				refused++
			}
			get("/runs/" + id + "/members")
			get("/runs/" + id + "/1")
			get("/runs?with=" + id + "&with=" + url.QueryEscape(id+"/1"))
			get("/document/" + id)
			if get("/") != 200 {
				t.Errorf("the list is not there beside %s", name)
			}
			if t.Failed() {
				t.Logf("of %s: %.2000s", name, bad)
				t.FailNow()
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	if shown < 20 || refused < 3 {
		t.Errorf("%d were shown and %d refused: the forgeries are of one sort", shown, refused)
	}
}
