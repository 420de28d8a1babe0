package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// setAt is a copy of a fixed set, changed, in a folder of its own as a saved set is.
func setAt(t *testing.T, name string, change func([]byte) []byte) string {
	t.Helper()
	text, err := os.ReadFile("../report/sets/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		changed := change(bytes.Clone(text))
		if bytes.Equal(changed, text) {
			t.Fatal("nothing was changed")
		}
		text = changed
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "set.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// earlierRun is the document of a run of this kind.
func earlierRun(kind string) string { return "../../rundoc/testdata/earlier/" + kind + ".json" }

// TestReportOfASet shows a sweep in each format of a report.
func TestReportOfASet(t *testing.T) {
	t.Parallel()
	dir := setAt(t, "failing", nil)
	picture := filepath.Join(t.TempDir(), "sweep.svg")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{dir}, "Best           clients 256: 14,728 messages/s (95% CI 14,400–15,056)"},
		{[]string{dir, "--format", "markdown"}, "| 320 | 11,535 | 11,177–11,894 | 18,467 | 62.5% | fails |"},
		{[]string{dir, "--format", "csv"}, "clients,runs,throughput,throughput_low,"},
		{[]string{dir, "--format", "json"}, `"schema": "plimsoll.set/v1"`},
		{[]string{dir, "--section", "causes"}, "timeout 2,161, refused 9"},
		{[]string{dir, "--chart", picture}, "Best"},
		{[]string{filepath.Join(dir, "set.json"), "--section", "files"}, "21 of 21"},
	} {
		code, out, said := execute(t, append([]string{"report"}, tt.args...)...)
		if plain := strings.Join(strings.Fields(out), " "); code != 0 ||
			!strings.Contains(plain, strings.Join(strings.Fields(tt.want), " ")) {
			t.Errorf("%q: exit %d: %s\nwant %q in\n%s", tt.args, code, said, tt.want, out)
		}
	}
	if text, err := os.ReadFile(picture); err != nil || !bytes.Contains(text, []byte("<svg")) {
		t.Errorf("the chart: %v", err)
	}
}

// TestReportRefusesSets checks the message for each set that cannot be shown as asked.
func TestReportRefusesSets(t *testing.T) {
	t.Parallel()
	sweep, plan := setAt(t, "plateau", nil), setAt(t, "planned", nil)
	cut := setAt(t, "plateau", func(text []byte) []byte { return text[:3000] })
	newer := setAt(t, "plateau", func(text []byte) []byte {
		return bytes.Replace(text, []byte("plimsoll.set/v1"), []byte("plimsoll.set/v2"), 1)
	})
	edited := setAt(t, "plateau", func(text []byte) []byte {
		return bytes.ReplaceAll(text, []byte(`"best": 4`), []byte(`"best": 5`))
	})
	picture := filepath.Join(t.TempDir(), "x.svg")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{cut}, 2, "set.json:124: not a set document: unexpected end of JSON input"},
		{[]string{newer}, 2, `it is a "plimsoll.set/v2", of another version of Plimsoll; read it with that version`},
		{[]string{edited}, 4, "the document cannot be trusted: the best setting does not follow from the levels"},
		{[]string{plan, "--chart", picture}, 2, `a set of the kind "plan" has no chart`},
		{[]string{sweep, "--buckets", "x.csv"}, 2, "--buckets, --bucket, --csv and --hlog need a single run, but "},
		{[]string{sweep, sweep}, 2, "plimsoll report shows one run, but two are given"},
		{[]string{sweep, plan, "--side-by-side"}, 2, "is the runs of a plan file: only sweeps and runs can be shown side by side"},
		{[]string{sweep, setAt(t, "grid", nil), "--side-by-side"}, 2, " varies clients and "},
		{[]string{earlierRun("chat"), earlierRun("updates"), "--side-by-side"}, 2, ` is a run of "chat" and `},
		{[]string{sweep, sweep, "--side-by-side", "--format", "csv"}, 2, "it must be text or markdown"},
		{[]string{sweep, sweep, "--side-by-side", "--chart", picture}, 2, "--side-by-side cannot be combined"},
		{[]string{"-", "-", "--side-by-side"}, 2, "only one of the documents can come from stdin"},
	} {
		code, _, said := execute(t, append([]string{"report"}, tt.args...)...)
		if code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%q: exit %d, want %d: %s\nwant %q", tt.args, code, tt.code, said, tt.want)
		}
	}
	if _, err := os.Stat(picture); err == nil {
		t.Error("there is a chart of nothing")
	}
}

