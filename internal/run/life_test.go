package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// lively is a kind whose runs do what a test says.
type lively struct {
	Conclusion
	measure func(r *Run) (*Found, error)
	times   int
}

func (l *lively) Measure(_, _ context.Context, r *Run) (*Found, error) {
	l.times++
	if l.measure != nil {
		return l.measure(r)
	}
	doc, err := sound()
	return &Found{Doc: doc, Plan: 1}, err
}

// sound is the document of a run that breaks no law.
func sound() (*rundoc.Run, error) {
	doc, err := rundoc.ReadFile("../../rundoc/testdata/earlier/chat.json")
	if err == nil {
		doc.Verdict, doc.Detail = rundoc.Verdict{Validity: rundoc.Valid}, nil
	}
	return doc, err
}

func (l *lively) Conclude(*rundoc.Run) Conclusion { return l.Conclusion }

// brief is the document of a run of three operations.
func brief(id string) *rundoc.Run {
	return &rundoc.Run{
		Schema: rundoc.Schema, ID: id, Workload: "chat", Operations: []rundoc.Operation{{Name: "call", Scheduled: 3, OK: 3, Attempts: 3}},
		Phases: []rundoc.Phase{{Name: rundoc.PhaseWindow, DurationNS: 1e9, Operations: 3, OK: 3}},
	}
}

// unlit is an Env that is no terminal, and what was written to it.
func unlit(state string) (env *Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &Env{
		Stdout: stdout, Stderr: stderr, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(name string) (string, bool) { return state, name == "XDG_STATE_HOME" },
		Signals:   func() (<-chan os.Signal, func()) { return nil, func() {} },
	}, stdout, stderr
}

// A run is measured where its results can be kept, and its error says how it went.
func TestOnceEndsWithTheStatusOfTheRun(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, tt := range map[string]struct {
		forms   Forms
		files   []File
		work    *lively
		code    fault.Code
		says    string
		times   int
		written []string // below dir
	}{
		"as it should": {Forms{Out: at("a"), JSON: true}, nil, &lively{}, fault.OK, "", 1, []string{"a/run.json"}},
		"it failed": {Forms{Out: at("b")}, nil, &lively{Conclusion: Conclusion{Failed: fault.New(fault.RunFailed, "it was slow")}},
			fault.RunFailed, "it was slow", 1, []string{"b/run.json"}},
		"two places":         {Forms{Out: at("c"), NoSave: true}, nil, &lively{}, fault.Usage, "cannot be combined", 0, nil},
		"no place":           {Forms{NoSave: true}, []File{{Flag: "chart", Path: at("nowhere/c.svg")}}, &lively{}, fault.Usage, "--chart: cannot write", 0, nil},
		"nobody can look on": {Forms{NoSave: true, UI: "a:b:c"}, nil, &lively{}, fault.Usage, "--ui", 0, nil},
		"nothing measured": {Forms{NoSave: true, JUnit: at("t.xml")}, nil, &lively{measure: func(*Run) (*Found, error) {
			return nil, fault.New(fault.RunFailed, "nobody is there")
		}}, fault.RunFailed, "nobody is there", 1, []string{"t.xml"}},
		"no plan": {Forms{NoSave: true}, nil, &lively{measure: func(r *Run) (*Found, error) {
			return &Found{Doc: brief(r.ID), Plan: func() {}}, nil
		}}, fault.RunFailed, "cannot encode the plan", 1, nil},
	} {
		env, stdout, _ := unlit("")
		err := Once(t.Context(), env, Job{Workload: "chat", Operations: "calls", Forms: tt.forms, Files: tt.files, Work: tt.work})
		if fault.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) || tt.work.times != tt.times {
			t.Errorf("%s: %v, measured %d times", name, err, tt.work.times)
		}
		for _, file := range tt.written {
			if _, err := os.Stat(at(file)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if shown := stdout.Len() > 0; shown != (tt.code == fault.OK || name == "it failed") {
			t.Errorf("%s: it shows %s", name, stdout)
		}
	}
}

// What a run holds is ended in the reverse order, and an error of it is told and changes nothing; what was kept of one
// that is not over goes when its document is there.
func TestHeldResourcesAreReleasedInReverseOrder(t *testing.T) {
	var ended []string
	state := t.TempDir()
	env, _, stderr := unlit(state)
	var unfinished string
	work := &lively{measure: func(r *Run) (*Found, error) {
		for _, name := range []string{"first", "last"} {
			r.Hold(func() error {
				ended = append(ended, name)
				return errors.New(name + " would not end")
			})
		}
		if unfinished = r.Unfinished(); unfinished == "" {
			return nil, errors.New("there is no place for what is unfinished")
		}
		if err := os.MkdirAll(filepath.Dir(unfinished), 0o755); err != nil {
			return nil, err
		}
		doc, err := sound()
		return &Found{Doc: doc, Plan: 1}, errors.Join(err, os.WriteFile(unfinished, nil, 0o600))
	}}
	if err := Once(t.Context(), env, Job{Operations: "calls", Forms: Forms{JSON: true}, Work: work}); err != nil {
		t.Error(err)
	}
	if !slices.Equal(ended, []string{"last", "first"}) {
		t.Errorf("%q", ended)
	}
	if got := stderr.String(); !strings.Contains(got, "last would not end") || !strings.Contains(got, "first would not end") {
		t.Errorf("%q", got)
	}
	if filepath.Base(unfinished) != saved.UnfinishedFile {
		t.Errorf("%q", unfinished)
	}
	if _, err := os.Stat(unfinished); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was unfinished is there yet: %v", err)
	}
	if got := New(env, Job{}).Unfinished(); got != "" {
		t.Errorf("of one that is not kept: %q", got)
	}
}

