package several

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func begin(t *testing.T, forms run.Forms) (*Set, error) {
	t.Helper()
	state := t.TempDir()
	env := &run.Env{
		Stdout: io.Discard, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(name string) (string, bool) { return state, name == "XDG_STATE_HOME" },
	}
	return Begin(env, &forms, setdoc.KindPlan, map[string]int{"repeats": 3})
}

// member is the document of a run with a verdict.
func member(id string, v rundoc.Validity) *rundoc.Run {
	return &rundoc.Run{ID: id, Workload: "chat", Verdict: rundoc.Verdict{Validity: v}}
}

// What was saved after each member is the set as far as it is, and it is read again.
func TestSetIsSavedAsItGrows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	s, err := begin(t, run.Forms{Out: dir, Labels: []string{"mine"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Doc.Planned = 2
	for i, v := range []rundoc.Validity{rundoc.Valid, rundoc.Suspect} {
		s.Add(setdoc.Member{Name: "clients 1"}, member("run-"+string(v), v), nil)
		if err := s.save(); err != nil {
			t.Fatal(err)
		}
		got, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
		if err != nil || len(got.Members) != i+1 || got.Verdict.Validity != v || got.Labels[0] != "mine" || got.Planned != 2 {
			t.Errorf("after run %d: %+v, %v", i+1, got, err)
		}
		if want := "members/run-" + string(v) + "/run.json"; got.Members[i].Path != want {
			t.Errorf("its path is %q", got.Members[i].Path)
		}
	}
	if _, err := begin(t, run.Forms{Out: dir}); err == nil || !strings.Contains(err.Error(), "already has a set") {
		t.Errorf("a second set there: %v", err)
	}
}

// The members are made in order; an interrupt between two of them is in the document and in the outcome, and a set that
// cannot be saved makes no more.
func TestSetRuns(t *testing.T) {
	for name, test := range map[string]struct {
		interrupt, spoil int // with this member
		made             int
		want             string
	}{
		"all":                 {-1, -1, 3, ""},
		"interrupted":         {1, -1, 2, "interrupted after 2 of 3 runs: the results so far are saved"},
		"in the last":         {2, -1, 3, ""},
		"cannot be saved":     {-1, 1, 2, "cannot save the set"},
		"interrupted, spoilt": {0, 0, 1, "cannot save the set"},
	} {
		dir := filepath.Join(t.TempDir(), "set")
		s, err := begin(t, run.Forms{Out: dir})
		if err != nil {
			t.Fatal(err)
		}
		soft, interrupt := context.WithCancel(t.Context())
		s.Doc.Planned = 3
		err = s.Run(soft, func(at int) error {
			s.Add(setdoc.Member{}, member(strconv.Itoa(at), rundoc.Valid), nil)
			if at == test.interrupt {
				interrupt()
			}
			if at == test.spoil {
				return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644))
			}
			return nil
		})
		interrupt()
		if got := s.Outcome(); err != nil || len(s.Doc.Members) != test.made || (got == nil) != (test.want == "") ||
			got != nil && !strings.Contains(got.Error(), test.want) {
			t.Errorf("%s: %v after %d, %v", name, err, len(s.Doc.Members), got)
		}
		set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
		if spoilt := test.spoil >= 0; (err != nil) != spoilt || !spoilt && set.Interrupted != (test.want != "") {
			t.Errorf("%s: on the disk: %+v, %v", name, set, err)
		}
	}
	s, _ := begin(t, run.Forms{NoSave: true})
	s.Doc.Planned = 2
	never := errors.New("never")
	if err := s.Run(t.Context(), func(int) error { return never }); err != never {
		t.Errorf("an error that ends all: %v", err)
	}
}

