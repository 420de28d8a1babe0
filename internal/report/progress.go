package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Live is the current progress of a run: of one of its phases, or of what comes before and after them.
type Live struct {
	Phase   string        // name of the phase
	What    string        // an operation, a file, or one of several runs; may be ""
	Count   string        // progress in other units: "120 of 500 clients"; may be ""
	Elapsed time.Duration // since the start of the phase
	Done    float64       // share of the whole, from 0 to 1; negative if unknown
	Left    time.Duration // until the end of the whole; the maximum if Done is unknown; negative if unknown
	About   bool          // Done and Left are estimates

	// The following values are of the last second. They are unknown unless Measured is set.
	Measured bool
	Apart    bool          // the operations are unlike: response times of all of them together are meaningless
	Rate     float64       // ok operations per second
	Bytes    int64         // payload of ok operations
	P50, P99 time.Duration // response time; 0 if too few operations ended
	InFlight int64
	Errors   int64 // failed attempts so far
}

// A Screen describes where a progress line is written.
type Screen struct {
	Width int  // columns that the line may take; 0: 80
	ASCII bool // only ASCII can be shown
	Beat  int  // number of lines drawn so far; it moves the mark of a bar without a known length
}

// lineWidth is the default width of a screen.
const lineWidth = 80

func (s Screen) width() int {
	if s.Width <= 0 {
		return lineWidth
	}
	return s.Width
}

// plain replaces characters that the screen cannot show.
func (s Screen) plain(line string) string {
	if !s.ASCII {
		return line
	}
	return strings.NewReplacer("█", "#", "░", ".", "·", "-", "–", "-", "µ", "u", "…", "~").Replace(line)
}

