package exec

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/units"
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
	Pairs      []*Operation // of calls that follow those of another operation, likewise
	Unknown    int64        // requests that the server has no answer for
	Mixed      int64        // times between two operations that follow each other too seldom for a figure
	Failed     int64        // times after an answer that was an error
	Early      int64        // requests that came before the answer to the one before was begun
	Late       int64        // answers whose end was stamped long after the client had them
	Switches   int64        // times between two connections that both went on being used
	Beside     int64        // first requests of processes, which ran while another one called
	Processes  int          // that called in the same time; 0 where that is not known of any
	Start, End int64        // from the first request to the end of the last answer
	Served     int64        // of that, the server's time
}

// Measured are the operations and pairs that may have figures.
func (r *Result) Measured() []*Operation { return slices.Concat(r.Operations, r.Pairs) }

// gaps are those of all figures.
func (r *Result) gaps() (all []Gap) {
	for _, op := range r.Measured() {
		all = append(all, op.Gaps()...)
	}
	return all
}

// follows reports whether the operation has figures as one that follows others.
func (r *Result) follows(op *Operation) bool {
	return slices.ContainsFunc(r.Pairs, func(p *Operation) bool {
		return p.Service == op.Service && p.Operation == op.Operation && len(p.Gaps()) > 0
	})
}

// Operation is what was found of one operation.
type Operation struct {
	Service, Operation string
	After              string // "", or the operation whose calls these follow
	Calls, Failed      int64
	Kept               []Gap // on connections that had a request before, in order
	New                []Gap // on new connections
	Warm               int64 // times in the warm-up

	first, last int64 // requests
}

// Gap is the time from an answer to the next request of the same process, in ns.
type Gap struct {
	NS int64
	// Most is the time if the client had its answer as soon as the server began to write it: what the client
	// took is not more. It is NS where the kernel stamped the end of the answer.
	Most   int64
	Kernel bool // its end is the kernel's stamp
	// Waited is how long threads of the client were ready in this time, and waited for a processor: all
	// together, and the busiest one. Neither is more than NS.
	Waited, Busiest int64
	Timed           bool // they are known
	// CPU is what the client's process used of the CPUs from the one answer to the next: to read it, for what it does
	// then, and to send the request. -1 where it is not known.
	CPU      int64
	isNew    bool
	received int64 // the request
}

// gapOf is the time between an answer and the request that follows it. waited says how long the process had
// waited before.
func gapOf(before, e *Exchange, waited waits) Gap {
	g := Gap{NS: e.Received - before.Sent, Kernel: e.Kernel, Timed: e.Timed, CPU: -1, received: e.Received}
	if before.Process == e.Process && before.CPU > 0 && e.CPU >= before.CPU {
		g.CPU = e.CPU - before.CPU
	}
	if g.Most = g.NS; !before.SentKernel {
		g.Most = e.Received - before.Answering
	}
	if e.Timed && g.NS > 0 {
		g.Waited = min(max(0, e.Waited-waited.all), g.NS)
		g.Busiest = min(max(0, e.Busiest-waited.busiest), g.Waited)
	}
	return g
}

// waits are those of a process until its last call.
type waits struct{ all, busiest int64 }

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
		return fmt.Sprintf("its requests alternate between connections, for example from connection %d (request %d, %s) "+
			"to connection %d (request %d)",
			o.First.Conn, o.FirstNumber, o.First.Name(), o.Second.Conn, o.SecondNumber)
	}
	return fmt.Sprintf("request %d (%s on connection %d) arrived %s before the response to request %d (%s on "+
		"connection %d)",
		o.SecondNumber, o.Second.Name(), o.Second.Conn, units.Duration(o.First.Answering-o.Second.Received),
		o.FirstNumber, o.First.Name(), o.First.Conn)
}

