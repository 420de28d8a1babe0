package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/report"
)

// plainEvery is the distance of progress lines where they cannot replace each other.
const plainEvery = 10 * time.Second

// liveView shows on stderr how a run goes: a line that is written anew each second on a
// terminal, and a line every ten seconds elsewhere. It is safe for concurrent use.
type liveView struct {
	workload string
	out      io.Writer
	width    func() int // of the terminal in columns; 0 when not known
	terminal bool
	quiet    bool
	// doing, if not nil, says what is measured now, and how long it will take.
	doing func() (what string, left time.Duration)

	mu    sync.Mutex
	shown bool          // a line stands that the next one replaces
	over  atomic.Bool   // nothing is shown any more
	phase string        // of the last progress
	next  time.Duration // when the next plain line is due in it
}

func newLiveView(env *Env, quiet bool, workload string) *liveView {
	return &liveView{
		workload: workload, out: env.Stderr, quiet: quiet, next: plainEvery,
		width: func() int { return env.width(env.Stderr) },
		// A dumb terminal cannot write a line anew.
		terminal: env.IsTerminal(env.Stderr) && env.getenv("TERM") != "dumb",
	}
}

// progress shows one report of the engine.
func (v *liveView) progress(p engine.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over.Load() {
		return
	}
	if p.Phase != v.phase && p.Elapsed < v.next {
		v.next = plainEvery // the warm-up is over: the window's time begins anew
	}
	v.phase = p.Phase
	if v.quiet || !v.terminal && p.Elapsed < v.next {
		return
	}
	live := report.Live{
		Workload: v.workload, Phase: p.Phase, Elapsed: p.Elapsed, Rate: p.Rate, Bytes: p.Bytes, P50: p.P50, P99: p.P99,
		InFlight: p.InFlight, Errors: p.Errors, Left: p.Left,
	}
	if v.terminal {
		// A line that fills the last column may be broken, and then only its end is replaced.
		live.Width = max(0, v.width()-1)
	}
	if v.doing != nil {
		live.Doing, live.Left = v.doing()
	}
	line := report.Progress(live)
	if v.terminal {
		fmt.Fprintf(v.out, "\r\x1b[K%s", line)
		v.shown = true
		if v.over.Load() {
			v.clear()
		}
		return
	}
	for v.next <= p.Elapsed {
		v.next += plainEvery
	}
	fmt.Fprintln(v.out, line)
}

// note shows a message that must not be missed, also in a quiet run.
func (v *liveView) note(message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	fmt.Fprintf(v.out, "plimsoll: %s\n", oneLine(message))
}

// close takes the line away. It does not wait for one that is being written: a terminal that
// takes nothing must not hold up the results.
func (v *liveView) close() {
	v.over.Store(true)
	if !v.mu.TryLock() {
		return
	}
	defer v.mu.Unlock()
	v.clear()
}

func (v *liveView) clear() {
	if v.shown {
		fmt.Fprint(v.out, "\r\x1b[K")
		v.shown = false
	}
}
