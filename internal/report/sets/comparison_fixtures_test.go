package sets_test

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// figures are the rows of a fixed comparison: what A has, and what B has to that.
type figures struct {
	name, unit, of string
	less           bool
	a, ratio, half float64 // half: of the interval, on the scale of logarithms
	outcome        string
	absent         string
}

// comparison is a fixed one of so many launches. Its rows are told, and do not follow from its launches.
func comparison(launches int, way string, rows ...figures) *setdoc.Set {
	c := &setdoc.Comparison{
		Rules: contrast.Rules, Workload: "http", Way: way, Seed: 7, Looks: []int{10, 20, 30}, Alphas: []float64{0.008, 0.012, 0.03},
		BusyLimit: 0.2, Judged: launches,
		Sides: [2]setdoc.Side{
			{Name: "http://127.0.0.1:8080/?key=…", Command: "plimsoll http 'http://127.0.0.1:8080/?key=…' --clients 50",
				Target: "http://127.0.0.1:8080/?key=…", Plan: json.RawMessage(`{"url":"a","load":{"clients":50,"duration_ns":1000000000}}`)},
			{Name: "http://127.0.0.1:8081/?key=…", Command: "plimsoll http 'http://127.0.0.1:8081/?key=…' --clients 50",
				Target: "http://127.0.0.1:8081/?key=…", Plan: json.RawMessage(`{"url":"b","load":{"clients":50,"duration_ns":1000000000}}`)},
		},
	}
	for i, f := range rows {
		c.Figures = append(c.Figures, setdoc.Compared{Figure: setdoc.Figure{Name: f.name, Unit: f.unit, Of: f.of}, Less: f.less,
			Info: f.outcome == setdoc.NotJudged})
		row := setdoc.Contrast{Figure: i, Launches: launches, Outcome: f.outcome, Absent: f.absent}
		if f.absent == "" {
			row.A, row.B, row.Ratio = new(f.a), new(f.a*f.ratio), new(f.ratio)
		}
		if f.absent == "" && f.outcome != setdoc.NotJudged {
			se := f.half / 2.3
			row.Low, row.High = new(f.ratio*math.Exp(-f.half)), new(f.ratio*math.Exp(f.half))
			row.P, row.Adjusted, row.SignFlip = new(math.Exp(-math.Abs(math.Log(f.ratio))/se)), new(0.04), new(0.021)
			row.Smallest = new(math.Expm1(4.2 * se))
		}
		c.Rows = append(c.Rows, row)
	}
	set := &setdoc.Set{
		ID: "20261123T093000.000Z-5b1c", Kind: setdoc.KindCompare, Started: started, Ended: started.Add(time.Minute),
		Planned: 2 * launches, Tool: rundoc.Tool{Version: "1.9.0"}, Plan: json.RawMessage(`{"launches":30}`),
		Host:    rundoc.Host{OS: "linux", Arch: "amd64", CPU: "Example 3000", CPUs: 8},
		Verdict: rundoc.Verdict{Validity: rundoc.Valid}, Comparison: c,
	}
	for at := range launches {
		l := setdoc.Launch{First: at % 2, Others: new(0.01 * float64(at%5))}
		if way == setdoc.BySlices {
			l.SliceNS, l.Slices = 20e6, 50
		}
		for side := range 2 {
			l.Members[side] = fmt.Sprintf("20261123T0930%02d.%d00Z-%04x", at, side, at)
			for _, f := range rows {
				x := f.a * (1 + 0.004*float64((at*7+side*3)%11))
				if side == 1 {
					x *= f.ratio
				}
				if f.absent != "" {
					l.Values[side] = append(l.Values[side], setdoc.Known{Why: f.absent})
				} else {
					l.Values[side] = append(l.Values[side], setdoc.Known{Value: &x})
				}
			}
		}
		c.Launches = append(c.Launches, l)
		for _, side := range []int{l.First, 1 - l.First} {
			set.Members = append(set.Members, setdoc.Member{
				ID: l.Members[side], Name: fmt.Sprintf("launch %d, %s", at+1, "AB"[side:side+1]), Workload: "http",
				Path: "members/" + l.Members[side] + "/run.json", Repeat: at + 1,
				Settings: map[string]string{"side": "AB"[side : side+1]}, Target: c.Sides[side].Target,
				Started: started.Add(time.Duration(at) * 3 * time.Second), Verdict: rundoc.Verdict{Validity: rundoc.Valid},
			})
		}
	}
	return set
}

