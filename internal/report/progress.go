package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/units"
)

// Live is what a live view knows of what goes on: a phase of a run, or what comes before and after one.
type Live struct {
	Phase   string        // that goes on
	What    string        // in it: an operation, a file, one load of several; "": nothing to say
	Count   string        // how far it is, in what it counts: "120 of 500 clients"; ""
	Elapsed time.Duration // of the phase
	Done    float64       // share of the whole, from 0 to 1; negative: not known
	Left    time.Duration // until the end of the whole; where Done is not known, at most; negative: not known
	About   bool          // Done and Left are estimates

	// What follows is of the last second; without Measured it is not known yet.
	Measured bool
	Apart    bool          // the operations are unlike: the response times of all together have no meaning
	Rate     float64       // ok operations
	Bytes    int64         // their bytes
	P50, P99 time.Duration // response time; 0: too few ended
	InFlight int64
	Errors   int64 // attempts that failed so far
}

// Screen is where a line of a live view is written.
type Screen struct {
	Width int  // columns that the line may take; 0: 80
	ASCII bool // it shows nothing but ASCII
	Beat  int  // how often a line was drawn: where the mark is of what has no known length
}

// lineWidth is the width of a screen that does not say its own.
const lineWidth = 80

func (s Screen) width() int {
	if s.Width <= 0 {
		return lineWidth
	}
	return s.Width
}

// plain is a line as the screen can show it.
func (s Screen) plain(line string) string {
	if !s.ASCII {
		return line
	}
	return strings.NewReplacer("█", "#", "░", ".", "·", "-", "–", "-", "µ", "u", "…", "~").Replace(line)
}

// Bar is the line that a terminal shows, without a newline: a bar of the whole and how much of it is done, or a
// mark that moves and the time that it has taken; then what goes on. What has no room is left out, what matters
// least first.
func Bar(kind Kind, l Live, s Screen) string {
	head := units.Clock(l.Elapsed)
	if l.About {
		l.Done = min(l.Done, mostEstimated) // an estimate is no end
	}
	if l.Done >= 0 {
		head = percentOf(l.Done)
	}
	if bar := gauge(l, s); bar != "" {
		head = fmt.Sprintf("%s %5s", bar, head)
	}
	if units.Width(head) >= s.width() {
		return units.Shorten(s.plain(head), s.width())
	}
	room := s.width() - units.Width(head) - len("  ")
	if room < leastRoom {
		return s.plain(head)
	}
	return s.plain(strings.TrimRight(head+"  "+fitting(barParts(kind, l), room), " "))
}

// leastRoom is how many columns a part of a word needs to say something.
const leastRoom = 6

// mostEstimated is how much is done at most as long as nobody knows that all is.
const mostEstimated = 0.99

// percentOf is a share in whole percents. All of it is done when it is, and not before.
func percentOf(done float64) string { return fmt.Sprintf("%d%%", int(100*min(done, 1)+1e-9)) }

// markCells is how many cells the mark takes that moves.
const markCells = 3

// gauge is the bar in its brackets; "" where there is no room for one.
func gauge(l Live, s Screen) string {
	cells := 0
	switch w := s.width(); {
	case w >= 100:
		cells = 20
	case w >= 70:
		cells = 10
	case w >= 48:
		cells = 8
	case w >= 36:
		cells = 6
	default:
		return ""
	}
	from, to := 0, int(min(l.Done, 1)*float64(cells))
	if l.Done < 0 { // to and fro
		ways := 2 * (cells - markCells)
		from = s.Beat % ways
		from = min(from, ways-from)
		to = from + markCells
	}
	return "[" + strings.Repeat("░", from) + strings.Repeat("█", to-from) + strings.Repeat("░", cells-to) + "]"
}

// Progress is the line that stands for itself, where lines cannot replace each other.
func Progress(kind Kind, l Live, s Screen) string {
	return s.plain(fitting(plainParts(kind, l), s.width()))
}

// progressPart is a part of the line; that of the highest order is left out first.
type progressPart struct {
	text  string
	order int
}

// fitting joins the parts that have room. The last one of all is cut.
func fitting(parts []progressPart, most int) string {
	parts = slices.DeleteFunc(parts, func(p progressPart) bool { return p.text == "" })
	for len(parts) > 0 {
		line := parts[0].text
		for _, p := range parts[1:] {
			line += " · " + p.text
		}
		switch {
		case units.Width(line) <= most:
			return line
		case len(parts) == 1:
			return units.Shorten(line, most)
		}
		last := slices.MaxFunc(parts, func(a, b progressPart) int { return cmp.Compare(a.order, b.order) })
		parts = slices.DeleteFunc(parts, func(p progressPart) bool { return p == last })
	}
	return ""
}

// The order of the parts of a bar, and of a plain line, in which there is no percentage.
func barParts(kind Kind, l Live) []progressPart {
	parts := append(doing(l, 1), progressPart{leftOf(l), 0})
	return append(parts, liveFigures(kind, l)...)
}

func plainParts(kind Kind, l Live) []progressPart {
	parts := append(doing(l, 2), progressPart{units.Clock(l.Elapsed), 0})
	return append(append(parts, liveFigures(kind, l)...), progressPart{clockLeft(l), 1})
}

// mostOfWhat bounds what a file or an operation is called.
const mostOfWhat = 40

func doing(l Live, order int) []progressPart {
	return []progressPart{
		{units.Clean(l.Phase), order},
		{units.Shorten(units.Clean(l.What), mostOfWhat), 4},
		{l.Count, 3},
	}
}

// liveFigures are how fast it goes, and how well.
func liveFigures(kind Kind, l Live) []progressPart {
	if !l.Measured {
		return nil
	}
	errors := progressPart{units.Count(l.Errors, "error", "errors"), 7}
	if l.Errors > 0 {
		errors.order = 2
	}
	if l.Apart {
		return []progressPart{{paceOf(kind, l), 5}, errors}
	}
	return []progressPart{
		{paceOf(kind, l), 5},
		{"p50 " + units.Nonzero(int64(l.P50)), 8},
		{"p99 " + units.Nonzero(int64(l.P99)), 6},
		{units.Number(l.InFlight) + " in flight", 9},
		errors,
	}
}

// paceOf is how fast it goes, as the kind says it, or operations per second.
func paceOf(kind Kind, l Live) string {
	if kind.Pace != nil {
		return kind.Pace(l)
	}
	return kind.Words.orOperations().Rate(l.Rate)
}

// leftOf is the time that is left, in seconds with a decimal when there are few.
func leftOf(l Live) string {
	switch left := l.Left; {
	case left < 0:
		return ""
	case l.sure() && left < 10*time.Second:
		return fmt.Sprintf("%.1f s left", left.Truncate(100*time.Millisecond).Seconds())
	case left <= 59*time.Second:
		return fmt.Sprintf("%s%d s left", l.doubt("~", "max "), max(1, (left+time.Second-1)/time.Second))
	}
	return l.doubt("~", "max ") + units.Clock(l.Left) + " left"
}

// clockLeft is the time that is left, as a clock shows it.
func clockLeft(l Live) string {
	if l.Left < 0 {
		return ""
	}
	return l.doubt("about ", "at most ") + units.Clock(l.Left) + " left"
}

func (l *Live) sure() bool { return l.doubt("~", "max") == "" }

// doubt says, where the time that is left is not known, that it is about so, or at most.
func (l *Live) doubt(about, most string) string {
	switch {
	case l.Done < 0:
		return most
	case l.About:
		return about
	}
	return ""
}
