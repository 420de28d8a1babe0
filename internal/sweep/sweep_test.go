package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

const seed = 1

func clientsPlan(repeats int, values ...string) Plan {
	return Plan{
		Workload: "chat", Repeats: repeats, Seed: 7,
		Vary:   []setdoc.Vary{{Setting: "clients", Values: values, Numeric: true, Concurrency: true}},
		Figure: setdoc.Figure{Name: "rate", Unit: "per_s", Of: "messages"},
	}
}

// rowAt is a run of ten seconds in which all was ok, with x operations a second and n clients that await them.
func rowAt(value string, repeat int, n, x float64) setdoc.Row {
	return setdoc.Row{
		Values: []string{value}, Repeat: repeat, Member: fmt.Sprintf("m-%s-%d", value, repeat), Validity: "valid",
		Clients: n, WindowNS: 10e9, Throughput: &x, OK: int64(10 * x), Opened: int64(n),
		States: map[string]int64{rundoc.StateAwaiting: int64(n * 10e9)},
	}
}

// workers is a sweep of a server with c workers and a service time in s.
func workers(rng *rand.Rand, c int, service, noise float64, repeats int, values ...string) (list []setdoc.Row) {
	for repeat := range repeats {
		for _, value := range values {
			n, _ := strconv.ParseFloat(value, 64)
			x := min(n, float64(c)) / service * math.Exp(noise*rng.NormFloat64())
			list = append(list, rowAt(value, repeat+1, n, x))
		}
	}
	return list
}

func TestAnalyzeOfAServerWithFixedServiceTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 1))
	values := []string{"1", "2", "4", "8", "16", "32"}
	right := 0
	const sweeps = 200
	for range sweeps {
		s := Analyze(clientsPlan(3, values...), workers(rng, 8, 0.02, 0.02, 3, values...))
		if s.Best != nil && *s.Best == 3 && s.Ending == setdoc.EndsOnPlateau && s.Scaling.Refused != "" {
			right++
		}
	}
	if right < sweeps*9/10 {
		t.Errorf("best of 8 clients, plateau and no law in %d of %d", right, sweeps)
	}
	s := Analyze(clientsPlan(3, values...), workers(rng, 8, 0.02, 1e-4, 3, values...))
	for i, want := range []float64{1, 1, 1, 1, 0.5, 0.25} {
		v := s.Levels[i]
		if math.Abs(*v.Efficiency-want) > 0.002 || math.Abs(*v.Predicted/(v.Load*50)-1) > 0.002 {
			t.Errorf("%s clients: efficiency %.4f, predicted %.1f/s", v.Values[0], *v.Efficiency, *v.Predicted)
		}
	}
	if math.Abs(s.Base.W1/20e6-1) > 0.001 || !s.Base.Single || s.FailsFrom != nil || s.Doubts != nil {
		t.Errorf("base %+v, fails from %v, doubts %q", s.Base, s.FailsFrom, s.Doubts)
	}
	want := "Clients 8: 400/s, as good as the maximum. Higher settings bring no more: 400/s at clients 32."
	if s.Recommended != want {
		t.Errorf("%q", s.Recommended)
	}
}