// The files of a run are made of its document; one that is not fit for its file says why, and leaves what was there.
func TestFilesOfARun(t *testing.T) {
	doc, err := sound()
	if err != nil {
		t.Fatal(err)
	}
	out := &plan.Output{Samples: "s.csv", Buckets: "b.csv", Chart: "c.svg", Bucket: report.DefaultBucket}
	files := OutputFiles(out, report.Kind{})
	for i, want := range []struct{ flag, path, text string }{{"samples", "s.csv", ""}, {"buckets", "b.csv", "\n"}, {"chart", "c.svg", "<svg"}} {
		f := files[i]
		if f.Flag != want.flag || f.Path != want.path || (f.Make == nil) != (want.text == "") {
			t.Errorf("%+v", f)
			continue
		}
		if f.Make == nil {
			continue
		}
		var text bytes.Buffer
		if err := f.Make(&text, doc); err != nil || !strings.Contains(text.String(), want.text) {
			t.Errorf("%s: %v, %q", f.Flag, err, &text)
		}
		if err := f.Make(unwritable{}, doc); err == nil {
			t.Errorf("%s: what could not be written is no error", f.Flag)
		}
	}
	if err := Chart(report.Kind{}, "c.pdf")(io.Discard, doc); err == nil {
		t.Error("a chart of a format that nobody knows")
	}
	dir := t.TempDir()
	for name, why := range map[string]string{"fit": "", "unfit": "the run is invalid"} {
		env, _, stderr := unlit("")
		path := filepath.Join(dir, name)
		file := File{Flag: "x", What: "x", Path: path, Unfit: func(*rundoc.Run, error) string { return why },
			Make: func(w io.Writer, _ *rundoc.Run) error { _, err := io.WriteString(w, "new"); return err }}
		job := Job{Operations: "calls", Forms: Forms{NoSave: true, JSON: true}, Files: []File{file}, Work: &lively{}}
		if err := Once(t.Context(), env, job); err != nil {
			t.Error(err)
		}
		text, _ := os.ReadFile(path)
		if (string(text) == "new") != (why == "") || strings.Contains(stderr.String(), why+": "+path+" was not written") != (why != "") {
			t.Errorf("%s: %q, %q", name, text, stderr)
		}
	}
}

