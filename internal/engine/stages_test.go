package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestClientStagesChangeTheNumberOfClients raises the number of clients from 0 to 4 in 4 s, keeps it for 2 s, and lowers
// it to 1 in 3 s. An operation takes 100 ms.
func TestClientStagesChangeTheNumberOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(uint64, time.Duration) time.Duration { return 100 * time.Millisecond }
		p := load()
		p.Clients, p.Duration = 4, 0
		p.ClientStages = []plan.ClientStage{
			{Duration: 4 * time.Second, Clients: 4}, {Duration: 2 * time.Second, Clients: 4}, {Duration: 3 * time.Second, Clients: 1},
		}
		doc := run(t, l, p, nil)
		// 1, 2, 3 and 4 clients for a second each, 4 for 2 s, then 4, 3 and 2 for a second each.
		for second, clients := range []int64{1, 2, 3, 4, 4, 4, 4, 3, 2} {
			if got := doc.Series[second].OK; got < 10*clients-3 || got > 10*clients+3 {
				t.Errorf("second %d: %d operations, want about %d", second, got, 10*clients)
			}
		}
		about(t, "idle", doc.Ledger.States[rundoc.StateIdle], int64(9*time.Second), .02) // 9 × 4 s − 27 s
		if n := l.connected.Load(); n != 4 {
			t.Errorf("%d connections, want 4", n)
		}
	})
}

// TestRemovedClientsCloseTheirConnections removes both clients, and asks for them again.
func TestRemovedClientsCloseTheirConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := load()
		p.Clients, p.StartClients, p.Duration = 2, 2, 0
		p.ClientStages = []plan.ClientStage{{Duration: time.Second}, {Duration: time.Second}, {Duration: time.Second, Clients: 2}}
		doc := run(t, l, p, nil)
		if n := l.connected.Load(); n != 4 {
			t.Errorf("%d connections, want 4", n)
		}
		if r := doc.Connections.Reconnects; len(r) != 1 || r[0].Cause != "client-stages" || r[0].Count != 2 {
			t.Errorf("reconnects %+v", r)
		}
	})
}
