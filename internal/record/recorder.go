package record

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Kind names the operations that share an entry of the run document.
type Kind struct {
	Name   string
	Labels map[string]string
	Stages bool // of its attempts are known
}

// Outcome is how a scheduled operation ended.
type Outcome uint8

// The outcomes of an operation that was begun. One that was not is unsent.
const (
	OK Outcome = iota
	Failed
	Unfinished
)

// Operation is what is recorded of an operation when it is over. Times are stamps of the
// engine's clock in ns.
type Operation struct {
	Kind, Group int
	Bytes       int64
	Intended    int64 // when the schedule said that it should start; Start in the closed model
	// Ready is when it would have started without the generator's own delay: when it was due, or when its slot would
	// have been free; Start in the closed model.
	Ready      int64
	Start, End int64
	Own        int64 // the generator's own part of Intended…End, ns: End is so much later than it would have been
	FirstEnd   int64 // of the first attempt
	Attempts   int64
	Outcome    Outcome
	Cause      string // of the last failed attempt; "" when none failed
	Unanswered bool   // an attempt had no answer in time
	FirstKept  bool   // the first attempt was answered, or no answer came in time
	// Reconnected says that it waited for a connection that replaced a lost one.
	Reconnected bool
	Stages      Stages // of the attempt that was answered
}

// Stages are the parts of an attempt, in ns, which sum to it.
type Stages struct {
	Known bool
	Send  int64 // start → sent
	Wait  int64 // → the first byte of the answer
	Body  int64 // → the end of the answer
}

// responded reports whether the operation's time enters the percentiles.
func (o *Operation) responded() bool { return o.Outcome != Failed || o.Unanswered }

// Recorder keeps the operations of one phase. Record may be called by any number of
// goroutines; a slot passes the same shard number each time.
type Recorder struct {
	open    bool
	foreign bool
	start   int64        // of the phase, a stamp
	end     atomic.Int64 // of the phase; math.MaxInt64 while it goes on
	shards  []shard
	groups  []groupCounts // of all shards: operations seldom meet in one group
	series  *series       // nil but for the window
	growth  growth

	failures atomic.Int64 // attempts that failed

	mu         sync.Mutex
	causes     []map[string]int64 // by kind
	retries    map[string]CauseTime
	reconnects map[string]CauseTime
}

// CauseTime counts what had one cause, and the slot time that it took.
type CauseTime struct {
	Count int64
	Time  int64 // ns
}

// shard is a share of the counters. Its fields lie in memory of its own, so that processors
// that count in different shards do not wait for each other.
type shard struct {
	kinds  []kindCounts
	flows  []flowCounts
	own    *hist // the generator's own part of the response time
	late   *hist // the generator's own part of the send delay, of all that started; open model only
	mostly *hist // the same, of the operations whose send delay is at least half the generator's own
	tail   *tail // nil but for the window
	inside atomic.Int64
	_      [64]byte
}

type kindCounts struct {
	outcomes [3]atomic.Int64
	attempts atomic.Int64
	retries  atomic.Int64
	bytes    atomic.Int64
	carried  atomic.Int64
	// What is in the rate and not in the counts, less what is in these and not in the rate:
	// operations carried in from the ramp, and those that ended ok in the drain.
	outside, outsideBytes atomic.Int64

	single   *hist // service time of operations of one attempt
	retried  *hist // service time of the others
	first    *hist // first attempts of the others
	free     *hist // service time without the generator's own delay
	response *hist // open model only, as those below: in the closed one it is the service time
	freeAll  *hist // response time without the generator's own delay
	delay    *hist

	send, wait, body *hist // the stages of what ended ok; nil where they are not known
}

type groupCounts struct {
	ok, failed, outside atomic.Int64 // as those of kindCounts
	response            *hist
}

// Config says what a recorder keeps.
type Config struct {
	Kinds  []Kind
	Flows  []string // nil where operations do not come in flows
	Groups int
	Open   bool
	Start  int64 // of the phase, a stamp; 0: Begin says it
	Series bool  // keep a series of seconds
	// Foreign says that the operations are another program's: what is their generator's own of their times is
	// not known.
	Foreign bool
	// Gaps tells for how long the generator did not run between two stamps, in ns; nil when that is not known.
	Gaps func(from, to int64) int64
}