func TestReportSideBySide(t *testing.T) {
	t.Parallel()
	local, cloud := setAt(t, "plateau", nil), setAt(t, "failing", nil)
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{local, cloud}, []string{"a description, not a test", "best setting clients 16 clients 256 +240 (+1500%)",
			"W₁ 20.0 ms 17.3 ms", "fails from – clients 320", "64 801 3,680 +2,879 (+359%) 25.0% 99.6%"}},
		{[]string{local, cloud, "--format", "markdown"}, []string{"| ending | plateau | failure |"}},
		{[]string{earlierRun("chat"), earlierRun("chat")}, []string{"two runs of chat side by side", "B − A"}},
		{[]string{earlierRun("overhead"), earlierRun("overhead")}, []string{"By operation"}},
	} {
		code, out, said := execute(t, append([]string{"report", "--side-by-side"}, tt.args...)...)
		plain := strings.Join(strings.Fields(out), " ")
		for _, want := range tt.want {
			if code != 0 || !strings.Contains(plain, want) {
				t.Errorf("%q: exit %d: %s\nno %q in\n%s", tt.args, code, said, want, out)
			}
		}
	}
}

// TestReportOfSeveralRuns writes a page of several runs, and refuses what has no such page.
func TestReportOfSeveralRuns(t *testing.T) {
	t.Parallel()
	chat, sweep := earlierRun("chat"), setAt(t, "plateau", nil)
	page := filepath.Join(t.TempDir(), "runs.html")
	changed, err := rundoc.ReadFile(chat)
	if err != nil {
		t.Fatal(err)
	}
	changed.Connections.Opened, changed.Operations[0].OK = -1, 7
	edited := filepath.Join(t.TempDir(), "edited.json")
	if err := rundoc.WriteFile(edited, changed); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{chat, earlierRun("updates")}, 2, ` is a run of "chat" and `},
		{[]string{chat, sweep}, 2, " is a sweep, but a page of several runs needs single runs"},
		{[]string{chat, chat, "--chart", "x.svg"}, 2, "several runs can only be shown as a page with --html"},
		{[]string{chat, "-", "-"}, 2, "only one document can come from stdin"},
		{slices.Repeat([]string{chat}, 13), 2, "13 runs are given, but a chart can show at most 12"},
		{[]string{chat, "no-such-run"}, 2, "no-such-run"},
	} {
		code, _, said := execute(t, append([]string{"report", "--html", page}, tt.args...)...)
		if code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%q: exit %d, want %d: %s\nwant %q", tt.args, code, tt.code, said, tt.want)
		}
	}
	if _, err := os.Stat(page); err == nil {
		t.Error("there is a page of what cannot be shown")
	}
	for _, kind := range []string{"chat", "overhead"} {
		one := earlierRun(kind)
		code, out, said := execute(t, "report", one, one, "--html", page)
		text, err := os.ReadFile(page)
		if code != 0 || err != nil || out != page+"\n" {
			t.Fatalf("%s: exit %d: %s%s, %v", kind, code, out, said, err)
		}
		for _, want := range []string{"2 runs of " + kind, ">1 · ", ">2 · ", `data-name="2-`, "Run 2 · ", "not a test"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q on the page", kind, want)
			}
		}
	}
	if code, _, said := execute(t, "report", chat, edited, "--html", page); code != 4 || !strings.Contains(said, "cannot be trusted") {
		t.Errorf("with one that was edited: exit %d: %s", code, said)
	}
}

