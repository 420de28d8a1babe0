package overhead

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

func TestRoundsOfAPlan(t *testing.T) {
	for _, test := range []struct {
		name        string
		time        time.Duration
		calls       int64
		concurrency int
		want        int
	}{
		{"the default", 15 * time.Second, 0, 1, 15},
		{"a short time", 300 * time.Millisecond, 0, 1, 7},
		{"no time to speak of", time.Millisecond, 0, 1, 1},
		{"calls", 0, 1000, 1, 15},
		{"few calls", 0, 9, 1, 4},
		{"one call", 0, 1, 1, 1},
		{"few calls of each client", 0, 20, 5, 2},
	} {
		p := Plan{}
		p.Time, p.Calls, p.Concurrency = test.time, test.calls, test.concurrency
		o := &Overhead{rounds: roundsOf(&p)}
		if o.rounds != test.want {
			t.Errorf("%s: %d rounds, want %d", test.name, o.rounds, test.want)
		}
		sum := int64(0)
		for round := range o.rounds {
			share := o.upTo(round, test.calls) - o.upTo(round-1, test.calls)
			if sum += share; test.calls > 0 && (share < 1 || share > test.calls/int64(o.rounds)+1) {
				t.Errorf("%s: round %d has %d calls", test.name, round, share)
			}
		}
		if sum != test.calls {
			t.Errorf("%s: the rounds have %d calls of %d", test.name, sum, test.calls)
		}
	}
}

// TestOperationsTakeTurns sees the order at the server: all are warmed up before one is measured, and
// then they are measured in rounds.
func TestOperationsTakeTurns(t *testing.T) {
	var mu sync.Mutex
	var order []string
	s := &servicestest.Responder{Answer: func(_ http.ResponseWriter, operation string) bool {
		mu.Lock()
		defer mu.Unlock()
		if n := len(order); n == 0 || order[n-1] != operation {
			order = append(order, operation)
		}
		return false
	}}
	url := servicestest.Serve(t, s)
	l := newLab(t, func(p *Plan) { p.Endpoint, p.Calls, p.Concurrency = url, 12, 2 }, "DynamoDB",
		"STS/GetCallerIdentity")
	_, result := l.run(t)
	var rounds []int
	for _, r := range result.Rows {
		_, rounds = r.Overhead.Spread(1000)
		if !slices.Equal(rounds, []int{4, 4, 4}) || r.Overhead.N != 12 {
			t.Errorf("%s: rounds %v, n %d", r.Operation, rounds, r.Overhead.N)
		}
	}
	round := []string{"GetCallerIdentity", "DynamoDB GetItem", "DynamoDB PutItem"} // the null client repeats the first
	want := []string{"GetCallerIdentity", "DynamoDB CreateTable", "DynamoDB PutItem", "DynamoDB GetItem",
		"DynamoDB PutItem"}
	for range 3 {
		want = append(want, round...)
	}
	want = append(want, "DynamoDB DeleteTable")
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
}

// TestASlowServiceIsNotCalledForEachRound has calls that take longer than a turn: the time of an
// operation is not exceeded by more than the last one.
func TestASlowServiceIsNotCalledForEachRound(t *testing.T) {
	o := &Overhead{rounds: 15}
	o.Plan.Time = 3 * time.Second
	c := newCourse(1)
	if c.turn, c.began = 1, time.Now().Add(-time.Hour); o.over(&c) {
		t.Error("not even one call")
	}
	measured := 0
	for c.turn = 1; c.turn <= o.rounds; {
		if o.done(&c) {
			c.turn++
			continue
		}
		measured++
		c.began = time.Now().Add(-time.Second) // the call took so long
		if !o.over(&c) {
			t.Errorf("round %d goes on", c.round())
		}
		c.endTurn()
	}
	if measured != 3 {
		t.Errorf("%d calls of a second each in 3 s", measured)
	}
}

// TestATimeThatIsOverAtOnce has one call all the same, of each client: a run without figures says
// nothing.
func TestATimeThatIsOverAtOnce(t *testing.T) {
	url := servicestest.Serve(t, &servicestest.Responder{})
	l := newLab(t, func(p *Plan) {
		p.Endpoint, p.Calls, p.Time, p.Concurrency = url, 0, time.Nanosecond, 2
	}, "STS/GetCallerIdentity", "DynamoDB")
	_, result := l.run(t)
	if len(result.Rows) != 3 || result.Null == nil {
		t.Fatalf("%+v", result)
	}
	for _, r := range append(result.Rows, *result.Null) {
		if r.Overhead.N != 2 {
			t.Errorf("%s: n %d", r.Operation, r.Overhead.N)
		}
	}
}
