package exec

import (
	"fmt"
	"math"
	"time"
)

// A request that came in before the answer to the one before was even begun, or that switches
// between connections which both go on being used, is of a client that does several calls at a
// time. A few may be those of a client that gave a call up; when there are more than these, the
// client is refused.
//
// A client may also have an answer, and be done with it, before the server has stamped its end:
// that is when its write has returned, and its goroutine may not run at once. So the next
// request may seem to come early. When that is by more than half of the server's time, the time
// is left out.
const (
	tolerated      = 3
	toleratedShare = 0.01 // of all exchanges
	shareOfFew     = 0.25 // of them, however few they are
)

// Options say what is left out.
type Options struct {
	// Warmup is left out of each operation, from its first request on.
	Warmup time.Duration
	// Share bounds the warm-up, if it is not 0, to this share of the time from an operation's
	// first request to its last, and to the same share of its calls: then a short program has
	// figures, too.
	Share float64
}

// Result is what was found in a trace.
type Result struct {
	Operations []*Operation // in the order of their first requests
	Unknown    int64        // requests that the server has no answer for
	Mixed      int64        // times between two operations
	Failed     int64        // times after an answer that was an error
	Early      int64        // requests that came before the answer to the one before was begun
	Late       int64        // answers whose end was stamped long after the client had them
	Switches   int64        // times between two connections that both went on being used
	Start, End int64        // from the first request to the end of the last answer
	Served     int64        // of that, the server's time
}

// Operation is what was found of one operation.
type Operation struct {
	Service, Operation string
	Calls, Failed      int64
	Kept               []Gap // on connections that had a request before, in order
	New                []Gap // on new connections
	Warm               int64 // times in the warm-up

	first, last int64 // requests
}

// Gap is the time from an answer to the next request, in ns.
type Gap struct {
	NS     int64
	Kernel bool // its end is the kernel's stamp
	isNew  bool
}

// Overlap is the error of a client that does more than one call at a time.
type Overlap struct {
	First, Second Exchange
	// Their numbers, counted from 1 as they came in.
	FirstNumber, SecondNumber int
}

// Error says which two requests overlapped, and by how much, or between which connections they
// alternate.
func (o *Overlap) Error() string {
	if o.First.Answering <= o.Second.Received {
		return fmt.Sprintf("its requests alternate between connections that all go on being used, as from connection "+
			"%d (request %d, %s) to connection %d (request %d)",
			o.First.Conn, o.FirstNumber, o.First.Name(), o.Second.Conn, o.SecondNumber)
	}
	return fmt.Sprintf("request %d (%s on connection %d) came in %v before request %d (%s "+
		"on connection %d) was answered",
		o.SecondNumber, o.Second.Name(), o.Second.Conn, time.Duration(o.First.Answering-o.Second.Received),
		o.FirstNumber, o.First.Name(), o.First.Conn)
}

// Measure sorts the times between exchanges, which are in the order in which the requests came
// in. Its error is an *Overlap.
func Measure(exchanges []Exchange, o Options) (*Result, error) {
	r := &Result{}
	if len(exchanges) == 0 {
		return r, nil
	}
	named := r.count(exchanges)
	var first *Overlap
	lastUse := map[uint64]int{}
	for i := range exchanges {
		lastUse[exchanges[i].Conn] = i
	}
	// several notes the first sign of several calls at a time.
	several := func(before, e int) {
		if first == nil {
			first = &Overlap{First: exchanges[before], Second: exchanges[e], FirstNumber: before + 1,
				SecondNumber: e + 1}
		}
	}
	r.Start, r.End = exchanges[0].Received, exchanges[0].Sent
	r.Served = r.End - r.Start
	seen := map[uint64]bool{exchanges[0].Conn: true}
	for i, at := 1, 0; i < len(exchanges); i++ {
		before, e := &exchanges[at], &exchanges[i] // the latest answer, and the next request
		last, gap := at, Gap{NS: e.Received - before.Sent, Kernel: e.Kernel, isNew: !seen[e.Conn]}
		seen[e.Conn] = true
		r.Served += max(0, e.Sent-max(e.Received, r.End))
		if e.Sent >= r.End {
			r.End, at = e.Sent, i
		}
		switch {
		case e.Received < before.Answering:
			r.Early++
			several(last, i)
			continue
		case -gap.NS > (before.Sent-before.Received)/2:
			r.Late++
			continue
		case e.Conn != before.Conn && !gap.isNew && lastUse[before.Conn] > i && keyOf(e) == keyOf(before):
			r.Switches++
			several(last, i)
		}
		r.sort(named[keyOf(before)], named[keyOf(e)], before, e, gap, o)
	}
	signs := r.Early + r.Switches
	share := float64(signs) / float64(len(exchanges))
	if signs > tolerated && share > toleratedShare || share > shareOfFew {
		return nil, first
	}
	return r, nil
}

type key struct{ service, operation string }

func keyOf(e *Exchange) key { return key{e.Service, e.Operation} }

// count finds the operations.
func (r *Result) count(exchanges []Exchange) map[key]*Operation {
	named := map[key]*Operation{}
	for i := range exchanges {
		e := &exchanges[i]
		op := named[keyOf(e)]
		switch {
		case e.Operation == "":
			r.Unknown++
			continue
		case op == nil:
			op = &Operation{Service: e.Service, Operation: e.Operation, first: e.Received}
			named[keyOf(e)] = op
			r.Operations = append(r.Operations, op)
		}
		op.Calls++
		op.last = e.Received
		if failed(e) {
			op.Failed++
		}
	}
	return named
}

func failed(e *Exchange) bool { return e.Status >= 400 }

// sort puts a gap where it belongs.
func (r *Result) sort(last, op *Operation, before, e *Exchange, gap Gap, o Options) {
	switch {
	case op == nil || op != last:
		r.Mixed++
	case failed(before):
		r.Failed++ // a client that tries again waits first
	case e.Received-op.first < op.warmup(o) && op.mayWarm(o):
		op.Warm++
	case gap.isNew:
		op.New = append(op.New, gap)
	default:
		op.Kept = append(op.Kept, gap)
	}
}

// mayWarm reports whether the share has room for one more: a pause is not all of a program, however
// much of its time it takes.
func (op *Operation) mayWarm(o Options) bool {
	return o.Share <= 0 || float64(op.Warm+1) <= o.Share*float64(op.Calls)
}

// warmup is how much of the operation is left out.
func (op *Operation) warmup(o Options) int64 {
	w := int64(o.Warmup)
	if o.Share > 0 {
		w = min(w, int64(math.Round(o.Share*float64(op.last-op.first))))
	}
	return w
}
