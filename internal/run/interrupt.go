package run

import (
	"context"
	"sync"
)

// Interrupts gives the two ends of a run: soft is done at the first signal, hard at the
// second, and a third ends the process: the signals are given back with the second. Without
// a signal both live until release is called, which must be done once.
func Interrupts(ctx context.Context, env *Env) (soft, hard context.Context, release func()) {
	hard, cancelHard := context.WithCancel(ctx)
	soft, cancelSoft := context.WithCancel(hard)
	signals, giveBack := env.Signals()
	stop := sync.OnceFunc(giveBack)
	released := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for _, cancel := range []context.CancelFunc{cancelSoft, cancelHard} {
			select {
			case <-signals:
				cancel()
			case <-released:
				return
			}
		}
		stop()
	})
	return soft, hard, func() {
		close(released)
		watcher.Wait()
		stop()
		cancelSoft()
		cancelHard()
	}
}
