package overhead

import "time"

// Position is how far a run is.
type Position struct {
	Operation string // as SERVICE/OPERATION, or the null client; "" before the first
	Round     int    // from 1 on; 0 in the warm-ups
	Rounds    int
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
	p := Position{Rounds: o.rounds, Left: -1}
	if o.turn == 0 {
		return p
	}
	at := (o.turn - 1) % len(o.steps)
	p.Round, p.Operation = (o.turn-1)/len(o.steps), o.steps[at].service+"/"+o.steps[at].operation
	if o.steps[at].null {
		p.Operation = "null client"
	}
	if o.Plan.Time > 0 {
		p.Left = o.leftOf(at, p.Round, time.Since(o.turned))
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
