package rundoc

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The wait for a free client determines a percentile if it makes it larger by more than MaxClientWait of the
// percentile and by more than MinClientWaitNS.
const (
	MaxClientWait   = 0.1
	MinClientWaitNS = 1_000_000
)

// clientLimit says how the number of clients limited a run of the open model.
type clientLimit struct {
	reason string
	needed int  // clients that the load needs, with a quarter to spare; 0 if unknown or if the target was too slow
	files  bool // the limit of open files allowed no more clients
}

// ClientsNeeded returns the number of clients that the load of the run needs, if the run is invalid because it had too
// few, and the limit of open files that this takes if the present one is too low. It returns 0 for what is not the
// problem.
func (r *Run) ClientsNeeded() (clients, files int) {
	if r.Verdict.Validity != Invalid {
		return 0, 0
	}
	total, err := r.Totals()
	if err != nil {
		return 0, 0
	}
	limit := r.clientLimit(&total)
	switch {
	case limit == nil:
		return 0, 0
	case limit.files:
		return limit.needed, filesFor(limit.needed)
	}
	return limit.needed, 0
}

// ClientsAdded returns the number of clients that the open model added to those that it started with.
func (r *Run) ClientsAdded() int {
	load := r.load()
	if load.MaxClients == 0 || load.Clients == 0 {
		return 0
	}
	return max(0, r.Ledger.Clients-load.Clients)
}

// MayAddClients reports whether the open model was allowed to add clients to those that it started with.
func (r *Run) MayAddClients() bool {
	load := r.load()
	return load.open() && load.MaxClients > load.Clients
}

// RandomRate returns the constant rate of an open model with random arrivals, or 0. By chance, other operations than
// that were scheduled.
func (r *Run) RandomRate() float64 {
	load := r.load()
	if load.Arrivals != "poisson" || len(load.Stages) > 0 {
		return 0
	}
	return load.RatePerS
}

// filesFor returns a limit of open files that is enough for so many clients.
func filesFor(clients int) int {
	const others = 64 // files of the process itself, and connections that are being replaced
	return max(1024, 1<<bits.Len(uint(max(0, clients)+others)))
}

// clientLimit returns nil unless the wait for a free client determines a percentile of the response time, or kept
// operations from being sent.
func (r *Run) clientLimit(total *Operation) *clientLimit {
	load := r.load()
	if !load.open() || total.Scheduled <= 0 {
		return nil
	}
	if r.Ledger.lostShare() > MaxClientsLost || r.StartedLate() {
		return nil // the clients were busy because they backed off, had no connection, or waited for the generator
	}
	waited := total.waitForClient()
	unsent := float64(total.Unsent) > MaxNotOffered*float64(r.arrivals(total))
	if waited == nil && (!unsent || r.UnsentWhileIdle()) {
		return nil
	}
	l := &clientLimit{}
	l.reason = fmt.Sprintf("All %s %ss were busy", units.Number(int64(r.Ledger.Clients)), r.clientWord())
	if waited != nil {
		l.reason += fmt.Sprintf(" and operations waited for one: response time %s %s, service time %s.",
			waited.name, units.Duration(waited.raw), units.Duration(waited.free))
	} else {
		l.reason += fmt.Sprintf(": %s of %s operations were not sent.", units.Number(total.Unsent),
			units.Number(r.arrivals(total)))
	}
	l.advise(r, load, total)
	return l
}

// advise adds to the reason what to run instead.
func (l *clientLimit) advise(r *Run, load planLoad, total *Operation) {
	flag := "--" + r.clientWord() + "s"
	if load.MaxClients > 0 {
		flag = "--max-" + r.clientWord() + "s"
	}
	d := r.demand(total)
	needed := 0
	if d.known {
		needed = int(min(math.Ceil(1.25*d.inFlight*float64(r.Ledger.Clients)/d.slots), math.MaxInt32))
	}
	l.files = r.Ledger.MaxClients > 0 && r.Ledger.MaxClients < load.MaxClients
	switch {
	case needed > r.Ledger.Clients && l.files:
		l.needed = needed
		l.reason += fmt.Sprintf(" The load needs about %s, more than the limit of open files allows: run 'ulimit -n %d' "+
			"first.",
			units.Number(int64(needed)), filesFor(needed))
	case needed > r.Ledger.Clients && d.capped():
		l.needed = needed
		l.reason += fmt.Sprintf(" The load needs about %s: use %s %d.", units.Number(int64(needed)), flag,
			needed)
	case d.known && d.inFlight > d.slots:
		l.reason += fmt.Sprintf(" The target completed only %.4g of %.4g operations per second: lower --rate, or raise %s.",
			total.RatePerS, d.rate, flag)
	case d.known:
		l.reason += fmt.Sprintf(" On average only about %s were needed, so the target or the generator stalled at times: "+
			"raise %s, or look at the response times over time.", units.Number(int64(math.Ceil(d.inFlight))), flag)
	default:
		l.reason += fmt.Sprintf(" Raise %s.", flag)
	}
}

