package overhead

import (
	"os"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// noBaseline says why a run cannot be a baseline. One that is worse than its own can: that one is in another
// file. One that was ended early has not measured all that later ones are held against.
func noBaseline(doc *rundoc.Run, outcome error) string {
	switch {
	case doc.Aborted != "":
		return "the run ended early and was not saved as a baseline"
	case outcome == nil || fault.CodeOf(outcome) == fault.Missed:
		return ""
	}
	return "the run was not saved as a baseline"
}

// baseline reads the run to compare with, if there is to be one.
func (c *Command) baseline(env *run.Env) (*rundoc.Run, error) {
	p := &c.Plan
	if p.Baseline == "" {
		return nil, nil
	}
	s, err := saved.Open(env.Getenv)
	if err != nil {
		return nil, err
	}
	before, err := s.LoadRun(p.Baseline)
	if err != nil {
		return nil, err
	}
	if sameFile(p.Baseline, p.SaveBaseline) {
		return nil, fault.New(fault.Usage,
			"--baseline and --save-baseline are both %s: a regression would become the next baseline",
			p.SaveBaseline).
			Hint("save the new baseline under another name and replace the old one after review")
	}
	// What is no run of this command is refused before anything is measured.
	_, err = show.Compare(before, before, p.MinEffect)
	return before, err
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// conclude compares a run with its baseline, if there is one. failed is what else went wrong.
func (c *Command) conclude(doc, before *rundoc.Run, failed error) run.Conclusion {
	end := run.Conclusion{Failed: failed}
	if end.Failed == nil && empty(doc.Overhead()) {
		end.Failed = fault.New(fault.RunFailed, "no call was measured").
			Hint("raise --duration or --calls; see the report for details")
	}
	if before == nil {
		return end
	}
	compared, err := show.Compare(doc, before, c.Plan.MinEffect)
	if err != nil {
		end.Worse = err
		return end
	}
	doc.Overhead().Baseline = compared.Document(before)
	end.Worse = worse(compared)
	return end
}

// worse is the error of a run that is worse than its baseline, or that says nothing of it.
func worse(c *show.Comparison) error {
	switch {
	case c.Worse():
		return fault.New(fault.Missed, "%s", c.Summary())
	case c.Judged() == 0:
		return fault.New(fault.Untrusted,
			"nothing could be compared with the baseline").
			Hint("see the report for the reason; %s", c.Remedy())
	}
	return nil
}
