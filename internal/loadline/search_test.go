package loadline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// asked is a search for a rate.
func asked() setdoc.Loadline {
	return setdoc.Loadline{
		Workload: "http", Vary: "rate", Unit: "requests/s", Start: 1000, Lowest: 20, Highest: 1e6, Within: 0.045, Most: 60,
		SLO: []setdoc.Goal{{Expr: "p99<50ms", Figure: "p99", Unit: "ns", Limit: 50e6}},
	}
}

// searched is the set of a search, of which probe says what a load gives.
func searched(a setdoc.Loadline, probe func(at int, load float64) setdoc.Probe) *setdoc.Set {
	s := loadline.New(a)
	set := &setdoc.Set{Kind: setdoc.KindLoadline}
	for at := 0; ; at++ {
		load, more := s.Next()
		if !more {
			break
		}
		p := probe(at, load)
		p.Member, p.Load, p.LengthNS = fmt.Sprint("m", at), load, second
		s.Take(p)
		set.Members = append(set.Members, setdoc.Member{ID: p.Member, Verdict: rundoc.Verdict{Validity: rundoc.Valid}})
	}
	set.Loadline = s.Doc()
	set.Verdict = loadline.Verdict(set)
	return set
}

// bears is a server that bears about so much.
func bears(rate, noise float64) func(int, float64) setdoc.Probe {
	random := rand.New(rand.NewPCG(1, 2))
	return func(_ int, load float64) setdoc.Probe {
		if load*math.Exp(noise*random.NormFloat64()) < rate {
			return setdoc.Probe{Result: setdoc.ProbeMet}
		}
		return setdoc.Probe{Result: setdoc.ProbeFailed, Missed: []string{"p99<50ms"}, Why: "p99<50ms was missed: p99 was 61 ms"}
	}
}

// TestSearch: the line is found where it is, from what a document has of the probes again, too.
func TestSearch(t *testing.T) {
	set := searched(asked(), bears(5000, 0.01))
	l := set.Loadline
	if l.Ending != setdoc.LineFound || l.Why != "" || l.Range[0] > 5000 || l.Range[1] < 5000 || math.Abs(*l.Load/5000-1) > 0.05 {
		t.Fatalf("%s (%s): %v", l.Ending, l.Why, l.Range)
	}
	low := searched(asked(), bears(463.7, 0.1)).Loadline
	for _, p := range append(slices.Clone(l.Probes), low.Probes...) {
		if text := strconv.FormatFloat(p.Load, 'f', -1, 64); len(strings.Trim(strings.ReplaceAll(text, ".", ""), "0")) > 4 {
			t.Errorf("a probe of %s: it has more than four digits", text)
		}
	}
	if len(l.Limits) != 1 || l.Limits[0].By != "p99<50ms" || l.Limits[0].Probes < 3 {
		t.Errorf("%+v", l.Limits)
	}
	if wrong := loadline.Reread(set); len(wrong) > 0 {
		t.Error(wrong)
	}
	for name, edit := range map[string]func(*setdoc.Loadline){
		"the load line does not":   func(l *setdoc.Loadline) { *l.Load *= 1.01 },
		"its interval does not":    func(l *setdoc.Loadline) { l.Range[1] *= 0.99 },
		"the ending of the search": func(l *setdoc.Loadline) { l.Ending = setdoc.LineAbove },
		"the list of limits":       func(l *setdoc.Loadline) { l.Limits[0].Probes++ },
		"its spread":               func(l *setdoc.Loadline) { l.Spread = nil },
		"the drift":                func(l *setdoc.Loadline) { l.Drift = []int{2} },
		"probe 2 belongs to a run": func(l *setdoc.Loadline) { l.Probes[1].Member = "x" },
	} {
		set := searched(asked(), bears(5000, 0.01))
		edit(set.Loadline)
		if wrong := strings.Join(loadline.Reread(set), "; "); !strings.Contains(wrong, name) {
			t.Errorf("%s: %q", name, wrong)
		}
	}
	set.Verdict.Validity = rundoc.Invalid
	if wrong := loadline.Reread(set); len(wrong) != 1 || !strings.Contains(wrong[0], "the verdict is") {
		t.Error(wrong)
	}
	set.Loadline.Rules++
	if wrong := loadline.Reread(set); len(wrong) > 0 {
		t.Errorf("of other rules: %q", wrong)
	}
}

