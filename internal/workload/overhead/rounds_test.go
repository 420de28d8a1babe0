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

// TestEachClientMakesAtLeastOneCall has one call all the same, of each client: a run without figures says
// nothing.
func TestEachClientMakesAtLeastOneCall(t *testing.T) {
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
