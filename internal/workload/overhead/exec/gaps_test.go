package exec

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// at is an exchange of 10 ns on a connection.
func at(op string, conn uint64, received int64) Exchange {
	return Exchange{Service: "S3", Operation: op, Conn: conn, Received: received, Answering: received + 8,
		Sent: received + 10, Kernel: true, Status: 200}
}

// with changes an exchange.
func with(e Exchange, change func(*Exchange)) Exchange {
	change(&e)
	return e
}

// late is an exchange whose end was stamped long after the answer was out.
func late(e Exchange) Exchange {
	return with(e, func(e *Exchange) { e.Answering = e.Received + 1 })
}

func db(e Exchange) Exchange { return with(e, func(e *Exchange) { e.Service = "DynamoDB" }) }

// by is of a process.
func by(process int, e Exchange) Exchange {
	return with(e, func(e *Exchange) { e.Process = process })
}

func aged(ns int64, e Exchange) Exchange { return with(e, func(e *Exchange) { e.Age = ns }) }

func failing(e Exchange) Exchange { return with(e, func(e *Exchange) { e.Status = 503 }) }

// values are the times without their marks.
func values(gaps []Gap) []int64 {
	var list []int64
	for _, g := range gaps {
		list = append(list, g.NS)
	}
	return list
}