// A file of samples that cannot be begun or ended says so; without one there is none.
func TestSamplesFileErrors(t *testing.T) {
	r := runEnding(io.Discard, Conclusion{})
	if s, err := r.openSamples(&Samples{}); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	if file := r.closeSamples(t.Context(), nil, &Samples{}); file != nil {
		t.Errorf("%+v", file)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere", "s.csv")
	if _, err := r.openSamples(&Samples{Path: nowhere}); fault.CodeOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "--samples: cannot write "+nowhere+": ") {
		t.Errorf("%v", err)
	}
	for written, want := range map[int64]string{0: "all are lost; the incomplete file is ", 1: "the first 1 are in ", 2_000: "the first 2,000 are in "} {
		path := filepath.Join(t.TempDir(), "s.csv")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		file := &rundoc.SamplesFile{Path: path, Written: written}
		r.Spoiled(file, errors.New("there is no room"))
		if why := r.spoiled[path]; why == nil || !strings.Contains(why.Error(), "there is no room; "+want+file.Path) || file.Path == path ||
			file.Error != "there is no room" {
			t.Errorf("%d: %v, %+v", written, why, file)
		}
	}
	for want, o := range map[string]record.Operation{"ok": {Outcome: record.OK, Cause: "x"}, "unfinished": {Outcome: record.Unfinished, Cause: "x"},
		"failed": {Outcome: record.Failed}, "reset": {Outcome: record.Failed, Cause: "reset"}} {
		s := record.Sample{Operation: o}
		if got := Status(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each form of a report is its own, and one that cannot be written is an error.
func TestFormsOfReports(t *testing.T) {
	set, err := setdoc.ReadFile("../report/sets/testdata/nothing.json")
	if err != nil {
		t.Fatal(err)
	}
	of := sets.Source{Set: set}
	marks := map[string]string{"json": "\n}\n", "csv": ",", "markdown": "|", "text": "\n\n"}
	for form, mark := range marks {
		env, stdout, _ := unlit("")
		if err := Render(env, brief("r1"), report.Kind{}, form, report.Options{}); err != nil || !strings.Contains(stdout.String(), mark) {
			t.Errorf("%s of a run: %v, %s", form, err, stdout)
		}
		run := stdout.String()
		stdout.Reset()
		if err := RenderSet(env, of, form, report.Options{}); err != nil || stdout.Len() == 0 || (form == "markdown") != strings.Contains(stdout.String(), "# ") {
			t.Errorf("%s of a set: %v, %s", form, err, stdout)
		}
		for other := range marks {
			if other == form {
				continue
			}
			env, stdout, _ := unlit("")
			if err := Render(env, brief("r1"), report.Kind{}, other, report.Options{}); err != nil || stdout.String() == run {
				t.Errorf("%s is as %s: %v", other, form, err)
			}
		}
		env.Stdout = unwritable{}
		if err := Render(env, brief("r1"), report.Kind{}, form, report.Options{}); fault.CodeOf(err) != fault.RunFailed || !strings.HasPrefix(err.Error(), "cannot write the report: ") {
			t.Errorf("%s of a run: %v", form, err)
		}
		if err := RenderSet(env, of, form, report.Options{}); fault.CodeOf(err) != fault.RunFailed {
			t.Errorf("%s of a set: %v", form, err)
		}
	}
	// On a terminal it is the answer, where something says how the rest is to be had, or all.
	shown := map[string]int{}
	for name, opt := range map[string]report.Options{"whole": {}, "answer": {Rest: "The rest is elsewhere."}} {
		env, stdout, _ := unlit("")
		env.IsTerminal = func(io.Writer) bool { return true }
		env.LookupEnv = func(name string) (string, bool) { return map[string]string{"TERM": "dumb"}[name], true }
		if err := RenderSet(env, of, "text", opt); err != nil {
			t.Error(err)
		}
		shown[name] = stdout.Len()
		if got := strings.Contains(stdout.String(), "The rest is elsewhere."); got != (opt.Rest != "") {
			t.Errorf("%s: %s", name, stdout)
		}
		stdout.Reset()
		if err := Page(env, brief("r1"), report.Kind{}, report.Options{}); err != nil || !strings.Contains(stdout.String(), "Phases") {
			t.Errorf("%v, %s", err, stdout)
		}
		env.Stdout = unwritable{}
		if err := RenderSet(env, of, "text", opt); fault.CodeOf(err) != fault.RunFailed {
			t.Errorf("%s: %v", name, err)
		}
		if err := Page(env, brief("r1"), report.Kind{}, report.Options{}); fault.CodeOf(err) != fault.RunFailed {
			t.Errorf("in pages: %v", err)
		}
	}
	if shown["whole"] == 0 || shown["answer"] == 0 {
		t.Errorf("%v", shown)
	}
	known := fault.New(fault.Usage, "there is no such section")
	if err := unshown(known); !errors.Is(err, known) || fault.CodeOf(err) != fault.Usage {
		t.Errorf("%v", err)
	}
	if err := unshown(nil); err != nil {
		t.Error(err)
	}
}