// TestRulesOfSavedSets: sets of the third rules are held against their probes, and those of earlier ones, which found other
// lines, are not. Who raises the number changes this test with it.
func TestRulesOfSavedSets(t *testing.T) {
	for rules, held := range map[int]bool{3: false, 4: true, 5: false} {
		set := searched(asked(), bears(5000, 0.01))
		set.Loadline.Rules, *set.Loadline.Load = rules, 2**set.Loadline.Load
		if wrong := loadline.Reread(set); (len(wrong) > 0) != held {
			t.Errorf("of the rules %d: %q", rules, wrong)
		}
	}
}

// TestEndings: below the lowest and above the highest load; the loads are exactly these, however many digits they have.
func TestEndings(t *testing.T) {
	a := asked()
	a.Lowest, a.Highest = 18.7765, 20000.4
	for _, tt := range []struct {
		rate   float64
		ending string
		why    string
	}{
		{10, setdoc.LineBelow, "not met at 18.8 requests/s, the lowest load tried: p99<50ms was missed: p99 was 61 ms."},
		{1e9, setdoc.LineAbove, "met at 20,000 requests/s, the highest load"},
	} {
		l := searched(a, bears(tt.rate, 0.001)).Loadline
		if l.Ending != tt.ending || !strings.Contains(l.Why, tt.why) || l.Load != nil || l.Range != nil || len(l.Probes) > 20 {
			t.Errorf("%s after %d probes: %s", l.Ending, len(l.Probes), l.Why)
		}
	}
}

// TestGeneratorIsTheLimit: a probe that tells nothing is made again, and a third one at that load ends the search.
func TestGeneratorIsTheLimit(t *testing.T) {
	server := bears(5000, 0.01)
	nothing := setdoc.Probe{Result: setdoc.ProbeTellsNothing, Own: true, Why: "p99 was 70 ms, and 40 ms without it"}
	once := searched(asked(), func(at int, load float64) setdoc.Probe {
		if at == 1 {
			return nothing
		}
		return server(at, load)
	}).Loadline
	if once.Ending != setdoc.LineFound || once.Probes[1].Load != once.Probes[2].Load || len(once.Doubts) != 1 {
		t.Errorf("%s; %v", once.Ending, once.Doubts)
	}
	set := searched(asked(), func(at int, load float64) setdoc.Probe {
		if load > 3000 {
			return nothing
		}
		return server(at, load)
	})
	l := set.Loadline
	if l.Ending != setdoc.LineGenerator || len(l.Probes) != 5 ||
		!strings.HasPrefix(l.Why, "At 4,000 requests/s the load generator or its machine was the limit, not the target, in 3 probes in a row: p99 was 70") {
		t.Errorf("%s after %d: %s", l.Ending, len(l.Probes), l.Why)
	}
	if wrong := loadline.Reread(set); len(wrong) > 0 {
		t.Error(wrong)
	}
	set.Loadline.Probes = set.Loadline.Probes[:1]
	if again := loadline.Analyze(set.Loadline); again.Ending != setdoc.LineCutShort {
		t.Error(again.Ending)
	}
}

// TestClientsAreTheLimit: where the clients have no more room at the highest load that met the SLO, it is said that they may
// be the limit. Of a search for their number it is not.
func TestClientsAreTheLimit(t *testing.T) {
	for _, tt := range []struct {
		used  float64
		whole bool
		says  string
	}{
		{0.79, false, ""}, {0.93, true, ""},
		{0.93, false, "the highest load that met the SLO, 93% of the clients were busy: their number may be"},
	} {
		a, server := asked(), bears(5000, 0.01)
		a.Whole = tt.whole
		l := searched(a, func(at int, load float64) setdoc.Probe {
			p := server(at, load)
			p.SlotsUsed = new(0.1)
			if load > 4800 {
				p.SlotsUsed = new(tt.used)
			}
			return p
		}).Loadline
		if got := strings.Join(l.Doubts, " "); tt.says == "" && got != "" || !strings.Contains(got, tt.says) {
			t.Errorf("%v: %q", tt.used, got)
		}
	}
}

