package sets_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// lineOf is a search against a simulated server, whose p99 goes from 12 ms to beyond all limits where it bears no more.
// told may say that a probe tells nothing.
func lineOf(l setdoc.Loadline, bears, noise float64, told func(at int) bool) *setdoc.Set {
	random := rand.New(rand.NewPCG(11, 3))
	s := loadline.New(l)
	set := &setdoc.Set{
		ID: "20260504T110000.000Z-22bb", Kind: setdoc.KindLoadline, Started: started, Ended: started.Add(3 * time.Minute),
		Tool: rundoc.Tool{Version: "1.4.0"}, Host: rundoc.Host{OS: "linux", Arch: "amd64", CPU: "Example 3000", CPUs: 8},
		Plan: json.RawMessage(`{"vary":"` + l.Vary + `","slo":"p99<50ms,failed<0.1%","lowest":18.775,"highest":1000000,` +
			`"start":1000,"within":0.045,"max_probe_ns":60000000000,"seed":42,"run":{"load":{"clients":64}}}`),
	}
	for at := 0; ; at++ {
		load, more := s.Next()
		if !more {
			break
		}
		x := load / bears * math.Exp(noise*random.NormFloat64())
		length := int64(max(1e9, min(7200e9/load, 60e9)))
		p99 := min(12e6/max(1-0.76*x, 0.001), 3e9*x)
		failed := max(0, 1-1/x) / 20
		if x < 1.2 {
			failed = 0
		}
		rate, ns := min(load, bears), int64(p99)
		p := setdoc.Probe{
			Member: fmt.Sprintf("20260504T11%02d00.000Z-22bc", at), Load: load, LengthNS: length, Result: setdoc.ProbeMet,
			Rate: &rate, P99NS: &ns, Values: []setdoc.Known{{Value: &p99}, {Value: &failed}},
		}
		verdict := rundoc.Verdict{Validity: rundoc.Valid}
		if p99 >= 50e6 {
			p.Result, p.Missed = setdoc.ProbeFailed, []string{"p99<50ms"}
			p.Why = fmt.Sprintf("p99<50ms was missed: p99 was %.1f ms", p99/1e6)
			verdict = rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"It was too much."}}
		}
		if failed >= 0.001 {
			p.Missed = append(p.Missed, "failed<0.1%")
		}
		if told != nil && !told(at) {
			p.Result, p.Own, p.Missed = setdoc.ProbeTellsNothing, true, nil
			p.Why = "p99<50ms cannot be evaluated: p99 was 71.0 ms (14.1 ms corrected)"
		}
		p.SlotsUsed = new(min(1, 0.83*x))
		s.Take(p)
		set.Members = append(set.Members, setdoc.Member{
			ID: p.Member, Name: loadline.Amount(&l, load), Workload: l.Workload, Path: "members/" + p.Member + "/run.json",
			Started: started.Add(time.Duration(at) * 7 * time.Second), Target: "http://localhost:8080/", Verdict: verdict,
		})
	}
	set.Loadline, set.Planned = s.Doc(), len(set.Members)
	if len(set.Loadline.Limits) > 0 {
		set.Loadline.Processors = "At " + loadline.Amount(&l, bears) + ", the lowest load that failed, the load generator used 31% of 8 " +
			"CPUs, the target 88% of 8. The limit is the target's CPU."
	}
	set.Verdict = loadline.Verdict(set)
	return set
}

func askedLine() setdoc.Loadline {
	return setdoc.Loadline{
		Workload: "http", Vary: "rate", Unit: "requests/s", Start: 1000, Lowest: 18.775, Highest: 1e6, Within: 0.045,
		Most: 60, LongestNS: 60e9,
		SLO: []setdoc.Goal{{Expr: "p99<50ms", Figure: "p99", Unit: "ns", Limit: 50e6},
			{Expr: "failed<0.1%", Figure: "failed", Unit: "share", Limit: 0.001}},
	}
}

// line is a load line that was found, though the generator once did not keep time.
func line() *setdoc.Set {
	return lineOf(askedLine(), 3412, 0.02, func(at int) bool { return at != 4 })
}

// lineGenerator is one that was not, since the generator could do no more.
func lineGenerator() *setdoc.Set {
	return lineOf(askedLine(), 1e5, 0.02, func(at int) bool { return at < 5 })
}

// lineBelow is one of an SLO that is not met.
func lineBelow() *setdoc.Set { return lineOf(askedLine(), 10, 0.02, nil) }

// lineClients is a load line of clients.
func lineClients() *setdoc.Set {
	l := askedLine()
	l.Vary, l.Unit, l.Whole, l.Start, l.Lowest, l.Highest = "clients", "clients", true, 1, 1, 10000
	return lineOf(l, 24, 0.01, nil)
}
