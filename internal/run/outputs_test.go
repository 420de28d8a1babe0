package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// saysAll holds an error and its hint against what they should say; "" is none.
func saysAll(t *testing.T, name string, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error() + "; " + fault.HintOf(err)
	}
	if !strings.Contains(got, want) || want == "" && got != "" || want != "" && fault.CodeOf(err) != fault.Usage {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// Where a run and a set are kept, and why they cannot be.
func TestWhereToSave(t *testing.T) {
	dir := t.TempDir()
	at := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	write := func(name ...string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(name...)), 0o755), os.WriteFile(at(name...), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("file")
	write("run", "run.json")
	write("set", "set.json")
	const hint = "; set a writable directory with --out, or do not save with --no-save"
	full := &outfiletest.Faulty{Fault: outfiletest.Fault{Err: syscall.EROFS, After: true,
		Can: func(call string) bool { return call == "open" }}, At: 1}
	for name, tt := range map[string]struct {
		forms          Forms
		state          string
		on             outfile.Files
		path, set      string // below dir; "": it is not kept
		wrong, wrongly string // of a run, and of a set where that differs
	}{
		"nowhere":          {forms: Forms{NoSave: true}},
		"both":             {forms: Forms{NoSave: true, Out: at("x")}, wrong: "--out and --no-save cannot be combined; remove one of them"},
		"with the others":  {state: at("state"), path: "state/plimsoll/runs/7/run.json", set: "state/plimsoll/runs/7"},
		"no home":          {wrong: "no directory for saved runs"},
		"a file is there":  {state: at("file"), wrong: "cannot save runs in " + at("file", "plimsoll", "runs")},
		"named":            {forms: Forms{Out: at("new")}, path: "new/run.json", set: "new"},
		"below a file":     {forms: Forms{Out: at("file", "x")}, wrong: "--out: cannot write to " + at("file", "x") + ": "},
		"cannot write":     {forms: Forms{Out: at("new")}, on: outfile.On(full), wrong: "--out: cannot write to " + at("new") + ": read-only file system" + hint},
		"another run":      {forms: Forms{Out: at("run")}, wrong: "--out: " + at("run") + " already contains a run; choose another directory, or remove " + at("run", "run.json")},
		"another set":      {forms: Forms{Out: at("set")}, path: "set/run.json", wrongly: "--out: " + at("set") + " already has a set; use another directory"},
		"a directory more": {forms: Forms{Out: at("a", "b")}, path: "a/b/run.json", set: "a/b"},
	} {
		env := &Env{Files: tt.on, LookupEnv: func(name string) (string, bool) {
			return map[string]string{"XDG_STATE_HOME": tt.state}[name], true
		}}
		below := func(path string) string {
			if path == "" {
				return ""
			}
			rel, _ := filepath.Rel(dir, path)
			return filepath.ToSlash(rel)
		}
		path, err := whereToSave(env, &tt.forms, "7")
		saysAll(t, name, err, tt.wrong)
		if got := below(path); err == nil && got != tt.path {
			t.Errorf("%s: %q", name, got)
		}
		path, err = SetPlace(env, &tt.forms, "7")
		saysAll(t, name+", a set", err, tt.wrong+tt.wrongly)
		if got := below(path); got != tt.set {
			t.Errorf("%s: a set is in %q", name, got)
		}
	}
}

// A report has one form, and each file its own name.
func TestFormsAndFiles(t *testing.T) {
	for _, tt := range []struct {
		json, markdown bool
		form, wrong    string
	}{{false, false, "text", ""}, {true, false, "json", ""}, {false, true, "markdown", ""},
		{true, true, "json", "--json and --markdown cannot be combined; remove one of them"}} {
		f := Forms{JSON: tt.json, Markdown: tt.markdown}
		saysAll(t, tt.form, f.Check(), tt.wrong)
		if got := f.Form(); got != tt.form {
			t.Errorf("%q, want %q", got, tt.form)
		}
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, tt := range map[string]struct {
		forms Forms
		more  []File
		wrong string
	}{
		"none":     {},
		"two":      {Forms{HTML: at("a"), JUnit: at("b")}, []File{{Flag: "chart", Path: at("c")}}, ""},
		"the same": {Forms{HTML: at("a"), JUnit: at("./a")}, nil, "--html and --junit name the same file, " + at("./a") + "; use a different file for each"},
		"no place": {Forms{HTML: at("nowhere/a")}, nil, "--html: cannot write " + at("nowhere/a") + ": "},
		"more":     {Forms{}, []File{{Flag: "chart", Path: at("nowhere/a")}}, "--chart: cannot write "},
	} {
		saysAll(t, name, tt.forms.CheckFiles(new(Env), tt.more...), tt.wrong)
	}
	var forms Forms
	names := map[string]bool{}
	for _, s := range forms.Settings() {
		names[s.Name] = true
	}
	for _, name := range []string{"markdown", "json", "html", "junit", "ui", "out", "no-save", "quiet", "label", "metrics", "otlp"} {
		if !names[name] {
			t.Errorf("--%s is missing", name)
		}
	}
	var html, ui string
	if err := errors.Join(PageSetting(&html).Set("p.html"), setting.New(UISetting(&ui)).Lookup("ui").Set("8080")); err != nil || html != "p.html" || ui == "" {
		t.Errorf("%v, %q, %q", err, html, ui)
	}
}

// A page has the documents that its figures are from, as they lie there or as they would be written.
func TestDocumentsOfPages(t *testing.T) {
	dir := t.TempDir()
	lies := filepath.Join(dir, "run.json")
	if err := os.WriteFile(lies, []byte("as it lies there"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := &rundoc.Run{
		Schema: rundoc.Schema, ID: "r1", Workload: "chat", Operations: []rundoc.Operation{{Name: "call", Scheduled: 3, OK: 3}},
		Phases: []rundoc.Phase{{Name: rundoc.PhaseWindow, DurationNS: 1e9, Operations: 3, OK: 3}},
	}
	var written bytes.Buffer
	if err := rundoc.Write(&written, run); err != nil {
		t.Fatal(err)
	}
	set, err := setdoc.ReadFile("../report/sets/testdata/nothing.json")
	if err != nil {
		t.Fatal(err)
	}
	var writtenSet bytes.Buffer
	if err := setdoc.Write(&writtenSet, set); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(dir, "nowhere")
	one := func(path string) (page.Content, error) { return PageOf(run, report.Kind{}, path) }
	ofSet := func(path string) (page.Content, error) { return PageOfSet(sets.Source{Set: set}, path) }
	runs := func(path string) (page.Content, error) {
		return PageOfRuns([]Overlaid{{Name: "a", Run: run}, {Name: "b", Run: run, Path: path}}, report.Kind{})
	}
	for name, tt := range map[string]struct {
		make  func(path string) (page.Content, error)
		names string
		text  string // of the last document, where it lies nowhere
	}{
		"a run": {one, "run.json", written.String()},
		"a set": {ofSet, "set.json", writtenSet.String()},
		"runs":  {runs, "1-" + run.ID + ".json 2-" + run.ID + ".json", written.String()},
	} {
		for path, text := range map[string]string{"": tt.text, lies: "as it lies there"} {
			of, err := tt.make(path)
			var names []string
			for _, d := range of.Documents {
				names = append(names, d.Name)
			}
			if got := strings.Join(names, " "); err != nil || got != tt.names || string(of.Documents[len(names)-1].Text) != text {
				t.Errorf("%s, %q: %v, %s", name, path, err, got)
			}
			if of.Title == "" {
				t.Errorf("%s: no title", name)
			}
		}
		if _, err := tt.make(nowhere); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s that is gone: %v", name, err)
		}
	}
	other := *run
	other.Workload = "ws"
	if _, err := PageOfRuns([]Overlaid{{Name: "a", Run: run}, {Name: "b", Run: &other}}, report.Kind{}); err == nil {
		t.Error("runs of two kinds are laid over each other")
	}
	content, err := one("")
	if err != nil {
		t.Fatal(err)
	}
	html := filepath.Join(dir, "p.html")
	if err := WritePage(new(Env), html, content); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(html); err != nil || !strings.Contains(string(text), "</html>") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if err := WritePage(new(Env), filepath.Join(nowhere, "p.html"), content); err == nil {
		t.Error("it was written nowhere")
	}
	f := (&Forms{HTML: "p.html"}).page(report.Kind{})
	var out bytes.Buffer
	if err := f.Make(&out, run); err != nil || !strings.Contains(out.String(), "</html>") || f.Flag != "html" || f.What != "page" || f.Path != "p.html" {
		t.Errorf("%v, %d bytes, %+v", err, out.Len(), f)
	}
	if f.Make(unwritable{}, run) == nil {
		t.Error("what could not be written is no error")
	}
}