// TestMovedTarget: where the target became another one is told in the numbers of all probes, those that told nothing among
// them.
func TestMovedTarget(t *testing.T) {
	moved := func(silent int) *setdoc.Loadline {
		told := 0
		fast, slow := bears(5000, 0.1), bears(3500, 0.1)
		return searched(asked(), func(at int, load float64) setdoc.Probe {
			if at < silent {
				return setdoc.Probe{Result: setdoc.ProbeTellsNothing, Why: "too few times"}
			}
			if told++; told <= 24 {
				return fast(at, load)
			}
			return slow(at, load)
		}).Loadline
	}
	plain, later := moved(0), moved(3)
	if len(plain.Drift) == 0 || len(later.Drift) != len(plain.Drift) {
		t.Fatalf("%v, %v", plain.Drift, later.Drift)
	}
	for i, at := range plain.Drift {
		want := fmt.Sprintf("The target changed before probe %d: ", at+4)
		if later.Drift[i] != at+3 || !strings.HasPrefix(later.Doubts[i], want) {
			t.Errorf("%v, %v: %q", plain.Drift, later.Drift, later.Doubts)
		}
	}
}

// TestWhatIsToldOfTheEnd: by what most probes failed stands first, a search that is used up says so, and one whose first two
// probes are the generator's ends with the words of the last.
func TestWhatIsToldOfTheEnd(t *testing.T) {
	line := asked()
	failed := func(load float64, by ...string) setdoc.Probe {
		return setdoc.Probe{Load: load, Result: setdoc.ProbeFailed, Missed: by}
	}
	line.Probes = []setdoc.Probe{failed(1000, "p99<50ms"), failed(500, "queue", "p50<1ms"), failed(250, "queue")}
	want := []setdoc.Limit{{By: "queue", Probes: 2}, {By: "p99<50ms", Probes: 1}, {By: "p50<1ms", Probes: 1}}
	if got := loadline.Analyze(&line).Limits; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	few := asked()
	few.Most = 3
	if l := searched(few, bears(5000, 0.2)).Loadline; l.Ending != setdoc.LineWide ||
		!strings.HasSuffix(l.Why, " probes were not enough: the result is known to within 27%, and --within asks for 4.5%.") || l.Load == nil || l.Spread == nil {
		t.Errorf("%s: %s", l.Ending, l.Why)
	}
	own := func(why string) setdoc.Probe {
		return setdoc.Probe{Load: 1000, Result: setdoc.ProbeTellsNothing, Own: true, Why: why}
	}
	line.Probes = []setdoc.Probe{own("first"), own("second"), own("third")}
	if l := loadline.Analyze(&line); l.Ending != setdoc.LineGenerator ||
		!strings.HasSuffix(l.Why, "in 3 probes in a row: third.") {
		t.Errorf("%s: %s", l.Ending, l.Why)
	}
}

// TestSearchThatIsNotPreciseIsSuspect: whatever its probes are, and the reason stands first.
func TestSearchThatIsNotPreciseIsSuspect(t *testing.T) {
	few := asked()
	few.Most = 3
	wide := searched(few, bears(5000, 0.2))
	short := asked()
	short.MaxTimeNS = 20 * second
	stopped := cut(searched(short, bears(5000, 0.1)), 7)
	climbing := cut(searched(short, bears(5000, 0.1)), 2)
	for name, tt := range map[string]struct {
		set  *setdoc.Set
		why  string
		load bool
	}{
		"probes used up":                   {wide, " probes were not enough: the result is known to within 27%, and --within asks for 4.5%.", true},
		"time used up":                     {stopped, "The time limit of 20s was reached: the result is known to within ", true},
		"time used up, and nothing failed": {climbing, "The time limit of 20s was reached: no load was found", false},
	} {
		if v := tt.set.Verdict; v.Validity != rundoc.Suspect || len(v.Reasons) == 0 || !strings.Contains(v.Reasons[0], tt.why) {
			t.Errorf("%s: %s: %q", name, v.Validity, v.Reasons)
		}
		if l := tt.set.Loadline; (l.Load != nil) != tt.load {
			t.Errorf("%s: %v %v", name, l.Load, l.Range)
		}
		if wrong := loadline.Reread(tt.set); len(wrong) > 0 {
			t.Errorf("%s: %q", name, wrong)
		}
	}
	if v := searched(asked(), bears(5000, 0.01)).Verdict; v.Validity != rundoc.Valid || len(v.Reasons) > 0 {
		t.Errorf("precise: %+v", v)
	}
}