// By hand: W₁ is 10 ms, of which 8 are awaited and 2 prepared. At four clients it is 20 ms: 12 awaited, 2 prepared, 6
// backing off. The efficiency is ½, and of the other half 4 ÷ 20 were awaited and 6 ÷ 20 backed off.
func TestWhereTheEfficiencyWent(t *testing.T) {
	one, four := rowAt("1", 1, 1, 100), rowAt("4", 1, 4, 200)
	one.States = map[string]int64{rundoc.StateAwaiting: 8e9, rundoc.StatePreparing: 2e9}
	four.States = map[string]int64{
		rundoc.StateAwaiting: 24e9, rundoc.StatePreparing: 4e9, rundoc.StateBackingOff: 12e9, rundoc.StateIdle: 0,
	}
	four.InFlightSampled, four.InFlightPredicted = 2.5, 2.4
	s := Analyze(clientsPlan(1, "1", "4"), []setdoc.Row{four, one})
	v := s.Levels[1]
	near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
	if diff := cmp.Diff([]setdoc.MissingShare{
		{State: rundoc.StateAwaiting, Share: 0.2}, {State: rundoc.StateBackingOff, Share: 0.3},
	}, slices.DeleteFunc(slices.Clone(v.Missing), func(m setdoc.MissingShare) bool { return math.Abs(m.Share) < 1e-12 }),
		near); diff != "" {
		t.Error(diff)
	}
	if *v.Efficiency != 0.5 || *v.Predicted != 400 || math.Abs(*v.Little-(2.5/2.4-1)) > 1e-12 || v.Clients != 4 {
		t.Errorf("%+v", v)
	}
	if !cmp.Equal(s.Order, []int{1, 0}) || s.Base.W1 != 10e6 || s.Levels[0].Missing != nil {
		t.Errorf("order %v, base %+v, %v", s.Order, s.Base, s.Levels[0].Missing)
	}
}

// By hand: 90, 100 and 110 have the mean 100 and the deviation 10: ± 4.302653·10/√3.
func TestLevelSummary(t *testing.T) {
	var made []setdoc.Row
	for i, x := range []float64{90, 100, 110} {
		r := rowAt("2", i+1, 2, x)
		r.Failed, r.Unsent, r.Unfinished, r.Retries, r.Reconnects, r.NotOpened = 2, 1, 1, 5, 3, 0
		r.PeakSecond = new(x + 7)
		r.ServiceP99NS, r.ServiceMeanNS = new(int64(1000*(3-i))), int64(10*i)
		r.Causes = []setdoc.CauseCount{{Cause: "reset", Count: 1}, {Cause: "timeout", Count: int64(i)}}
		made = append(made, r)
	}
	made[1].Validity, made[1].Reasons = "suspect", []string{"It was slow."}
	made[0].ResponseP99NS = new(int64(4)) // the others have none, so the level has none
	s := Analyze(clientsPlan(3, "2"), made)
	v := s.Levels[0]
	half := 4.302653 * 10 / math.Sqrt(3)
	if *v.Throughput != 100 || math.Abs(v.Interval[0]-(100-half)) > 1e-4 || math.Abs(v.Interval[1]-(100+half)) > 1e-4 {
		t.Errorf("%g, %g", *v.Throughput, v.Interval)
	}
	v.Throughput, v.Interval, v.Predicted, v.Efficiency = nil, nil, nil, nil
	want := setdoc.Level{
		Values: []string{"2"}, Load: 2, Clients: 2, Runs: 3, Validity: "suspect", PeakSecond: new(117.0),
		Scheduled: 3012, OK: 3000, Failed: 6, FailedShare: 12. / 3012, Retries: 15, Reconnects: 9, Opened: 6,
		Causes:        []setdoc.CauseCount{{Cause: "reset", Count: 3}, {Cause: "timeout", Count: 3}},
		ServiceMeanNS: 10, ServiceP99NS: new(int64(2000)), Shares: map[string]float64{rundoc.StateAwaiting: 1},
	}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
	if s.FailsFrom == nil || *s.FailsFrom != 0 || s.Ending != setdoc.EndsRising {
		t.Errorf("fails from %v, ends %q", s.FailsFrom, s.Ending)
	}
	if len(s.Doubts) != 2 || !strings.Contains(s.Doubts[0], "It was slow.") ||
		!strings.Contains(s.Doubts[1], "A single client") {
		t.Errorf("%q", s.Doubts)
	}
}

// rowsOf has three repeats that are 1% off each way.
func rowsOf(throughput map[string]float64) (list []setdoc.Row) {
	for value, x := range throughput {
		n, _ := strconv.ParseFloat(value, 64)
		for i, off := range []float64{0.99, 1, 1.01} {
			list = append(list, rowAt(value, i+1, n, x*off))
		}
	}
	return list
}

