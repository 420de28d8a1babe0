package sets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func earlier(t *testing.T, name string) *rundoc.Run {
	t.Helper()
	run, err := rundoc.ReadFile("../../../rundoc/testdata/earlier/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Runs over each other have a row and a section each, are called by label or id, and say in what they are unlike.
func TestOverlay(t *testing.T) {
	a, b, c := earlier(t, "chat"), earlier(t, "chat"), earlier(t, "chat")
	b.Labels, b.Ledger.Clients, b.Interrupted = []string{"nightly", "other"}, 77, true
	kind := report.Kind{Words: report.Words{One: "message", Many: "messages", Short: "msg"}}
	page, err := sets.Overlay([]sets.Side{{Name: "a", Run: a}, {Name: "b", Run: b}, {Name: "c", Run: c, Broken: []string{"it is wrong"}}}, kind)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"1 · " + a.ID, "2 · nightly", "3 · " + a.ID}
	lead := page.Lead(99)
	var rows, titles []string
	for _, cells := range lead.Cells() {
		rows = append(rows, cells[0])
	}
	for _, s := range page.ShownSections() {
		titles = append(titles, strings.TrimPrefix(s.Title, "Run "))
		for _, cells := range s.Tables[0].Cells() {
			if cells[1] == "" || strings.Contains(cells[1], "figures The ") {
				t.Errorf("%s: %q is %q", s.Title, cells[0], cells[1])
			}
		}
	}
	if diff := cmp.Diff([][]string{names, names}, [][]string{rows, titles}); diff != "" {
		t.Error(diff)
	}
	unlike := strings.Join(page.Answer()[0].Points, "\n")
	for _, want := range []string{"clients: ", ", 77, ", "2 · nightly was interrupted", names[2] + " was edited: it is wrong"} {
		if !strings.Contains(unlike, want) {
			t.Errorf("no %q in %q", want, unlike)
		}
	}
	for _, same := range []string{"window", "machine", "settings"} {
		if strings.Contains(unlike, same+":") {
			t.Errorf("the %s is the same: %q", same, unlike)
		}
	}
	for _, p := range page.Graphs() {
		if len(p.Series) != 3 || p.Series[1].Name != "2 · nightly" || p.Series[1].Role != "2" {
			t.Errorf("%s has %d lines", p.Name, len(p.Series))
		}
	}
	if n := len(page.Drawing().Graphs); n != 3 {
		t.Errorf("%d panels", n)
	}
}

func TestNoOverlay(t *testing.T) {
	chat := sets.Side{Name: "a", Run: earlier(t, "chat")}
	for want, others := range map[string][]sets.Side{
		`a is a run of "chat" and b a run of "updates"`:         {{Name: "b", Run: earlier(t, "updates")}},
		"b is the runs of a plan file: only single runs":        {{Name: "b", Set: &setdoc.Set{Kind: setdoc.KindPlan}}},
		"13 runs are too many for one chart, the maximum is 12": {chat, chat, chat, chat, chat, chat, chat, chat, chat, chat, chat, chat},
	} {
		_, err := sets.Overlay(append([]sets.Side{chat}, others...), report.Kind{})
		if err == nil || !strings.Contains(err.Error(), want) || fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
