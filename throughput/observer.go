package throughput

import "context"

// An Observer gets the Timeline of each attempt that has ended, exactly once. It is called
// on the goroutine that ended the attempt — often the one that reads the response — and
// should be quick. See the package comment for what runs at the same time.
//
// The context is that of the request, as the Transport got it, and never nil. Its values can be
// read as ever: a span, or what a middleware said of the call. Its end says nothing of the
// attempt: attempts are over after the caller has its answer, often enough after it has cancelled
// the context. Work that must be done all the same takes context.WithoutCancel of it.
type Observer interface {
	Observe(ctx context.Context, t *Timeline)
}

// ObserverFunc makes a function an Observer. A nil function observes nothing.
type ObserverFunc func(ctx context.Context, t *Timeline)

// Observe calls the function.
func (f ObserverFunc) Observe(ctx context.Context, t *Timeline) {
	if f != nil {
		f(ctx, t)
	}
}

// Observers is an Observer that hands on to each of a list, in order. Nil ones are skipped.
type Observers []Observer

// Observe calls each observer.
func (o Observers) Observe(ctx context.Context, t *Timeline) {
	for _, each := range o {
		if each != nil {
			each.Observe(ctx, t)
		}
	}
}

type observerKey struct{}

// WithObserver returns a context whose requests are also observed by o: the way to tell the
// attempts of one call of an SDK from those of another, over the same client. An observer
// that the context already has remains.
func WithObserver(ctx context.Context, o Observer) context.Context {
	if o == nil {
		return ctx
	}
	if outer := observerOf(ctx); outer != nil {
		o = Observers{outer, o}
	}
	return context.WithValue(ctx, observerKey{}, o)
}

func observerOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}
