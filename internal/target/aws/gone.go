package aws

import "sync"

// maxGone bounds what is remembered; the oldest is forgotten first, and is there again.
const maxGone = 1024

// gone remembers what was deleted, since clients that wait for that ask until it is gone.
// Everything else is always there.
type gone struct {
	mu    sync.Mutex
	names map[string]bool
	order []string
}

func newGone() *gone { return &gone{names: map[string]bool{}} }

func (g *gone) leave(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.names[name] {
		return
	}
	g.names[name] = true
	g.order = append(g.order, name)
	for len(g.order) > maxGone {
		delete(g.names, g.order[0])
		g.order = g.order[1:]
	}
}

func (g *gone) back(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.names, name)
}

func (g *gone) is(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.names[name]
}
