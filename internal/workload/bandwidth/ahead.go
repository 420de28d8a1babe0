package bandwidth

import (
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Making data is not what is measured. The memory that the first files are written from is filled before the clock
// starts, so that what follows costs a stamp for each page of it; blocks are made some way ahead of their writes; and
// a wait for them in which nothing is on its way is taken out of the transfer's time.

const (
	// mostAhead bounds what is filled before the clock starts: memory that the writers would take anyway, where
	// they do not wait for each other.
	mostAhead = 1 << 30
	// blocksAhead is how many blocks may be made and not yet written, as far as the writer has memory.
	blocksAhead = 4
)

// MakeAhead fills the memory that files will be written from, where the store keeps it. It is called before the run.
func (b *Bandwidth) MakeAhead() {
	s, ok := b.Store.(store.Preparer)
	if !ok || b.Plan.Only == OnlyDownload {
		return
	}
	s.MakeAhead(store.Ahead{
		Size: b.Plan.Size, Files: b.Plan.Streams, Most: mostAhead, Fill: b.contentOf(0, 0).Fill,
	})
}

// idleClock runs while each stream that uploads waits for data, and has nothing on its way.
type idleClock struct {
	mu      sync.Mutex
	streams int // that upload
	idle    int // of those, how many wait so
	since   time.Time
	total   time.Duration // that it ran
	waited  time.Duration // the same, of all streams together
}

// joined counts a stream that begins to upload, or with -1 one that has ended.
func (c *idleClock) joined(n int) { c.change(n, 0) }

// change counts streams. What went by until now is of those that there were.
func (c *idleClock) change(streams, idle int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.idle > 0 && c.idle == c.streams {
		c.total += now.Sub(c.since)
		c.waited += now.Sub(c.since) * time.Duration(c.streams)
	}
	c.since, c.streams, c.idle = now, c.streams+streams, c.idle+idle
}

// take gives what went by since it was asked last.
func (c *idleClock) take() (total, waited time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	total, waited = c.total, c.waited
	c.total, c.waited = 0, 0
	return total, waited
}
