package rundoc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// earlier are documents that were written before the rules had a number.
func earlier() []string {
	return []string{"chat", "chat-open", "bandwidth", "bandwidth-s3", "overhead", "overhead-exec", "updates"}
}

func readEarlier(t testing.TB, name string) *rundoc.Run {
	run, err := rundoc.ReadFile(filepath.Join("testdata", "earlier", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// concluded is an earlier document as one of today: with totals, and judged by the present rules.
func concluded(t testing.TB, name string) *rundoc.Run {
	if name == "watched" {
		return watchedDocument(t)
	}
	run := readEarlier(t, name)
	run.Conclude()
	return run
}

func TestEarlierDocumentsAreReadAgain(t *testing.T) {
	for _, name := range earlier() {
		run := readEarlier(t, name)
		want := run.Verdict
		got := rundoc.Reread(run)
		if diff := cmp.Diff(rundoc.Reading{Verdict: want, Notes: []string{"The verdict is by older rules."}}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if run.Total != nil || run.Generator.ThrottledNS != nil {
			t.Errorf("%s: totals %v, throttled %v", name, run.Total, run.Generator.ThrottledNS)
		}
		if late := run.Generator.OwnLate; (late != nil) != run.OpenModel() {
			t.Errorf("%s: late %v", name, late)
		}
		for _, p := range run.Series {
			if p.InFlight != nil && *p.InFlight == 0 {
				t.Errorf("%s: nothing was in flight in second %d, or that is not known", name, p.Second)
			}
		}
	}
}

func laterRules() string {
	return fmt.Sprintf("The verdict is by newer rules (version %d) than this program has (version %d).", rundoc.Rules+1, rundoc.Rules)
}

func TestReread(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(*rundoc.Run)
		verdict rundoc.Validity
		broken  bool
		notes   []string
	}{
		{"as it was", func(*rundoc.Run) {}, rundoc.Valid, false, nil},
		{"never judged", func(r *rundoc.Run) { r.Verdict = rundoc.Verdict{} }, rundoc.Valid, false, nil},
		{"a rate of a thousand times", func(r *rundoc.Run) { r.Operations[0].RatePerS *= 1000 }, rundoc.Invalid, true,
			[]string{"The document says valid, but its values contradict each other. It was " +
				"modified after the run, or is corrupt."}},
		{"a busy generator", func(r *rundoc.Run) { r.Generator.CPUShare = 0.99 }, rundoc.Suspect, false,
			[]string{"The document says valid with no reason, but its values lead to this " +
				"verdict. It was modified after the run."}},
		{"a reason that was taken out", func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.ClockStepNS = 0.99, 20*ms
			r.Conclude()
			r.Verdict.Reasons = r.Verdict.Reasons[:1]
		}, rundoc.Suspect, false,
			[]string{"The document says suspect with one reason, but its values lead to " +
				"this verdict. It was modified after the run."}},
		{"a broken law that it tells of itself", func(r *rundoc.Run) {
			r.Operations[0].RatePerS *= 1000
			r.Conclude()
		}, rundoc.Invalid, true, nil},
		{"older rules", func(r *rundoc.Run) { r.Verdict.Rules, r.Generator.CPUShare = 0, 0.99 }, rundoc.Valid, false,
			[]string{"The verdict is by older rules."}},
		{"older rules and a broken law", func(r *rundoc.Run) { r.Verdict.Rules, r.Operations[0].OK = 0, 7 },
			rundoc.Invalid, true,
			[]string{"The document says valid, but its values contradict each other. It was " +
				"modified after the run, or is corrupt.",
				"The verdict is by older rules."}},
		{"later rules", func(r *rundoc.Run) { r.Verdict.Rules = rundoc.Rules + 1 }, rundoc.Valid, false,
			[]string{laterRules()}},
		{"later rules and a broken law", func(r *rundoc.Run) {
			r.Verdict.Rules, r.Operations[0].Retries = rundoc.Rules+1, 6
		}, rundoc.Valid, false, []string{laterRules(), "By the rules of this program its values contradict each other: " +
			"invariant violated: attribution: send type=TEXT: 8 failed attempts have a cause, but there are 6 retries and 3 failed " +
			"operations (and 1 unfinished)."}},
		{"valid, for a broken law", func(r *rundoc.Run) {
			r.Operations[0].OK = 7
			r.Verdict = rundoc.Verdict{Validity: rundoc.Valid, Reasons: []string{"invariant violated: none."}}
		}, rundoc.Invalid, true,
			[]string{"The document says valid, but its values contradict each other. It was " +
				"modified after the run, or is corrupt.",
				"The verdict is by older rules."}},
		{"a rate of a thousand times and no series", func(r *rundoc.Run) {
			r.Operations[0].RatePerS *= 1000
			r.Series, r.Total = nil, nil
		}, rundoc.Invalid, true,
			[]string{"The document says valid, but its values contradict each other. It was " +
				"modified after the run, or is corrupt."}},
		{"bytes of a thousand times and no series", func(r *rundoc.Run) {
			r.Operations[0].BytesPerS *= 1000
			r.Series, r.Total = nil, nil
		}, rundoc.Invalid, true,
			[]string{"The document says valid, but its values contradict each other. It was " +
				"modified after the run, or is corrupt."}},
		{"totals that are others", func(r *rundoc.Run) { r.Total.Failed++ }, rundoc.Invalid, true,
			[]string{"The document says valid, but its values contradict each other. It was " +
				"modified after the run, or is corrupt."}},
		{"no totals", func(r *rundoc.Run) { r.Total = nil }, rundoc.Valid, false, nil},
	} {
		run := soundRun(t)
		run.Conclude()
		tt.edit(run)
		got := rundoc.Reread(reread(t, run, run.Workload))
		if got.Verdict.Validity != tt.verdict || got.Broken != tt.broken {
			t.Errorf("%s: %s, broken %t: %q", tt.name, got.Verdict.Validity, got.Broken, got.Verdict.Reasons)
		}
		if diff := cmp.Diff(tt.notes, got.Notes); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// What the totals have, and that a workload of many kinds of operations has no times in them.
func TestTotalsOfTheDocument(t *testing.T) {
	run := soundRun(t)
	run.Conclude()
	sum, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	got := run.Total
	if got.OK != sum.OK || got.RatePerS != sum.RatePerS || *got.ResponseTime.P99NS != *sum.ResponseTime.P99NS ||
		got.ResponseTime.HDR != "" || got.SendDelay != nil {
		t.Errorf("%+v", got)
	}
	_, run.Detail = soundBandwidth(t)
	run.Conclude()
	if got := run.Total; got.OK != sum.OK || got.ResponseTime != nil || got.ServiceTime != nil {
		t.Errorf("of a bandwidth run: %+v", got)
	}
	for name, edit := range map[string]func(*rundoc.Totals){
		"count": func(t *rundoc.Totals) { t.Attempts++ }, "rate": func(t *rundoc.Totals) { t.BytesPerS *= 1.001 },
		"time":    func(t *rundoc.Totals) { t.ServiceTime.P50NS = nil },
		"cause":   func(t *rundoc.Totals) { t.Causes[0].Count-- },
		"no time": func(t *rundoc.Totals) { t.FirstAttempt = nil },
	} {
		run := soundRun(t)
		run.Conclude()
		edit(run.Total)
		if v := rundoc.Judge(run); v.Validity != rundoc.Invalid ||
			!strings.HasPrefix(v.Reasons[0], "invariant violated: totals: ") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// edits calls f once for each number in doc, with that number a thousand times as large. It visits only the first entry
// of a list, and skips the plan.
func edits(doc any, path string, set func(any), f func(path string)) {
	switch v := doc.(type) {
	case map[string]any:
		for k, e := range v {
			if path+k != "plan" {
				edits(e, path+"."+k, func(n any) { v[k] = n }, f)
			}
		}
	case []any:
		if len(v) > 0 {
			edits(v[0], path+"[0]", func(n any) { v[0] = n }, f)
		}
	case json.Number:
		n, err := strconv.ParseFloat(v.String(), 64)
		if err == nil && n != 0 && !strings.Contains(v.String(), "e") {
			larger := strconv.FormatFloat(n*1000, 'f', -1, 64)
			if whole, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
				larger = strconv.FormatInt(whole, 10) + "000" // without the rounding
			}
			set(json.Number(larger))
			f(path)
			set(v)
		}
	}
}

// TestJudgeDetectsValuesThatAreTooLarge multiplies each value of a document by a thousand. The file lists the values for
// which neither Read nor Judge reports this, so that the test notices a check that gets lost. All documents are tried in
// make nightly.
func TestJudgeDetectsValuesThatAreTooLarge(t *testing.T) {
	nightly := os.Getenv("PLIMSOLL_NIGHTLY") != ""
	names := []string{"bandwidth", "updates", "watched"}
	if nightly {
		names = append(earlier(), "watched")
	}
	var unnoticed []string
	for _, name := range names {
		var text bytes.Buffer
		if err := rundoc.Write(&text, concluded(t, name)); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(&text)
		d.UseNumber()
		var doc map[string]any
		if err := d.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		edits(doc, "", nil, func(path string) {
			edited, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			run, err := rundoc.Read(bytes.NewReader(edited))
			if err != nil {
				return // that is noticed, too
			}
			r := rundoc.Reread(run)
			if strings.HasSuffix(path, "rate_per_s") && strings.Contains(path, "operations") && !r.Broken {
				t.Errorf("%s: the rate %s breaks no law", name, path)
			}
			if !r.Broken && len(r.Notes) == 0 {
				unnoticed = append(unnoticed, name+" "+path)
			}
		})
	}
	slices.Sort(unnoticed)
	const file = "testdata/unnoticed.txt"
	if os.Getenv("UPDATE") != "" && nightly {
		if err := os.WriteFile(file, []byte(strings.Join(unnoticed, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(line string) bool {
		name, _, _ := strings.Cut(line, " ")
		return !slices.Contains(names, name)
	})
	if diff := cmp.Diff(want, unnoticed); diff != "" {
		t.Errorf("the values whose thousandfold is accepted changed (PLIMSOLL_NIGHTLY=1 UPDATE=1 writes it): %s", diff)
	}
}
