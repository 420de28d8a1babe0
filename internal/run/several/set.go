package several

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Set is a set that is being made.
type Set struct {
	Doc  setdoc.Set
	Open bool // how many runs it takes is not known before the last of them

	// Show has the member that goes on, for those who look on while Run makes the members; nil: nobody does.
	Show *onlook.Show

	env     *run.Env
	forms   *run.Forms
	dir     string // "" keeps nothing
	errs    []error
	unsaved error // why the set on the disk is not all that was measured
}

// Begin begins a set of a kind. It makes sure that the set can be saved where the forms say, and leaves nothing there.
func Begin(env *run.Env, forms *run.Forms, kind string, plan any) (*Set, error) {
	now := time.Now()
	s := &Set{env: env, forms: forms, Doc: setdoc.Set{
		Schema: setdoc.Schema, ID: saved.NewID(now), Kind: kind, Labels: slices.Clone(forms.Labels), Started: now, Ended: now,
		Tool: run.Tool(),
	}}
	err := forms.CheckFiles(env)
	if err != nil {
		return nil, err
	}
	if s.Doc.Plan, err = json.Marshal(plan); err != nil {
		return nil, fault.New(fault.RunFailed, "cannot encode the plan: %w", err)
	}
	s.dir, err = run.SetPlace(env, forms, s.Doc.ID)
	return s, err
}

// Dir is the directory of the set; "" when it is not kept.
func (s *Set) Dir() string { return s.dir }

// Add takes what became of a member, of which m says who it is: its document, nil when nothing was measured, and the
// error that its command alone would have ended with.
func (s *Set) Add(m setdoc.Member, doc *rundoc.Run, err error) {
	m.Exit = int(fault.CodeOf(err))
	if err != nil {
		m.Error = fault.OneLine(err.Error())
	}
	if m.Started.IsZero() {
		m.Started = time.Now()
	}
	if doc != nil {
		m.ID, m.Workload, m.Started = doc.ID, doc.Workload, doc.Started
		if m.Target = doc.Target.URL; doc.Target.Embedded {
			m.Target = "demo"
		}
		m.Verdict, m.Thresholds, m.Aborted = doc.Verdict, doc.Thresholds, doc.Aborted
		for _, label := range doc.Labels { // by which the set is to be found, since its runs are in no list
			if !slices.Contains(s.Doc.Labels, label) {
				s.Doc.Labels = append(s.Doc.Labels, label)
			}
		}
		if s.dir != "" {
			m.Path = filepath.ToSlash(filepath.Join("members", doc.ID, saved.RunFile))
		}
		if len(s.Doc.Members) == 0 || s.Doc.Host == (rundoc.Host{}) {
			s.Doc.Host = doc.Host
		}
	}
	s.Doc.Members = append(s.Doc.Members, m)
	s.errs = append(s.errs, err)
	s.Doc.Ended, s.Doc.Verdict = time.Now(), verdictOf(&s.Doc)
	s.Doc.Interrupted = s.Doc.Interrupted || fault.CodeOf(err) == fault.Interrupted
}

// Run has the planned members made, and saves the set after each call of member, which makes one or more and adds them;
// at counts the calls, from 0 on, and any of them may change how many are planned. An interrupt ends it, which the
// document then says, and so does a set that cannot be saved; both are for Outcome, since what was measured is there to
// be shown. An error of member ends all, and comes back.
func (s *Set) Run(soft context.Context, member func(at int) error) error {
	show, end, err := s.forms.LookOn(soft, s.env, run.NewView(s.env, s.forms.Quiet, report.Kind{}).Note)
	if err != nil {
		return err
	}
	defer end(soft)
	release, err := s.forms.Claim()
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // closing what was only locked loses nothing
	defer func() { show.Conclude(&s.Doc) }()
	s.Show = show
	for at := 0; len(s.Doc.Members) < s.Doc.Planned && soft.Err() == nil; at++ {
		if err := member(at); err != nil {
			return err
		}
		if s.unsaved = s.save(); s.unsaved != nil {
			return nil
		}
	}
	if soft.Err() != nil && len(s.Doc.Members) < s.Doc.Planned && !s.Doc.Interrupted {
		s.Doc.Interrupted = true
		s.unsaved = s.save()
	}
	return nil
}

// End takes how all of it went, which the set says from then on, and gives it back, with why that could not be saved.
func (s *Set) End(outcome error) error {
	if s.Doc.Exit = int(fault.CodeOf(outcome)); outcome != nil {
		s.Doc.Error = fault.OneLine(outcome.Error())
	}
	if s.unsaved != nil { // which the outcome tells
		return outcome
	}
	if s.unsaved = s.save(); s.unsaved == nil || run.Graver(outcome, s.unsaved) {
		return errors.Join(outcome, s.unsaved)
	}
	return errors.Join(s.unsaved, outcome)
}

