package sets_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// server is what the runs of a fixed sweep are made against: so many workers, each busy for so long with an
// operation.
type server struct {
	workers float64
	busy    time.Duration
	slower  float64 // for each client beyond the workers: its service takes so much longer, as a share
	fails   float64 // from so many clients on, a hundredth fails; 0: never
	noise   float64
}

// throughput is that of so many clients, without noise.
func (s server) throughput(clients float64) float64 {
	beyond := max(0, clients-s.workers)
	return min(clients, s.workers) / (s.busy.Seconds() * (1 + s.slower*beyond))
}

// row is a run of five seconds.
func (s server) row(random *rand.Rand, clients float64, values []string, repeat int) setdoc.Row {
	const window = 5
	x := s.throughput(clients) * (1 + s.noise*random.NormFloat64())
	w := clients / x // of an operation, waiting included
	second, service := x*(1+2*s.noise), int64(w*1e9)
	p50, p99 := service-service/50, service+service/8
	awaiting := int64(clients * window * 1e9 * 0.985)
	r := setdoc.Row{
		Values: values, Repeat: repeat, Member: fmt.Sprintf("20260504T0930%02d.%03dZ-%04x", repeat,
			int(clients), int(clients)*97+repeat),
		Validity: string(rundoc.Valid), Clients: clients, WindowNS: window * 1e9, Throughput: &x, PeakSecond: &second,
		OK: int64(x * window), Opened: int64(clients),
		ServiceMeanNS: service, ServiceP50NS: &p50, ServiceP99NS: &p99,
		ResponseMeanNS: service, ResponseP50NS: &p50, ResponseP99NS: &p99,
		States: map[string]int64{
			rundoc.StateAwaiting: awaiting, rundoc.StatePreparing: int64(clients*window*1e9) - awaiting,
		},
		InFlightSampled: clients * 0.991, InFlightPredicted: clients * 0.985,
	}
	if s.fails > 0 && clients >= s.fails {
		r.Failed, r.Retries, r.Reconnects, r.NotOpened = r.OK/80, r.OK/400, r.OK/400, 3
		r.Causes = []setdoc.CauseCount{{Cause: "timeout", Count: r.Failed}, {Cause: "refused", Count: 3}}
	}
	return r
}

var started = time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)