// New makes a recorder.
func New(c Config) *Recorder {
	r := &Recorder{
		open:       c.Open,
		foreign:    c.Foreign,
		start:      c.Start,
		shards:     make([]shard, min(runtime.GOMAXPROCS(0), 8)),
		causes:     make([]map[string]int64, len(c.Kinds)),
		retries:    map[string]CauseTime{},
		reconnects: map[string]CauseTime{},
	}
	r.end.Store(math.MaxInt64)
	for i := range r.causes {
		r.causes[i] = map[string]int64{}
	}
	for i := range r.shards {
		r.shards[i].allocate(c)
	}
	r.groups = make([]groupCounts, c.Groups)
	for i := range r.groups {
		r.groups[i].response = newHist(rough)
	}
	if c.Series {
		r.series = newSeries(len(r.shards), c)
	}
	return r
}

func (s *shard) allocate(c Config) {
	s.kinds = make([]kindCounts, len(c.Kinds))
	for i := range s.kinds {
		k := &s.kinds[i]
		k.single, k.retried, k.first, k.free = newHist(fine), newHist(fine), newHist(fine), newHist(fine)
		if c.Open {
			k.response, k.freeAll, k.delay = newHist(fine), newHist(fine), newHist(fine)
		}
		if c.Kinds[i].Stages {
			k.send, k.wait, k.body = newHist(fine), newHist(fine), newHist(fine)
		}
	}
	s.flows = newFlowCounts(c)
	s.own = newHist(fine)
	if c.Open {
		s.late, s.mostly = newHist(fine), newHist(fine)
	}
	if c.Series && !c.Foreign {
		s.tail = newTail()
	}
}

// Begin sets the start of the phase, before anything is recorded. A recorder takes milliseconds to make, which must
// not lie in the phase.
func (r *Recorder) Begin(stamp int64) {
	r.start = stamp
	if r.series != nil {
		r.series.start = stamp
	}
}

// End sets the end of the phase. Operations that end later still count, but not in the rate
// and the series.
func (r *Recorder) End(stamp int64) { r.end.Store(stamp) }

// Record counts an operation that is over.
func (r *Recorder) Record(shard int, o *Operation) {
	s := &r.shards[shard%len(r.shards)]
	k := &s.kinds[o.Kind]
	k.outcomes[o.Outcome].Add(1)
	k.attempts.Add(o.Attempts)
	within := o.End <= r.end.Load()
	if o.Outcome == OK {
		k.bytes.Add(o.Bytes)
		if !within {
			k.outside.Add(-1)
			k.outsideBytes.Add(-o.Bytes)
		}
	}
	if o.responded() {
		r.recordTimes(s, k, o)
	}
	if o.Outcome == OK && o.Stages.Known && k.send != nil {
		k.send.add(o.Stages.Send)
		k.wait.add(o.Stages.Wait)
		k.body.add(o.Stages.Body)
	}
	if r.open {
		own := o.Start - o.Ready
		s.late.tally(own) // it started late, however quickly it was rejected then
		if 2*own >= o.Start-o.Intended {
			s.mostly.tally(own)
		}
	}
	if o.Attempts != 1 {
		k.retries.Add(o.Attempts - 1)
		if o.FirstKept {
			k.first.add(o.FirstEnd - o.Start)
		}
	}
	if len(r.groups) > 0 {
		r.groups[o.Group].record(o, within)
	}
	s.inside.Add(max(0, min(o.End, r.end.Load())-max(o.Start, r.start)))
	if r.series == nil {
		return
	}
	r.series.offer(shard, o.Intended)
	if within && o.Outcome != Unfinished {
		r.series.record(shard, o)
	} else {
		r.series.outlast(o)
	}
}

func (r *Recorder) recordTimes(s *shard, k *kindCounts, o *Operation) {
	if o.Attempts > 1 {
		k.retried.add(o.End - o.Start)
	} else {
		k.single.add(o.End - o.Start)
	}
	if r.open {
		k.response.add(o.End - o.Intended)
		k.delay.add(o.Start - o.Intended)
	}
	if r.foreign {
		return
	}
	free := o.End - o.Own
	k.free.add(free - o.Ready)
	s.own.add(o.Own)
	if r.open {
		k.freeAll.add(free - o.Intended)
	}
	if s.tail != nil {
		s.tail.record(o)
	}
}

func (g *groupCounts) record(o *Operation, within bool) {
	switch o.Outcome {
	case OK:
		g.ok.Add(1)
		if !within {
			g.outside.Add(-1)
		}
	case Failed:
		g.failed.Add(1)
	}
	if o.responded() {
		g.response.add(o.End - o.Intended)
	}
}

