package s3

import (
	"context"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// pacer lets bytes pass at a rate, in the order in which they ask. It keeps the time at which
// the last byte so far is through, so that no lateness of an alarm adds up.
type pacer struct {
	rate    float64 // bytes a second
	quantum int     // the most that may ask at a time
	alarms  *wake.Scheduler

	mu     sync.Mutex
	next   time.Time
	active int // bodies on their way
}

// The bytes of quantumTime go through at a time. While bodies are on their way, what was not
// used in the last slack is not lost: on a busy machine a goroutine runs some milliseconds
// after its alarm. What was not used while there was none is.
const (
	quantumTime = 2 * time.Millisecond
	slack       = 20 * time.Millisecond
)

// enter says that a body is on its way, and leave that it is not any more.
func (p *pacer) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.active == 0 && p.next.Before(now) {
		p.next = now
	}
	p.active++
}

func (p *pacer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active--
}

func newPacer(rate int64, alarms *wake.Scheduler) *pacer {
	quantum := int64(float64(rate) * quantumTime.Seconds())
	return &pacer{rate: float64(rate), quantum: int(min(max(quantum, 512), 256<<10)), alarms: alarms}
}

// take waits until n more bytes are through.
func (p *pacer) take(ctx context.Context, n int) error {
	if n <= 0 {
		return nil
	}
	now := time.Now()
	p.mu.Lock()
	if earliest := now.Add(-slack); p.next.Before(earliest) {
		p.next = earliest
	}
	p.next = p.next.Add(time.Duration(float64(n) / p.rate * float64(time.Second)))
	through := p.next
	p.mu.Unlock()
	return sleepUntil(ctx, p.alarms, through)
}

// sleepUntil waits until t or the end of ctx.
func sleepUntil(ctx context.Context, alarms *wake.Scheduler, t time.Time) error {
	if !time.Now().Before(t) {
		return ctx.Err()
	}
	var delay server.Delay
	if !delay.Until(t, alarms, ctx.Done(), nil) {
		return ctx.Err()
	}
	return nil
}
