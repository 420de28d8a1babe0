package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/plimsoll/plimsoll/internal/live"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/web"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// PageFile is what a report calls the file of --html.
const PageFile = "page"

// PageSetting declares the file of a page for a browser.
func PageSetting(into *string) *setting.Setting {
	return setting.Output(into, "html", "file",
		"write a self-contained page with charts to this HTML file").
		Ending("html").OfResults()
}

// UISetting declares the address of the page that shows a run while it goes on.
func UISetting(into *string) *setting.Setting {
	return web.AddressSetting(into, "ui", "serve a live page at this port of this machine, or at host:port with "+
		"a token; port 0 selects a free one").OfResults()
}

// openPage serves the page of the runs of a show, and notes where it is. end shows there what came of them.
func (f *Forms) openPage(
	ctx context.Context, env *Env, show *onlook.Show, note func(text string),
) (end func(), err error) {
	p, err := live.Open(ctx, web.Options{Flag: "--ui", Address: f.UI, Token: env.Getenv(web.TokenVariable)}, show)
	if err != nil {
		return nil, err
	}
	note("live page: " + p.URL())
	return func() { p.End(show.Set()) }, nil
}

// page is the file that --html asks for, of a run of this kind.
func (f *Forms) page(kind report.Kind) File {
	return File{Flag: "html", What: PageFile, Path: f.HTML, Make: func(w io.Writer, doc *rundoc.Run) error {
		of, err := PageOf(doc, kind, "")
		if err != nil {
			return err
		}
		return page.Write(w, of)
	}}
}

// CheckFiles makes sure that the files that were asked for of a set can be written, and more besides.
func (f *Forms) CheckFiles(env *Env, more ...File) error {
	return CheckFiles(env, append([]File{{Flag: "html", Path: f.HTML}, {Flag: "junit", Path: f.JUnit}}, more...)...)
}

// PageOf is the page of a run; path is where its document lies, "" if nowhere yet.
func PageOf(doc *rundoc.Run, kind report.Kind, path string) (page.Content, error) {
	of := page.Content{Model: page.ModelOf(report.PageOf(doc, kind, report.Options{}))}
	text, err := documentAt(path, func(w io.Writer) error { return rundoc.Write(w, doc) })
	of.Documents = []page.Document{{Name: saved.RunFile, Schema: rundoc.Schema, Text: text}}
	return of, err
}

// PageOfSet is the page of a set; path is where its document lies, "" if nowhere.
func PageOfSet(of sets.Source, path string) (page.Content, error) {
	p := page.Content{Model: page.ModelOf(sets.Page(of, report.Options{}))}
	text, err := documentAt(path, func(w io.Writer) error { return setdoc.Write(w, of.Set) })
	p.Documents = []page.Document{{Name: saved.SetFile, Schema: setdoc.Schema, Text: text}}
	return p, err
}

// Overlaid is a run that is shown over others.
type Overlaid struct {
	Name string // by which it was named
	Run  *rundoc.Run
	Path string // where its document lies, "" if nowhere
}

// PageOfRuns is the page of several runs of this kind, laid over each other: their answers in a table, and each of
// their courses in the same charts. An error of another kind among them, or of too many, is one of usage.
func PageOfRuns(runs []Overlaid, kind report.Kind) (page.Content, error) {
	var sides []sets.Side
	for _, r := range runs {
		side := sets.Side{Name: r.Name, Run: r.Run}
		if again := rundoc.Reread(r.Run); again.Broken {
			side.Broken = again.Verdict.Reasons
		}
		sides = append(sides, side)
	}
	all, err := sets.Overlay(sides, kind)
	if err != nil {
		return page.Content{}, err
	}
	of := page.Content{Model: page.ModelOf(all)}
	for i, r := range runs {
		text, err := documentAt(r.Path, func(w io.Writer) error { return rundoc.Write(w, r.Run) })
		if err != nil {
			return of, err
		}
		// Of the same run twice, or of two of one second, the ids alone would be one name.
		name := fmt.Sprintf("%d-%s.json", i+1, units.Clean(r.Run.ID))
		of.Documents = append(of.Documents, page.Document{Name: name, Schema: rundoc.Schema, Text: text})
	}
	return of, nil
}

// documentAt is the text of a document as it lies there, or as it would be written.
func documentAt(path string, write func(io.Writer) error) ([]byte, error) {
	if path != "" {
		return os.ReadFile(path)
	}
	var text bytes.Buffer
	err := write(&text)
	return text.Bytes(), err
}

// WritePage writes a page to a file.
func WritePage(env *Env, path string, of page.Content) error {
	return env.Files.Write(path, func(w io.Writer) error { return page.Write(w, of) })
}
