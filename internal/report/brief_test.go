package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The answer and the whole report in terminals of other widths. (In one of 80 columns they are the goldens that all
// kinds have.)
func TestGoldenWidths(t *testing.T) {
	for _, f := range fixtures {
		kind := kindOf(fixture(t, f.Name))
		all := reporttest.Briefs(kind)
		for _, width := range []int{40, 120, 200} {
			all = append(all, reporttest.InWidth(fmt.Sprintf("%d.txt", width), kind, width))
		}
		reporttest.Goldens(t, []reporttest.Fixed{f}, all, *update)
	}
}

func TestReportsFitEachWidth(t *testing.T) {
	for _, f := range fixtures {
		run := fixture(t, f.Name)
		reporttest.FitsEachWidth(t, f.Name, run, kindOf(run))
	}
}

func TestWidthsOutOfRange(t *testing.T) {
	run := fixture(t, "failing")
	for width, as := range map[int]int{0: 80, -7: 80, 1: 40, 39: 40, 201: 200, 1 << 40: 200} {
		got := reporttest.Text(t, run, kindOf(run), report.Options{Width: width})
		if diff := cmp.Diff(reporttest.Text(t, run, kindOf(run), report.Options{Width: as}), got); diff != "" {
			t.Errorf("%d columns: %s", width, diff)
		}
	}
}

// hostileRuns are documents whose answers have no room on a screen.
func hostileRuns(t *testing.T) map[string]*rundoc.Run {
	long := strings.Repeat("a reason that goes on and on, ", 30)
	word := strings.Repeat("y", 500)
	runs := map[string]*rundoc.Run{}
	for name, edit := range map[string]func(*rundoc.Run){
		"long reasons": func(r *rundoc.Run) { r.Verdict.Reasons = slices.Repeat([]string{long}, 20) },
		"long words":   func(r *rundoc.Run) { r.Verdict.Reasons = slices.Repeat([]string{word + " " + word}, 20) },
		"many causes": func(r *rundoc.Run) {
			r.Operations[0].Causes = nil
			for i := range 60 {
				r.Operations[0].Causes = append(r.Operations[0].Causes, rundoc.Cause{Cause: fmt.Sprint(i, word), Count: 9})
			}
		},
		"many notes": func(r *rundoc.Run) {
			r.Warnings = slices.Repeat([]rundoc.Warning{{Code: "x", Message: long}, {Code: "y", Message: word}}, 20)
		},
		"a long target": func(r *rundoc.Run) { r.Target.URL, r.Workload = "ws://"+word, long },
		"wide letters": func(r *rundoc.Run) {
			r.Verdict.Reasons = slices.Repeat([]string{strings.Repeat("理由は 二つの 列を 取る文字で 書かれている ", 9)}, 3)
			r.Warnings = []rundoc.Warning{{Code: "x", Message: strings.Repeat("이 글자는 두 칸을 차지한다 ", 9)}}
			r.Target.URL, r.Workload = "ws://例え.テスト/"+strings.Repeat("部屋", 40), "天気予報"
			r.Operations[0].Causes = []rundoc.Cause{{Cause: strings.Repeat("原因 ", 40), Count: 9}}
		},
		"not watched": func(r *rundoc.Run) {
			r.Verdict = rundoc.Verdict{Validity: rundoc.Seen, Unseen: slices.Repeat([]string{long}, 9)}
			r.Generator.Unseen = r.Verdict.Unseen
		},
	} {
		runs[name] = fixture(t, "tiny")
		edit(runs[name])
		runs[name].Verdict.Rules = rundoc.Rules + 1 // or it would be judged anew
	}
	all := fixture(t, "tiny")
	all.Verdict.Reasons, all.Target.URL, all.Workload = slices.Repeat([]string{long, word}, 50), "ws://"+word, long
	all.Warnings = slices.Repeat([]rundoc.Warning{{Code: "x", Message: long}}, 40)
	all.Verdict.Rules = rundoc.Rules + 1
	runs["all of it"] = all
	return runs
}

func TestHostileReportsFitEachWidth(t *testing.T) {
	for name, run := range hostileRuns(t) {
		reporttest.FitsEachWidth(t, name, run, kindOf(run))
	}
}

// What there is no room for goes in this order: notes, the length of points, reasons, facts that are not strong.
func TestBriefDropsNotesThenReasonsThenFacts(t *testing.T) {
	run := fixture(t, "failing")
	run.Verdict.Reasons = slices.Repeat([]string{strings.Repeat("why it is so ", 12)}, 2)
	run.Verdict.Rules = rundoc.Rules + 1 // or it would be judged anew
	opt := report.Options{Rest: reporttest.Rest}
	brief := func() string { return reporttest.BriefOf(t, run, kindOf(run), opt) }
	first := brief()
	if !strings.Contains(first, "\nNote") || !strings.Contains(first, ": plimsoll report last --section answer") {
		t.Errorf("notes do not go first:\n%s", first)
	}
	run.Verdict.Reasons = slices.Repeat(run.Verdict.Reasons, 5)
	second := brief()
	if strings.Contains(second, "\nNote") || !strings.Contains(second, "more: plimsoll report last --section answer") ||
		!strings.Contains(second, "\nMessages") {
		t.Errorf("reasons do not go after notes:\n%s", second)
	}
	opt.Width = 40
	third := brief()
	if strings.Contains(third, "\nMessages") || !strings.Contains(third, "\nThroughput") {
		t.Errorf("facts that are not strong do not go last:\n%s", third)
	}
	opt.Rest = "Nothing was kept."
	if fourth := brief(); strings.Contains(fourth, "--section") || !strings.Contains(fourth, "\nNothing was kept.\n") {
		t.Errorf("an answer with nothing more to be had:\n%s", fourth)
	}
}

// How many notes there are says nothing where none of them is to be had.
func TestBriefOmitsCountOfUnavailableNotes(t *testing.T) {
	run := fixture(t, "good")
	run.Warnings = slices.Repeat([]rundoc.Warning{{Code: "x", Message: strings.Repeat("a note that goes on ", 20)}}, 4)
	opt := report.Options{Width: 54, Rest: "The rest was not kept."}
	if got := reporttest.BriefOf(t, run, kindOf(run), opt); strings.Contains(got, "\nNote") {
		t.Errorf("notes that nobody can read:\n%s", got)
	}
	opt.Rest = reporttest.Rest
	if got := reporttest.BriefOf(t, run, kindOf(run), opt); !strings.Contains(got, "\nNote\n  - 4 notes: ") {
		t.Errorf("no notes:\n%s", got)
	}
}

// What is copied from the last lines is the command, in whatever lines it stands.
func TestCommandsWithSpaces(t *testing.T) {
	run := fixture(t, "good")
	run.Warnings = slices.Repeat([]rundoc.Warning{{Code: "x", Message: strings.Repeat("a note that goes on ", 20)}}, 9)
	kind := report.Kind{Own: `plimsoll chat "ws://host/a  b" --name it\ \'s`}
	for _, width := range []int{40, 60, 80, 200} {
		rest := `plimsoll report '/var/tmp/a directory  of runs/it'\''s here/run.json' --full`
		got := reporttest.BriefOf(t, run, kind, report.Options{Width: width, Rest: rest})
		_, tail, _ := strings.Cut(got, "\nFull report")
		tail = regexp.MustCompile(` \\\n +`).ReplaceAllString(tail, " ")
		for _, want := range []string{rest, kind.Own} {
			if !strings.Contains(tail, " "+want+"\n") {
				t.Errorf("at %d columns %s is not in\n%s", width, want, got)
			}
		}
		if strings.Contains(got, "--section") {
			t.Errorf("at %d columns a name with spaces is broken:\n%s", width, got)
		}
	}
}

// Reasons that go on leave each percentile with its unit.
func TestBriefKeepsValuesWhole(t *testing.T) {
	run := fixture(t, "frozen")
	for i := range run.Verdict.Reasons { // as many as there are: it would be judged anew
		run.Verdict.Reasons[i] = strings.Repeat("why it is so 8 CPUs ", 30)
	}
	for _, width := range []int{40, 48, 56, 80} {
		got := reporttest.BriefOf(t, run, kindOf(run), report.Options{Width: width, Rest: reporttest.Rest})
		flat := strings.Join(strings.Fields(got), " ")
		for _, want := range []string{"p50 222 µs", "p99 901 ms", "p99.9 993 ms", "max 1.00 s", "- why it is so 8 CPUs why"} {
			if !strings.Contains(flat, want) {
				t.Errorf("no %q at %d columns:\n%s", want, width, got)
			}
		}
	}
}

func TestNextCommand(t *testing.T) {
	run := fixture(t, "good")
	run.Target.Embedded = false
	kind := report.Kind{NoCourse: "none"}
	for _, tt := range []struct{ next, rest, want string }{
		{"", reporttest.Rest, "\nFull report    plimsoll report last --full\n"},
		{"plimsoll chat URL\x1b", "", "\n\nNext           plimsoll chat URL?\n"},
		{"plimsoll report last --chart x", reporttest.Rest, "\nNext           plimsoll report last --chart x\n"},
		{"plimsoll report last --chart x", "plimsoll report out --full", "\nNext           plimsoll report out --chart x\n"},
		{"plimsoll report last --chart x", "It was not kept.", "\n\nIt was not kept.\n"},
		{"plimsoll report last --chart x", "", "with this measurement\n"},
		{"plimsoll overhead --baseline last", "plimsoll report out --full", "\nNext           plimsoll overhead --baseline out\n"},
		{"plimsoll overhead --baseline last", "It was not kept.", "\n\nIt was not kept.\n"},
	} {
		kind.Next = func(*rundoc.Run) string { return tt.next }
		if got := reporttest.BriefOf(t, run, kind, report.Options{Rest: tt.rest}); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%q is not at the end of:\n%s", tt.want, got)
		}
	}
	kind.Next = func(*rundoc.Run) string { return "plimsoll report last --chart x" }
	drawn := []report.File{{What: report.RunDocument, Path: "run.json"}, {What: "chart", Path: "run.svg"}}
	if got := reporttest.BriefOf(t, run, kind, report.Options{Rest: reporttest.Rest, Files: drawn}); strings.Contains(got, "\nNext") {
		t.Errorf("what was just drawn is to be drawn next:\n%s", got)
	}
	kind.Next = func(*rundoc.Run) string { return "plimsoll chat wss://chat.example.com/chat/room --clients 32" }
	got := reporttest.BriefOf(t, run, kind, report.Options{Width: 40})
	if want := "\nNext: plimsoll chat \\\n  wss://chat.example.com/chat/room \\\n  --clients 32\n"; !strings.HasSuffix(got, want) {
		t.Errorf("what is copied is no command:\n%s", got)
	}
	rest := "plimsoll report /a/directory" + strings.Repeat("/of-a-long-name", 8) + " --full"
	kind.Next = func(*rundoc.Run) string { return "plimsoll report last --chart run.svg" }
	got = reporttest.BriefOf(t, run, kind, report.Options{Width: 40, Rest: rest})
	if !strings.HasSuffix(got, "-name \\\n  --full\n") {
		t.Errorf("two long commands:\n%s", got)
	}
}