func TestSweepEndings(t *testing.T) {
	failing := func(value string, edit func(*setdoc.Row)) func([]setdoc.Row) {
		return func(rows []setdoc.Row) {
			for i := range rows {
				if rows[i].Values[0] == value {
					edit(&rows[i])
				}
			}
		}
	}
	level := func(i int) *int { return &i }
	for _, tt := range []struct {
		name        string
		throughput  map[string]float64
		edit        func([]setdoc.Row)
		best        *int
		ending      string
		from        *int
		recommended string
	}{
		{"rising", map[string]float64{"1": 100, "2": 200, "4": 390}, nil, level(2), setdoc.EndsRising, nil,
			"Clients 4: 390/s, 95% more than at clients 2. It is the highest setting measured: a higher one may be better."},
		{"plateau within 3%", map[string]float64{"1": 100, "2": 200, "4": 204}, nil, level(1), setdoc.EndsOnPlateau, nil,
			"Clients 2: 200/s, as good as the maximum. Higher settings bring no more: 204/s at clients 4."},
		{"decline", map[string]float64{"1": 100, "2": 200, "4": 180}, nil, level(1), setdoc.EndsInDecline, nil,
			"Clients 2: 200/s. Higher settings are worse: 180/s at clients 4, 10% less than at clients 2."},
		{"decline after a plateau", map[string]float64{"1": 100, "2": 198, "4": 200, "8": 150}, nil, level(1),
			setdoc.EndsInDecline, nil, "Clients 2: 198/s. Higher settings are worse: 150/s at clients 8, 25% less than at clients 4."},
		{"operations fail", map[string]float64{"1": 100, "2": 200, "4": 300},
			failing("4", func(r *setdoc.Row) {
				r.Failed, r.Causes = 100, []setdoc.CauseCount{{Cause: "timeout", Count: 9}}
			}), level(1), setdoc.EndsInFailure, level(2),
			"Clients 2: 200/s. At clients 4 3.23% of the operations failed, mostly with timeout."},
		{"connects fail", map[string]float64{"1": 100, "2": 200, "4": 200},
			failing("4", func(r *setdoc.Row) { r.NotOpened = 4 }), level(1), setdoc.EndsInFailure, level(2),
			"Clients 2: 200/s. At clients 4 50% of the connection attempts failed."},
		{"all fail at the end", map[string]float64{"1": 100, "2": 200, "4": 1},
			failing("4", func(r *setdoc.Row) { r.OK, r.Throughput, r.Failed = 0, nil, 5 }), level(1), setdoc.EndsInFailure,
			level(2), "Clients 2: 200/s. At clients 4 100% of the operations failed."},
		{"a few fail", map[string]float64{"1": 100, "2": 200, "4": 201},
			failing("2", func(r *setdoc.Row) { r.Failed = 1 }), level(1), setdoc.EndsOnPlateau, level(1),
			"Clients 2: 200/s, as good as the maximum. Higher settings bring no more: 201/s at clients 4."},
		{"one that fails has more", map[string]float64{"1": 100, "2": 90},
			failing("1", func(r *setdoc.Row) { r.Failed = 100 }), level(1), setdoc.EndsRising, level(0),
			"Clients 2: 90.0/s, 10% less than at clients 1. It is the highest setting measured: a higher one may be better."},
		{"one that fails has as much", map[string]float64{"1": 100, "2": 100},
			failing("1", func(r *setdoc.Row) { r.Failed = 100 }), level(1), setdoc.EndsRising, level(0),
			"Clients 2: 100/s, 0% more than at clients 1. It is the highest setting measured: a higher one may be better."},
		{"all fail", map[string]float64{"1": 1, "2": 2}, func(rows []setdoc.Row) {
			for i := range rows {
				rows[i].Failed = 1000
			}
		}, nil, setdoc.EndsInFailure, level(0),
			"None of these: at the setting with the best result, clients 2, 98.1% of the operations failed, and " +
				"the other settings are no better."},
	} {
		made := rowsOf(tt.throughput)
		if tt.edit != nil {
			tt.edit(made)
		}
		values := []string{"4", "1", "2", "8"}[:0]
		for v := range tt.throughput {
			values = append(values, v)
		}
		s := Analyze(clientsPlan(3, values...), made)
		if !cmp.Equal(s.Best, tt.best) || s.Ending != tt.ending || !cmp.Equal(s.FailsFrom, tt.from) ||
			s.Recommended != tt.recommended {
			t.Errorf("%s: best %v, ends in %q, fails from %v, %q", tt.name, s.Best, s.Ending, s.FailsFrom, s.Recommended)
		}
	}
}

