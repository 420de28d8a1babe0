package compare

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What was found decides the exit status where it was asked for: 3 where a figure is worse, whatever is not known of the
// others; 4 where nobody can tell, or a change that matters could not have been seen.
func TestWhatIsFound(t *testing.T) {
	row := func(outcome, absent string, smallest float64) setdoc.Contrast {
		r := setdoc.Contrast{Launches: 10, Outcome: outcome, Absent: absent}
		if outcome != setdoc.Unknown {
			r.Ratio, r.Low, r.High = new(1.07), new(1.04), new(1.1)
		}
		if smallest > 0 {
			r.Smallest = &smallest
		}
		return r
	}
	bad, good := row(setdoc.Worse, "", 0), row(setdoc.Better, "", 0)
	seen, unseen := row(setdoc.NoneShown, "", 0.04), row(setdoc.NoneShown, "", 0.06)
	unknown := row(setdoc.Unknown, "too few", 0)
	none := row(setdoc.NoneShown, setdoc.NoneOnEither, 0)
	none.Low, none.High = nil, nil
	asked := func(failIf string, conclusive bool) *options {
		return &options{failIf: failIf, conclusive: conclusive, minEffect: 0.05}
	}
	for name, test := range map[string]struct {
		asked *options
		rows  []setdoc.Contrast
		want  fault.Code
		says  string
	}{
		"not asked":                {asked("", false), []setdoc.Contrast{bad, unknown}, fault.OK, ""},
		"worse":                    {asked(worse, false), []setdoc.Contrast{seen, bad}, fault.Missed, "B is worse: p50 +7.0% (95% CI +4.0% to +10.0%)"},
		"worse, and unknown":       {asked(worse, true), []setdoc.Contrast{bad, unknown}, fault.Missed, "a change of 5.0% could not have been detected in p50 (too few)"},
		"better":                   {asked(worse, false), []setdoc.Contrast{good, unknown}, fault.OK, ""},
		"none shown":               {asked(worse, false), []setdoc.Contrast{unseen, unknown}, fault.OK, ""},
		"all unknown":              {asked(worse, false), []setdoc.Contrast{unknown, unknown}, fault.Untrusted, "it is unknown whether B is worse: rate: too few"},
		"all unknown, not asked":   {asked("", false), []setdoc.Contrast{unknown}, fault.OK, ""},
		"would have been seen":     {asked("", true), []setdoc.Contrast{seen, good, none}, fault.OK, ""},
		"would not have been seen": {asked("", true), []setdoc.Contrast{seen, unseen}, fault.Untrusted, "in p50 (smallest detectable: 6.0%)"},
		"unknown":                  {asked("", true), []setdoc.Contrast{seen, unknown}, fault.Untrusted, "in p50 (too few)"},
		"nothing":                  {asked("", true), nil, fault.Untrusted, "in any metric"},
	} {
		c := &setdoc.Comparison{Rows: test.rows, MinEffect: 0.05, Launches: make([]setdoc.Launch, 10)}
		for i, figure := range []string{"rate", "p50", "p99"} {
			c.Figures = append(c.Figures, setdoc.Compared{Figure: setdoc.Figure{Name: figure}})
			if i < len(c.Rows) {
				c.Rows[i].Figure = i
			}
		}
		err := test.asked.found(c)
		if fault.CodeOf(err) != test.want || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v (%d), want %d and %q", name, err, fault.CodeOf(err), test.want, test.says)
		}
	}
}

// The gravest error is the command's: a run that cannot be trusted comes before what was found.
func TestGravest(t *testing.T) {
	untrusted, missed := fault.New(fault.Untrusted, "untrusted"), fault.New(fault.Missed, "missed")
	failed, interrupted := fault.New(fault.RunFailed, "failed"), fault.New(fault.Interrupted, "interrupted")
	for _, test := range []struct {
		errs []error
		want fault.Code
	}{
		{[]error{nil, nil, nil}, fault.OK},
		{[]error{nil, nil, missed}, fault.Missed},
		{[]error{nil, failed, missed}, fault.RunFailed},
		{[]error{nil, untrusted, missed}, fault.Untrusted},
		{[]error{nil, interrupted, untrusted}, fault.Interrupted},
		{[]error{failed, missed, untrusted}, fault.Untrusted},
	} {
		err := gravest(test.errs...)
		if fault.CodeOf(err) != test.want {
			t.Errorf("%v: %d, want %d", test.errs, fault.CodeOf(err), test.want)
		}
		for _, one := range test.errs {
			if one != nil && !strings.Contains(err.Error(), one.Error()) {
				t.Errorf("%v does not say %v", err, one)
			}
		}
	}
}
