package kv

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// plausible bounds the time between two moments that can be related, some 104 days. What is
// further apart are two clocks that have nothing to do with each other, whatever they say.
const plausible = 1 << 53

// since is the time from a publisher's stamp to a moment on the server's clock, ns.
func since(stamp, offset, moment int64) (int64, bool) {
	d := moment - stamp // wraps around for a hostile stamp, and is implausible then or harmless
	d -= offset
	if d > plausible || d < -plausible {
		return absent, false
	}
	return d, true
}

// offset is what is added to the stamps of a batch to get the server's clock, if it is known.
func (s *Server) offset(w *work, g *kvapi.Registration) (int64, bool) {
	switch {
	case w.h.Clock != 0 && w.h.Clock == s.clock.ID():
		return 0, true
	case g != nil:
		return g.OffsetNS, true
	}
	return 0, false
}

// timeBatch enters the times of a batch that was applied. Those of the warm-up count as
// batches only.
func (s *Server) timeBatch(w *work) {
	now := s.clock.At(w.ready)
	atLeast(&s.lastApplied, now)
	atLeast(&w.p.run.applied, now)
	s.metrics.batches.Inc()
	s.metrics.rowsApplied(w.applied)
	s.metrics.stale.Add(float64(w.stale))
	if w.h.Warmup {
		return
	}
	g, own := s.registry.clockOf(w.p.run)
	d := noTiming()
	d[stageQueued] = int64(w.taken.Sub(w.arrived))
	d[stageApply] = int64(w.ready.Sub(w.taken))
	d[stageProcessing] = int64(w.ready.Sub(w.arrived))
	offset, known := s.offset(w, g)
	if known {
		if d[stageTransit], known = since(w.h.Sent, offset, s.clock.At(w.arrived)); known {
			d[stageE2ESent], _ = since(w.h.Sent, offset, now)
			d[stageE2EScheduled], known = since(w.h.Scheduled, offset, now)
		}
	}
	if at := w.message.BrokerTime; !at.IsZero() {
		d[stageE2EBroker] = int64(w.ready.Round(0).Sub(at)) // two wall clocks
	}
	s.all.batch(now, &d, known, w.applied, w.stale)
	if own != nil {
		own.batch(now, &d, known, w.applied, w.stale)
	}
	if m := s.registry.momentsOf(w.p.run.id); m != nil {
		m.add(kvapi.Moment{Publisher: w.p.id.Number, Sequence: w.h.Sequence, DueNS: w.h.Scheduled, AppliedNS: now,
			Updates: w.applied + w.stale})
	}
	s.metrics.observe(&d)
}

// atLeast raises a time. Listeners finish in no order.
func atLeast(at *atomic.Int64, now int64) {
	for before := at.Load(); before < now && !at.CompareAndSwap(before, now); before = at.Load() {
	}
}

// timeReceive enters a receive call that brought batches which count. It is idle until the
// first of them was sent, and busy after that.
func (s *Server) timeReceive(r *topic.Received, batches []*work) {
	var first *work
	lead := int64(math.MinInt64) // of the first send on the call's beginning
	began, related := s.clock.At(r.Began), true
	for _, w := range batches {
		if w.h.Warmup {
			continue
		}
		if first == nil {
			first = w
		}
		g, _ := s.registry.clockOf(w.p.run)
		offset, known := s.offset(w, g)
		if known {
			var ahead int64
			ahead, known = since(w.h.Sent, offset, began)
			lead = max(lead, ahead)
		}
		related = related && known
	}
	if first == nil {
		return
	}
	d := noTiming()
	whole := int64(r.Ended.Sub(r.Began))
	d[stageReading] = whole
	// A call cannot have brought what was sent after its end: then the clocks disagree, and nothing
	// that is computed from both can tell idle from busy.
	if related && -lead <= whole {
		idle := max(0, -lead)
		d[stageIdle], d[stageBusy] = idle, whole-idle
	}
	s.all.receive(len(r.Messages), &d)
	if _, own := s.registry.clockOf(first.p.run); own != nil {
		own.receive(len(r.Messages), &d)
	}
	s.metrics.receive.Observe(micros(whole))
}

// timeAcknowledge enters the time until the broker knew that a batch was applied, in which the
// journal was written. Where there is neither, there is no such time.
func (s *Server) timeAcknowledge(w *work, known time.Time) {
	if w.h.Warmup || !s.about.AtLeastOnce && s.journal == nil {
		return
	}
	ns := int64(known.Sub(w.ready))
	s.all.acknowledged(ns)
	if _, own := s.registry.clockOf(w.p.run); own != nil {
		own.acknowledged(ns)
	}
}

// skipped says whether the batch that was just applied is one that is not acknowledged, the
// first time.
func (s *Server) skipped() bool {
	if s.cfg.SkipAck == 0 || s.settled.Add(1)%int64(s.cfg.SkipAck) != 0 {
		return false
	}
	s.metrics.skipped.Inc()
	return true
}
