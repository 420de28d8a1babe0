package instrument

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// waited is what /proc/…/schedstat tells of a thread.
type waited struct {
	ran   time.Duration // on a CPU
	delay time.Duration // ready to run, and waiting for one
}

// readThreads reads the schedstat of each thread of the process.
func readThreads(files fs.FS) (map[int]waited, error) {
	entries, err := fs.ReadDir(files, "proc/self/task")
	if err != nil {
		return nil, err
	}
	threads := make(map[int]waited, len(entries))
	var missing error
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := fs.ReadFile(files, "proc/self/task/"+e.Name()+"/schedstat")
		if err != nil {
			missing = err // this thread has ended, or no thread has it
			continue
		}
		w, ok := parseSchedstat(text)
		if !ok {
			return nil, fmt.Errorf("%.40q in schedstat", text)
		}
		threads[id] = w
	}
	if len(threads) == 0 && missing != nil {
		return nil, missing
	}
	return threads, blank(threads)
}

// blank says so when no thread ever ran: a system that has the files and does not count.
func blank(threads map[int]waited) error {
	for _, w := range threads {
		if w != (waited{}) {
			return nil
		}
	}
	return errors.New("schedstat is always zero")
}

// parseSchedstat reads the times on a CPU and in the queue for one, in ns; a third field counts turns.
func parseSchedstat(text []byte) (waited, bool) {
	fields := strings.Fields(string(text))
	if len(fields) != 3 {
		return waited{}, false
	}
	ran, bad := strconv.ParseInt(fields[0], 10, 64)
	delay, worse := strconv.ParseInt(fields[1], 10, 64)
	if bad != nil || worse != nil || ran < 0 || delay < 0 {
		return waited{}, false
	}
	return waited{time.Duration(ran), time.Duration(delay)}, true
}

// delayed is how long threads waited between two readings. What a thread waited that ended in between is lost, and
// one that began in between is counted from its beginning.
func delayed(before, after map[int]waited) (sum time.Duration) {
	for id, w := range after {
		if old := before[id]; old.ran <= w.ran && old.delay <= w.delay {
			w.delay -= old.delay // else its number is that of a thread that has ended
		}
		sum += w.delay
	}
	return sum
}

// ticks is what a CPU did, in the kernel's ticks.
type ticks struct{ busy, total float64 }

func (t ticks) since(earlier ticks) ticks {
	return ticks{t.busy - earlier.busy, t.total - earlier.total}
}

// share is the busy share; 0 where nothing passed.
func (t ticks) share() float64 {
	if t.total <= 0 {
		return 0
	}
	return min(max(t.busy/t.total, 0), 1)
}

// parseStat reads the lines of /proc/stat that tell what the CPUs did: all together, and each by its number.
func parseStat(text []byte) (all ticks, each map[int]ticks) {
	each = map[int]ticks{}
	for line := range bytes.Lines(text) {
		number, isCPU := strings.CutPrefix(string(line), "cpu")
		if !isCPU {
			continue
		}
		fields := strings.Fields(number)
		if strings.HasPrefix(number, " ") {
			all, _ = parseTicks(fields)
			continue
		}
		if len(fields) == 0 {
			continue
		}
		if n, err := strconv.Atoi(fields[0]); err == nil && n >= 0 {
			if t, ok := parseTicks(fields[1:]); ok {
				each[n] = t
			}
		}
	}
	return all, each
}

// parseTicks reads user, nice, system, idle, iowait, irq, softirq, steal (guest time is part of user time). Time
// stolen by other guests of the hypervisor is busy: this machine cannot have it.
func parseTicks(fields []string) (t ticks, ok bool) {
	const least, most, idle, iowait = 5, 8, 3, 4
	if len(fields) < least {
		return ticks{}, false
	}
	for i, field := range fields[:min(len(fields), most)] {
		v, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return ticks{}, false
		}
		t.total += float64(v)
		if i != idle && i != iowait {
			t.busy += float64(v)
		}
	}
	return t, true
}

// busyShares are the busy shares of the CPUs of these numbers between two readings, in their order; nil when one
// of them is not known.
func busyShares(cpus []int, before, after map[int]ticks) (shares []float64) {
	for _, n := range cpus {
		old, first := before[n]
		now, second := after[n]
		if !first || !second {
			return nil
		}
		shares = append(shares, now.since(old).share())
	}
	return shares
}