func TestMeasureTimesBetweenExchanges(t *testing.T) {
	type op struct {
		Calls, Failed, Warm int64
		Kept, New           []int64
	}
	type result struct {
		Ops                                                   map[string]op
		Unknown, Mixed, Failed, Early, Late, Switches, Served int64
		Beside                                                int64
		Processes                                             int
	}
	for _, test := range []struct {
		name  string
		trace []Exchange
		o     Options
		want  result
	}{
		{"nothing", nil, Options{}, result{Ops: map[string]op{}}},
		{"one", []Exchange{at("a", 1, 5)}, Options{}, result{Ops: map[string]op{"a": {Calls: 1}}, Served: 10}},
		{"in a row", []Exchange{at("a", 1, 0), at("a", 1, 100), at("a", 1, 130)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3, Kept: []int64{90, 20}}}, Served: 30}},
		{"pairs", []Exchange{at("a", 1, 0), at("b", 1, 20), at("a", 1, 41), at("b", 1, 63), at("a", 1, 90)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3}, "b": {Calls: 2}, "a after b": {Calls: 2, Kept: []int64{11, 17}},
				"b after a": {Calls: 2, Kept: []int64{10, 12}}}, Served: 50}},
		{"pairs of two services", []Exchange{at("a", 1, 0), db(at("a", 1, 20)), at("a", 1, 41), db(at("a", 1, 63)),
			failing(at("a", 1, 90)), db(at("a", 1, 110))}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3, Failed: 1}, "DynamoDB a": {Calls: 3},
				"DynamoDB a after S3 a": {Calls: 2, Kept: []int64{10, 12}}, "a after DynamoDB a": {Calls: 2, Kept: []int64{11, 17}}},
				Failed: 1, Served: 60}},
		{"a warm-up of pairs", []Exchange{at("a", 1, 0), at("b", 1, 20), at("a", 1, 41), at("b", 1, 63), at("a", 1, 90)},
			Options{Warmup: 40},
			result{Ops: map[string]op{"a": {Calls: 3}, "b": {Calls: 2}, "a after b": {Calls: 2, Warm: 1, Kept: []int64{17}},
				"b after a": {Calls: 2, Warm: 1, Kept: []int64{12}}}, Served: 50}},
		// Each process has 30 ns between its calls; from outside it is 5.
		{"two processes at once", []Exchange{by(7, at("a", 1, 0)), aged(20, by(8, at("a", 2, 15))), by(7, at("a", 1, 40)),
			by(8, at("a", 2, 55)), by(7, at("a", 1, 80)), by(8, at("a", 2, 95))}, Options{},
			result{Ops: map[string]op{"a": {Calls: 6, Kept: []int64{30, 30, 30, 30}}}, Beside: 1, Processes: 2, Served: 60}},
		{"one process after the other", []Exchange{by(7, at("a", 1, 0)), by(7, at("a", 1, 20)), aged(5, by(8, at("a", 2, 60))),
			aged(5, by(9, at("a", 3, 100)))}, Options{},
			result{Ops: map[string]op{"a": {Calls: 4, Kept: []int64{10}, New: []int64{30, 30}}}, Processes: 1, Served: 40}},
		// They began before the last answer to another one.
		{"processes beside each other", []Exchange{by(7, at("a", 1, 0)), aged(50, by(8, at("a", 2, 20))),
			aged(50, by(9, at("a", 3, 60))), aged(5, by(10, at("a", 4, 100)))}, Options{},
			result{Ops: map[string]op{"a": {Calls: 4}}, Beside: 3, Processes: 1, Served: 40}},
		{"two, and back", []Exchange{at("a", 1, 0), at("a", 1, 20), at("b", 1, 40), at("b", 1, 61), at("a", 1, 80)},
			Options{},
			result{Ops: map[string]op{"a": {Calls: 3, Kept: []int64{10}}, "b": {Calls: 2, Kept: []int64{11}}}, Mixed: 2,
				Served: 50}},
		{"a connection for each", []Exchange{at("a", 1, 0), at("a", 2, 20), at("a", 3, 45)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3, New: []int64{10, 15}}}, Served: 30}},
		{"a connection that is used again", []Exchange{at("a", 1, 0), at("a", 2, 20), at("a", 1, 45)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3, New: []int64{10}, Kept: []int64{15}}}, Served: 30}},
		{"tried again", []Exchange{at("a", 1, 0), failing(at("a", 1, 20)), failing(at("a", 1, 60)), at("a", 1, 140),
			at("a", 1, 170)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 5, Failed: 2, Kept: []int64{10, 20}}}, Failed: 2, Served: 50}},
		{"unknown", []Exchange{at("a", 1, 0), at("", 1, 20), at("", 1, 40), at("a", 1, 60)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 2}}, Unknown: 2, Mixed: 3, Served: 40}},
		{"warm-up", []Exchange{at("a", 1, 0), at("a", 1, 20), at("a", 1, 50), at("b", 1, 100), at("b", 1, 120),
			at("b", 1, 150)}, Options{Warmup: 50},
			result{Ops: map[string]op{"a": {Calls: 3, Warm: 1, Kept: []int64{20}},
				"b": {Calls: 3, Warm: 1, Kept: []int64{20}}}, Mixed: 1, Served: 60}},
		{"a warm-up longer than all", []Exchange{at("a", 1, 0), at("a", 1, 20), at("a", 1, 50)}, Options{Warmup: 1000},
			result{Ops: map[string]op{"a": {Calls: 3, Warm: 2}}, Served: 30}},
		{"a bounded warm-up", []Exchange{at("a", 1, 0), at("a", 1, 20), at("a", 1, 50)},
			Options{Warmup: 1000, Share: 0.5},
			result{Ops: map[string]op{"a": {Calls: 3, Warm: 1, Kept: []int64{20}}}, Served: 30}},
		// The third call takes most of the time: the ones before it are not all warm-up.
		{"a pause", []Exchange{at("a", 1, 0), at("a", 1, 20), at("a", 1, 50), at("a", 1, 90), at("a", 1, 1000)},
			Options{Warmup: 1e6, Share: 0.2},
			result{Ops: map[string]op{"a": {Calls: 5, Warm: 1, Kept: []int64{20, 30, 900}}}, Served: 50}},
		{"a warm-up that was asked for", []Exchange{at("a", 1, 0), at("a", 1, 20), at("a", 1, 50), at("a", 1, 90),
			at("a", 1, 1000)}, Options{Warmup: 100},
			result{Ops: map[string]op{"a": {Calls: 5, Warm: 3, Kept: []int64{900}}}, Served: 50}},
		// The first answer's end is stamped last: the third call follows that, and not the second answer.
		{"a request within another", []Exchange{with(at("a", 1, 0), func(e *Exchange) { e.Answering, e.Sent = 1, 100 }),
			at("a", 2, 60), at("a", 1, 130)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3, New: []int64{-40}, Kept: []int64{30}}}, Served: 110}},
		// The answer was stamped 4 ns after the client had it.
		{"a stamp that is late", []Exchange{late(at("a", 1, 0)), at("a", 1, 6), at("a", 1, 30)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3, Kept: []int64{-4, 14}}}, Served: 26}},
		{"a stamp that is far too late", []Exchange{late(at("a", 1, 0)), at("a", 1, 2), at("a", 1, 30), at("a", 1, 50)},
			Options{},
			result{Ops: map[string]op{"a": {Calls: 4, Kept: []int64{18, 10}}}, Late: 1, Served: 32}},
		{"a call given up, once",
			[]Exchange{at("a", 1, 0), at("a", 1, 2), at("a", 1, 30), at("a", 1, 50), at("a", 1, 70)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 5, Kept: []int64{18, 10, 10}}}, Early: 1, Served: 42}},
		{"two clients in turn, of two operations",
			[]Exchange{at("a", 1, 0), at("b", 2, 20), at("a", 1, 40), at("b", 2, 60), at("a", 1, 80)}, Options{},
			result{Ops: map[string]op{"a": {Calls: 3}, "b": {Calls: 2}}, Mixed: 4, Served: 50}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Measure(test.trace, test.o)
			if err != nil {
				t.Fatal(err)
			}
			got := result{Ops: map[string]op{}, Unknown: r.Unknown, Mixed: r.Mixed, Failed: r.Failed, Early: r.Early,
				Late: r.Late, Switches: r.Switches, Served: r.Served, Beside: r.Beside, Processes: r.Processes}
			for _, o := range r.Measured() {
				name := o.Operation
				if o.Service != "S3" {
					name = o.Service + " " + name
				}
				if o.After != "" {
					name += " after " + o.After
				}
				got.Ops[name] = op{Calls: o.Calls, Failed: o.Failed, Warm: o.Warm, Kept: values(o.Kept),
					New: values(o.New)}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMeasureRefusesOverlap(t *testing.T) {
	impatient := []Exchange{at("a", 1, 0)}
	for i := range int64(tolerated + 1) {
		impatient = append(impatient, at("a", 1, 2*i+1))
	}
	// Two threads whose calls never fall into the server's short time together.
	var alternating []Exchange
	for i := range int64(10) {
		alternating = append(alternating, at("a", uint64(1+i%2), 100*i))
	}
	for name, test := range map[string]struct {
		trace []Exchange
		want  []string
	}{
		"two connections": {[]Exchange{at("a", 1, 0), at("a", 1, 20), at("b", 2, 27)},
			[]string{"request 3 (S3/b on connection 2) arrived 1.00 ns before", "request 2 (S3/a on connection 1)"}},
		"one in another": {[]Exchange{with(at("a", 1, 0), func(e *Exchange) { e.Answering, e.Sent = 99, 100 }),
			at("b", 2, 20), at("b", 2, 40)}, []string{"request 2 (S3/b on connection 2)"}},
		"in turn": {alternating,
			[]string{"alternate", "from connection 2 (request 2, S3/a) to connection 1 (request 3)"}},
		"one connection": {impatient, []string{"request 2 (S3/a on connection 1) arrived 7.00 ns before", "request 1 "}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Measure(test.trace, Options{})
			if _, ok := errors.AsType[*Overlap](err); !ok {
				t.Fatalf("%v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
		})
	}
	// Three are too few to tell, in many calls; four in a hundred are not, and in a thousand are.
	for _, test := range []struct {
		early, calls int64
		refused      bool
	}{{3, 100, false}, {4, 100, true}, {4, 1000, false}, {11, 1000, true}} {
		var trace []Exchange
		for i := range test.calls {
			trace = append(trace, at("a", 1, 100*i))
			if i < test.early {
				trace[i].Answering += 190
				trace[i].Sent += 190
			}
		}
		if _, err := Measure(trace, Options{}); (err != nil) != test.refused {
			t.Errorf("%d of %d: %v", test.early, test.calls, err)
		}
	}
	// A request that comes in with the end of the answer before it is no overlap.
	if _, err := Measure([]Exchange{at("a", 1, 0), at("a", 2, 10)}, Options{}); err != nil {
		t.Error(err)
	}
}

func TestOperationRow(t *testing.T) {
	null := NewNull(&Result{
		Operations: []*Operation{{Kept: []Gap{{NS: 3}, {NS: 4}, {NS: 7, Busiest: 2}, {NS: 6}, {NS: 13}}, New: []Gap{{NS: 1000}}}},
	})
	if null.Sample.N != 5 || null.Sample.MedNS != 5 || null.High < 10.19 || null.High > 10.21 {
		t.Errorf("%+v", null)
	}
	timed := func(ns, waited, busiest int64) Gap {
		return Gap{NS: ns, Most: ns, Kernel: true, Timed: true, Waited: waited, Busiest: busiest}
	}
	// 20 and 0 of the waits were the busiest thread's, 30 and 0 of all threads.
	op := &Operation{Service: "S3", Operation: "a", Failed: 2, Kept: []Gap{timed(125, 30, 20), timed(205, 0, 0)},
		New: []Gap{{NS: 905}}}
	got, ok := op.Row(null)
	want := rundoc.OverheadRow{
		Service: "S3", Operation: "a", Failed: 2, WaitedNS: 10,
		MedianFromNS: 150 - 10.2, MedianToNS: 165, ErrorNS: 15,
		SDKTime: rundoc.Sample{N: 2, MinNS: 100, AvgNS: 150, MedNS: 150, MaxNS: 200,
			Values: []int64{100, 200}},
	}
	if diff := cmp.Diff(want, got, approximate); diff != "" || !ok {
		t.Errorf("%v %s", ok, diff)
	}
	// A stamp of the read has a wake-up of the server in it, and one of the write may be later than the client went on.
	late := Gap{NS: 95, Most: 135, Timed: true}
	if got, _ := (&Operation{Kept: []Gap{late}}).Row(null); got.MedianFromNS < 95-20.41 || got.MedianFromNS > 95-20.39 ||
		got.MedianToNS != 135 || got.SDKTime.MedNS != 90 || got.ErrorNS != 45 {
		t.Errorf("%+v", got)
	}
	// Without the waits there are no bounds.
	if got, _ := (&Operation{Kept: []Gap{{NS: 100, Most: 100, Kernel: true}}}).Row(null); got.MedianToNS != 0 ||
		got.MedianFromNS != 0 || got.ErrorNS != 6 {
		t.Errorf("%+v", got)
	}
	// A gap that is shorter than the null client's stays below zero: without it the rest would look better.
	if got, _ := (&Operation{Kept: []Gap{timed(2, 0, 0), timed(105, 0, 0)}, New: make([]Gap, 2)}).
		Row(null); got.SDKTime.MinNS != -3 ||
		got.SDKTime.MedNS != 48.5 || got.SDKTime.N != 2 || got.Connections != 0 {
		t.Errorf("%+v", got)
	}
	op.New = append(op.New, Gap{NS: 1005}, Gap{NS: 1105})
	if got, _ := op.Row(null); !op.Connects() || got.Connections != 3 || got.SDKTime.N != 5 ||
		got.SDKTime.MaxNS != 1100 || op.NewMedian() != 1005 {
		t.Errorf("%+v, median of new ones %d", got, op.NewMedian())
	}
	if _, ok := (&Operation{}).Row(null); ok || (&Operation{}).NewMedian() != 0 || NewNull(&Result{}).Sample.N != 0 {
		t.Error("figures of nothing")
	}
	if got, _ := (&Operation{Operation: "a", After: "b", Kept: []Gap{timed(9, 0, 0)}}).Row(null); got.Operation != "a after b" {
		t.Error(got.Operation)
	}
}

// A client takes a known time between an answer and its next request, waits for a processor before it sees the one
// and while it makes the other, on one thread or several, and the machine may hold up the responder. Whatever it
// is, the bounds hold the truth, and the figure is within them.
func TestBoundsContainTheTrueTime(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		wait := random.Int64N(20_000) // the largest one, of times of 1,000 to 3,000
		measured := func(client bool) ([]Exchange, []int64) {
			var trace []Exchange
			var truth []int64
			now, all, busiest := int64(1e18), int64(0), int64(0)
			for range 101 {
				e := Exchange{Service: "S3", Operation: "a", Conn: 1, Received: now, Kernel: true, Status: 200, Process: 9,
					Waited: all, Busiest: busiest, Timed: true}
				e.Answering = now + 100
				left := e.Answering + random.Int64N(50)
				if e.Sent, e.SentKernel = left, seed%2 == 0; !e.SentKernel {
					e.Sent += random.Int64N(1 + wait) // the write returns late
					e.Sent = min(e.Sent, left+random.Int64N(3_000))
				}
				trace = append(trace, e)
				woken, held, other := random.Int64N(1+wait), int64(0), random.Int64N(1+wait)
				wake, own := 50+random.Int64N(20), int64(10)
				if client {
					held = random.Int64N(1 + wait/4)
					own = 1_000 + random.Int64N(2_000)
				}
				truth = append(truth, own+held)
				all, busiest = all+woken+held+other, busiest+woken+held
				now = left + woken + wake + own + held
			}
			return trace, truth[:100]
		}
		null, _ := measured(false)
		of, err := Measure(null, Options{})
		if err != nil {
			t.Fatal(err)
		}
		trace, truth := measured(true)
		r, err := Measure(trace, Options{})
		if err != nil {
			t.Fatal(err)
		}
		row, ok := r.Operations[0].Row(NewNull(of))
		med := sample(truth).MedNS
		if !ok || row.SDKTime.N != 100 && seed%2 == 0 || row.MedianFromNS > med || row.MedianToNS < med ||
			row.SDKTime.MedNS > row.MedianToNS || math.Abs(row.SDKTime.MedNS-med) > float64(row.ErrorNS)+1 {
			t.Errorf("seed %d: %.0f between %.0f and %.0f ± %d of %d, the truth is %.0f", seed, row.SDKTime.MedNS,
				row.MedianFromNS, row.MedianToNS, row.ErrorNS, row.SDKTime.N, med)
		}
	}
}

func TestSpread(t *testing.T) {
	if diff := cmp.Diff([]int64{0, 3, 6}, spread([]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 3)); diff != "" {
		t.Error(diff)
	}
}

// What the client's process used of the CPUs is that from one answer to the next, of the calls in the figures; with one
// of which it is not known it is not known of the operation.
func TestCPUPerCall(t *testing.T) {
	used := func(process int, ns int64, e Exchange) Exchange {
		return with(by(process, e), func(e *Exchange) { e.CPU = ns })
	}
	trace := []Exchange{
		used(7, 1000, at("PutObject", 1, 100)), used(7, 1300, at("PutObject", 1, 200)), used(7, 1500, at("PutObject", 1, 300)),
		used(7, 1800, at("GetObject", 1, 400)), used(7, 1900, at("GetObject", 1, 500)), used(7, 1850, at("GetObject", 1, 600)),
	}
	r, err := Measure(trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{250, 0} { // (300 + 200) ÷ 2; a clock that goes back
		if row, _ := r.Operations[i].Row(Null{}); row.CPUPerCallNS != want {
			t.Errorf("%s: %v, want %v", row.Operation, row.CPUPerCallNS, want)
		}
	}
	if g := gapOf(&trace[0], &Exchange{Process: 8, CPU: 5000}, waits{}); g.CPU != -1 {
		t.Errorf("%d of two processes", g.CPU)
	}
	if g := gapOf(&Exchange{Process: 7}, &trace[1], waits{}); g.CPU != -1 {
		t.Errorf("%d of what is unknown", g.CPU)
	}
}
