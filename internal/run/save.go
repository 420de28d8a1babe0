package run

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// File is a file that a flag asks for.
type File struct {
	Flag, What, Path string
	// Make writes it, made of the document; nil for a file that is written while the run goes on.
	Make func(w io.Writer, doc *rundoc.Run) error
	// Unfit says why a run that ended so must not be written there, or ""; nil: any may.
	Unfit func(doc *rundoc.Run, outcome error) string
}

// save writes the document of a run and the files that are made of it. The rest is still
// written when one fails; the error names them.
func (r *Run) save(doc *rundoc.Run, outcome error) (files []report.File, failed error) {
	doc.Exit, doc.Error = said(outcome)
	all := append([]File{{What: report.RunDocument, Path: r.path, Make: rundoc.Write}}, r.files()...)
	for _, f := range all {
		if r.unsaved = failed; f.Path == "" {
			continue
		}
		if f.Unfit != nil {
			if why := f.Unfit(doc, outcome); why != "" {
				r.View.Note(why + ": " + f.Path + " was not written")
				continue
			}
		}
		if why := r.spoiled[f.Path]; f.Make == nil && why != nil {
			failed = errors.Join(failed, fault.New(fault.RunFailed, "the %s are incomplete: %w", f.What, why))
			continue
		}
		if f.Make != nil {
			if err := r.make(f, doc); err != nil {
				failed = errors.Join(failed, fault.New(fault.RunFailed, "cannot write the %s: %w", f.What, err))
				continue
			}
		}
		files = append(files, report.File{What: f.What, Path: f.Path})
	}
	if r.kept(files) {
		_ = os.Remove(r.Unfinished()) // most have none
		r.list(doc)
	}
	return files, failed
}

// list has the list of the saved runs know a run that is among them.
func (r *Run) list(doc *rundoc.Run) {
	s, err := saved.Open(r.Env.Getenv)
	if err != nil || r.path != s.Path(r.ID) {
		return // it is kept elsewhere
	}
	found := saved.Saved{Path: r.path, Run: doc}
	s.Add(r.ID, found.Describe(func(string) report.Kind { return r.job.Kind }))
}

// make makes a file of the document.
func (r *Run) make(f File, doc *rundoc.Run) error {
	defer r.View.Begin("writing the "+f.What, nil)()
	write := func(w io.Writer) error { return f.Make(w, doc) }
	if f.Path == r.path {
		return r.Env.WriteDocument(f.Path, write)
	}
	return r.Env.Files.Write(f.Path, write)
}

// Buckets makes the file of a run's throughput per bucket.
func Buckets(width time.Duration) func(w io.Writer, doc *rundoc.Run) error {
	return func(w io.Writer, doc *rundoc.Run) error { return report.WriteBuckets(w, doc, width) }
}

// Chart draws the chart of a run of this kind, in the format that the name of its file asks for.
func Chart(kind report.Kind, path string) func(w io.Writer, doc *rundoc.Run) error {
	return func(w io.Writer, doc *rundoc.Run) error {
		format, err := chart.FormatOf(path)
		if err != nil {
			return err
		}
		return report.Chart(w, doc, kind, format)
	}
}
