package engine

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/record"
)

// patience is how long an operation that is due waits for a free client before a client is added for it. It is long
// enough for clients that are late only because the generator did not run for a moment to catch up.
const patience = time.Millisecond

// catchUp is how far back grow looks for pauses of the generator. It adds no clients until twice their length has
// passed: overdue operations are then the backlog of the generator, and more clients would add to its work.
const catchUp = 200 * time.Millisecond

// mostClients returns the number of clients that the phase may grow to.
func (ph *phase) mostClients() int {
	most := ph.load.MaxClients
	if !ph.load.Open() || most <= len(ph.clients) {
		return len(ph.clients)
	}
	if files, known := instrument.FreeFiles(); known {
		most = min(most, len(ph.clients)+files)
	}
	return most
}

// grow adds a client for each operation that is due while all clients are busy, until there are most clients, the
// window ends or ctx is done.
func (ph *phase) grow(ctx context.Context, source *openSource) {
	for n := len(ph.clients); n < ph.most; {
		due := source.nextDue()
		if due == never || !ph.nap(ctx, max(0, time.Duration(due-ph.clock.Now()))+patience) {
			return
		}
		if ph.clock.Still() {
			continue
		}
		now := ph.clock.Now()
		if ph.turn != nil {
			now = min(now, ph.turn.until.Load())
		}
		gaps := ph.gaps(now-int64(catchUp), now)
		for _, t := range source.overdue(now-int64(patience)-2*gaps, ph.most-n) {
			ph.addClient(ctx, t)
			n++
		}
	}
}

// nap sleeps for d, and a little longer if it woke late: then the slots may have been held up as well, and have the
// time to take what is due. It returns false if the window has ended.
func (ph *phase) nap(ctx context.Context, d time.Duration) bool {
	for range 2 {
		due := time.Now().Add(d)
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ph.soft:
			timer.Stop()
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		if time.Since(due) <= patience {
			return true
		}
		d = patience
	}
	return true
}

// addClient adds a client, whose first slot begins with t. The operation connects the client.
func (ph *phase) addClient(ctx context.Context, t turn) {
	ph.mu.Lock()
	c := &client{Client: ph.newClient(len(ph.clients))}
	ph.clients = append(ph.clients, c)
	first := len(ph.slots)
	for within := range ph.load.Pipeline {
		s := newSlot(ph, c, len(ph.slots), within)
		s.state, s.since = record.Idle, ph.loadStart
		ph.slots = append(ph.slots, s)
	}
	added := ph.slots[first:]
	ph.mu.Unlock()
	added[0].claimed, added[0].hasClaimed = t, true
	if ph.turn != nil {
		ph.turn.join(len(added))
	}
	for _, s := range added {
		ph.running.Go(func() { s.run(ctx) })
	}
}

// all returns the slots that the phase has now.
func (ph *phase) all() []*slot {
	ph.mu.Lock()
	defer ph.mu.Unlock()
	return ph.slots
}

// size returns the number of clients that the phase has now.
func (ph *phase) size() int {
	ph.mu.Lock()
	defer ph.mu.Unlock()
	return len(ph.clients)
}
