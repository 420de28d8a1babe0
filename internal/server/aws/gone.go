package aws

import (
	"slices"
	"sync"
)

// maxGone bounds what is remembered; the oldest is forgotten first, and is there again.
const maxGone = 1024

// gone remembers what was deleted, since clients that wait for that ask until it is gone.
// Everything else is always there. Names are short: what is called plain.
type gone struct {
	mu    sync.Mutex
	names map[string]bool
	order []string
}

func newGone() *gone { return &gone{names: map[string]bool{}} }

func (g *gone) add(name string) {
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

func (g *gone) remove(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.names[name] {
		return
	}
	delete(g.names, name)
	// Its place in the order goes, too, or it would be forgotten early when it is deleted again.
	at := slices.Index(g.order, name)
	g.order = slices.Delete(g.order, at, at+1)
}

func (g *gone) has(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.names[name]
}
