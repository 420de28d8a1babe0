package sweep

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

// One run a level: nobody knows how much runs differ, so that little of a difference means nothing.
func TestWithoutRepeats(t *testing.T) {
	for _, tt := range []struct {
		last   float64
		best   int
		ending string
	}{{205, 1, setdoc.EndsOnPlateau}, {190, 1, setdoc.EndsOnPlateau}, {179, 1, setdoc.EndsInDecline},
		{207, 2, setdoc.EndsRising}} {
		s := Analyze(clientsPlan(1, "1", "2", "4"),
			[]setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 200), rowAt("4", 1, 4, tt.last)})
		if *s.Best != tt.best || s.Ending != tt.ending || len(s.Doubts) != 1 || s.Levels[0].Interval != nil {
			t.Errorf("%g: best %d, ends in %q, %q", tt.last, *s.Best, s.Ending, s.Doubts)
		}
	}
}

// 2 % less is as good, however well it is told apart; 5 % less is as good only where the repeats do not tell.
func TestAsGood(t *testing.T) {
	rows := func(x, off float64) (list []setdoc.Row) {
		for i, by := range []float64{1 - off, 1, 1 + off} {
			list = append(list, rowAt("1", i+1, 1, 100*by), rowAt("2", i+1, 2, x*by), rowAt("4", i+1, 4, 200*by))
		}
		return list
	}
	for _, tt := range []struct {
		x, off float64
		best   int
	}{{196, 1e-4, 1}, {190, 1e-4, 2}, {190, 0.04, 1}, {178, 0.2, 2}} {
		s := Analyze(clientsPlan(3, "1", "2", "4"), rows(tt.x, tt.off))
		if *s.Best != tt.best {
			t.Errorf("%g ± %g: best is %d, want %d", tt.x, tt.off, *s.Best, tt.best)
		}
	}
}

// Levels without a valid run are in no law, and a median of two runs is the lower.
func TestWhatTheLawIsOf(t *testing.T) {
	values := []string{"1", "2", "4", "8", "16"}
	made := workers(rand.New(rand.NewPCG(seed, 7)), 1000, 0.01, 0.01, 2, values...)
	for i := range made {
		made[i].ServiceP50NS = new(int64(made[i].Repeat))
		if made[i].Values[0] == "16" {
			made[i].Validity = "invalid"
			*made[i].Throughput /= 3
		}
	}
	s := Analyze(clientsPlan(2, values...), made)
	if s.Scaling.Refused != "" || s.Scaling.Lambda == nil || s.Scaling.Lambda.Value < 95 {
		t.Errorf("%+v", s.Scaling)
	}
	if *s.Levels[0].ServiceP50NS != 1 {
		t.Errorf("median %d", *s.Levels[0].ServiceP50NS)
	}
	if want := "Nobody knows what comes beyond it: the runs of the 1 level above it are invalid."; *s.Best != 3 ||
		s.Ending != setdoc.EndsRising || !strings.Contains(s.Recommended, want) {
		t.Errorf("level %d, %s, %q", *s.Best, s.Ending, s.Recommended)
	}
}

// Of a kind without a throughput the figure is a time, and less is better.
func TestATimeAsTheFigure(t *testing.T) {
	p := clientsPlan(3, "1", "2", "4")
	p.Figure = setdoc.Figure{Name: "overhead.p50", Unit: "ns"}
	s := Analyze(p, rowsOf(map[string]float64{"1": 3e6, "2": 1e6, "4": 2e6}))
	if *s.Best != 1 || *s.Peak != 1 || s.Ending != "" || s.Base != nil ||
		s.Scaling.Refused != "the law is one of a throughput, and overhead.p50 is a time" ||
		s.Recommended != "Clients 2: 1.00 ms, 50 % less than clients 4, the next." {
		t.Errorf("%+v, %q", s.Scaling, s.Recommended)
	}
}

// Two runs that count the same operations differ by what a count hides, and by no float's last digits.
func TestIntervalOfRunsThatAreAlike(t *testing.T) {
	values := []string{"1", "2"}
	made := []setdoc.Row{rowAt("1", 1, 1, 50), rowAt("1", 2, 1, 50), rowAt("2", 1, 2, 100), rowAt("2", 2, 2, 100)}
	s := Analyze(clientsPlan(2, values...), made)
	// Each run has 10 s: a step is 0.1/s, t of one degree of freedom 12.706.
	half := 12.706204736432095 * 0.1 / math.Sqrt(12) / math.Sqrt(2)
	for _, v := range s.Levels {
		if len(v.Interval) != 2 || math.Abs((v.Interval[1]-v.Interval[0])/2-half) > 1e-9 {
			t.Errorf("%s: %v, want ± %.4f", v.Values[0], v.Interval, half)
		}
	}
	p := clientsPlan(2, values...)
	p.Figure = setdoc.Figure{Name: "download", Unit: "bytes_per_s"}
	x := 0.1 + 0.2
	for i := range made {
		made[i].Throughput = &x
	}
	x2 := 0.3
	made[1].Throughput = &x2
	for _, v := range Analyze(p, made).Levels {
		if v.Interval != nil {
			t.Errorf("%s of no known step: %v", v.Values[0], v.Interval)
		}
	}
}