// waitForClient returns the highest percentile, from the p50 to the p99, that the wait for a free client makes larger
// by too much, with its values in the response time and in the service time, or nil. It compares the values without the
// generator's own delay.
func (o *Operation) waitForClient() *span {
	response, service := o.ResponseTime.Free, o.ServiceTime.Free
	if response == nil || service == nil {
		return nil
	}
	raws, services, theirs := o.ResponseTime.percentiles(), o.ServiceTime.percentiles(), service.percentiles()
	var longest *span
	for i, p := range response.percentiles() {
		with, without, raw := *p.value, *theirs[i].value, *raws[i].value
		if with == nil || without == nil || raw == nil || p.permille > 990 || p.permille < 500 {
			continue
		}
		if float64(*with-*without) > max(MaxClientWait*float64(*with), MinClientWaitNS) {
			longest = &span{p.name, *raw, *without}
			if s := *services[i].value; s != nil {
				longest.free = *s
			}
		}
	}
	return longest
}

// clientWord returns what the kind of the run calls a client, as its flag does.
func (r *Run) clientWord() string {
	if d, ok := r.kind().(interface{ client() string }); ok {
		return d.client()
	}
	return "client"
}

// demand is how many operations the load would have in flight if each started when it was due, by their free
// service time, against how many there may be.
type demand struct {
	known           bool
	rate            float64 // operations a second that were asked for
	each            int64   // mean free service time
	quick           int64   // one in ten took no longer; 0 where that is not known
	inFlight, slots float64
}

// demand is not known where the free times or the slots are not, nor where answers may have waited for a generator
// without CPU to spare, and nobody knows when they had come: then nobody is accused. Of flows each is one: it holds its
// client from its first operation to its last, pauses included.
func (r *Run) demand(total *Operation) demand {
	s, l := &total.ServiceTime, &r.Little
	window, g := r.window(), &r.Generator
	if g.usedUp() && !g.stamped() || s.Free == nil || s.MeanNS <= 0 || l.Slots <= 0 || window <= 0 {
		return demand{}
	}
	d := demand{known: true, slots: float64(l.Slots), each: s.Free.MeanNS}
	d.rate = float64(r.arrivals(total)) / seconds(window)
	d.quick = r.quick()
	d.hold(r, total.Scheduled-total.Unsent)
	d.inFlight = d.rate * seconds(d.each)
	return d
}

// hold makes of the times of operations, of which so many began, those of the flows that they are steps of.
func (d *demand) hold(r *Run, operations int64) {
	flows, clients := r.started(), r.Ledger.Clients
	if flows == 0 || clients == 0 {
		return
	}
	paused := float64(r.Ledger.States[StatePausing]) * d.slots / float64(clients)
	steps, pause := float64(operations)/float64(flows), paused/float64(flows)
	d.each = int64(steps*float64(d.each) + pause)
	if d.quick > 0 {
		d.quick = int64(steps*float64(d.quick) + pause)
	}
}

// quick is the free service time that one operation in ten did not exceed, or 0 where that cannot be said: what the
// target can do.
func (r *Run) quick() int64 {
	c, all := newSamples(), sample{}
	for i := range r.Operations {
		free := r.Operations[i].ServiceTime.Free
		if free == nil || free.Count == 0 {
			continue
		}
		s, err := c.of(free)
		if err != nil {
			return 0
		}
		all.add(s)
	}
	if !Supports(all.total, 900) { // as many are below the tenth as above the nine others
		return 0
	}
	return all.at(10)
}

// capped reports whether the slots were too few for the load however quick the target was: even by the time that one
// operation in ten did not exceed. Of a target that was slow from the first operation on, too, since what it
// would do with more of them at the same time nobody has tried.
func (d demand) capped() bool {
	return d.inFlight > d.slots && (d.quick == 0 || d.rate*seconds(d.quick) > d.slots)
}