// TestReportChecksASetAgainstItsRuns checks that a set which contradicts the documents of its runs is not trusted.
func TestReportChecksASetAgainstItsRuns(t *testing.T) {
	t.Parallel()
	dir, path := sweepOfOneRun(t)
	edited := func(said string) bool {
		return strings.Contains(said, "the document cannot be trusted: row 1 does not match the document of its run")
	}
	if code, out, said := execute(t, "report", dir); code != 0 || edited(said) || strings.Contains(out, "EDITED") {
		t.Fatalf("as it was made: exit %d: %s\n%s", code, said, out)
	}
	run, err := rundoc.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	run.Connections.Opened += 90
	if err := rundoc.WriteFile(path, run); err != nil {
		t.Fatal(err)
	}
	if code, out, said := execute(t, "report", dir); code != 4 || !edited(said) || !strings.Contains(out, "EDITED") {
		t.Errorf("with another run: exit %d: %s\n%s", code, said, out)
	}
	if code, _, said := execute(t, "report", dir, dir, "--side-by-side"); code != 4 || !edited(said) {
		t.Errorf("side by side: exit %d: %s", code, said)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if code, _, said := execute(t, "report", dir); code != 0 {
		t.Errorf("without the run: exit %d: %s", code, said)
	}
}

// sweepOfOneRun is a folder with a sweep of one run, and where its document lies.
func sweepOfOneRun(t *testing.T) (dir, path string) {
	t.Helper()
	run, err := rundoc.ReadFile(earlierRun("chat"))
	if err != nil {
		t.Fatal(err)
	}
	known := reportKind(run.Workload).Known(run.Workload)
	spec, err := figure.Parse("rate", known)
	if err != nil {
		t.Fatal(err)
	}
	p := sweep.Plan{Workload: run.Workload, Repeats: 1, Figure: setdoc.Figure{Name: "rate", Unit: "per_s", Of: "messages"},
		Vary: []setdoc.Vary{{Setting: "clients", Values: []string{"8"}, Numeric: true, Concurrency: true}}}
	m := setdoc.Member{ID: run.ID, Name: "clients 8", Workload: run.Workload, Verdict: run.Verdict, Repeat: 1,
		Path: "members/" + run.ID + "/run.json", Settings: map[string]string{"clients": "8"}}
	set := &setdoc.Set{ID: "20260504T093000.000Z-7f3a", Kind: setdoc.KindSweep, Plan: []byte("{}"), Planned: 1,
		Verdict: run.Verdict, Members: []setdoc.Member{m},
		Sweep: sweep.Analyze(p, []setdoc.Row{sweep.RowOf(run, p.Figure, spec.Of(run), []string{"8"}, 1)})}
	dir = filepath.Join(t.TempDir(), "kept")
	path = filepath.Join(dir, filepath.FromSlash(m.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{rundoc.WriteFile(path, run), setdoc.WriteFile(filepath.Join(dir, "set.json"), set)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir, path
}

func TestReportRefusesATruncatedSet(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../report/sets/testdata/failing.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "set.json")
	for at := 0; at < len(text); at += len(text)/20 + 1 {
		if err := os.WriteFile(path, text[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, said := execute(t, "report", path); code != 2 || out != "" || !strings.Contains(said, "set.json") {
			t.Errorf("the first %d bytes: exit %d: %s\n%s", at, code, said, out)
		}
	}
}

// TestPageOfASet writes the page of a set, and reports a page that cannot be written.
func TestPageOfASet(t *testing.T) {
	t.Parallel()
	sweep, page := setAt(t, "plateau", nil), filepath.Join(t.TempDir(), "page.html")
	if code, _, stderr := execute(t, "report", sweep, "--html", page); code != 0 {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("</html>")) {
		t.Errorf("page: %v", err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	for _, args := range [][]string{
		{sweep, "--html"}, {earlierRun("chat"), "--html"}, {earlierRun("chat"), "--buckets"},
		{earlierRun("chat"), "--hlog"}, {earlierRun("bandwidth"), "--csv"}, {earlierRun("chat"), earlierRun("chat"), "--html"},
	} {
		args = append(append([]string{"report"}, args...), "/dev/full")
		if code, _, stderr := execute(t, args...); code != 1 || !strings.Contains(stderr, "no space left") {
			t.Errorf("%q: exit status %d: %s", args, code, stderr)
		}
	}
}

// TestCompletionOfSections checks that a shell offers the sections of the named run or set.
func TestCompletionOfSections(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		earlierRun("chat"): "by-room", setAt(t, "plateau", nil): "files", "no-such-run": "",
	} {
		code, offered, _ := execute(t, "__complete", "report", name, "--section", "")
		if code != 0 || !strings.Contains(offered, want) || want == "" && !strings.HasPrefix(offered, ":") {
			t.Errorf("sections of %s: status %d: %q", name, code, offered)
		}
	}
}
