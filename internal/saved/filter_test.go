package saved

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

func someEntries() []Entry {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	return []Entry{
		{ID: "d", Kind: "sweep", Workload: "chat", Started: day(4), Target: "wss://A.example.org", Shown: "wss://A.example.org",
			Verdict: "valid", Labels: []string{"nightly", "new"}},
		{ID: "c", Error: "broken"},
		{ID: "b", Kind: KindRun, Workload: "bandwidth", Started: day(2), Target: "embedded", Shown: "demo", Verdict: "invalid"},
		{ID: "a", Kind: KindRun, Workload: "chat", Started: day(1), Target: "ws://b.example.org", Verdict: "suspect",
			Labels: []string{"nightly"}},
	}
}

// A goal that only the generator's own delay may have missed is not listed as missed.
func TestMissedGoals(t *testing.T) {
	value, free := 61e6, 49e6
	got := missed([]rundoc.Threshold{
		{Expr: "p99<70ms", Limit: 70e6, Value: &value, Met: true}, {Expr: "p99<50ms", Limit: 50e6, Value: &value, Free: &free},
		{Expr: "p99.9<50ms", Limit: 50e6, Why: "too few"}, {Expr: "max<40ms", Limit: 40e6, Value: &value, Free: &free},
	})
	if !slices.Equal(got, []string{"max<40ms"}) {
		t.Error(got)
	}
}

// A run that is valid as far as it was checked is valid, and the list says which it is.
func TestValidWithLimitedChecks(t *testing.T) {
	e := Entry{ID: "e", Kind: KindRun, Started: time.Now(), Verdict: string(rundoc.Seen)}
	for verdict, want := range map[string]bool{"valid": true, "suspect": false, "invalid": false} {
		if f, err := filtered("verdict", verdict); err != nil || f.Fits(&e) != want {
			t.Errorf("%s: %v", verdict, err)
		}
	}
	if cells := e.Cells(); cells[len(cells)-1] != "valid (limited checks)" {
		t.Errorf("%q", cells)
	}
}

// filtered parses a command line of --name value pairs and checks it.
func filtered(args ...string) (*Filter, error) {
	f := new(Filter)
	now := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	set := new(setting.Set).Group("Which", f.Settings(now)...)
	for i := 0; i < len(args); i += 2 {
		for _, one := range set.All() {
			if one.Name != args[i] {
				continue
			}
			if err := one.Set(args[i+1]); err != nil {
				return f, err
			}
		}
	}
	return f, set.Check()
}

func TestFilters(t *testing.T) {
	for args, want := range map[string]string{
		"": "dcba", "workload|chat": "da", "workload|sweep": "d", "workload|sweep chat": "d", "workload|run": "ba", "workload|overhead": "",
		"label|nightly": "da", "label|nightly|label|new": "d", "label|night": "", "target|example.org": "da",
		"target|a.EXAMPLE": "d", "target|demo": "b", "verdict|valid": "d", "verdict|invalid": "b", "since|2026-11-02": "db",
		"since|3d": "db", "since|2026-11-02T12:00:00Z": "db", "since|2026-11-02 12:01": "d", "until|2026-11-02": "a",
		"until|3d": "a", "since|1w|until|72h": "a", "label|nightly|verdict|suspect|workload|chat": "a",
	} {
		var words []string
		if args != "" {
			words = strings.Split(args, "|")
		}
		f, err := filtered(words...)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		got := ""
		for _, e := range f.Pick(someEntries()) {
			got += e.ID
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestFiltersThatAreNone(t *testing.T) {
	const form = `is not a time`
	for args, want := range map[string]string{
		"verdict|good": `is "good": it must be valid, suspect or invalid`, "since|yesterday": `"yesterday" ` + form,
		"since|": "the time is missing", "until|2026-13-01": `"2026-13-01" ` + form, "since|-3d": `"-3d" ` + form,
		"since|0d": `"0d" ` + form, "since|99999999d": form, "since|1h|until|2h": "must be later than --since",
		"since|d": `"d" ` + form, "label|": "the label is empty", "workload|": "the value is empty", "target|": "the value is empty",
	} {
		if _, err := filtered(strings.Split(args, "|")...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	f, known := &Filter{Kind: "cht"}, []string{"chat", "sweep"}
	if err := f.Check(known, someEntries()); err == nil || !strings.Contains(err.Error(), `"cht", which is not a kind of run`) {
		t.Errorf("%v", err)
	}
	f.Kind = "quite another"
	if err := f.Check(known, someEntries()); fault.HintOf(err) != "known kinds: chat, sweep" {
		t.Errorf("%v", err)
	}
	f.Kind = "bandwidth" // that of a run of a later program
	if err := f.Check(known, someEntries()); err != nil {
		t.Error(err)
	}
}

// Each condition makes a filter one, by itself.
func TestAFilterIsSet(t *testing.T) {
	when := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	for _, f := range []Filter{{Kind: "chat"}, {Labels: []string{"a"}}, {Target: "a"}, {Verdict: "valid"}, {Since: when},
		{Until: when}} {
		if !f.Set() {
			t.Errorf("%+v means all", f)
		}
	}
	if (&Filter{}).Set() {
		t.Error("nothing does not mean all")
	}
}

// A moment is written as the time that it is, and none as nothing.
func TestMomentsAreWritten(t *testing.T) {
	now := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	var into time.Time
	s := moment(&into, "since", "", now)
	if s.String() != "" {
		t.Errorf("none is %q", s.String())
	}
	if err := s.Set("2d"); err != nil || s.String() != "2026-11-03T12:00:00Z" {
		t.Errorf("%q, %v", s.String(), err)
	}
}

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"1d": day, "30d": 30 * day, "1w": 7 * day, "6w": 42 * day, " 12h ": 12 * time.Hour, "1ns": 1, "90m": 90 * time.Minute,
		"36500d": 36500 * day, "5214w": 5214 * 7 * day,
	} {
		if got, err := ParseAge(text); got != want || err != nil {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"36501d": "is more than 100 years", "5215w": "is more than 100 years", "0d": "is not an age", "0s": "is not an age",
		"-1s": "is not an age", "-1d": "is not an age", "": "is not an age", "d": "is not an age", "w": "is not an age", "3": "is not an age",
		"3y": "is not an age", "1.5d": "is not an age",
	} {
		if got, err := ParseAge(text); err == nil || !strings.Contains(err.Error(), want) || got != 0 {
			t.Errorf("%q: %v, %v; want: %s", text, got, err, want)
		}
	}
}
