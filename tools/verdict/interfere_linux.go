package main

import (
	"context"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// memoryLimit is less than the generator needs (it holds 5 MiB at the least, and the runtime as much
// again), so that it collects without end. With 20 MiB, it collects for 5% of its time.
const memoryLimit = "10MiB"

func (h harm) environment() []string {
	if !h.memory {
		return nil
	}
	return []string{"GOGC=1", "GOMEMLIMIT=" + memoryLimit, "GODEBUG=gctrace=1"}
}

// hog starts the busy loops.
func (l *lab) hog(n, cpu int) (stop func(), err error) {
	var all []*process
	stop = func() {
		// All at once: while others still ran, reaping the first has taken the kernel minutes.
		for _, p := range all {
			p.signal(syscall.SIGKILL)
		}
		for _, p := range all {
			p.kill()
		}
	}
	for range n {
		p, err := l.start(place{cpu: cpu}, []string{"GOMAXPROCS=1"}, l.self, "hog")
		if err != nil {
			stop()
			return nil, err
		}
		all = append(all, p)
	}
	return stop, nil
}

// freeze stops a process at a moment, and has it go on. The function that it returns waits for that.
func (c *process) freeze(ctx context.Context, after, length time.Duration) (wait func()) {
	var w sync.WaitGroup
	if length > 0 {
		w.Go(func() {
			if !sleep(ctx, after) {
				return
			}
			c.signal(syscall.SIGSTOP)
			sleep(ctx, length)
			c.signal(syscall.SIGCONT)
		})
	}
	return w.Wait
}

func sleep(ctx context.Context, d time.Duration) (whole bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

var gcTrace = regexp.MustCompile(`(?m)^gc \d+ @[0-9.]+s (\d+)%`)

// gcPercent is the share of collection in the CPU time since the start, by the last line of a trace.
func gcPercent(stderr string) float64 {
	all := gcTrace.FindAllStringSubmatch(stderr, -1)
	if len(all) == 0 {
		return 0
	}
	percent, _ := strconv.ParseFloat(all[len(all)-1][1], 64) // digits, by the expression
	return percent
}
