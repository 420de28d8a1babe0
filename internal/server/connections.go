package server

import (
	"context"
	"errors"
	"sync"
)

// Why there is no place for a connection.
var (
	ErrEnding = errors.New("the server is shutting down")
	ErrFull   = errors.New("too many connections: try again later")
)

// Connections are those that a server has open and serves itself, each in a goroutine.
type Connections[C comparable] struct {
	bound   *Bound
	running sync.WaitGroup // the places that are taken

	mu     sync.Mutex
	ending bool
	over   bool       // patience was done
	open   map[C]bool // whether it is served yet
}

// NewConnections makes room for so many; a limit of 0 is none.
func NewConnections[C comparable](limit int) *Connections[C] {
	return &Connections[C]{bound: NewBound(limit), open: map[C]bool{}}
}

// Reserve takes a place for one more, or says why there is none. It is followed by Start or by
// Release.
func (s *Connections[C]) Reserve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return ErrEnding
	}
	if !s.bound.Enter() {
		return ErrFull
	}
	s.running.Add(1)
	return nil
}

// Release gives back what Reserve took.
func (s *Connections[C]) Release() {
	s.bound.Leave()
	s.running.Done()
}

// Announce says whose a reserved place is before Start, where there is something to do first in which the other side
// can hold it up, such as a handshake: All has it, so that it can be cut off, but not Each. It is followed by Start or
// by Withdraw. It refuses when those that are left have been cut off.
func (s *Connections[C]) Announce(c C) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return ErrEnding
	}
	s.open[c] = false
	return nil
}

// Withdraw takes back what was announced. The place is still to be released.
func (s *Connections[C]) Withdraw(c C) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// Start serves a connection in a goroutine of its own, so that what accepting it took is freed.
// One that comes after Drain has begun is late: it is not among
// those that were told to end.
func (s *Connections[C]) Start(c C, serve func(late bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = true
	late := s.ending
	s.running.Go(func() {
		defer s.leave(c)
		serve(late)
	})
	s.running.Done() // the goroutine stands for the place now
}

func (s *Connections[C]) leave(c C) {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	s.bound.Leave()
}

// Drain refuses further connections, calls end with every open one, and waits until none is left
// and no place is taken. When patience is done it calls cut, which is to end the others.
func (s *Connections[C]) Drain(patience context.Context, end func(C), cut func()) {
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	s.Each(end)
	done := make(chan struct{})
	spare := context.AfterFunc(patience, func() {
		defer close(done)
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
		cut()
	})
	s.running.Wait()
	if !spare() {
		<-done
	}
}

// Each calls f with every connection that is served. f may block: the list is a copy.
func (s *Connections[C]) Each(f func(C)) { s.each(f, false) }

// All calls f also with those that are announced only.
func (s *Connections[C]) All(f func(C)) { s.each(f, true) }

func (s *Connections[C]) each(f func(C), announced bool) {
	s.mu.Lock()
	list := make([]C, 0, len(s.open))
	for c, served := range s.open {
		if served || announced {
			list = append(list, c)
		}
	}
	s.mu.Unlock()
	for _, c := range list {
		f(c)
	}
}

// Open is how many places are taken.
func (s *Connections[C]) Open() int64 { return s.bound.Inside() }
