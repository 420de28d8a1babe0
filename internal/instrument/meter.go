package instrument

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// nap is how long the sleeper means to sleep. On an otherwise idle virtual machine it costs 3% of a CPU, most of it
// for the kernel to put a thread to sleep and to wake it; in a process that has something to do, less.
const nap = time.Millisecond

// Config is what a Meter needs.
type Config struct {
	Now   func() int64        // stamps of the run, in ns
	Epoch time.Time           // when they began, with a monotonic reading
	Off   Watch               // what is not watched; the readings name it
	Why   string              // it is not; "" for "switched off"
	Sleep func(time.Duration) // nil for time.Sleep
	CPU   func() int64        // CPU time that the process has used, in ns; nil for what the system says
}

// Meter watches the process that it is in. Overlap and CPUs may be called at any time by any goroutine;
// Ready, Open, Close, Reading and Stop belong to whoever started it.
type Meter struct {
	alert atomic.Int64 // the stamp from which on the sleeper is overdue; with gaps.last, what Overlap looks at
	gaps  gaps

	now     func() int64
	epoch   time.Time
	off     Watch
	why     error // what is off is not watched
	sleep   func(time.Duration)
	cpu     func() int64  // CPU time of the process in ns
	least   time.Duration // MinGap or blindGap
	machine machine

	before atomic.Int64 // cpu when it went to sleep
	cycles atomic.Int64 // even, and odd while the two above change

	quit    atomic.Bool
	running sync.WaitGroup

	mu     sync.Mutex
	window hiccups
	first  *snapshot // at the window's start
	last   *snapshot // at its end
}

// Start starts the watch; Stop ends it.
func Start(c Config) *Meter {
	cpu, least := usedTime(c.CPU, processTime)
	return start(c, thisMachine(), cpu, least)
}

// usedTime is what tells the CPU time that the process has used, and from how long on a gap is told with it: what was
// given, or else the system, unless that does not know.
func usedTime(given, system func() int64) (cpu func() int64, least time.Duration) {
	switch {
	case given != nil:
		return given, MinGap
	case system() <= 0:
		return func() int64 { return 0 }, blindGap
	}
	return system, MinGap
}

func start(c Config, on machine, cpu func() int64, least time.Duration) *Meter {
	m := &Meter{
		now: c.Now, epoch: c.Epoch, off: c.Off, why: errors.New(cmp.Or(c.Why, "switched off")), sleep: c.Sleep,
		cpu: cpu, least: least, machine: on,
	}
	if m.sleep == nil {
		m.sleep = time.Sleep
	}
	m.gaps.last.Store(-never)
	m.alert.Store(never)
	if m.off.on(Hiccups) {
		woke, cpu := m.now(), m.cpu()
		m.nod(woke, cpu)
		m.running.Go(func() { m.run(woke, cpu) })
	}
	return m
}

// Stop ends the watch and waits for its goroutine, which takes a millisecond.
func (m *Meter) Stop() {
	m.quit.Store(true)
	m.running.Wait()
}

// run sleeps, again and again. Each sleep counts from the stamp of the last waking: no moment lies between two.
//
// It is a goroutine on the runtime's timers, as whatever it stands for is. A thread of its own in nanosleep halved
// the generator's throughput, because the runtime had to take its processor away a thousand times a second.
func (m *Meter) run(woke, cpu int64) {
	for !m.quit.Load() {
		m.sleep(nap)
		due, used := woke+int64(nap), -cpu
		woke, cpu = m.now(), m.cpu()
		m.wake(due, woke, used+cpu)
		m.nod(woke, cpu)
	}
	m.alert.Store(never)
}

// nod says from when on and with how much CPU time used the sleeper sleeps.
func (m *Meter) nod(stamp, cpu int64) {
	m.cycles.Add(1)
	m.before.Store(cpu)
	m.alert.Store(stamp + int64(nap) + int64(m.least))
	m.cycles.Add(1)
}

// wake records that the sleeper, due at a stamp, woke at a later one.
func (m *Meter) wake(due, woke, used int64) {
	from, to := m.gap(due, woke, used)
	m.mu.Lock()
	defer m.mu.Unlock()
	if to > from {
		m.gaps.add(from, to)
		m.window.gap(from, to)
	}
	m.window.late(woke - due)
}

// Ready takes the readings that the window's use is counted from. It opens some files, which takes about a
// millisecond: it comes before the window, so that a quota that is used up in its first instants is counted.
func (m *Meter) Ready() { m.first = m.read() }

// Open begins the window, after Ready, at the stamp given: the present, or as much earlier as the caller was late.
func (m *Meter) Open(start int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.window = newHiccups(start)
	var noticed []span // before we were called, the latest first
	m.gaps.each(start, func(from, to int64) { noticed = append(noticed, span{from, to}) })
	for _, s := range slices.Backward(noticed) {
		m.window.gap(s.from, s.to)
		m.window.late(s.length())
	}
}

// Close takes the readings of the window's end, which is the stamp given, likewise. A gap that goes on then belongs to
// the window as far as it lies in it.
func (m *Meter) Close(end int64) {
	if m.first == nil {
		return
	}
	m.last = m.read()
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if from, to := m.overdue(now); to > from {
		m.window.gap(from, to)
		m.window.late(now - from)
	}
	m.window.close(end)
}

// thisMachine is the system that the process runs on.
func thisMachine() machine {
	return machine{files: systemFiles(), affinity: affinity, rusage: rusage}
}

// machine is what a Meter reads.
type machine struct {
	files    fs.FS        // the root of the file system; nil where it has none of what is read here
	affinity func() []int // the numbers of the CPUs that the process may run on; nil when not known
	rusage   func(*snapshot)
}