// Bar returns the progress line for a terminal, without a newline: a bar with the share done, or a moving mark with the
// elapsed time, followed by the phase and its values. Parts that have no room are left out, the least important first.
// Values have a fixed width, and an unknown value is a dash, so that the line does not jump.
func Bar(kind Kind, l Live, s Screen) string {
	head := units.Clock(l.Elapsed)
	if l.About {
		l.Done = min(l.Done, mostEstimated)
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
	return s.plain(strings.TrimRight(head+"  "+fitting(parts(kind, l, true), room), " "))
}

// leastRoom is the least number of columns for a shortened word.
const leastRoom = 6

// mostEstimated limits the share done while it is an estimate.
const mostEstimated = 0.99

// percentOf formats a share in whole percents, rounded down.
func percentOf(done float64) string { return fmt.Sprintf("%d%%", int(100*min(done, 1)+1e-9)) }

// markCells is the width of the moving mark.
const markCells = 3

// gauge returns the bar in its brackets, or "" if there is no room for it.
func gauge(l Live, s Screen) string {
	cells := 0
	switch w := s.width(); {
	case w >= 100:
		cells = 20
	case w >= 36:
		cells = 6
	default:
		return ""
	}
	from, to := 0, int(min(l.Done, 1)*float64(cells))
	if l.Done < 0 { // the mark moves back and forth
		ways := 2 * (cells - markCells)
		from = s.Beat % ways
		from = min(from, ways-from)
		to = from + markCells
	}
	return "[" + strings.Repeat("░", from) + strings.Repeat("█", to-from) + strings.Repeat("░", cells-to) + "]"
}

// Progress returns the progress line for output in which lines cannot replace each other, such as a log.
func Progress(kind Kind, l Live, s Screen) string {
	return s.plain(fitting(parts(kind, l, false), s.width()))
}

// A progressPart is a part of the line. The part with the highest order is left out first.
type progressPart struct {
	text  string
	order int
}

// fitting joins the parts that have room. A single part is shortened.
func fitting(parts []progressPart, most int) string {
	parts = slices.DeleteFunc(parts, func(p progressPart) bool { return p.text == "" })
	for len(parts) > 0 {
		line := parts[0].text
		for _, p := range parts[1:] {
			line += ", " + p.text
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

// mostOfWhat bounds the length of the name of a file or an operation.
const mostOfWhat = 40

// parts returns the parts of a line. Their values have a fixed width if the line replaces the one before it.
func parts(kind Kind, l Live, fixed bool) []progressPart {
	left := leftOf(l)
	if left == "" && !fixed {
		left = units.Clock(l.Elapsed) // a bar begins with it
	}
	list := []progressPart{
		{phaseWord(l.Phase), 1},
		{units.Shorten(units.Clean(l.What), mostOfWhat), 4},
		{l.Count, 3},
		{padded(left, leftWidth, fixed && l.Done >= 0), 0},
	}
	return append(list, liveFigures(kind, l, fixed)...)
}

// phaseWord returns the name of a phase for display.
func phaseWord(phase string) string {
	switch phase {
	case rundoc.PhaseWindow:
		return "measuring"
	case rundoc.PhaseConnect:
		return "connecting"
	case rundoc.PhaseWarmup:
		return "warming up"
	case rundoc.PhaseRamp:
		return "ramping up"
	case rundoc.PhaseDrain:
		return "draining"
	}
	return units.Clean(phase)
}

// The widths of values in a line that replaces the one before it.
const (
	leftWidth   = len("9.9 s left")
	paceWidth   = len("99,999")
	timeWidth   = len("1.00 ms")
	errorsWidth = len("99,999 errors")
)

// padded aligns a text to the right.
func padded(text string, width int, is bool) string {
	if !is || text == "" {
		return text
	}
	return pad(text, width, right)
}

// liveFigures returns throughput, response times and errors. In a phase that has them they are dashes until they are
// known.
func liveFigures(kind Kind, l Live, fixed bool) []progressPart {
	loads := slices.Contains([]string{rundoc.PhaseWarmup, rundoc.PhaseRamp, rundoc.PhaseWindow}, l.Phase)
	if !l.Measured && (!loads || l.Apart) {
		return nil
	}
	pace, unit, _ := strings.Cut(paceOf(kind, l), " ")
	inFlight := units.Number(l.InFlight)
	if !l.Measured {
		pace, inFlight = units.Dash, units.Dash
	}
	rate := progressPart{padded(pace, paceWidth, fixed) + " " + unit, 5}
	errors := progressPart{units.Count(l.Errors, "error", "errors"), 6}
	if l.Errors > 0 {
		errors.order = 2
	}
	if fixed {
		errors.text = pad(errors.text, errorsWidth, left)
	}
	if l.Apart {
		return []progressPart{rate, errors}
	}
	ns := func(t time.Duration) string { return padded(units.Nonzero(int64(t)), timeWidth, fixed) }
	return []progressPart{
		rate,
		{"p50 " + ns(l.P50), 8},
		{"p99 " + ns(l.P99), 7},
		{padded(inFlight, paceWidth, fixed) + " in flight", 9},
		errors,
	}
}

// paceOf returns the throughput as the kind shows it, or operations per second.
func paceOf(kind Kind, l Live) string {
	if kind.Pace != nil {
		return kind.Pace(l)
	}
	return kind.Words.orOperations().Rate(l.Rate)
}

// leftOf returns the time left, in seconds below a minute: "4.7 s left", "~41 s left", "max 3 s left". It returns "" if
// that is unknown.
func leftOf(l Live) string {
	switch left := l.Left; {
	case left < 0:
		return ""
	case l.Done >= 0 && !l.About && left < 10*time.Second:
		return fmt.Sprintf("%.1f s left", left.Truncate(100*time.Millisecond).Seconds())
	case left <= 59*time.Second:
		return fmt.Sprintf("%s%d s left", l.leftPrefix(), max(1, (left+time.Second-1)/time.Second))
	}
	return l.leftPrefix() + units.Clock(l.Left) + " left"
}

// leftPrefix marks a time left that is an estimate or an upper bound.
func (l *Live) leftPrefix() string {
	switch {
	case l.Done < 0:
		return "max "
	case l.About:
		return "~"
	}
	return ""
}
