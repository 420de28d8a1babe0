package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// File is a file that a flag asks for.
type File struct {
	Flag, What, Path string
	// Make makes it of the document; nil for a file that is written while the run goes on.
	Make func(path string, doc *rundoc.Run) error
	// Unfit says why a run that ended so must not be written there, or ""; nil: any may.
	Unfit func(doc *rundoc.Run, outcome error) string
}

// save writes the document of a run and the files that are made of it. The rest is still
// written when one fails; the error names them.
func (r *Run) save(doc *rundoc.Run, outcome error) (files []report.File, failed error) {
	doc.Exit, doc.Error = said(outcome)
	all := append([]File{{What: report.RunDocument, Path: r.path, Make: WriteDocument}}, r.files()...)
	for _, f := range all {
		if r.unsaved = failed; f.Path == "" {
			continue
		}
		if f.Unfit != nil {
			if why := f.Unfit(doc, outcome); why != "" {
				r.View.Note(why + ": nothing was written to " + f.Path)
				continue
			}
		}
		if why := r.spoiled[f.Path]; f.Make == nil && why != nil {
			failed = errors.Join(failed, fault.New(fault.RunFailed, "the %s are not whole: %w", f.What, why))
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
	return f.Make(f.Path, doc)
}

// WriteDocument writes a run document, and makes the directory for it if need be.
func WriteDocument(path string, doc *rundoc.Run) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return rundoc.WriteFile(path, doc)
}

// WriteBuckets writes the throughput of a run per bucket.
func WriteBuckets(path string, doc *rundoc.Run, width time.Duration) error {
	return WriteTo(path, func(w io.Writer) error { return report.WriteBuckets(w, doc, width) })
}

// WriteChart draws the chart of a run of this kind, in the format that its name asks for.
func WriteChart(kind report.Kind) func(path string, doc *rundoc.Run) error {
	return func(path string, doc *rundoc.Run) error {
		format, err := chart.FormatOf(path)
		if err != nil {
			return err
		}
		var drawn bytes.Buffer
		if err := report.Chart(&drawn, doc, kind, format); err != nil {
			return err // and there is no empty file
		}
		return WriteTo(path, func(w io.Writer) error {
			_, err := drawn.WriteTo(w)
			return err
		})
	}
}

// WriteTo creates a file and fills it. One that could not be written to its end is not there.
func WriteTo(path string, fill func(io.Writer) error) error {
	f, err := outfile.Create(path, true)
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, outfile.Reason(err)), f.Abandon())
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("%s: %w", path, outfile.Reason(err))
	}
	return nil
}