// Colours stand for what the words say, and are the only difference.
func TestColours(t *testing.T) {
	for name, wanted := range map[string][]string{
		"good":    {"\x1b[1;32mVALID"},
		"blind":   {"\x1b[1;33mVALID (limited checks)"},
		"failing": {"\x1b[1;31mINVALID", "\x1b[1;31m3.5%", "\x1b[31m7,027 failed attempts"},
		"tiny":    {"\x1b[1;33mSUSPECT"},
		"frozen":  {"\x1b[1;31mINVALID"},
	} {
		run := fixture(t, name)
		for _, width := range []int{40, 80} {
			opt := report.Options{Width: width}
			plain := reporttest.BriefOf(t, run, kindOf(run), opt) + reporttest.Text(t, run, kindOf(run), opt)
			opt.Colour = true
			got := reporttest.BriefOf(t, run, kindOf(run), opt) + reporttest.Text(t, run, kindOf(run), opt)
			for _, want := range wanted {
				if strings.Count(got, want) != 2 {
					t.Errorf("%s at %d columns: no %q in\n%q", name, width, want, got[:2000])
				}
			}
			for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m"} {
				got = strings.ReplaceAll(got, code, "")
			}
			if diff := cmp.Diff(plain, got); diff != "" {
				t.Errorf("%s at %d columns: %s", name, width, diff)
			}
		}
	}
}

