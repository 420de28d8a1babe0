package kv

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/rundoc"
)

// stamped is a batch that was sent at a moment, by a publisher on the server's clock.
func (s *Server) stamped(t *testing.T, sequence uint64, scheduled, sent time.Time) []byte {
	h := from(9, 0, sequence)
	h.Clock, h.Scheduled, h.Sent = s.clock.ID(), s.clock.At(scheduled), s.clock.At(sent)
	return message(t, h, update("k", "v", int64(sequence)))
}

func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.broker = true
		s := inMemory(t, m, func(c *Config) { c.Listeners = 1 })
		if s.clock.ID() == 0 {
			t.Skip("the clock is not known here")
		}
		l := &listener{s: s}
		began := time.Now()
		time.Sleep(30 * time.Millisecond) // nothing is there
		scheduled := time.Now()
		time.Sleep(2 * time.Millisecond)
		sent := time.Now()
		first := topic.Message{Payload: s.stamped(t, 0, scheduled, sent), Handle: 0,
			BrokerTime: sent.Add(time.Millisecond).Round(0)}
		time.Sleep(5 * time.Millisecond)
		r := topic.Received{Began: began, Ended: time.Now(), Messages: []topic.Message{first}}
		time.Sleep(3 * time.Millisecond) // it waits for the listener
		l.handle(t.Context(), m, &r)

		got := runState(t, s, 9).Times
		want := map[string]time.Duration{
			rundoc.StageReading: 37, rundoc.StageReceiveIdle: 32, rundoc.StageReceiveBusy: 5, rundoc.StageTransit: 5,
			rundoc.StageQueued: 3, rundoc.StageApply: 0, rundoc.StageProcessing: 3, rundoc.StageAcknowledge: 0,
			rundoc.StageE2ESent: 8, rundoc.StageE2EScheduled: 10, rundoc.StageE2EBroker: 7,
		}
		for name, d := range want {
			stage, ok := got.Stages[name]
			if !ok || stage.Summary.Count != 1 || stage.Summary.MaxNS != int64(d*time.Millisecond) {
				t.Errorf("%s: %+v, want one of %v ms", name, stage, int64(d))
			}
		}
		if len(got.Stages) != len(want) || got.Receives != 1 || got.Messages != 1 || got.NoClock != 0 {
			t.Errorf("%+v", got)
		}

		// Sent before the receive call began: all of that was busy.
		began = time.Now()
		sent = began.Add(-time.Second)
		time.Sleep(4 * time.Millisecond)
		r = topic.Received{Began: began, Ended: time.Now(),
			Messages: []topic.Message{{Payload: s.stamped(t, 1, sent, sent), Handle: 1}}}
		l.handle(t.Context(), m, &r)
		got = runState(t, s, 9).Times
		if stage := got.Stages[rundoc.StageReceiveIdle]; stage.Summary.MinNS != 0 || stage.Summary.Count != 2 {
			t.Errorf("idle: %+v", stage)
		}
		if stage := got.Stages[rundoc.StageReceiveBusy]; stage.Summary.MinNS != int64(4*time.Millisecond) {
			t.Errorf("busy: %+v", stage)
		}
	})
}