// A set is found by the labels of its runs, too, each of which it has once.
func TestSetHasTheLabelsOfItsRuns(t *testing.T) {
	s, err := begin(t, run.Forms{NoSave: true, Labels: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, labels := range [][]string{{"a", "all"}, nil, {"b", "a"}} {
		doc := member("x", rundoc.Valid)
		doc.Labels = labels
		s.Add(setdoc.Member{}, doc, nil)
	}
	if !slices.Equal(s.Doc.Labels, []string{"all", "a", "b"}) {
		t.Error(s.Doc.Labels)
	}
}

// The verdict of a set has the reason that most of its members have, whatever their figures in it are.
func TestSetVerdictSaysWhy(t *testing.T) {
	var members []setdoc.Member
	for i, reasons := range [][]string{
		{"The generator did not run for 5 ms."}, {"The CPUs were all 91% busy.", "The generator did not run for 7 ms."},
		{"The CPUs were all 99% busy."}, {"The CPUs were all 95% busy."}, nil,
	} {
		members = append(members, setdoc.Member{Name: fmt.Sprintf("run %d", i+1),
			Verdict: rundoc.Verdict{Validity: rundoc.Suspect, Reasons: reasons}})
	}
	want := "5 of 5 runs are suspect. Reason in 3 of them (example: run 2): The CPUs were all 91% busy."
	if got := strings.Join(verdictOf(&setdoc.Set{Members: members}).Reasons, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Runs in which nothing was measured have no verdict, and a set of them has none: it is not valid.
func TestSetVerdict(t *testing.T) {
	for _, test := range []struct {
		members []rundoc.Validity // "": nothing was measured
		want    rundoc.Validity
		reasons string
	}{
		{[]rundoc.Validity{rundoc.Valid, rundoc.Valid}, rundoc.Valid, ""},
		{[]rundoc.Validity{""}, "", "1 of 1 runs produced no result."},
		{[]rundoc.Validity{"", rundoc.Valid, rundoc.Suspect}, rundoc.Suspect,
			"1 of 3 runs is suspect. 1 of 3 runs produced no result."},
		{nil, "", ""},
	} {
		var members []setdoc.Member
		for _, v := range test.members {
			members = append(members, setdoc.Member{Verdict: rundoc.Verdict{Validity: v}})
		}
		got := verdictOf(&setdoc.Set{Members: members})
		if got.Validity != test.want || strings.Join(got.Reasons, " ") != test.reasons {
			t.Errorf("%q: %+v", test.members, got)
		}
	}
}

// A few invalid runs do not spoil a comparison, whose rows leave out more than these: it is suspect, says so, and does
// not end by them. More of them do, and one of any other set.
func TestFewInvalidRunsOfAComparison(t *testing.T) {
	untrusted := fault.New(fault.Untrusted, "the measurement cannot be trusted")
	for _, test := range []struct {
		of, invalid int
		compares    bool
		want        rundoc.Validity
		code        fault.Code
	}{
		{60, 1, true, rundoc.Suspect, fault.OK},
		{60, 3, true, rundoc.Suspect, fault.OK},
		{60, 4, true, rundoc.Invalid, fault.Untrusted},
		{20, 1, true, rundoc.Suspect, fault.OK},
		{18, 1, true, rundoc.Invalid, fault.Untrusted},
		{60, 0, true, rundoc.Valid, fault.OK},
		{60, 1, false, rundoc.Invalid, fault.Untrusted},
	} {
		s, err := begin(t, run.Forms{NoSave: true})
		if err != nil {
			t.Fatal(err)
		}
		if test.compares {
			s.Doc.Comparison = &setdoc.Comparison{}
		}
		for i := range test.of {
			if i < test.invalid {
				s.Add(setdoc.Member{}, member(strconv.Itoa(i), rundoc.Invalid), untrusted)
			} else {
				s.Add(setdoc.Member{}, member(strconv.Itoa(i), rundoc.Valid), nil)
			}
		}
		if got := s.Doc.Verdict.Validity; got != test.want || fault.CodeOf(s.Outcome()) != test.code {
			t.Errorf("%d of %d are invalid: %s, %v", test.invalid, test.of, got, s.Outcome())
		}
		if said := strings.Join(s.Doc.Verdict.Reasons, " "); (test.want == rundoc.Suspect) != strings.Contains(said, "few enough") {
			t.Errorf("%d of %d are invalid: %s", test.invalid, test.of, said)
		}
	}
}

// The set ends as the gravest of its members; a run without a document counts.
func TestSetOutcome(t *testing.T) {
	missed := fault.New(fault.Missed, "p99 was missed")
	untrusted := fault.New(fault.Untrusted, "the measurement cannot be trusted: a long story")
	failed := fault.New(fault.RunFailed, "nobody is there")
	interrupted := fault.New(fault.Interrupted, "interrupted")
	for _, test := range []struct {
		errs []error
		want fault.Code
		says string
	}{
		{[]error{nil, nil}, fault.OK, ""},
		{[]error{nil, missed}, fault.Missed, "1 of 2 runs did not succeed; the most severe, clients 1: p99 was missed"},
		{[]error{missed, failed}, fault.RunFailed, "the most severe, clients 1: nobody is there"},
		{[]error{failed, untrusted, missed}, fault.Untrusted,
			"3 of 3 runs did not succeed; the most severe, clients 1: the measurement cannot be trusted"},
		{[]error{untrusted, interrupted}, fault.Interrupted, "interrupted in run 2 of 9"},
	} {
		s, err := begin(t, run.Forms{NoSave: true})
		if err != nil || s.Dir() != "" {
			t.Fatal(err, s.Dir())
		}
		s.Doc.Planned = 9
		for _, err := range test.errs {
			doc := member("x", rundoc.Valid)
			if errors.Is(err, failed) {
				doc = nil
			}
			s.Add(setdoc.Member{Name: "clients 1"}, doc, err)
		}
		got := s.Outcome()
		if fault.CodeOf(got) != test.want || got != nil && !strings.HasSuffix(got.Error(), test.says) &&
			!strings.HasPrefix(got.Error(), test.says) {
			t.Errorf("%v: %v", test.errs, got)
		}
		if s.Doc.Interrupted != (test.want == fault.Interrupted) {
			t.Errorf("%v: interrupted is %v", test.errs, s.Doc.Interrupted)
		}
	}
}

// While a set is made in the directory of --out, another one is refused, and what the first has saved stays.
func TestTheDirectoryOfASetIsItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	first, err := begin(t, run.Forms{Out: dir, Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	second, err := begin(t, run.Forms{Out: dir, Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	first.Doc.Planned, second.Doc.Planned = 1, 1
	err = first.Run(t.Context(), func(int) error {
		first.Add(setdoc.Member{Name: "clients 1"}, member("first", rundoc.Valid), nil)
		refused := second.Run(t.Context(), func(int) error { t.Error("it was made"); return nil })
		if runtime.GOOS != "windows" && (refused == nil || !strings.Contains(refused.Error(), "another command is saving its run in")) {
			t.Error(refused)
		}
		return nil
	})
	if got, read := setdoc.ReadFile(filepath.Join(dir, saved.SetFile)); err != nil || read != nil || got.Members[0].ID != "first" {
		t.Errorf("%v, %v", err, read)
	}
}