// More than one in a hundred that failed or was not sent comes first; fewer do not.
func TestFailuresAboveOnePercentComeFirst(t *testing.T) {
	for _, tt := range []struct {
		ok, failed, unsent int64
		want               string
	}{
		{990, 10, 0, ""},
		{989, 11, 0, "\n\nFailed         1.1% of 1,000 messages; the times cover only the rest\n"},
		{980, 0, 20, "\n\nUnsent         2.0% of 1,000 messages; the times cover only the rest\n"},
		{980, 8, 12, "\n\nFailed, unsent 2.0% of 1,000 messages; the times cover only the rest\n"},
		{0, 1000, 0, "\n\nFailed         100.0% of 1,000 messages\n"},
	} {
		run := &rundoc.Run{Workload: rundoc.WorkloadChat, Operations: []rundoc.Operation{{
			Name: "send", Scheduled: tt.ok + tt.failed + tt.unsent, OK: tt.ok, Failed: tt.failed, Unsent: tt.unsent,
		}}}
		for _, out := range []string{
			reporttest.Text(t, run, kindOf(run), report.Options{}), reporttest.BriefOf(t, run, kindOf(run), report.Options{}),
		} {
			if tt.want == "" && strings.Contains(out, "cover only the rest") || !strings.Contains(out, tt.want) {
				t.Errorf("%+v:\n%s", tt, out)
			}
		}
	}
}

