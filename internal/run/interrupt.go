package run

import (
	"context"
	"os"
	"sync"
)

// Interrupts gives the two ends of a run: soft is done at the first signal, hard at the
// second, and a third ends the process: the signals are given back with the second. Without
// a signal both live until release is called, which must be done once.
//
// told, if not nil, is called at the first signal, when soft is done already.
func Interrupts(ctx context.Context, env *Env, told func()) (soft, hard context.Context, release func()) {
	hard, cancelHard := context.WithCancel(ctx)
	soft, cancelSoft := context.WithCancel(hard)
	signals, giveBack := env.Signals()
	stop := sync.OnceFunc(giveBack)
	released := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		first := func() {
			cancelSoft()
			if told != nil {
				told()
			}
		}
		for _, cancel := range []context.CancelFunc{first, cancelHard} {
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

// EndByInterrupt has the first interrupt end the process, when before was called, for work that cannot be broken off.
// It goes on until release is called.
func EndByInterrupt(env *Env, before func()) (release func()) {
	signals, giveBack := env.Signals()
	stop := sync.OnceFunc(giveBack)
	released := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case s := <-signals:
			before()
			stop()
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(s) // where that cannot be done, the next interrupt does it
			}
		case <-released:
		}
	})
	return func() {
		close(released)
		watcher.Wait()
		stop()
	}
}