// Carry counts, in the rate, the series and the operation time of this phase, an operation
// that belongs to the phase before and ended in this one.
func (r *Recorder) Carry(shard int, o *Operation) {
	end := r.end.Load()
	if o.End <= r.start || o.Start >= end {
		return
	}
	s := &r.shards[shard%len(r.shards)]
	s.inside.Add(min(o.End, end) - max(o.Start, r.start))
	if o.End > end || o.Outcome == Unfinished {
		return
	}
	s.kinds[o.Kind].carried.Add(1)
	if o.Outcome == OK {
		s.kinds[o.Kind].outside.Add(1)
		s.kinds[o.Kind].outsideBytes.Add(o.Bytes)
		if len(r.groups) > 0 {
			r.groups[o.Group].outside.Add(1)
		}
	}
	r.series.carry(shard, o)
}

// Unsent notes for the series that an operation was due at this stamp and was never sent.
func (r *Recorder) Unsent(intended int64) { r.series.offer(0, intended) }

// Cause counts an attempt of this kind that failed at this stamp.
func (r *Recorder) Cause(kind int, cause string, stamp int64) {
	r.failures.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.causes[kind][cause]++
	if r.series != nil && stamp <= r.end.Load() {
		r.series.cause(min(stamp, r.end.Load()-1), cause)
	}
}

// Retry counts a retry, by the cause that the attempt before it failed with, and the slot
// time that this attempt and the pause after it took inside the window.
func (r *Recorder) Retry(cause string, spent int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	addTime(r.retries, cause, 1, spent)
}

// Reconnect adds slot time inside the phase that went into replacing a connection lost for
// this cause, and counts n connections: 1 for the slot that replaced it, 0 for one that
// waited for that, or failed.
func (r *Recorder) Reconnect(cause string, n, spent int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	addTime(r.reconnects, cause, n, spent)
}

func addTime(to map[string]CauseTime, cause string, n, spent int64) {
	c := to[cause]
	to[cause] = CauseTime{Count: c.Count + n, Time: c.Time + spent}
}

// OK is the number of operations that ended ok so far.
func (r *Recorder) OK() int64 { return r.count(OK) }

// Inside is the number of operations that ended ok within the phase so far.
func (r *Recorder) Inside() int64 {
	n := r.OK()
	for i := range r.shards {
		for k := range r.shards[i].kinds {
			n += r.shards[i].kinds[k].outside.Load()
		}
	}
	return n
}

// Ended counts the operations that are over, ok or failed.
func (r *Recorder) Ended() int64 { return r.count(OK) + r.count(Failed) }

// Failures is the number of attempts that failed so far, retried or not.
func (r *Recorder) Failures() int64 { return r.failures.Load() }

// Mean is the mean service time so far, in ns, of the operations that have one.
func (r *Recorder) Mean() int64 { return r.service().mean() }

// Median is the median of those.
func (r *Recorder) Median() int64 { return r.service().quantile(.5) }

// ServiceTime is the sum of their service times.
func (r *Recorder) ServiceTime() (sum time.Duration) {
	for i := range r.shards {
		for k := range r.shards[i].kinds {
			c := &r.shards[i].kinds[k]
			sum += time.Duration(c.single.sum.Load() + c.retried.sum.Load())
		}
	}
	return sum
}

func (r *Recorder) service() *merged {
	var hs []*hist
	for i := range r.shards {
		for k := range r.shards[i].kinds {
			hs = append(hs, r.shards[i].kinds[k].single, r.shards[i].kinds[k].retried)
		}
	}
	return merge(hs...)
}

// AddFlightTime adds to the series for how long operations were in flight between two stamps, in ns summed over slots.
func (r *Recorder) AddFlightTime(from, to, sum int64) { r.series.fly(from, to, r.end.Load(), sum) }

// Collect reads the seconds of the series that were over at this stamp, and returns the last
// one that was ever read. What lies behind the end of the phase is left for the document.
func (r *Recorder) Collect(stamp int64) Point { return r.series.collect(min(stamp, r.end.Load())) }

func (r *Recorder) count(o Outcome) (n int64) {
	for i := range r.shards {
		for k := range r.shards[i].kinds {
			n += r.shards[i].kinds[k].outcomes[o].Load()
		}
	}
	return n
}