func TestSections(t *testing.T) {
	run := fixture(t, "failing")
	kind := kindOf(run)
	names := report.SectionNames(run, kind)
	whole := reporttest.Text(t, run, kind, report.Options{})
	for _, name := range names[1:] {
		got := reporttest.Text(t, run, kind, report.Options{Section: name})
		if !strings.Contains(whole, "\n"+got) || got[0] == '\n' {
			t.Errorf("%s is not a part of the report:\n%s", name, got)
		}
	}
	for name, want := range map[string]string{
		"answer": "Plimsoll chat", "VERDICT": "Plimsoll chat", "ver": "Plimsoll chat", "times": "Times in ms\n",
		"time-b": "Time breakdown\n", "Little's law": "Little's law\n", "throughput": "Throughput per 10s\n",
	} {
		opt := report.Options{Section: name}
		if got := reporttest.Text(t, run, kind, opt); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %.60q", name, got)
		}
		var md strings.Builder
		if err := showMarkdown(&md, run, opt); err != nil || !strings.Contains(md.String()[:60], strings.TrimSpace(want)) {
			t.Errorf("%s: %v: %.60q", name, err, md.String())
		}
	}
	answer := reporttest.Text(t, run, kind, report.Options{Section: "answer"})
	if strings.Contains(answer, "more notes") || !strings.Contains(answer, "53,000 samples were not written") ||
		strings.Contains(answer, "Times in") {
		t.Errorf("not the answer with all its notes:\n%s", answer)
	}
	want := []string{
		"answer", "times-in-ms", "messages", "failed-attempts-by-cause", "unusual-replies",
		"connections-reconnects-and-retries", "by-message-type", "by-room", "throughput-per-10s",
		"time-breakdown", "littles-law", "load-generator", "phases", "plan", "run",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownSectionIsAnError(t *testing.T) {
	run := fixture(t, "failing")
	for name, want := range map[string]struct{ err, hint string }{
		"throughptu":  {`has no section "throughptu"; it has: answer, times-in-ms, messages, `, "'throughput-per-10s'"},
		"client-time": {"no section", "a unique prefix"},
		"generator":   {"no section", "'load-generator'"},
		"!":           {"no section", "prefix"},
		"by":          {"by-message-type, by-room", "more letters"},
	} {
		var out strings.Builder
		opt := report.Options{Section: name}
		for _, err := range []error{showText(&out, run, opt), showMarkdown(&out, run, opt)} {
			if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), want.err) ||
				!strings.Contains(fault.HintOf(err), want.hint) || out.Len() > 0 {
				t.Errorf("%s: %v (%s)\n%s", name, err, fault.HintOf(err), &out)
			}
		}
	}
}
