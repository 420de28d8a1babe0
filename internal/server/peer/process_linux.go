package peer

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// tick is the unit in which the kernel tells when a process began, on all machines.
	tick = 10 * time.Millisecond
	// newThreads is how often threads are looked for that were not there before.
	newThreads = 20 * time.Millisecond
	// maxThreads bounds the files that are open for a process; of one with more threads nothing is known.
	maxThreads = 256
)

// Process is one with connections to this one.
type Process struct {
	pid       int
	began     time.Duration // on the clock that counts from the machine's start; 0 if it is not known
	processes *Processes
	users     int // with processes.mu
	forget    func()

	mu      sync.Mutex
	looked  time.Time // for new threads
	threads map[int]*thread
	waited  time.Duration
	busiest time.Duration
	tooMany bool
	text    [128]byte
}

// thread is one of the process, with what it had at the last reading.
type thread struct {
	file        int // its schedstat
	ran, waited time.Duration
	woken       int64
}

func newProcess(pid int) *Process {
	return &Process{pid: pid, began: beginning(pid), threads: map[int]*thread{}}
}

// Release ends the use of a process. It may be called of none.
func (p *Process) Release() {
	if p == nil {
		return
	}
	p.processes.mu.Lock()
	defer p.processes.mu.Unlock()
	if p.users--; p.users > 0 {
		return
	}
	p.forget()
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.threads {
		p.drop(id)
	}
}

func (p *Process) drop(id int) {
	_ = unix.Close(p.threads[id].file)
	delete(p.threads, id)
}

// gone reports whether another process may have the number by now.
func (p *Process) gone() bool { return beginning(p.pid) != p.began }

// beginning is when a process began; 0 if there is none, or it cannot be read.
func beginning(pid int) time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// A program's name may have anything in it; what follows has not its parenthesis.
	const place = 19 // after the name: the 22nd in all
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= place {
		return 0
	}
	ticks, _ := strconv.ParseInt(string(fields[place]), 10, 64)
	return time.Duration(ticks) * tick
}

// Read reads what is known of the process. It may be called of none.
func (p *Process) Read() Reading {
	if p == nil {
		return Reading{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	all, busiest, known := p.since()
	p.waited += all
	p.busiest += busiest
	return p.reading(known)
}

// Again reads what is known of the process, and leaves out for good what its threads have waited since the
// last reading. It may be called of none.
func (p *Process) Again() Reading {
	if p == nil {
		return Reading{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _, known := p.since()
	return p.reading(known)
}

// since is how long the threads have waited since the last reading: all together, and the one that was
// woken most often.
func (p *Process) since() (all, busiest time.Duration, known bool) {
	if now := time.Now(); now.Sub(p.looked) >= newThreads {
		p.looked = now
		p.look()
	}
	var most *thread
	for id, t := range p.threads {
		before := t.waited
		if !p.read(t) {
			p.drop(id)
			continue
		}
		all += t.waited - before
		if most == nil || t.woken > most.woken {
			most, busiest = t, t.waited-before
		}
	}
	return all, busiest, most != nil
}

func (p *Process) reading(known bool) Reading {
	r := Reading{PID: p.pid, Age: p.age(), Waited: p.waited, Busiest: p.busiest, Timed: known && !p.tooMany, CPU: p.cpu()}
	if first := p.threads[p.pid]; first != nil {
		r.Age = max(r.Age, first.ran+first.waited)
	}
	return r
}

// age is how long ago the process began at least, by the kernel's tick.
func (p *Process) age() time.Duration {
	var now unix.Timespec
	if p.began == 0 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return max(0, time.Duration(now.Nano())-p.began-tick)
}

// cpu is what the process used of the CPUs, by its own clock (pthread_getcpuclockid(3) has how it is named).
func (p *Process) cpu() time.Duration {
	const ofAllThreads = 2
	var used unix.Timespec
	if unix.ClockGettime(int32(^p.pid)<<3|ofAllThreads, &used) != nil {
		return 0
	}
	return time.Duration(used.Nano())
}

// look finds threads that are not known yet.
func (p *Process) look() {
	directory := "/proc/" + strconv.Itoa(p.pid) + "/task/"
	for _, name := range namesIn(directory) {
		id, err := strconv.Atoi(name)
		if err != nil || p.threads[id] != nil || p.tooMany {
			continue
		}
		if len(p.threads) == maxThreads {
			p.tooMany = true
			return
		}
		file, err := unix.Open(directory+name+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			p.threads[id] = &thread{file: file}
		}
	}
}

// read reads a thread's times: how long it ran, how long it was ready and waited, and how often it was
// given a processor. It is false when the thread has gone, or the kernel does not count.
func (p *Process) read(t *thread) bool {
	n, err := unix.Pread(t.file, p.text[:], 0)
	if err != nil {
		return false
	}
	var numbers [3]int64
	at := 0
	for _, b := range p.text[:max(n, 0)] {
		switch {
		case b >= '0' && b <= '9':
			numbers[at] = numbers[at]*10 + int64(b-'0')
		case b == ' ' && at+1 < len(numbers):
			at++
		}
	}
	t.ran, t.waited, t.woken = time.Duration(numbers[0]), max(t.waited, time.Duration(numbers[1])), numbers[2]
	return t.woken > 0
}
