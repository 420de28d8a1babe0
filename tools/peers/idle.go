package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The connections that are idle, and those of the run that is taken off.
const manyIdle, fewIdle = 1000, 10

// idle is what an idle connection of Plimsoll takes of memory, in KiB: what a process with many of them has resident
// more than one with few. The buffers of the kernel are not in it.
func (b *bench) idle(a asked) (float64, error) {
	var each []float64
	for range 3 {
		many, err := b.resident(a, manyIdle)
		if err != nil {
			return 0, err
		}
		few, err := b.resident(a, fewIdle)
		if err != nil {
			return 0, err
		}
		each = append(each, (many-few)/(manyIdle-fewIdle))
	}
	return median(each), nil
}

// resident is the memory of a process whose clients have asked once, and pause.
func (b *bench) resident(a asked, clients int) (kib float64, err error) {
	a.clients, a.window = clients, 3*time.Second
	args, err := plimsoll(b, a)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(b.ctx, args[0], append(args[1:], "--think-time", "1h")...)
	cmd.SysProcAttr, cmd.Dir = dies(), b.dir
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var seen []float64
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			if len(seen) <= beforeEnd {
				return 0, errors.New("plimsoll ended before its clients were idle")
			}
			return seen[len(seen)-1-beforeEnd], nil
		case <-tick.C:
			if kib, err := rss(cmd.Process.Pid); err == nil {
				seen = append(seen, kib)
			}
		}
	}
}

// beforeEnd is how many looks before its end a process counts: all have connected, and the report is not begun.
const beforeEnd = 10

// rss is the resident memory of a process.
func rss(pid int) (kib float64, err error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, "VmRSS:"); is {
			return strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		}
	}
	return 0, errors.New("it has ended")
}