// Twelve connections are let in, the others turned away: what gets through then is no point of the law, which would
// else have a peak where there is none.
func TestLawIsNotOfLevelsThatFail(t *testing.T) {
	throughput := map[string]float64{"1": 48, "2": 92, "4": 172, "8": 300, "12": 390, "16": 391, "24": 392}
	values := []string{"1", "2", "4", "8", "12", "16", "24"}
	rows := func(fail bool) (made []setdoc.Row) {
		for i, value := range values {
			for repeat := range 3 {
				n, _ := strconv.ParseFloat(value, 64)
				r := rowAt(value, repeat+1, n, throughput[value]*(1+0.004*float64(repeat-1)))
				if fail && i >= 5 {
					r.Failed = r.OK / 4
				}
				made = append(made, r)
			}
		}
		return made
	}
	s := Analyze(clientsPlan(3, values...), rows(true))
	if s.Scaling.Refused != "" || s.Scaling.Peak != nil {
		t.Errorf("law %+v", s.Scaling)
	}
	want := "The scaling law is fitted without clients 16; clients 24, where too much fails to measure it."
	if !slices.Contains(s.Doubts, want) {
		t.Errorf("doubts %q", s.Doubts)
	}
	few := slices.DeleteFunc(rows(true), func(r setdoc.Row) bool { return r.Values[0] == "4" || r.Values[0] == "8" })
	s = Analyze(clientsPlan(3, "1", "2", "12", "16", "24"), few)
	if !strings.Contains(s.Scaling.Refused, "too few levels: 3, and 4 are needed (without clients 16; clients 24") {
		t.Errorf("refused %q", s.Scaling.Refused)
	}
}

// An efficiency of more than 100 % puts the base in doubt.
func TestEfficiencyBeyondAll(t *testing.T) {
	made := []setdoc.Row{rowAt("1", 1, 1, 40), rowAt("1", 2, 1, 50), rowAt("4", 1, 4, 199), rowAt("4", 2, 4, 201)}
	s := Analyze(clientsPlan(2, "1", "4"), made)
	found := slices.ContainsFunc(s.Doubts, func(d string) bool {
		return strings.HasPrefix(d, "The efficiency of clients 4 is 111 %: ") && strings.Contains(d, "clients 1 and is known to ± 141 %")
	})
	if !found {
		t.Errorf("doubts %q", s.Doubts)
	}
}

// Of several levels beyond the best each might be lower by chance: the more of them, the more a fall has to show.
func TestManyLevelsAreComparedMoreStrictly(t *testing.T) {
	var levels []level
	for i, pair := range [][2]float64{{100, 104}, {94, 98}, {99, 103}} {
		made := []setdoc.Row{rowAt(strconv.Itoa(i), 1, 1, pair[0]), rowAt(strconv.Itoa(i), 2, 1, pair[1])}
		levels = append(levels, (&analysis{Sweep: &setdoc.Sweep{}}).levelOf(made))
	}
	n := noiseOf(levels)
	p := stats.StudentP(math.Abs(mean(levels[0].logs())-mean(levels[1].logs()))/n.deviation, n.freedom)
	pairs := 1
	for p < stats.Alpha/float64(pairs) {
		pairs++
	}
	if n.apart(&levels[0], &levels[1], pairs) || pairs > 1 && !n.apart(&levels[0], &levels[1], pairs-1) {
		t.Errorf("p = %.4f, and %d pairs", p, pairs)
	}
	tight := noise{deviation: 0.02, freedom: 3}
	if !tight.apart(&levels[0], &levels[1], 1) == tight.apart(&levels[0], &levels[1], 50) {
		t.Error("one pair and fifty are the same")
	}
}

// A level in which the server died is no base of the prediction, nor is there one where all levels fail.
func TestBaseDoesNotFail(t *testing.T) {
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
	said := slices.ContainsFunc(s.Doubts, func(d string) bool {
		return strings.Contains(d, "too much of it failed: the prediction is by clients 2, the lowest level that does not fail")
	})
	if !said {
		t.Errorf("doubts %q", s.Doubts)
	}
	for i := range made {
		made[i].Failed = made[i].OK
	}
	if s := Analyze(clientsPlan(1, values...), made); s.Base != nil || s.Levels[2].Efficiency != nil {
		t.Errorf("base %+v of levels that fail", s.Base)
	}
}

// A level of which a run could not even begin is not the best, and says so: the others of its runs were lucky.
func TestLostRun(t *testing.T) {
	lost := setdoc.Row{Values: []string{"8"}, Repeat: 2, Validity: "invalid", Reasons: []string{"Nothing was measured: refused."}}
	made := []setdoc.Row{rowAt("1", 1, 1, 100), rowAt("1", 2, 1, 101), rowAt("4", 1, 4, 390), rowAt("4", 2, 4, 392),
		rowAt("8", 1, 8, 780), lost}
	s := Analyze(clientsPlan(2, "1", "4", "8"), made)
	if s.Best == nil || *s.Best != 1 || s.Ending != setdoc.EndsInFailure || s.FailsFrom == nil || *s.FailsFrom != 2 {
		t.Errorf("best %v, ends in %q, fails from %v", s.Best, s.Ending, s.FailsFrom)
	}
	if !strings.Contains(s.Recommended, "At clients 8 1 of 2 runs measured nothing.") {
		t.Errorf("%q", s.Recommended)
	}
	if got := Failure(s, 2); got != "1 of 2 runs measured nothing" {
		t.Errorf("%q", got)
	}
	want := "Clients 8: 1 of 2 runs are invalid and in no mean: Nothing was measured: refused."
	if !slices.Contains(s.Doubts, want) || s.Levels[2].Runs != 2 || s.Levels[2].Lost != 1 {
		t.Errorf("%+v, doubts %q", s.Levels[2], s.Doubts)
	}
}
