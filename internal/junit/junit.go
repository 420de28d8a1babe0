package junit

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Result is what became of a case.
type Result int

// The results.
const (
	Passed  Result = iota
	Skipped        // it was missed, and that does not count
	Failed         // it was told, and is not as it was to be
	Errored        // it could not be told, or nothing was measured
)

// Report is the whole of a file.
type Report struct {
	Name   string
	Suites []Suite
}

// Suite is one run, or what several runs have in common.
type Suite struct {
	Name       string
	Started    time.Time
	Length     time.Duration // 0: it is not known
	Properties []Property
	Cases      []Case
}

// Property is a fact about a suite.
type Property struct{ Name, Value string }

// Case is one thing that may have gone wrong.
type Case struct {
	Name    string
	Result  Result
	Message string   // why it did not pass
	Lines   []string // more about it; of one that passed what should be known all the same
}

// counts are how many cases there are, and how many of each result.
type counts struct{ all, failed, errored, skipped int }

func (s *Suite) counts() (n counts) {
	n.all = len(s.Cases)
	for i := range s.Cases {
		switch s.Cases[i].Result {
		case Failed:
			n.failed++
		case Errored:
			n.errored++
		case Skipped:
			n.skipped++
		}
	}
	return n
}

func (r *Report) counts() (n counts) {
	for i := range r.Suites {
		m := r.Suites[i].counts()
		n.all, n.failed, n.errored, n.skipped = n.all+m.all, n.failed+m.failed, n.errored+m.errored, n.skipped+m.skipped
	}
	return n
}

// ending is the case of how a command went that ended with such a status and said so, beside cases of these counts. It
// is bad where the status says that something is, and no other case does.
func ending(name string, exit fault.Code, said string, others counts) Case {
	c := Case{Name: name}
	if said != "" {
		c.Lines = []string{said}
	}
	switch {
	case exit == fault.OK:
	case exit == fault.Missed && others.failed == 0:
		c.Result, c.Message = Failed, said
	case exit == fault.Missed:
	case exit == fault.Untrusted && others.errored > 0:
	default:
		c.Result, c.Message = Errored, said
	}
	if c.Result != Passed && c.Message == "" {
		c.Message = "failed"
	}
	return c
}

// skip has what is bad among cases not count, for a reason.
func skip(cases []Case, why string) {
	for i := range cases {
		if c := &cases[i]; c.Result == Failed || c.Result == Errored {
			c.Result, c.Message = Skipped, why+": "+c.Message
		}
	}
}