// Measure sorts the times between exchanges, which are in the order in which the requests came
// in. Its error is an *Overlap.
func Measure(exchanges []Exchange, o Options) (*Result, error) {
	r := &Result{}
	if len(exchanges) == 0 {
		return r, nil
	}
	m := newMeasuring(r, exchanges, o)
	for i := range exchanges {
		m.take(i)
	}
	r.keepPairs(o)
	r.Processes = atOnce(exchanges)
	signs := r.Early + r.Switches
	share := float64(signs) / float64(len(exchanges))
	if signs > tolerated && share > toleratedShare || share > shareOfFew {
		return nil, m.overlap
	}
	return r, nil
}

// measuring is what Measure knows on its way.
type measuring struct {
	*Result
	options   Options
	exchanges []Exchange
	named     map[key]*Operation
	pairs     map[[2]key]*Operation
	apart     bool // processes ran beside each other
	lastUse   map[uint64]int
	seen      map[uint64]bool
	at        int           // the latest answer
	latest    map[int]int   // of each process
	waited    map[int]waits // until then
	overlap   *Overlap      // the first sign of several calls at a time
}

func newMeasuring(r *Result, exchanges []Exchange, o Options) *measuring {
	m := &measuring{Result: r, options: o, exchanges: exchanges, named: r.count(exchanges),
		pairs: map[[2]key]*Operation{}, apart: besideEachOther(exchanges), lastUse: map[uint64]int{},
		seen: map[uint64]bool{}, latest: map[int]int{}, waited: map[int]waits{}}
	for i := range exchanges {
		m.lastUse[exchanges[i].Conn] = i
	}
	r.Start = exchanges[0].Received
	return m
}

// take takes the next exchange: the answer before it is that of its process or, for the first one of a
// process that began when all others had been answered, the latest of all.
func (m *measuring) take(i int) {
	e := &m.exchanges[i]
	last, called := m.latest[e.Process]
	if !called {
		last = m.at
	}
	before := &m.exchanges[last]
	gap := gapOf(before, e, m.waited[e.Process])
	gap.isNew = !m.seen[e.Conn]
	m.seen[e.Conn] = true
	m.waited[e.Process] = waits{e.Waited, e.Busiest}
	m.Served += max(0, e.Sent-max(e.Received, m.End))
	if e.Sent >= m.End {
		m.End, m.at = e.Sent, i
	}
	if !called || e.Sent >= before.Sent {
		m.latest[e.Process] = i
	}
	switch {
	case i == 0:
	case !called && e.Process != 0 && (m.apart || beside(before, e)):
		m.Beside++
	case e.Received < before.Answering:
		m.Early++
		m.several(last, i)
	case -gap.NS > (before.Sent-before.Received)/2:
		m.Late++
	default:
		if m.switched(before, e, i) && !gap.isNew && keyOf(e) == keyOf(before) {
			m.Switches++
			m.several(last, i)
		}
		m.sort(before, e, gap, i)
	}
}

// switched reports whether another connection than that of the answer before is used, which goes on being used.
func (m *measuring) switched(before, e *Exchange, i int) bool {
	return e.Conn != before.Conn && m.lastUse[before.Conn] > i
}

// several notes the first sign of several calls at a time.
func (m *measuring) several(before, e int) {
	if m.overlap == nil {
		m.overlap = &Overlap{First: m.exchanges[before], Second: m.exchanges[e], FirstNumber: before + 1,
			SecondNumber: e + 1}
	}
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
func (m *measuring) sort(before, e *Exchange, gap Gap, i int) {
	last, op := m.named[keyOf(before)], m.named[keyOf(e)]
	switch {
	case op == nil || last == nil:
		m.Mixed++
	case op != last && e.Process == 0 && m.switched(before, e, i):
		m.Mixed++ // it may be of two programs
	case failed(before):
		m.Failed++ // a client that tries again waits first
	case op != last:
		m.pair(before, e).add(gap) // what is its warm-up, is known in the end
	case op.warms(e.Received, m.options):
		op.Warm++
	default:
		op.add(gap)
	}
}

func (op *Operation) add(gap Gap) {
	if gap.isNew {
		op.New = append(op.New, gap)
	} else {
		op.Kept = append(op.Kept, gap)
	}
}

// warms reports whether a request is in the warm-up.
func (op *Operation) warms(received int64, o Options) bool {
	return received-op.first < op.warmup(o) && op.mayWarm(o)
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
