package instrument

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// MinGap is the least time without running that counts as a gap. See the package's figures.
	MinGap = 2 * time.Millisecond
	// blindGap is that where the process's CPU time is not known, so that a sleeper that is late because the
	// process itself was busy cannot be told from one that could not run: busy processes made it late by 40 ms.
	blindGap = 50 * time.Millisecond
	// LongGap is a gap that a percentile does not hide: those are counted apart.
	LongGap = 50 * time.Millisecond
)

// kept is how many gaps can be asked for; older ones fall out. At one each 4 ms, which is as many as a crowded
// CPU makes, they are those of the last 16 seconds; a process that is stopped for quotas has those of minutes.
const kept = 4096

// gaps are the latest gaps in the order of time. One goroutine adds, any number read.
type gaps struct {
	last  atomic.Int64 // the end of the latest; nothing lies behind it
	count atomic.Int64 // of those ever added
	ring  [kept]struct{ from, to atomic.Int64 }
}

func (g *gaps) add(from, to int64) {
	n := g.count.Load()
	slot := &g.ring[n%kept]
	slot.from.Store(from)
	slot.to.Store(to)
	g.count.Store(n + 1)
	g.last.Store(to)
}

// each calls f for the gaps that end behind a stamp, the latest first. The oldest place of the ring is left out: its
// gap may just be replaced by one that is not counted yet.
func (g *gaps) each(behind int64, f func(from, to int64)) {
	for n := g.count.Load() - 1; n >= 0; n-- {
		slot := &g.ring[n%kept]
		from, to := slot.from.Load(), slot.to.Load()
		if g.count.Load()-n >= kept || to <= behind {
			break
		}
		f(from, to)
	}
}

// never is behind every stamp.
const never = math.MaxInt64

// Overlap is how much of from…to, stamps of the run, lies in gaps, in ns. A gap that has not ended, because
// the sleeper is overdue, counts up to the present. Where nothing was amiss it takes a few ns. It may be called by any
// goroutine; it knows the latest 4095 gaps.
func (m *Meter) Overlap(from, to int64) int64 {
	if to <= from || from >= m.gaps.last.Load() && to <= m.alert.Load() {
		return 0
	}
	return m.overlap(from, to)
}

// overlap looks again when the sleeper woke meanwhile: the gap that it ended would count twice, or not at all.
func (m *Meter) overlap(from, to int64) int64 {
	for ; ; runtime.Gosched() {
		var sum int64
		cycle := m.cycles.Load()
		m.gaps.each(from, func(began, ended int64) {
			sum += max(0, min(to, ended)-max(from, began))
		})
		if to > m.alert.Load() {
			began, ended := m.overdue(m.now())
			sum += max(0, min(to, ended)-max(from, began))
		}
		if m.cycles.Load() == cycle {
			return sum
		}
	}
}

// overdue is the gap that goes on at the stamp now; its ends are the same when there is none.
func (m *Meter) overdue(now int64) (from, to int64) {
	for ; ; runtime.Gosched() {
		cycle := m.cycles.Load()
		if from, to = now, now; now > m.alert.Load() {
			from, to = m.gap(m.alert.Load()-int64(m.least), now, m.cpu()-m.before.Load())
		}
		if cycle%2 == 0 && m.cycles.Load() == cycle {
			// When it was noticed just now, it is among those that ended.
			return min(max(from, m.gaps.last.Load()), to), to
		}
	}
}

// gap is what a sleeper tells that was due and woke later, in a process that used so much CPU time from when it went
// to sleep. For as long as any thread used a CPU the process did run, and the sleeper only waited for
// its turn: what is left is a time in which nothing ran, for certain. It is put at the beginning: what a process
// does after it could not run is to catch up.
func (m *Meter) gap(due, woke int64, used int64) (from, to int64) {
	if to = woke - used; to-due <= int64(m.least) {
		return due, due
	}
	return due, to
}