// worse is a comparison that found the second side worse.
func worse() *setdoc.Set {
	set := comparison(20, setdoc.BySlices,
		figures{"rate", "per_s", "requests", false, 4811, 0.971, 0.011, setdoc.Worse, ""},
		figures{"p50", "ns", "p50", true, 2.1e6, 1.006, 0.012, setdoc.NoneShown, ""},
		figures{"p99", "ns", "p99", true, 12.4e6, 1.072, 0.031, setdoc.Worse, ""},
		figures{"failed", "share", "failed", true, 0, 0, 0, setdoc.Unknown, setdoc.NoneOnEither},
		figures{"cpu_per_operation", "ns", "cpu_per_operation", true, 61e3, 1.3, 0.02, setdoc.NotJudged, ""},
		figures{"flow.p99", "ns", "flow.p99", true, 0, 0, 0, setdoc.Unknown, "the run has no such times"})
	c := set.Comparison
	c.RoundNS, c.Rounds = 500e6, &setdoc.Rounds{LengthNS: 500e6, Count: 40, Stddev: 0.079}
	c.Decided = "Stopped after 20 launches: every metric is decided."
	c.Doubts = []string{"p50: the t test finds a difference, but the sign-flip test does not, so none is reported"}
	dropped, lost := c.Launches[3], c.Launches[4]
	dropped.Dropped, dropped.Others, lost.Lost, lost.Values = true, new(0.47), "B: cannot connect: connection refused", [2][]setdoc.Known{}
	c.Launches = append(c.Launches, dropped, lost)
	c.Dropped = 1
	return set
}

// unshown is a comparison that found nothing, of whole runs.
func unshown() *setdoc.Set {
	return comparison(30, setdoc.ByRuns, figures{"p99", "ns", "p99", true, 12.4e6, 1.004, 0.022, setdoc.NoneShown, ""})
}

// early is a comparison that was interrupted before it could be judged.
func early() *setdoc.Set {
	set := comparison(4, setdoc.AtOnce,
		figures{"rate", "per_s", "requests", false, 4811, 0.971, 0.011, "", ""},
		figures{"p99", "ns", "p99", true, 12.4e6, 1.072, 0.031, "", ""})
	set.Interrupted, set.Planned, set.Comparison.Judged = true, 60, 0
	for i := range set.Comparison.Rows {
		r := &set.Comparison.Rows[i]
		*r = setdoc.Contrast{Figure: r.Figure, Launches: 4, A: r.A, B: r.B, Ratio: r.Ratio, Outcome: setdoc.Unknown,
			Absent: "4 launches are too few for a test: at least 10 are needed"}
	}
	return set
}

// mixed is a comparison that shows no difference, with figures of which nothing is known.
func mixed() *setdoc.Set {
	const short = "too few operations in 1s for p99, which needs 1,000: --duration 2s would be enough"
	set := comparison(30, setdoc.BySlices,
		figures{"rate", "per_s", "requests", false, 711, 1.004, 0.011, setdoc.NoneShown, ""},
		figures{"p50", "ns", "p50", true, 2.1e6, 0.998, 0.012, setdoc.NoneShown, ""},
		figures{"p90", "ns", "p90", true, 4.4e6, 1.006, 0.042, setdoc.NoneShown, ""},
		figures{"p99", "ns", "p99", true, 0, 0, 0, setdoc.Unknown, short},
		figures{"failed", "share", "failed", true, 0, 0, 0, setdoc.NoneShown, setdoc.NoneOnEither},
		figures{"cpu_per_operation", "ns", "cpu_per_operation", true, 61e3, 1.01, 0.02, setdoc.NotJudged, ""})
	set.Verdict = rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"1 of 60 runs is invalid.",
		"That is few enough: the comparison excludes the most extreme fifth of the launches at each end."}}
	set.Members[7].Verdict.Validity, set.Members[7].Exit = rundoc.Invalid, 4
	set.Members[7].Error = "the measurement cannot be trusted: others used 80% of the CPUs"
	return set
}

// dropped is a comparison whose launches were all dropped.
func dropped() *setdoc.Set {
	set := comparison(10, setdoc.ByRuns,
		figures{"rate", "per_s", "requests", false, 0, 0, 0, setdoc.Unknown, "no launch has a result"},
		figures{"p99", "ns", "p99", true, 0, 0, 0, setdoc.Unknown, "no launch has a result"})
	c := set.Comparison
	c.BusyLimit, c.Dropped, c.Judged = 0.56, 10, 0
	for i := range c.Launches {
		c.Launches[i].Dropped, c.Launches[i].Others = true, new(0.88)
	}
	c.Doubts = []string{"10 launches were dropped, at least half of all, because other programs used more than 56% of the CPUs: " +
		"stop them, or keep all launches with --busy-limit 0"}
	return set
}
