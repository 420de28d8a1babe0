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

// mostAtOnce limits how many requests read documents at the same time, each of which can have megabytes.
const mostAtOnce = 4

// Config configures Pages.
type Config struct {
	Store  *saved.Runs
	Kinds  saved.Kinds                 // how runs are shown
	Broken func(*saved.Saved) []string // reports which values of a set do not follow from its runs
	Named  []Named                     // the documents of the first page; none: it is the list
}

// Named is a document named on the command line.
type Named struct {
	Name string // as the user wrote it
	Path string // of the document
}

// Pages serves the pages.
type Pages struct {
	Config
	mux   *http.ServeMux
	turns chan struct{} // a slot for each request in progress
}

// New returns the pages. It reads nothing.
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

// ServeHTTP serves a page.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// noPage serves unknown paths.
func noPage(http.ResponseWriter, *http.Request) error {
	return missing{"page not found: / lists the saved runs"}
}

// missing is the error of a page or document that does not exist.
type missing struct{ what string }

func (m missing) Error() string { return m.what }

// unsent buffers a response.
type unsent struct {
	http.ResponseWriter
	page bytes.Buffer
}

func (u *unsent) Write(p []byte) (int, error) { return u.page.Write(p) }

// inTurn limits concurrent requests. It buffers the page and sends it after freeing the slot, so that slow clients do
// not hold up others, and turns errors into responses.
func (p *Pages) inTurn(show func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !p.take(r.Context()) {
			return // the client is gone
		}
		out := &unsent{ResponseWriter: w}
		err := func() error {
			defer func() { <-p.turns }()
			return show(out, r)
		}()
		if err == nil {
			if out.page.Len() > 0 {
				_, _ = w.Write(out.page.Bytes()) // the client may be gone
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

// first serves the page that the command opens: the named documents, or the list.
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

// runs serves the list, or the runs selected in it.
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

// one serves a run or a set, overlaid with other runs if asked.
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

// show serves the page of a document.
func (p *Pages) show(w http.ResponseWriter, ref reference) error {
	found, err := p.load(ref)
	if err != nil {
		return err
	}
	var of page.Content
	if found.Set != nil {
		source := sets.Source{Set: found.Set, Broken: p.Broken(found), Name: p.called(ref)}
		of, err = run.PageOfSet(source, found.Path)
		of.Links = append(of.Links, page.Link{Text: "Runs of this set", To: ref.to("/runs") + "/members"})
	} else {
		of, err = run.PageOf(found.Run, p.Kinds(found.Run.Workload), found.Path)
	}
	if err != nil {
		return err
	}
	if ref.member != "" {
		of.Links = append(of.Links, page.Link{Text: "Back to the set", To: reference{id: ref.id}.to("/runs")})
	}
	of.Links = append(of.Links, page.Link{Text: "All runs", To: "/runs"})
	return write(w, func(w io.Writer) error { return page.Write(w, of) })
}

// called returns the name of a document for commands. The id in the document is not trusted.
func (p *Pages) called(ref reference) string {
	if at := p.namedAt(ref.id); at >= 0 {
		return p.Named[at].Name
	}
	return ref.id
}

// write writes an HTML page.
func write(w http.ResponseWriter, page func(io.Writer) error) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return page(w)
}

// document serves a document byte for byte. Only opening it takes a slot: it is not held in memory, and slow clients
// must not hold up others.
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
			return missing{"the document no longer exists"}
		}
		name = ref.file(path)
		return nil
	})(w, r)
	if f == nil {
		return // inTurn has sent the error
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "attachment; filename=\""+name+"\"")
	_, _ = io.Copy(w, f) // the client may be gone
}

// reference identifies a document in a request: the id of a saved run or set, or that of a named document, and a member
// of it.
type reference struct{ id, member string }

// referenceOf parses a parameter: an id, or the id of a set and a member, separated by a slash.
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

// to returns its URL below a path.
func (r reference) to(below string) string {
	path := below + "/" + url.PathEscape(r.id)
	if r.member != "" {
		path += "/" + url.PathEscape(r.member)
	}
	return path
}

// file returns the file name for saving its document.
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

// find returns the path of the document.
func (p *Pages) find(ref reference) (path string, err error) {
	if at := p.namedAt(ref.id); at >= 0 {
		if path = p.Named[at].Path; ref.member != "" {
			path, err = saved.MemberOf(path, ref.member)
		}
	} else {
		path, err = p.Store.Kept(ref.id, ref.member)
	}
	if err == nil && path == "" {
		err = missing{"no saved run has this id: /runs lists them"}
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