func TestRunsThatCannotBeUsed(t *testing.T) {
	made := rowsOf(map[string]float64{"1": 100, "2": 200, "4": 400})
	for i := range made {
		if made[i].Values[0] == "4" || made[i].Values[0] == "2" && made[i].Repeat == 2 {
			made[i].Validity, made[i].Reasons = "invalid", []string{"The generator was too busy."}
			*made[i].Throughput *= 9
		}
	}
	s := Analyze(clientsPlan(4, "1", "2", "4"), made)
	if *s.Best != 1 || *s.Peak != 1 || math.Abs(*s.Levels[1].Throughput-200) > 1e-9 || s.Levels[1].Validity != "invalid" {
		t.Errorf("%+v", s)
	}
	want := []string{"3 of 12 planned runs are missing.",
		"Clients 2: 1 of 3 runs are invalid and excluded from the mean: The generator was too busy.",
		"Clients 4: every run is invalid, so this setting is not compared with others: The generator was too busy."}
	if diff := cmp.Diff(want, s.Doubts); diff != "" {
		t.Error(diff)
	}
}

func TestSuspectLevels(t *testing.T) {
	made := rowsOf(map[string]float64{"1": 100, "2": 200, "4": 300, "8": 400})
	for i := range made {
		if made[i].Values[0] != "8" {
			made[i].Validity, made[i].Reasons = "suspect", []string{"At " + made[i].Values[0] + " it was slow."}
		}
	}
	want := []string{"Clients 1 is suspect: At 1 it was slow.",
		"Other suspect settings (see the verdicts of their runs): clients 2; clients 4."}
	if diff := cmp.Diff(want, Analyze(clientsPlan(3, "1", "2", "4", "8"), made).Doubts); diff != "" {
		t.Error(diff)
	}
}

// The order of the rows does not matter, and the unit of the throughput changes nothing but the throughput.
func TestLevelOrderAndUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 3))
	values := []string{"1", "2", "4", "8", "16", "32"}
	made := workers(rng, 1000, 0.01, 0.03, 3, values...)
	first := Analyze(clientsPlan(3, values...), made)
	if first.Scaling.Refused != "" {
		t.Fatal(first.Scaling.Refused)
	}
	rng.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
	again := Analyze(clientsPlan(3, values...), made)
	for i, r := range made {
		if again.Rows[again.Order[i]].Member != r.Member {
			t.Errorf("run %d is not row %d", i, again.Order[i])
		}
	}
	again.Order = first.Order
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("seed %d: %s", seed, diff)
	}
	for i := range made {
		made[i].Throughput = new(*made[i].Throughput * 1000)
	}
	larger := Analyze(clientsPlan(3, values...), made)
	if !docfile.Alike(larger.Scaling.Sigma, first.Scaling.Sigma, searched) || *larger.Best != *first.Best ||
		math.Abs(larger.Scaling.Lambda.Value/first.Scaling.Lambda.Value/1000-1) > 1e-6 {
		t.Errorf("%+v, %+v", larger.Scaling, first.Scaling)
	}
	for i := range larger.Levels {
		if math.Abs(*larger.Levels[i].Efficiency/(*first.Levels[i].Efficiency)-1) > 1e-9 {
			t.Errorf("efficiency %g, then %g", *first.Levels[i].Efficiency, *larger.Levels[i].Efficiency)
		}
	}
}

