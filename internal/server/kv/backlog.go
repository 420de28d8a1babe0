package kv

import (
	"context"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// backlog asks the broker what waits, and keeps the answer for a moment, so that many who ask
// the server do not become many who ask the broker.
type backlog struct {
	mu    sync.Mutex
	last  backlogAnswer
	asked time.Time
}

type backlogAnswer struct {
	topic.Backlog
	err string
}

const (
	freshBacklog = 100 * time.Millisecond // how old an answer may be
	askTimeout   = 2 * time.Second        // of the broker
)

func (b *backlog) ask(ctx context.Context, sub topic.Subscription) backlogAnswer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.asked.IsZero() && time.Since(b.asked) < freshBacklog {
		return b.last
	}
	// The answer is for those who ask next, too, also when this one has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	got, err := sub.Backlog(ctx)
	b.last, b.asked = backlogAnswer{Backlog: got}, time.Now()
	if err != nil {
		b.last = backlogAnswer{Backlog: topic.Backlog{Messages: -1, Unacked: -1, Dropped: got.Dropped},
			err: err.Error()}
	}
	return b.last
}