// setOf is the set of rows, in an order drawn by lot.
func setOf(p sweep.Plan, rows []setdoc.Row, target string) *setdoc.Set {
	rand.New(rand.NewPCG(p.Seed, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	set := &setdoc.Set{
		ID: "20260504T093000.000Z-7f3a", Kind: setdoc.KindSweep, Started: started,
		Ended:   started.Add(3 * time.Minute),
		Planned: len(rows), Tool: rundoc.Tool{Version: "1.4.0"},
		Host:    rundoc.Host{OS: "linux", Arch: "amd64", CPU: "Example 3000", CPUs: 8},
		Verdict: rundoc.Verdict{Validity: rundoc.Valid},
		Plan:    json.RawMessage(`{"kind":"chat","repeat":3,"load":{"duration_ns":5000000000,"warmup_ns":1000000000}}`),
		Sweep:   sweep.Analyze(p, slices.Clone(rows)),
	}
	for i, r := range rows {
		name := ""
		settings := map[string]string{}
		for j, v := range p.Vary {
			name += v.Setting + " " + r.Values[j] + ", "
			settings[v.Setting] = r.Values[j]
		}
		set.Members = append(set.Members, setdoc.Member{
			ID: r.Member, Name: name + "repeat " + strconv.Itoa(r.Repeat), Workload: p.Workload, Settings: settings,
			Path: "members/" + r.Member + "/run.json", Repeat: r.Repeat,
			Started: started.Add(time.Duration(i) * 7 * time.Second),
			Target:  target, Verdict: rundoc.Verdict{Validity: rundoc.Validity(r.Validity)},
		})
	}
	return set
}

// clientsSweep is a sweep over the number of clients.
func clientsSweep(s server, target string, repeats int, levels ...int) *setdoc.Set {
	random := rand.New(rand.NewPCG(7, 7))
	vary := setdoc.Vary{Setting: "clients", Numeric: true, Concurrency: true}
	var rows []setdoc.Row
	for _, n := range levels {
		value := strconv.Itoa(n)
		vary.Values = append(vary.Values, value)
		for repeat := range repeats {
			rows = append(rows, s.row(random, float64(n), []string{value}, repeat+1))
		}
	}
	return setOf(sweep.Plan{Workload: "chat", Vary: []setdoc.Vary{vary}, Repeats: repeats, Seed: 42,
		Figure: setdoc.Figure{Name: "rate", Unit: "per_s", Of: "messages"}}, rows, target)
}

// plateau ends on one: 16 workers.
func plateau() *setdoc.Set {
	return clientsSweep(server{workers: 16, busy: 20 * time.Millisecond, noise: 0.008}, "ws://localhost:8080/chat", 3,
		1, 2, 4, 8, 16, 32, 64)
}

// failing ends in failure: slower beyond its workers, and failing from 320 clients on.
func failing() *setdoc.Set {
	set := clientsSweep(server{workers: 280, busy: 17371 * time.Microsecond, slower: 0.01, fails: 320, noise: 0.01},
		"wss://chat.example.org/ws", 3, 1, 64, 128, 224, 256, 288, 320)
	p99 := 61.2e6
	for i := range set.Members {
		m := &set.Members[i]
		limit := rundoc.Threshold{Expr: "p99<50ms", Unit: "ns", Limit: 50e6, Value: &p99,
			Met: m.Settings["clients"] != "320"}
		if m.Thresholds = []rundoc.Threshold{limit}; !limit.Met {
			m.Exit, m.Error = 3, "p99<50ms was missed: p99 was 61.2 ms"
		}
	}
	return set
}

// usl follows the scaling law.
func usl() *setdoc.Set {
	random := rand.New(rand.NewPCG(9, 9))
	set := clientsSweep(server{workers: 1000, busy: 2 * time.Millisecond, noise: 0.01}, "demo", 3, 1, 2, 4, 8,
		16, 32, 64)
	rows := set.Sweep.Rows
	for i := range rows {
		n, _ := strconv.ParseFloat(rows[i].Values[0], 64)
		x := 500 * n / (1 + 0.03*(n-1) + 0.0005*n*(n-1)) * (1 + 0.01*random.NormFloat64())
		second := x * 1.03
		rows[i].Throughput, rows[i].PeakSecond, rows[i].OK = &x, &second, int64(x*5)
	}
	s := set.Sweep
	return setOf(sweep.Plan{Workload: "chat", Vary: s.Vary, Repeats: 3, Seed: 5, Figure: s.Figure}, rows, "demo")
}

// named is a sweep over a setting of names.
func named() *setdoc.Set {
	random := rand.New(rand.NewPCG(3, 3))
	vary := setdoc.Vary{Setting: "policy", Values: []string{"sequential", "random", "prefetch"}}
	var rows []setdoc.Row
	for i, policy := range vary.Values {
		for repeat := range 3 {
			r := server{workers: 100, busy: time.Duration(3-i) * 10 * time.Microsecond, noise: 0.02}.
				row(random, 8, []string{policy}, repeat+1)
			r.Member += strconv.Itoa(i)
			*r.Throughput *= 1e3
			*r.PeakSecond *= 1e3
			rows = append(rows, r)
		}
	}
	return setOf(sweep.Plan{Workload: "bandwidth", Vary: []setdoc.Vary{vary}, Repeats: 3, Seed: 8,
		Figure: setdoc.Figure{Name: "download", Unit: "bytes_per_s", Of: "downloaded"}}, rows, "s3://bucket")
}

// grid is a sweep over two settings.
func grid() *setdoc.Set {
	random := rand.New(rand.NewPCG(4, 4))
	clients := setdoc.Vary{Setting: "clients", Values: []string{"4", "8", "16"}, Numeric: true, Concurrency: true}
	rooms := setdoc.Vary{Setting: "rooms", Values: []string{"1", "20"}, Numeric: true}
	var rows []setdoc.Row
	for _, c := range clients.Values {
		for j, room := range rooms.Values {
			n, _ := strconv.ParseFloat(c, 64)
			r := server{workers: 10, busy: time.Duration(4-j) * time.Millisecond, noise: 0.02}.row(random, n,
				[]string{c, room}, 1)
			r.Member += room
			rows = append(rows, r)
		}
	}
	return setOf(sweep.Plan{Workload: "chat", Vary: []setdoc.Vary{clients, rooms}, Repeats: 1, Seed: 8,
		Figure: setdoc.Figure{Name: "rate", Unit: "per_s", Of: "messages"}}, rows, "demo")
}

// planned is the set of a plan file, one of whose runs missed a threshold and another of which did not start.
func planned() *setdoc.Set {
	p99, p99NS, rate := 61.2e6, int64(61.2e6), 4811.2
	set := &setdoc.Set{
		ID: "20260504T100000.000Z-11aa", Kind: setdoc.KindPlan, Started: started,
		Ended: started.Add(time.Minute), Planned: 4,
		Tool: rundoc.Tool{Version: "1.4.0"}, Interrupted: true,
		Plan: json.RawMessage(`{"file":"nightly.yaml","runs":[{"name":"small","kind":"chat","given":["clients 8"]},` +
			`{"name":"large","kind":"chat","given":["clients 64","header …"]},{"name":"kept-away","kind":"overhead"}]}`),
		Verdict: rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"1 of 3 runs is suspect: large"}},
	}
	for i, name := range []string{"small", "large", "kept-away"} {
		m := setdoc.Member{ID: fmt.Sprintf("20260504T10000%d.000Z-11ab", i), Name: name, Workload: "chat",
			Started: started,
			Path:    "members/x/run.json", Target: "wss://chat.example.org/ws",
			Verdict: rundoc.Verdict{Validity: rundoc.Valid}, RatePerS: &rate, P99NS: &p99NS}
		m.Thresholds = []rundoc.Threshold{{Expr: "p99<80ms", Unit: "ns", Limit: 80e6, Value: &p99, Met: true}}
		switch i {
		case 1:
			m.RatePerS, m.Result = nil, "UL 240 MB/s, DL 249 MB/s"
			m.Verdict.Validity, m.Exit, m.Error = rundoc.Suspect, 3, "p99<50ms was missed: p99 was 61.2 ms"
			m.Thresholds = append(m.Thresholds, rundoc.Threshold{Expr: "p99<50ms", Unit: "ns", Limit: 50e6,
				Value: &p99})
		case 2:
			m.Verdict, m.Path, m.Thresholds, m.RatePerS, m.P99NS = rundoc.Verdict{}, "", nil, nil, nil
			m.Exit, m.Error = 1, "cannot connect: connection refused"
		}
		set.Members = append(set.Members, m)
	}
	return set
}