// Whatever rows say, there is a document, and it follows from them.
func TestAnalyzeToleratesHostileRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 4))
	figures := []float64{0, -1, 1e-300, 1, 7, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1)}
	pick := func() float64 { return figures[rng.IntN(len(figures))] }
	counts := []int64{0, -5, 1, 1000, math.MaxInt64, math.MinInt64}
	count := func() int64 { return counts[rng.IntN(len(counts))] }
	for round := range 2000 {
		values := []string{"0", "1", "-3", "1e9", "x", "", "10ms", "NaN", "Inf"}
		p := clientsPlan(rng.IntN(4), values[:1+rng.IntN(len(values))]...)
		p.Vary[0].Numeric, p.Vary[0].Concurrency = rng.IntN(2) == 0, rng.IntN(2) == 0
		if rng.IntN(9) == 0 {
			p.Vary = p.Vary[:0]
		}
		var made []setdoc.Row
		for i := range rng.IntN(12) {
			r := setdoc.Row{
				Values: []string{values[rng.IntN(len(values))]}, Repeat: rng.IntN(3), Member: strconv.Itoa(i),
				Validity: []string{"valid", "suspect", "invalid", "odd", ""}[rng.IntN(5)], Clients: pick(), OK: count(),
				Failed: count(), NotOpened: count(), Opened: count(), InFlightSampled: pick(), InFlightPredicted: pick(),
				States: map[string]int64{rundoc.StateIdle: count(), "odd": count()}, WindowNS: count(),
			}
			if rng.IntN(3) > 0 {
				r.Throughput, r.OfferedPerS, r.PeakSecond = new(pick()), new(pick()), new(pick())
			}
			if rng.IntN(2) == 0 {
				r.OfferedPerS = nil
			}
			made = append(made, r)
		}
		s := Analyze(p, made)
		if _, err := json.Marshal(s); err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, round, err)
		}
	}
}

