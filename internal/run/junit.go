package run

import (
	"errors"
	"io"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/junit"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// TestsFile is what a report calls the file of --junit.
const TestsFile = "tests"

// JUnitSetting declares the file of tests.
func JUnitSetting(into *string) *setting.Setting {
	return setting.Output(into, "junit", "file", "write thresholds and checks as test results to this JUnit XML "+
		"file").Ending("xml").OfResults()
}

// tests is the file that --junit asks for of this run. It is the last one: that another could not be written is an
// error in it.
func (r *Run) tests() File {
	return File{Flag: "junit", What: TestsFile, Path: r.job.Forms.JUnit, Make: func(w io.Writer, doc *rundoc.Run) error {
		of := *doc
		if r.unsaved != nil && of.Exit == 0 {
			of.Exit, of.Error = said(r.unsaved)
		}
		return junit.Write(w, testsOf(&of, r.job.Kind.Known(r.job.Workload)))
	}}
}

// WriteJUnit writes the tests of a run, as they follow from its document.
func WriteJUnit(env *Env, path string, doc *rundoc.Run, known figure.Known) error {
	return writeTests(env, path, testsOf(doc, known))
}

// testsOf are the tests of a run.
func testsOf(doc *rundoc.Run, known figure.Known) *junit.Report {
	of := *doc
	if of.Exit == 0 { // a document of before it was there says as much as it can
		of.Exit, of.Error = said(Outcome(doc, "operations", Conclusion{}))
	}
	goals := threshold.Reread(doc, known)
	verdict := rundoc.Reread(doc).Verdict
	if goals.Edited != "" {
		verdict.Validity = rundoc.Invalid
		verdict.Reasons = append([]string{goals.Edited}, verdict.Reasons...)
	}
	return junit.OfRun(&of, verdict, goals.All)
}

// WriteJUnitOfSet writes the tests of a set; broken is what of it does not follow from its own figures.
func WriteJUnitOfSet(env *Env, path string, set *setdoc.Set, broken []string) error {
	return writeTests(env, path, junit.OfSet(set, broken))
}

func writeTests(env *Env, path string, of *junit.Report) error {
	err := env.Files.Write(path, func(w io.Writer) error { return junit.Write(w, of) })
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the JUnit file: %w", err)
	}
	return nil
}

// Lost is the error of a command of which nothing was measured, when the file of tests says so as well; name is what
// was to be measured.
func (f *Forms) Lost(env *Env, name string, err error) error {
	if f.JUnit == "" || err == nil {
		return err
	}
	code, text := said(err)
	return errors.Join(err, writeTests(env, f.JUnit, junit.OfFailure(name, fault.Code(code), text)))
}

// said is an error as documents have it: the exit status, and what the command says.
func said(err error) (exit int, text string) {
	if err != nil {
		text = fault.OneLine(err.Error())
	}
	return int(fault.CodeOf(err)), text
}
