package overhead

import (
	"runtime"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// Stage is a part of a call's time.
type Stage int

// The stages of a call. Together they are its time.
const (
	Serialize Stage = iota
	Credentials
	Endpoint
	Sign
	HTTP        // the HTTP client, without the wait
	Wait        // from the request's last byte sent to the first one of the answer
	Deserialize // with reading the answer's body
	Other       // what is between them: making the stack, checking the input, retries, auth schemes
	Stages
)

// Row is what was measured of an operation.
type Row struct {
	Service, Operation string
	Null               bool
	Measured           bool
	Failed             int64
	// Call is the duration of a call, and Client that without the time from the request's last byte sent to the
	// answer's first one. Overhead is the duration of an attempt without the same, and SDKTime that without the whole
	// round trip. In ns.
	Client, Call, Overhead, SDKTime *Series

	Stages    [Stages]time.Duration // summed over Timed calls; not of the null client
	Timed     int64
	TimedCall time.Duration // the durations of the Timed calls, summed
	// CPU is what the process used while it made CPUCalls calls in turns that came to their end; none with several
	// clients at the same time.
	CPU            time.Duration
	CPUCalls       int64
	CPUWaited      time.Duration // of these calls, summed: until the last piece of the answer
	Allocations    float64       // of a call
	AllocatedBytes float64
	Unseen         int64 // calls whose request could not be seen: they are in no figure
	Resent         int64 // calls whose request net/http sent again: they are in no figure
	Connections    int64 // calls in the figures that made a new connection
}

// row is a Row that goes on.
type row struct {
	Row
	waited time.Duration // of the calls of the turn that goes on, until the last piece of each answer
}

func newRow(s step) *row {
	return &row{Row: Row{Service: s.service, Operation: s.operation, Null: s.null,
		Client: newSeries(), Call: newSeries(), Overhead: newSeries(), SDKTime: newSeries()}}
}

// Result is what a run came to.
type Result struct {
	Rows     []Row
	Null     *Row    // nil when it was not measured
	Idling   float64 // CPUs that the process used while it did nothing
	Protocol string
	Failure  *services.Failure // the first service that could not be set up
	Failed   *services.Failure // the first call that failed
	Notes    []string
	Left     []string // what could not be removed
}

// Result is what the run came to, after CleanUp.
func (o *Overhead) Result() Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := Result{Protocol: o.protocol, Failure: o.failure, Failed: o.callFailure, Notes: o.notes, Left: o.uncleared,
		Idling: o.cpu.idling()}
	for _, f := range []*services.Failure{o.failure, o.callFailure} {
		if f != nil {
			f.OthersAnswered = o.stand.Answered()
		}
	}
	for _, each := range o.rows {
		switch {
		case !each.Measured:
		case each.Null:
			r.Null = &each.Row
		default:
			r.Rows = append(r.Rows, each.Row)
		}
	}
	return r
}

// failed notes a call that failed.
func (o *Overhead) failed(at int, why *op.Failure) {
	if why == op.ErrUnfinished {
		return // the end of the run cut it off
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.rows[at]
	r.Measured = true
	r.Failed++
	if o.callFailure == nil {
		o.callFailure = o.callFailed(o.steps[at], why.Cause, why.Err)
	}
}

// recordCall takes the figures of a call that ended well.
func (o *Overhead) recordCall(at int, p *probe, seen *stamps) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.rows[at]
	r.Measured = true
	if seen == nil || !r.Null && !p.passed() {
		r.Unseen++
		return
	}
	if seen.conns > 1 {
		r.Resent++ // a try of net/http that came to nothing is no overhead of the SDK
		return
	}
	if seen.fresh {
		r.Connections++
	}
	if o.protocol == "" {
		o.protocol = seen.proto
	}
	wait, round := seen.times()
	r.addCall(p, wait, round)
	r.waited += seen.away()
}

// addCall adds a call. The attempt of an operation whose answer is a stream ends when the caller
// has read that: it is the SDK's body that is read.
func (r *row) addCall(p *probe, wait, round time.Duration) {
	attempt := p.between(attemptStart, attemptEnd)
	if begun := p.stamps[attemptStart]; streams(r.Operation) {
		attempt = p.stamps[callEnd] - begun
	}
	call := p.between(callStart, callEnd)
	r.Client.add(int64(call - wait))
	r.Call.add(int64(call))
	r.Overhead.add(int64(attempt - wait))
	r.SDKTime.add(int64(attempt - round))
	if r.Null || !p.staged {
		return
	}
	r.Timed++
	r.TimedCall += call
	rest := call
	charge := func(s Stage, d time.Duration) {
		r.Stages[s] += d
		rest -= d
	}
	charge(Serialize, p.between(serializeStart, serializeEnd))
	charge(Credentials, p.between(identityStart, identityEnd))
	charge(Endpoint, p.between(identityEnd, endpointEnd))
	charge(Sign, p.between(endpointEnd, signEnd))
	charge(Wait, wait)
	charge(HTTP, p.between(doStart, doEnd)-wait)
	end := deserializeEnd
	if streams(r.Operation) {
		end = callEnd
	}
	charge(Deserialize, p.between(doEnd, end))
	r.Stages[Other] += rest
}

// streams reports whether the answer of an operation is handed over before it is read.
func streams(operation string) bool { return operation == "GetObject" }

// Allocations are counted over this many calls, in as much of the warm-up's time.
const (
	countedCalls = 100
	countedShare = 5
)

// countAllocations makes some calls without anything that measures, and counts what the process
// allocated in that time. runtime.ReadMemStats stops the world for that; what the package
// runtime/metrics counts leaves out what the processors have not handed in yet, which is as
// much as a few calls allocate.
func (c *client) countAllocations(over <-chan struct{}) {
	bound := max(c.o.Plan.Warmup/countedShare, 50*time.Millisecond)
	s := newCallContext(c.o.Hard, bound+c.o.Plan.Timeout, time.Now(), nil)
	defer s.close()
	s.beginCall(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for began := time.Now(); n < countedCalls && !closed(over); n++ {
		if n > 0 && time.Since(began) > bound || c.plainCall(s) != nil {
			break
		}
	}
	runtime.ReadMemStats(&after)
	if n == 0 {
		return
	}
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	r := c.o.rows[c.step()]
	r.Allocations = float64(after.Mallocs-before.Mallocs) / float64(n)
	r.AllocatedBytes = float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}

// plainCall makes a call of the step's operation without anything that measures.
func (c *client) plainCall(s *callContext) error {
	if !c.o.steps[c.step()].null {
		return c.called(c.plain)(s.ctx)
	}
	c.null.prepare(s.ctx)
	return c.null.roundTrip(c.bare.Transport)
}
