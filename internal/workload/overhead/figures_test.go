package overhead

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTheFiguresAreWhatTheyAreDefinedAs takes a call whose times are known.
func TestTheFiguresAreWhatTheyAreDefinedAs(t *testing.T) {
	p := newProbe()
	p.staged = true
	for at := range p.stamps { // each checkpoint 10 µs after the one before
		p.stamps[at] = time.Duration(at+1) * 10 * time.Microsecond
	}
	wire := func(written, first, last time.Duration) *stamps {
		s := &stamps{asked: time.Second, last: time.Second + last}
		s.written.Store(int64(time.Second + written))
		s.first.Store(int64(time.Second + first))
		return s
	}
	const µs = time.Microsecond
	for _, test := range []struct {
		name, operation           string
		seen                      *stamps
		client, overhead, sdkTime time.Duration
	}{
		// The attempt takes 80 µs, and the call 120 µs.
		{"an answer", "GetItem", wire(2*µs, 5*µs, 9*µs), 117 * µs, 77 * µs, 71 * µs},
		{"an answer before the end of the request", "GetItem", wire(6*µs, 5*µs, 9*µs), 120 * µs, 80 * µs, 71 * µs},
		// The caller reads the answer for 10 µs more.
		{"a stream", "GetObject", wire(2*µs, 5*µs, 9*µs), 117 * µs, 87 * µs, 81 * µs},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRow(step{service: "S", operation: test.operation})
			wait, round := test.seen.times()
			r.addCall(p, wait, round)
			got := []int64{r.Client.Min, r.Overhead.Min, r.SDKTime.Min, r.Call.Min}
			if want := []int64{int64(test.client), int64(test.overhead), int64(test.sdkTime), int64(120 * µs)}; !cmp.Equal(got, want) {
				t.Errorf("client time, overhead, SDK time and call are %v, want %v", got, want)
			}
			var sum time.Duration
			for _, d := range r.Stages {
				sum += d
			}
			if sum != 120*µs || r.TimedCall != sum || r.Timed != 1 {
				t.Errorf("the stages sum to %v, the call took 120 µs, and %v is said of %d calls", sum, r.TimedCall, r.Timed)
			}
			if r.Stages[Serialize] != 10*µs || r.Stages[Credentials] != 10*µs || r.Stages[Endpoint] != 10*µs ||
				r.Stages[Sign] != 10*µs || r.Stages[HTTP]+r.Stages[Wait] != 10*µs {
				t.Errorf("stages %v", r.Stages)
			}
		})
	}
}
