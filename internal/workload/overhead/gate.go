package overhead

import "sync"

// gate is where the clients meet: nobody passes before all have come.
type gate struct {
	mu     sync.Mutex
	all    int
	here   int
	opened chan struct{}
}

func newGate(all int) *gate { return &gate{all: all, opened: make(chan struct{})} }

// pass waits for the others. It is false when over is closed before they have come.
func (g *gate) pass(over <-chan struct{}) bool {
	g.mu.Lock()
	opened := g.opened
	g.here++
	if g.here == g.all {
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
