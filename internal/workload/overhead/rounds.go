package overhead

import (
	"time"
)

// The operations are measured in turns: after the warm-up of all of them come rounds, and in each
// round every operation has a turn. What changes while a run goes on, such as what else the machine
// does, is in all rows alike then; measured one after the other, each row would have a part of it to
// itself, and two runs of the same program would differ in single rows. And the rounds of a row tell
// how much it changes from one time to another, which a comparison has to know.
const (
	// maxRounds is enough for the variance between rounds to be known, and few enough for the turns to
	// be long against the change between them.
	maxRounds = 15
	// The least that a turn lasts: its first call comes into caches that hold another operation.
	minTurn      = 40 * time.Millisecond
	minTurnCalls = 2 // of each client
	// returning is how long an operation is called again at the beginning of a turn before it is
	// measured, if its warm-up is as long, and at least once: a connection may be gone.
	returning = 5 * time.Millisecond
)

// roundsOf is in how many rounds a plan is measured.
func roundsOf(p *Plan) int {
	most := int64(p.Time / minTurn)
	if p.Time == 0 {
		most = p.Calls / int64(minTurnCalls*p.Concurrency)
	}
	return int(min(maxRounds, max(1, most)))
}

// upTo is the share of a whole that the rounds up to one have, this one included.
func (o *Overhead) upTo(round int, whole int64) int64 {
	all, done := int64(o.rounds), int64(round+1)
	return whole/all*done + whole%all*done/all
}

// beginTurn makes ready for a turn: the first client does it, while the others wait at the gate.
func (o *Overhead) beginTurn(at, round int) {
	o.turnTo(at, round)
	if o.knowsCPU() {
		o.cpu.rest()
	}
	o.left.Store(o.upTo(round, o.Plan.Calls) - o.upTo(round-1, o.Plan.Calls))
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.rows[at]
	r.waited = 0
	for _, s := range []*Series{r.Client, r.Call, r.Overhead, r.SDKTime} {
		s.beginRound()
	}
}

// turns is how many turns there are: those of the warm-up, and those of the rounds.
func (o *Overhead) turns() int { return len(o.steps) * (1 + o.rounds) }

// course is how far a client is with its turns.
type course struct {
	turn     int
	spent    []time.Duration // by step: how long it was measured for in the turns that are over
	failures []int           // by step: in a row
	calls    []int           // by step: measured in the turns that are over
	called   []bool          // by step: there was a call to measure
	began    time.Time       // the measurement of the turn that goes on
}

func newCourse(steps int) course {
	return course{spent: make([]time.Duration, steps), failures: make([]int, steps), calls: make([]int, steps),
		called: make([]bool, steps)}
}

// step is the step of the turn, and round its round: -1 is the warm-up.
func (c *course) step() int  { return c.turn % len(c.spent) }
func (c *course) round() int { return c.turn/len(c.spent) - 1 }

// hopeless reports whether the step is given up.
func (c *course) hopeless() bool { return c.failures[c.step()] >= maxFailuresInARow }

// done reports whether a turn has nothing to measure: the step was given up, or the last call of an
// earlier turn took the time of this one, too.
func (o *Overhead) done(c *course) bool {
	return c.hopeless() || o.Plan.Time > 0 && int64(c.spent[c.step()]) >= o.upTo(c.round(), int64(o.Plan.Time))
}

// over reports whether the measurement of a turn has come to its end. However short the time is, there
// is one call.
func (o *Overhead) over(c *course) bool {
	if o.Plan.Time > 0 {
		if !c.called[c.step()] {
			c.called[c.step()] = true
			return false
		}
		return int64(c.spent[c.step()]+time.Since(c.began)) >= o.upTo(c.round(), int64(o.Plan.Time))
	}
	return o.left.Add(-1) < 0
}

// endTurn ends a turn that was measured.
func (c *course) endTurn() {
	c.spent[c.step()] += time.Since(c.began)
	c.turn++
}

// Position is how far a run is.
type Position struct {
	Operation string // as SERVICE/OPERATION, or the null client; "" before the first
	Round     int    // from 1 on; 0 in the warm-ups
	Rounds    int
	Done      float64       // share of it all, by time or by turns; negative when it is not known
	Left      time.Duration // until all is measured, about; negative when calls and not time end it
}

// turnTo notes which turn has begun.
func (o *Overhead) turnTo(at, round int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.turn, o.turned = 1+at+(1+round)*len(o.steps), time.Now()
}

// Position is how far the run is now.
func (o *Overhead) Position() Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := Position{Rounds: o.rounds, Done: -1, Left: -1}
	if o.turn == 0 {
		return p
	}
	at := (o.turn - 1) % len(o.steps)
	p.Round, p.Operation = (o.turn-1)/len(o.steps), o.steps[at].service+"/"+o.steps[at].operation
	if o.steps[at].null {
		p.Operation = "null client"
	}
	if whole := o.leftOf(0, 0, 0); o.Plan.Time > 0 && whole > 0 {
		p.Left = o.leftOf(at, p.Round, time.Since(o.turned))
		p.Done = 1 - float64(p.Left)/float64(whole)
	} else if p.Round > 0 { // turns of as many calls each, after warm-ups that may be of any length beside them
		p.Done = float64(o.turn-1-len(o.steps)) / float64(o.rounds*len(o.steps))
	}
	return p
}

// leftOf is the time that the turns from one on take, of which so much is over. Steps that are skipped
// take none.
func (o *Overhead) leftOf(at, round int, gone time.Duration) (left time.Duration) {
	share := o.Plan.Time / time.Duration(o.rounds)
	for i := range o.steps {
		if o.skipped[i] {
			continue
		}
		if round == 0 && i >= at {
			left += o.Plan.Warmup
		}
		rounds := o.rounds - round // after this one
		if round == 0 {
			rounds = o.rounds
		} else if i >= at {
			rounds++
		}
		left += time.Duration(rounds) * share
	}
	turn := share
	if round == 0 {
		turn = o.Plan.Warmup
	}
	return max(0, left-min(gone, turn))
}
