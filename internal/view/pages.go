package view

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
)

// mostAtOnce is how many documents are read and shown at a time, each of which may have megabytes. Others wait.
const mostAtOnce = 4

// Config says what is shown.
type Config struct {
	Store  *saved.Runs
	Kinds  saved.Kinds                 // how runs are shown
	Broken func(*saved.Saved) []string // what of a set does not follow from its own figures
	Named  []Named                     // those that the command named, which come first; none: the list does
}

// Named is a document that the command named.
type Named struct {
	Name string // as a person calls it
	Path string // of the document
}

// Pages are the pages.
type Pages struct {
	Config
	mux   *http.ServeMux
	turns chan struct{} // one for each that works
}

// New makes the pages. It reads nothing.
func New(c Config) *Pages {
	p := &Pages{Config: c, mux: http.NewServeMux(), turns: make(chan struct{}, mostAtOnce)}
	for path, show := range map[string]func(http.ResponseWriter, *http.Request) error{
		"/{$}":                        p.first,
		"/runs":                       p.runs,
		"/runs/{id}":                  p.one,
		"/runs/{id}/{member}":         p.one,
		"/runs/{id}/members":          p.members,
		"/runs/{id}/{member}/members": noPage,
		"/":                           noPage,
	} {
		p.mux.HandleFunc(path, p.inTurn(show))
	}
	p.mux.HandleFunc("/document/{id}", p.document)
	p.mux.HandleFunc("/document/{id}/{member}", p.document)
	return p
}

// ServeHTTP shows a page.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// noPage is where there is none.
func noPage(http.ResponseWriter, *http.Request) error {
	return missing{"there is no such page: / has all of them"}
}

// missing is what there is not.
type missing struct{ what string }

func (m missing) Error() string { return m.what }

// unsent is the response with a page that is being made.
type unsent struct {
	http.ResponseWriter
	page bytes.Buffer
}

func (u *unsent) Write(p []byte) (int, error) { return u.page.Write(p) }

// inTurn has a page made when it is its turn, and says why it could not be. It is sent after that: whoever reads slowly
// would have others wait.
func (p *Pages) inTurn(show func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !p.take(r.Context()) {
			return // whoever asked is gone
		}
		out := &unsent{ResponseWriter: w}
		err := func() error {
			defer func() { <-p.turns }()
			return show(out, r)
		}()
		if err == nil {
			if out.page.Len() > 0 {
				_, _ = w.Write(out.page.Bytes()) // whoever is gone reads nothing
			}
			return
		}
		status := http.StatusInternalServerError
		switch _, none := err.(missing); {
		case none:
			status = http.StatusNotFound
		case fault.CodeOf(err) == fault.Usage:
			status = http.StatusUnprocessableEntity
		}
		text := fault.OneLine(err.Error())
		if hint := fault.HintOf(err); hint != "" {
			text += " (" + fault.OneLine(hint) + ")"
		}
		http.Error(w, text, status)
	}
}

