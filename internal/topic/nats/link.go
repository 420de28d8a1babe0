package nats

import (
	"context"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// held is what a link holds: a connection, and what was made on it.
type held interface {
	dead() bool
	close()
}

// link holds a connection that the next call makes anew after it was lost.
type link[T held] struct {
	make    func(context.Context) (T, error)
	turn    chan struct{} // has room for the one who may look at the rest
	current T
	there   bool
	closed  bool
}

func newLink[T held](make_ func(context.Context) (T, error)) *link[T] {
	return &link[T]{make: make_, turn: make(chan struct{}, 1)}
}

// get is the connection that is there, or a new one.
func (l *link[T]) get(ctx context.Context) (T, error) {
	var none T
	if ctx.Err() != nil { // else what has to be sent may go out all the same, by the toss of the select
		return none, ctx.Err()
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	}
	defer func() { <-l.turn }()
	if l.closed {
		return none, topic.Closed()
	}
	if l.there && !l.current.dead() {
		return l.current, nil
	}
	if l.there {
		l.there = false
		l.current.close()
	}
	made, err := l.make(ctx)
	if err != nil {
		return none, err
	}
	l.current, l.there = made, true
	return made, nil
}

// close closes what is there. The calls after it fail.
func (l *link[T]) close() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.closed = true
	if l.there {
		l.there = false
		l.current.close()
	}
}

// peek shows what is there, if it is and nobody is just making it.
func (l *link[T]) peek(show func(T)) {
	select {
	case l.turn <- struct{}{}:
	default:
		return
	}
	defer func() { <-l.turn }()
	if l.there {
		show(l.current)
	}
}
