package view

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestHowAListBegins(t *testing.T) {
	for _, c := range []struct {
		q           string
		from, shown int
		more        bool
		want        string
	}{
		{"", 0, 0, false, "0 runs and sets, newest first"}, {"", 0, 1, false, "1 run or set, newest first"},
		{"", 0, 100, true, "1 to 100, newest first"}, {"", 1, 5, false, "2 to 6, newest first"},
		{"", 100, 3, false, "101 to 103, newest first"}, {"chat x", 0, 2, false, "2 runs and sets with: chat x, newest first"},
		{"a\nb", 100, 100, true, "101 to 200 with: a?b, newest first"},
	} {
		if got := introOf(c.q, c.from, c.shown, c.more); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestWhereAListGoesOn(t *testing.T) {
	for want, c := range map[string]struct {
		q    string
		from int
	}{
		"/runs": {"", 0}, "/runs?from=1": {"", 1}, "/runs?q=a": {"a", 0}, "/runs?from=100&q=a+b": {"a b", 100},
	} {
		if got := turnTo(c.q, c.from); got != want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestFromWhereAListIs: what makes no sense begins at the first run.
func TestFromWhereAListIs(t *testing.T) {
	p := newPages(t)
	for i := range 3 {
		keep(t, p.Store, made(i, "tea"))
	}
	_, first, _ := get(p, "/runs")
	if len(ids(first)) != 3 || strings.Contains(first, "Later") || strings.Contains(first, "Earlier") {
		t.Fatalf("%v", ids(first))
	}
	for from, want := range map[string]int{
		"0": 3, "1": 2, "2": 1, "3": 0, "16777216": 0, "16777217": 3, "-1": 3, "x": 3, "99999999999999999999": 3,
	} {
		_, body, _ := get(p, "/runs?from="+from)
		if got := len(ids(body)); got != want || strings.Contains(body, "Later") != (from != "0" && (want < 3)) {
			t.Errorf("from %s: %d runs", from, got)
		}
	}
	for q, want := range map[string]int{"tea": 3, "coffee": 0, "": 3} {
		for _, most := range []int{1, 2, 9} {
			if fit, err := p.entries(q, most); len(fit) != min(want, most) || err != nil {
				t.Errorf("%q, at most %d: %d, %v", q, most, len(fit), err)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	var l page.List
	head(&l)
	var right, whole []string
	for _, h := range l.Heads {
		if h.Right {
			right = append(right, h.Text)
		}
		if h.Whole {
			whole = append(whole, h.Text)
		}
	}
	if !cmp.Equal(right, []string{"rate", "p99"}) || !cmp.Equal(whole, []string{"started"}) {
		t.Errorf("figures are %q, on one line are %q", right, whole)
	}
}

func TestTones(t *testing.T) {
	for verdict, want := range map[rundoc.Validity]page.Tone{
		rundoc.Valid: page.ToneGood, rundoc.Seen: page.ToneDoubtful, rundoc.Suspect: page.ToneDoubtful, rundoc.Invalid: page.ToneBad,
		"": page.TonePlain, "x": page.TonePlain,
	} {
		if got := toneOf(string(verdict)); got != want {
			t.Errorf("%q: %v", verdict, got)
		}
	}
}

func TestARowOfAMember(t *testing.T) {
	rate, p99 := 1500.0, int64(2e6)
	set := reference{id: "set"}
	for name, c := range map[string]struct {
		m    setdoc.Member
		want page.ListRow
	}{
		"all of it": {setdoc.Member{Name: "first", Workload: "tea", Target: "pot", RatePerS: &rate, P99NS: &p99, Path: "a.json",
			Verdict: rundoc.Verdict{Validity: rundoc.Valid}},
			page.ListRow{To: "/runs/set/3", Mark: "set/3", Cells: []string{"3. first", "tea", "pot", "1,500/s", "2.00 ms", "valid"},
				Tone: page.ToneGood, Save: page.Link{Text: "JSON", To: "/document/set/3"}}},
		"a result of its own": {setdoc.Member{Name: "a", Result: "5 MiB/s", RatePerS: &rate},
			page.ListRow{Cells: []string{"3. a", "", "", "5 MiB/s", "", ""}, Tone: page.TonePlain}},
		"failed": {setdoc.Member{Name: "a", Error: "no host", Verdict: rundoc.Verdict{Validity: rundoc.Invalid}},
			page.ListRow{Cells: []string{"3. a", "", "", "", "", "invalid: no host"}, Tone: page.ToneBad}},
		"failed before": {setdoc.Member{Name: "a", Error: "no host"},
			page.ListRow{Cells: []string{"3. a", "", "", "", "", "no host"}, Tone: page.TonePlain}},
	} {
		if diff := cmp.Diff(c.want, memberRow(set, 2, &c.m)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNamesOfDocuments(t *testing.T) {
	for _, c := range []struct {
		ref        reference
		path, want string
	}{
		{reference{id: "azAZ09-."}, "a/run.json", "azAZ09-.-run.json"}, {reference{"x", "2"}, "run.json", "x-2-run.json"},
		{reference{id: "`{@[/:é ,\x00"}, "run.json", "__________-run.json"},
	} {
		if got := c.ref.file(c.path); got != c.want {
			t.Errorf("%+v: %q", c.ref, got)
		}
	}
	p := newPages(t, Named{Name: "a"}, Named{Name: "b"})
	for id, want := range map[string]int{"named-1": 0, "named-2": 1} {
		if got := p.namedAt(id); got != want {
			t.Errorf("%s is %d", id, got)
		}
	}
	for _, id := range []string{"named-0", "named-3", "named-", ""} {
		if got := p.namedAt(id); got >= 0 {
			t.Errorf("%s is %d", id, got)
		}
	}
	if cap(p.turns) != 4 {
		t.Errorf("%d work at once", cap(p.turns))
	}
}
