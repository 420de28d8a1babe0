package exec

import (
	"context"
	"fmt"
	"os"
	"time"
)

// limit ends a command: after its time, or, with a progress, when that has not changed for so long.
type limit struct {
	flag     string // that sets it
	after    time.Duration
	progress func() int64
}

// reason says why a command was ended.
func (l *limit) reason() string {
	if l.progress != nil {
		return fmt.Sprintf("no request for %v (%s)", l.after, l.flag)
	}
	return fmt.Sprintf("time limit of %v reached (%s)", l.after, l.flag)
}

// looks is how often a progress is looked at within its limit.
const looks = 20

// wait reports whether the limit was passed before ctx was done.
func (l *limit) wait(ctx context.Context) bool {
	if l.progress == nil {
		return sleep(ctx, l.after)
	}
	last := l.progress()
	for still := 0; still < looks; still++ {
		if !sleep(ctx, l.after/looks) {
			return false
		}
		if now := l.progress(); now != last {
			last, still = now, -1
		}
	}
	return true
}

// sleep is false when ctx was done before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// sizeOf is the length of a file that is being written; 0 until it is there.
func sizeOf(path string) func() int64 {
	return func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
}
