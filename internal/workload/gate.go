package workload

import "sync"

// Gate is where clients meet: nobody passes before all have come. It closes again behind them.
type Gate struct {
	mu     sync.Mutex
	all    int
	here   int
	opened chan struct{}
}

// NewGate makes a gate for so many clients.
func NewGate(all int) *Gate { return &Gate{all: all, opened: make(chan struct{})} }

// Pass waits for the others. The last one to come runs its last, unless that is nil, before the
// gate opens. It is false when over is closed before all have come.
func (g *Gate) Pass(over <-chan struct{}, last func()) bool {
	g.mu.Lock()
	opened := g.opened
	g.here++
	if g.here == g.all {
		if last != nil {
			last()
		}
		g.here, g.opened = 0, make(chan struct{})
		close(opened)
	}
	g.mu.Unlock()
	select {
	case <-opened:
		return true
	default:
	}
	select {
	case <-opened:
		return true
	case <-over:
		return false
	}
}
