package run

import (
	"fmt"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
)

// again is what a line begins with that takes the place of the last one.
const again = "\r\x1b[K"

// patience is how long the end of a line is awaited that is being written. A terminal that takes nothing must not
// hold up the results.
const patience = 100 * time.Millisecond

// keep shows how it goes until it is over.
func (v *View) keep(over <-chan struct{}) {
	every := time.Second
	if v.terminal {
		every = barEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	p := plain{next: plainEvery}
	for {
		select {
		case <-tick.C:
		case <-over:
			return
		}
		l, show := v.live(time.Now(), over)
		switch {
		case v.terminal && show:
			v.draw(l, over)
		case !v.terminal && show && p.due(l.Elapsed):
			v.write(l, over)
		}
	}
}

// plain says when a line is due where lines cannot replace each other.
type plain struct{ last, next time.Duration }

// due reports whether a line is, in a phase that goes on for so long.
func (p *plain) due(elapsed time.Duration) bool {
	if elapsed < p.last { // another phase, whose time begins anew
		p.next = plainEvery
	}
	p.last = elapsed
	if elapsed < p.next {
		return false
	}
	p.next = elapsed - elapsed%plainEvery + plainEvery
	return true
}

// write adds a line to those that were written.
func (v *View) write(l Live, over <-chan struct{}) {
	v.pen <- struct{}{}
	defer func() { <-v.pen }()
	if !isOver(over) {
		fmt.Fprintln(v.out, report.Progress(v.kind, l, v.screen()))
	}
}

// screen is what a line is written for now. One that fills the last column may be broken, and then only its end is
// replaced.
func (v *View) screen() report.Screen {
	s := report.Screen{ASCII: v.ascii, Beat: v.beat}
	if w := v.width(); w > 0 {
		s.Width = max(1, w-1)
	}
	return s
}

// draw puts a line in the place of the last one.
func (v *View) draw(l Live, over <-chan struct{}) {
	v.pen <- struct{}{}
	defer func() { <-v.pen }()
	if v.within || isOver(over) {
		return
	}
	v.beat++
	if line := report.Bar(v.kind, l, v.screen()); line != v.shown {
		v.shown = line
		fmt.Fprint(v.out, again, line)
	}
	if isOver(over) { // and nobody waited for it
		v.clear()
	}
}

func isOver(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// alive reports whether a line is written anew.
func (v *View) alive() bool { return v.terminal && !v.quiet }

// Beside is where a program writes that runs beside: its lines and the view's take turns. Writing waits for the
// terminal, as it would without a view.
func (v *View) Beside() io.Writer {
	if !v.alive() {
		return v.out
	}
	return besideView{v}
}

type besideView struct{ *View }

func (v besideView) Write(p []byte) (int, error) {
	v.pen <- struct{}{}
	defer func() { <-v.pen }()
	v.clear()
	if len(p) > 0 {
		v.within = p[len(p)-1] != '\n'
	}
	return v.out.Write(p)
}

// Note shows a message that must not be missed, also in a quiet run. It waits for a terminal that takes nothing.
func (v *View) Note(message string) {
	v.pen <- struct{}{}
	defer func() { <-v.pen }()
	v.clear()
	if v.within {
		fmt.Fprintln(v.out)
		v.within = false
	}
	fmt.Fprintf(v.out, "plimsoll: %s\n", fault.OneLine(message))
}

// Ending says on a terminal that an interrupt has come, and what another one does; not while a program runs beside,
// since whoever runs it says what becomes of it. It waits for nothing: the next interrupt must be heard also when the
// terminal takes nothing.
func (v *View) Ending() {
	if !v.alive() || v.innermost().beside {
		return
	}
	// goroutine: nobody waits for a terminal that takes nothing.
	go func() {
		v.pen <- struct{}{}
		if !v.within {
			v.shown = again // the line may be another view's, that of one of several runs
		}
		<-v.pen
		v.Note("interrupted: finishing the run; press Ctrl-C again to stop at once")
	}()
}

// Missed says on a terminal that a goal was missed, and that the run ends for that. It waits for nothing, as Ending.
func (v *View) Missed(goal string) {
	if !v.alive() {
		return
	}
	// goroutine: nobody waits for a terminal that takes nothing.
	go v.Note(goal + " was missed: ending the run")
}

// hide takes the line away.
func (v *View) hide() {
	select {
	case v.pen <- struct{}{}:
		v.clear()
		<-v.pen
	case <-time.After(patience):
	}
}

func (v *View) clear() {
	if v.shown != "" {
		fmt.Fprint(v.out, again)
		v.shown = ""
	}
}