// save writes the set document as it is now, whole or not at all.
func (s *Set) save() error {
	if s.dir == "" {
		return nil
	}
	err := s.env.WriteDocument(filepath.Join(s.dir, saved.SetFile), func(w io.Writer) error {
		return setdoc.Write(w, &s.Doc)
	})
	if err != nil {
		return fault.New(fault.RunFailed, "cannot save the set: %w", err)
	}
	return nil
}

// Name is what a person calls the set in a command; "" when it is not kept.
func (s *Set) Name(forms *run.Forms) string {
	switch {
	case s.dir == "":
		return ""
	case forms.Out != "":
		return forms.Out
	}
	return s.Doc.ID
}

// verdictOf is the verdict of a set, with how many members have one that is not valid, or none because nothing was
// measured; where nothing was in any, there is no verdict.
func verdictOf(set *setdoc.Set) rundoc.Verdict {
	v := rundoc.Verdict{Validity: set.Validity()}
	count, all := map[rundoc.Validity]int{}, len(set.Members)
	for i := range set.Members {
		count[set.Members[i].Verdict.Validity]++
	}
	for _, validity := range []rundoc.Validity{rundoc.Seen, rundoc.Suspect, rundoc.Invalid} {
		if n := count[validity]; n > 0 {
			v.Reasons = append(v.Reasons, fmt.Sprintf("%d of %d runs %s %s.%s", n, all, are(n), word(validity),
				mostly(set.Members, validity)))
		}
	}
	if count[rundoc.Invalid] > 0 && v.Validity != rundoc.Invalid {
		v.Reasons = append(v.Reasons, "That is few enough: the comparison excludes the most extreme fifth of the "+
			"launches at each end.")
	}
	if none := count[""]; none > 0 {
		v.Reasons = append(v.Reasons, fmt.Sprintf("%d of %d runs produced no result.", none, all))
	}
	return v
}

// mostly is the reason that most of the members of such a validity have, as the first of these says it.
func mostly(members []setdoc.Member, validity rundoc.Validity) string {
	const words = 4 // by which reasons are told apart: what follows has the run's own figures
	count, most := map[string]int{}, ""
	first, name := map[string]string{}, map[string]string{}
	for i := range members {
		m := &members[i]
		if m.Verdict.Validity != validity {
			continue
		}
		for _, reason := range m.Verdict.Reasons {
			begins := strings.Join(strings.Fields(reason)[:min(words, len(strings.Fields(reason)))], " ")
			if count[begins]++; count[begins] == 1 {
				first[begins], name[begins] = reason, m.Name
			}
			if count[begins] > count[most] {
				most = begins
			}
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf(" Reason in %d of them (example: %s): %s", count[most], name[most], first[most])
}

// word returns a verdict as the text of reports has it.
func word(v rundoc.Validity) string {
	if v == rundoc.Seen {
		return "valid with limited checks"
	}
	return string(v)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Shortly is an error without its reasons, which the report of the run has.
func Shortly(err error) string {
	text := fault.OneLine(err.Error())
	if fault.CodeOf(err) == fault.Untrusted {
		text, _, _ = strings.Cut(text, ": ")
	}
	return text
}

// Outcome is nil when every member went as it should and all is saved; else it has the gravest of the exit statuses.
func (s *Set) Outcome() error {
	outcome := s.outcome()
	if run.Graver(outcome, s.unsaved) {
		return errors.Join(outcome, s.unsaved)
	}
	return errors.Join(s.unsaved, outcome)
}

func (s *Set) outcome() error {
	switch made := len(s.errs); {
	case s.Doc.Interrupted && s.Open:
		return fault.New(fault.Interrupted, "interrupted: the results so far are saved (%s)",
			units.Count(int64(made), "run", "runs"))
	case s.Doc.Interrupted && made > 0 && fault.CodeOf(s.errs[made-1]) == fault.Interrupted:
		return fault.New(fault.Interrupted, "interrupted in run %d of %d: the results so far are saved", made,
			s.Doc.Planned)
	case s.Doc.Interrupted:
		return fault.New(fault.Interrupted, "interrupted after %d of %d runs: the results so far are saved", made,
			s.Doc.Planned)
	}
	bad, worst := 0, -1
	for i, err := range s.errs {
		invalid := s.Doc.Members[i].Verdict.Validity == rundoc.Invalid
		if err == nil || invalid && s.Doc.Verdict.Validity != rundoc.Invalid {
			continue
		}
		bad++
		if worst < 0 || run.Graver(err, s.errs[worst]) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	err := s.errs[worst]
	e := fault.New(fault.CodeOf(err), "%d of %d runs did not succeed; the most severe, %s: %s", bad, len(s.errs),
		s.Doc.Members[worst].Name, Shortly(err))
	if id := s.Doc.Members[worst].ID; id != "" && s.dir != "" {
		path := filepath.Join(saved.MemberDir(s.dir, id), saved.RunFile)
		return e.Hint("see the run: plimsoll report %s", units.ShellWord(path))
	}
	return e
}