// cut is a set whose search was out of time after some probes.
func cut(set *setdoc.Set, after int) *setdoc.Set {
	s := loadline.New(*set.Loadline)
	for _, p := range set.Loadline.Probes[:after] {
		s.Take(p)
	}
	s.Stop()
	set.Members, set.Loadline = set.Members[:after], s.Doc()
	set.Verdict = loadline.Verdict(set)
	return set
}

// TestForgottenProbesExplainNothing: what limits a target that has changed follows from the probes since then alone, and so
// does the verdict.
func TestForgottenProbesExplainNothing(t *testing.T) {
	fast, slow := bears(5000, 0.1), bears(3500, 0.1)
	set := searched(asked(), func(at int, load float64) setdoc.Probe {
		if at < 24 {
			p := fast(at, load)
			p.SlotsUsed = new(0.9)
			if p.Result == setdoc.ProbeFailed {
				p.Missed = []string{setdoc.MissedQueue}
			}
			return p
		}
		return slow(at, load)
	})
	l := set.Loadline
	if len(l.Drift) == 0 {
		t.Fatal("nothing is forgotten")
	}
	failed := 0
	for _, p := range loadline.Counted(l) {
		if p.Result == setdoc.ProbeFailed && slices.Contains(p.Missed, "p99<50ms") {
			failed++
		}
	}
	if at := slices.IndexFunc(l.Limits, func(limit setdoc.Limit) bool { return limit.By == "p99<50ms" }); at < 0 || l.Limits[at].Probes != failed {
		t.Errorf("%+v, and %d of those that count", l.Limits, failed)
	}
	if last := l.Drift[len(l.Drift)-1]; last >= 24 && len(l.Limits) != 1 {
		t.Errorf("forgotten before %d: %+v", last, l.Limits)
	}
	if got := loadline.Crowded(l); got != "" && l.Drift[len(l.Drift)-1] >= 24 {
		t.Error(got)
	}
	for i := range l.Drift[len(l.Drift)-1] {
		set.Members[i].Verdict.Validity = rundoc.Invalid
	}
	if v := loadline.Verdict(set); v.Validity == rundoc.Invalid {
		t.Errorf("%+v", v)
	}
}

// TestProbesInDoubtDoNotMoveTheLine: a generator that is stopped in a third of the probes, by which times are longer, with and
// without its own delay, costs probes, and leaves the line where it is.
func TestProbesInDoubtDoNotMoveTheLine(t *testing.T) {
	const truth, limit, searches = 3000, 50e6, 20
	slo := goals(t, "p99<50ms")
	covers, off := 0, 0.0
	for seed := range uint64(searches) {
		random := rand.New(rand.NewPCG(seed, 9))
		a := asked()
		a.Within = 0.1
		l := searched(a, func(_ int, load float64) setdoc.Probe {
			// Half of the probes at the line meet the SLO; it is a server whose p99 doubles within 20% of the load.
			p99 := limit * math.Pow(load/truth, 4) * math.Exp(0.2*random.NormFloat64())
			own := 0.0
			if random.IntN(3) == 0 {
				own = 20e6 * random.ExpFloat64()
			}
			return loadline.ProbeOf(open(func(r *rundoc.Run) {
				times, free := timesOf(10_000, int64(p99+own)), timesOf(10_000, int64(p99+own/4))
				times.Free = &free
				r.Operations[0].ResponseTime = times
				if own > 0 {
					r.Generator.Hiccups = &rundoc.Hiccups{GapsNS: 1e8, LongNS: 1e8, Gaps: 1, Long: 1}
				}
			}), slo, load)
		}).Loadline
		if l.Load == nil {
			t.Fatalf("seed %d: %s: %s", seed, l.Ending, l.Why)
		}
		if l.Range[0] <= truth && truth <= l.Range[1] {
			covers++
		}
		off += math.Log(*l.Load/truth) / searches
	}
	if covers < searches*9/10 || math.Abs(off) > 0.03 {
		t.Errorf("%d of %d intervals have the line, and they are off by %.1f%% on average", covers, searches, 100*off)
	}
	t.Logf("%d of %d intervals have the line, and they are off by %.1f%% on average", covers, searches, 100*off)
}
