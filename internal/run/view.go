package run

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
)

const (
	// A bar is looked after so often. Five writes a second are few, and look as if it moved.
	barEvery = 200 * time.Millisecond
	// plainEvery is the distance of lines where they cannot replace each other.
	plainEvery = 10 * time.Second
	// What is over sooner is not shown: a line that nobody can read is a flicker.
	worthwhile = time.Second
)

// View shows on stderr how it goes: a bar on a terminal, from what lasts longer than a second on, and a line every
// ten seconds elsewhere. It is safe for concurrent use.
//
// Whoever tells it how it goes never waits for the terminal: a goroutine of the view's own writes, five times a second
// at most, and one that takes nothing, as after a Ctrl-S, holds up that goroutine and nothing else. Note, and what
// Beside gives, do wait: a message that must not be missed, and what a program says, are written by who tells them. So
// what must happen in any case, such as removing what was made on a server, comes before a Note of it.
type View struct {
	kind     report.Kind
	out      io.Writer
	width    func() int // of the terminal in columns; 0 when not known
	terminal bool       // a line can be written anew
	quiet    bool
	watched  bool // others ask how it goes, quiet or not
	ascii    bool
	// Position, if not nil, says how far the kind is in the engine's window, where the engine cannot know: operations
	// come one after the other, and each is another. It is called once a second; the figures are the engine's,
	// and shown where Measured says that they tell something.
	Position func() Live

	mu     sync.Mutex // of what follows; never held while something is written
	stages []*stage   // that go on, each within the one before
	over   chan struct{}
	among  among

	pen    chan struct{} // taken while something is written; of what follows
	shown  string        // the line that stands, which the next one replaces
	within bool          // a program that runs beside has written a part of a line
	beat   int
}

// Live is what a stage says of itself. The rooms' traffic has it from here: it does not know the kit.
type Live = report.Live

// NewView makes a view that shows nothing yet.
func NewView(env *Env, quiet bool, kind report.Kind) *View {
	v := &View{
		kind: kind, out: env.Stderr, quiet: quiet, pen: make(chan struct{}, 1),
		width: func() int { return env.Columns(env.Stderr) },
	}
	if env.IsTerminal(env.Stderr) {
		// A dumb terminal cannot write a line anew.
		v.terminal, v.ascii = env.Getenv("TERM") != "dumb", !speaksUTF8(env)
	}
	return v
}

// speaksUTF8 reports whether the locale, as POSIX finds it, has more than ASCII.
func speaksUTF8(env *Env) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env.Getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return false
}

// stage is a stretch of work that is worth a bar if it takes long.
type stage struct {
	what   string
	begun  time.Time // or since when no stage goes on within it
	ask    func() Live
	beside bool // a program runs beside
}

// Begin says what goes on from now on, until the function that it returns is called; stages end in the reverse of
// their order. ask, which may be nil, says how far it is, at any moment until then and perhaps a last time after it:
// without Done there is no length, without Elapsed it is what has passed since Begin.
func (v *View) Begin(what string, ask func() Live) (end func()) {
	return v.begin(&stage{what: what, ask: ask})
}

// BeginBeside is Begin for a program that runs beside. Where lines cannot replace each other there are none, as they
// would be among those of the program.
func (v *View) BeginBeside(what string, ask func() Live) (end func()) {
	return v.begin(&stage{what: what, ask: ask, beside: true})
}

func (v *View) begin(s *stage) (end func()) {
	if v.quiet && !v.watched {
		return func() {}
	}
	s.askable()
	v.mu.Lock()
	defer v.mu.Unlock()
	s.begun = time.Now()
	v.stages = append(v.stages, s)
	if v.over == nil && !v.quiet {
		v.over = make(chan struct{})
		// goroutine: nobody waits for a terminal that takes nothing; over ends it.
		go v.keep(v.over)
	}
	return sync.OnceFunc(v.end)
}

// end ends the innermost stage, and with the last one the line.
func (v *View) end() {
	v.mu.Lock()
	last := len(v.stages) - 1
	v.stages = v.stages[:last]
	if last > 0 {
		v.stages[last-1].begun = time.Now()
		v.mu.Unlock()
		return
	}
	over := v.over
	v.over = nil
	v.mu.Unlock()
	if over != nil {
		close(over)
		v.hide()
	}
}

// askable lets the view and those who look on ask at the same time.
func (s *stage) askable() {
	ask, asking := s.ask, new(sync.Mutex)
	s.ask = func() Live {
		if ask == nil {
			return Live{Done: -1, Left: -1}
		}
		asking.Lock()
		defer asking.Unlock()
		return ask()
	}
}

// among is the place of a run among several.
type among struct {
	what   string
	at, of int // from 0 on; of is 0 when nobody knows how many there will be
	each   time.Duration
	done   float64 // of this run, as far as was known last
}

// Among says that the run is one of several: the one at a place from 0 on, of so many, each of which takes about so
// long. 0 of them are not known how many.
func (v *View) Among(what string, at, of int, each time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.among = among{what: what, at: at, of: of, each: each}
}

// place is that of the run among several, as Among said it.
func (v *View) place() (what string, at, of int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.among.what, v.among.at, v.among.of
}

// first reports whether the run is a single one, or the first of several: what is true of all of them is said once.
func (v *View) first() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.among.at == 0
}

// live is what is to be shown of the innermost stage; false: nothing yet, or nothing any more, as it is over. A
// terminal that took nothing may have held up who asks until then: the stage, if there is one, has another who asks.
func (v *View) live(now time.Time, over <-chan struct{}) (Live, bool) {
	s := v.innermost()
	if s.ask == nil || s.beside && !v.terminal || isOver(over) {
		return Live{}, false
	}
	l := s.live(now)
	long := l.Elapsed >= worthwhile || l.Done >= 0 && !l.About && l.Left >= 0 && l.Elapsed+l.Left >= worthwhile
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.among.place(l), long
}

// live is what a stage says of itself.
func (s *stage) live(now time.Time) Live {
	l := s.ask() // which may have locks of its own
	if l.Phase == "" {
		l.Phase = s.what
	}
	if l.Elapsed == 0 {
		l.Elapsed = now.Sub(s.begun)
	}
	return l
}

// now is what the innermost stage says, of this run alone, for those who look on.
func (v *View) now() Live {
	s := v.innermost()
	if s.ask == nil {
		return Live{Done: -1, Left: -1}
	}
	return s.live(time.Now())
}

// innermost is the stage that is shown; an empty one when none goes on.
func (v *View) innermost() stage {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.stages) == 0 {
		return stage{}
	}
	return *v.stages[len(v.stages)-1]
}

// place puts what is known of one run in its place among all of them.
func (a *among) place(l Live) Live {
	if a.what == "" {
		return l
	}
	if l.What = a.what; a.of == 0 {
		return l
	}
	if l.Done >= 0 {
		a.done = max(a.done, l.Done)
	}
	l.Done = (float64(a.at) + a.done) / float64(a.of)
	l.About = true
	if l.Left >= 0 {
		l.Left += time.Duration(a.of-1-a.at) * a.each
	}
	return l
}