func TestReread(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 6))
	values := []string{"1", "2", "4", "8", "16"}
	made := workers(rng, 1000, 0.01, 0.02, 3, values...)
	fresh := func() *setdoc.Set {
		set := &setdoc.Set{Kind: setdoc.KindSweep, Verdict: rundoc.Verdict{Validity: rundoc.Valid}}
		for _, r := range made {
			set.Members = append(set.Members, setdoc.Member{ID: r.Member, Repeat: r.Repeat,
				Verdict: rundoc.Verdict{Validity: rundoc.Valid}})
		}
		text, err := json.Marshal(Analyze(clientsPlan(3, values...), made))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &set.Sweep); err != nil {
			t.Fatal(err)
		}
		return set
	}
	for name, tt := range map[string]struct {
		edit func(*setdoc.Set)
		want string
	}{
		"nothing":           {func(*setdoc.Set) {}, ""},
		"no sweep":          {func(s *setdoc.Set) { s.Sweep = nil }, ""},
		"a level's figure":  {func(s *setdoc.Set) { *s.Sweep.Levels[1].Throughput *= 1.001 }, "level 2 (clients 2) does not"},
		"a level less":      {func(s *setdoc.Set) { s.Sweep.Levels = s.Sweep.Levels[1:] }, "it has 4 levels, but"},
		"a row's figure":    {func(s *setdoc.Set) { *s.Sweep.Rows[0].Throughput *= 2 }, "level 1 (clients 1) does not"},
		"the best":          {func(s *setdoc.Set) { s.Sweep.Best = new(0) }, "the best setting does not"},
		"the ending":        {func(s *setdoc.Set) { s.Sweep.Ending = setdoc.EndsOnPlateau }, "the ending does not"},
		"W1":                {func(s *setdoc.Set) { s.Sweep.Base.W1 /= 2 }, "the base of the prediction does not"},
		"the law":           {func(s *setdoc.Set) { s.Sweep.Scaling.Sigma.High = 0.7 }, "the scaling law does not"},
		"no law":            {func(s *setdoc.Set) { s.Sweep.Scaling = nil }, "the scaling law does not"},
		"fails":             {func(s *setdoc.Set) { s.Sweep.FailsFrom = new(2) }, "the first setting that fails does not"},
		"the order":         {func(s *setdoc.Set) { s.Sweep.Order[0] = 99 }, "the order of the runs does not"},
		"twice in order":    {func(s *setdoc.Set) { s.Sweep.Order[0] = s.Sweep.Order[1] }, "the order of the runs does not"},
		"a stranger":        {func(s *setdoc.Set) { s.Sweep.Rows[3].Member = "?" }, "row 4 belongs to a run"},
		"a verdict":         {func(s *setdoc.Set) { s.Members[1].Verdict.Validity = "invalid" }, "row 4 does not match its run, m-2-1"},
		"a repeat":          {func(s *setdoc.Set) { s.Members[1].Repeat = 3 }, "row 4 does not match its run, m-2-1"},
		"a lost row":        {func(s *setdoc.Set) { s.Sweep.Rows[0].Member = "" }, "disagree on how many runs"},
		"a lost member":     {func(s *setdoc.Set) { s.Members = append(s.Members, setdoc.Member{Verdict: s.Verdict}) }, "disagree on"},
		"verdict, no sweep": {func(s *setdoc.Set) { s.Sweep, s.Verdict.Validity = nil, "suspect" }, `the verdict is "suspect"`},
		"other rules": {func(s *setdoc.Set) {
			s.Sweep.Rules, s.Verdict.Validity = Rules+1, "suspect"
			*s.Sweep.Levels[1].Throughput *= 2
		}, `the verdict is "suspect"`},
		"a law that is near": {func(s *setdoc.Set) { s.Sweep.Scaling.Lambda.Value *= 1.0007 }, ""},
		"one that is not":    {func(s *setdoc.Set) { s.Sweep.Scaling.Lambda.Value *= 1.0015 }, "the scaling law does not"},
		"a reason more":      {func(s *setdoc.Set) { s.Sweep.Scaling.Refused = "Why not." }, "the scaling law does not"},
		"other words":        {func(s *setdoc.Set) { s.Sweep.Scaling.NoPeak = "Other words." }, ""},
		"no words":           {func(s *setdoc.Set) { s.Sweep.Scaling.NoPeak = "" }, "the scaling law does not"},
		"its verdict":        {func(s *setdoc.Set) { s.Verdict.Validity = "suspect" }, `the verdict is "suspect", but the verdicts of its runs give "valid"`},
		"another kind":       {func(s *setdoc.Set) { s.Kind = "search" }, `its kind is "search"`},
		"the sentence":       {func(s *setdoc.Set) { s.Sweep.Recommended = "Other words." }, ""},
	} {
		set := fresh()
		tt.edit(set)
		got := strings.Join(Reread(set), "\n")
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A level with too many failures is not the base of the prediction. Without another level there is no base.
func TestPredictionBaseIsALevelThatDoesNotFail(t *testing.T) {
	values := []string{"1", "2", "4"}
	made := []setdoc.Row{rowAt("1", 1, 1, 3), rowAt("2", 1, 2, 900), rowAt("4", 1, 4, 1700)}
	made[0].Failed = 20
	s := Analyze(clientsPlan(1, values...), made)
	if s.Base == nil || s.Base.Level != 1 || s.Base.Single || math.Abs(s.Base.W1/(2e9/900)-1) > 1e-9 {
		t.Errorf("base %+v", s.Base)
	}
	if e := s.Levels[2].Efficiency; e == nil || math.Abs(*e-1700.0/1800) > 1e-9 {
		t.Errorf("efficiency %v", e)
	}
	noted := slices.ContainsFunc(s.Doubts, func(d string) bool {
		return strings.Contains(d, "failed too often: prediction and efficiency are relative to clients 2, the lowest setting that does not fail")
	})
	if !noted {
		t.Errorf("doubts %q", s.Doubts)
	}
	for i := range made {
		made[i].Failed = made[i].OK
	}
	if s := Analyze(clientsPlan(1, values...), made); s.Base != nil || s.Levels[2].Efficiency != nil {
		t.Errorf("base %+v of levels that fail", s.Base)
	}
}
