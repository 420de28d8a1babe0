package run

import (
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// course is how far the engine is: as it said last, about once a second, and by the clock since then.
type course struct {
	position func() Live // of the kind; nil: the engine's own

	mu     sync.Mutex
	told   engine.Progress
	at     time.Time // when it was told
	placed Live
	asked  time.Time // when that was asked for; zero: not yet
	most   float64   // of the phase's Done: a bar does not go back because an estimate was wrong
}

// Engine is a stage in which the engine carries a load out, and tells how it goes.
func (v *View) Engine() (tell func(engine.Progress), end func()) {
	c := &course{position: v.Position, at: time.Now(), told: engine.Progress{Done: -1, Left: -1}}
	return c.tell, v.Begin("connect", c.live)
}

func (c *course) tell(p engine.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Phase != c.told.Phase {
		c.most, c.asked = 0, time.Time{}
	}
	c.told, c.at = p, time.Now()
}

// live is what the view shows now.
func (c *course) live() Live {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, p := time.Now(), &c.told
	l := Live{
		Phase: p.Phase, Elapsed: p.Elapsed + now.Sub(c.at), Done: p.Done, Left: p.Left, About: p.About,
		Measured: p.Measured, Rate: p.Rate, Bytes: p.Bytes, P50: p.P50, P99: p.P99, InFlight: p.InFlight, Errors: p.Errors,
	}
	since := c.at
	switch {
	case p.Clients > 1:
		l.Count = units.Number(int64(p.Connected)) + " of " + units.Number(int64(p.Clients)) + " clients"
	case p.Phase == engine.Drain:
		l.Count = units.Number(p.InFlight) + " in flight"
	case p.Phase == rundoc.PhaseWindow && c.position != nil:
		since = c.ask(now)
		l.Phase, l.What, l.Count, l.Apart = c.placed.Phase, c.placed.What, c.placed.Count, c.placed.Apart
		l.Done, l.Left, l.About = c.placed.Done, c.placed.Left, c.placed.About
		l.Measured = p.Measured && c.placed.Measured
	}
	forward(&l, now.Sub(since))
	if l.Done >= 0 {
		c.most = max(c.most, l.Done)
		l.Done = c.most
	}
	return l
}

// ask asks the kind, once a second, and gives when it was asked last.
func (c *course) ask(now time.Time) time.Time {
	if c.asked.IsZero() || now.Sub(c.asked) >= time.Second {
		c.placed, c.asked = c.position(), now
	}
	return c.asked
}

// unheard is how long the clock stands in for news.
const unheard = 2 * time.Second

// forward moves what is known of a moment to so much later.
func forward(l *Live, gone time.Duration) {
	if l.Left <= 0 {
		return
	}
	gone = min(gone, unheard, l.Left)
	if l.Done >= 0 {
		l.Done += (1 - l.Done) * float64(gone) / float64(l.Left)
	}
	l.Left -= gone
}