func (p *Pages) take(ctx context.Context) bool {
	select {
	case p.turns <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// first is the page that the command opens: what it named, or the list.
func (p *Pages) first(w http.ResponseWriter, r *http.Request) error {
	switch len(p.Named) {
	case 0:
		return p.list(w, r)
	case 1:
		return p.show(w, reference{id: namedID(0)})
	}
	var all []reference
	for i := range p.Named {
		all = append(all, reference{id: namedID(i)})
	}
	return p.overlay(w, all)
}

// runs is the list, or the runs that were chosen of it.
func (p *Pages) runs(w http.ResponseWriter, r *http.Request) error {
	var all []reference
	for _, text := range r.URL.Query()["with"] {
		one := referenceOf(text)
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	switch len(all) {
	case 0:
		return p.list(w, r)
	case 1:
		return p.show(w, all[0])
	}
	return p.overlay(w, all)
}

// one is a run or a set, or with others that it is to be seen with, these.
func (p *Pages) one(w http.ResponseWriter, r *http.Request) error {
	all := []reference{{r.PathValue("id"), r.PathValue("member")}}
	for _, text := range r.URL.Query()["with"] {
		if other := referenceOf(text); !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	if len(all) > 1 {
		return p.overlay(w, all)
	}
	return p.show(w, all[0])
}

// show writes the page of a document.
func (p *Pages) show(w http.ResponseWriter, ref reference) error {
	found, err := p.load(ref)
	if err != nil {
		return err
	}
	var of page.Content
	if found.Set != nil {
		source := sets.Source{Set: found.Set, Broken: p.Broken(found), Name: p.called(ref)}
		of, err = run.PageOfSet(source, found.Path)
		of.Links = append(of.Links, page.Link{Text: "Its runs", To: ref.to("/runs") + "/members"})
	} else {
		of, err = run.PageOf(found.Run, p.Kinds(found.Run.Workload), found.Path)
	}
	if err != nil {
		return err
	}
	if ref.member != "" {
		of.Links = append(of.Links, page.Link{Text: "The set", To: reference{id: ref.id}.to("/runs")})
	}
	of.Links = append(of.Links, page.Link{Text: "All runs", To: "/runs"})
	return write(w, func(w io.Writer) error { return page.Write(w, of) })
}

// called is what a person calls a document: what it says of itself may be anything.
func (p *Pages) called(ref reference) string {
	if at := p.namedAt(ref.id); at >= 0 {
		return p.Named[at].Name
	}
	return ref.id
}

// write writes a page that was made to its end.
func write(w http.ResponseWriter, page func(io.Writer) error) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return page(w)
}

// document is a document as it lies on the disk. Only to find it takes a turn: what is sent is not in memory, and
// whoever reads slowly would have others wait.
func (p *Pages) document(w http.ResponseWriter, r *http.Request) {
	ref := reference{r.PathValue("id"), r.PathValue("member")}
	var f *os.File
	var name string
	p.inTurn(func(http.ResponseWriter, *http.Request) error {
		path, err := p.find(ref)
		if err != nil {
			return err
		}
		if f, err = saved.OpenDocument(path); err != nil {
			return missing{"the document is not there any more"}
		}
		name = ref.file(path)
		return nil
	})(w, r)
	if f == nil {
		return // it said why
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "attachment; filename=\""+name+"\"")
	_, _ = io.Copy(w, f) // whoever is gone reads nothing
}

// reference is what a request calls a document: an id of those that are kept, or a name of one that the command named,
// and a member of it.
type reference struct{ id, member string }

// referenceOf is what stands in a parameter: an id, or those of a set and a member with a slash between them.
func referenceOf(text string) reference {
	for i, r := range text {
		if r == '/' {
			return reference{text[:i], text[i+1:]}
		}
	}
	return reference{id: text}
}

func (r reference) String() string {
	if r.member == "" {
		return r.id
	}
	return r.id + "/" + r.member
}

// to is the address of it below a path.
func (r reference) to(below string) string {
	path := below + "/" + url.PathEscape(r.id)
	if r.member != "" {
		path += "/" + url.PathEscape(r.member)
	}
	return path
}

// file is what its document is called when it is saved.
func (r reference) file(path string) string {
	name := []rune(r.id)
	if r.member != "" {
		name = append(append(name, '-'), []rune(r.member)...)
	}
	for i, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.') {
			name[i] = '_'
		}
	}
	return string(name) + "-" + filepath.Base(path)
}

// find is where the document lies.
func (p *Pages) find(ref reference) (path string, err error) {
	if at := p.namedAt(ref.id); at >= 0 {
		if path = p.Named[at].Path; ref.member != "" {
			path, err = saved.MemberOf(path, ref.member)
		}
	} else {
		path, err = p.Store.Kept(ref.id, ref.member)
	}
	if err == nil && path == "" {
		err = missing{"there is no saved run of this name: /runs lists them"}
	}
	return path, err
}

func (p *Pages) load(ref reference) (*saved.Saved, error) {
	path, err := p.find(ref)
	if err != nil {
		return nil, err
	}
	return saved.ReadDocument(path)
}
