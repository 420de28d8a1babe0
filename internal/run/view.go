package run

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
)

// plainEvery is the distance of progress lines where they cannot replace each other.
const plainEvery = 10 * time.Second

// View shows on stderr how a run goes: a line that is written anew each second on a
// terminal, and a line every ten seconds elsewhere. It is safe for concurrent use.
type View struct {
	kind     report.Kind
	out      io.Writer
	width    func() int // of the terminal in columns; 0 when not known
	terminal bool
	quiet    bool
	// Doing, if not nil, says what is measured now, and how long it will take.
	Doing func() (what string, left time.Duration)

	mu     sync.Mutex
	shown  bool          // a line stands that the next one replaces
	within bool          // a program that runs beside has written a part of a line
	over   atomic.Bool   // nothing is shown any more
	phase  string        // of the last progress
	next   time.Duration // when the next plain line is due in it
}

func NewView(env *Env, quiet bool, kind report.Kind) *View {
	return &View{
		kind: kind, out: env.Stderr, quiet: quiet, next: plainEvery,
		width: func() int { return env.Columns(env.Stderr) },
		// A dumb terminal cannot write a line anew.
		terminal: env.IsTerminal(env.Stderr) && env.Getenv("TERM") != "dumb",
	}
}

// Progress shows one report of the engine.
func (v *View) Progress(p engine.Progress) {
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
		Phase: p.Phase, Elapsed: p.Elapsed, Rate: p.Rate, Bytes: p.Bytes, P50: p.P50, P99: p.P99,
		InFlight: p.InFlight, Errors: p.Errors, Left: p.Left,
	}
	if v.Doing != nil {
		live.Doing, live.Left = v.Doing()
	}
	if v.terminal {
		v.draw(live)
		return
	}
	for v.next <= p.Elapsed {
		v.next += plainEvery
	}
	fmt.Fprintln(v.out, report.Progress(v.kind, live))
}

// draw puts a line in the place of the last one.
func (v *View) draw(live report.Live) {
	// A line that fills the last column may be broken, and then only its end is replaced.
	live.Width = max(0, v.width()-1)
	fmt.Fprintf(v.out, "\r\x1b[K%s", report.Progress(v.kind, live))
	v.shown = true
	if v.over.Load() {
		v.clear()
	}
}

// Follow shows each second how many calls a program has made that runs beside, until end is called. It
// does so on a terminal alone: elsewhere its lines would be among those of the program.
//
// As in the engine, a terminal that takes nothing holds up the goroutine and nothing else; the end
// does not wait for it.
func (v *View) Follow(program string, calls func() (n, errors int64)) (end func()) {
	if !v.alive() {
		return func() {}
	}
	over := make(chan struct{})
	// goroutine: nobody waits for a terminal that takes nothing; over ends it.
	go func() {
		second := time.NewTicker(time.Second)
		defer second.Stop()
		begun, last := time.Now(), int64(0)
		for {
			select {
			case <-second.C:
			case <-over:
				return
			}
			n, errors := calls()
			v.mu.Lock()
			if !v.within && !v.over.Load() {
				v.draw(report.Live{
					Doing: fmt.Sprintf("%s, call %d", program, n), Elapsed: time.Since(begun),
					Rate: float64(n - last), Errors: errors, Left: -1,
				})
			}
			select {
			case <-over:
				v.clear()
			default:
			}
			v.mu.Unlock()
			last = n
		}
	}()
	return func() {
		close(over)
		v.hide()
	}
}

// alive reports whether a line is written anew each second.
func (v *View) alive() bool { return v.terminal && !v.quiet }

// Beside is where a program writes that runs beside: its lines and the view's take turns.
func (v *View) Beside() io.Writer {
	if !v.alive() {
		return v.out
	}
	return besideView{v}
}

type besideView struct{ *View }

func (v besideView) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	if len(p) > 0 {
		v.within = p[len(p)-1] != '\n'
	}
	return v.out.Write(p)
}

// Note shows a message that must not be missed, also in a quiet run.
func (v *View) Note(message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	if v.within {
		fmt.Fprintln(v.out)
		v.within = false
	}
	fmt.Fprintf(v.out, "plimsoll: %s\n", fault.OneLine(message))
}

// Close takes the line away for good.
func (v *View) Close() {
	v.over.Store(true)
	v.hide()
}

// hide takes the line away. It does not wait for one that is being written: a terminal that
// takes nothing must not hold up the results.
func (v *View) hide() {
	if !v.mu.TryLock() {
		return
	}
	defer v.mu.Unlock()
	v.clear()
}

func (v *View) clear() {
	if v.shown {
		fmt.Fprint(v.out, "\r\x1b[K")
		v.shown = false
	}
}
