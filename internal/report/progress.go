package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Live is what a live view knows of a run that goes on.
type Live struct {
	Phase    string        // "" or rundoc.PhaseWindow: not shown
	Doing    string        // what is measured now, where the response times of all have no meaning; "": they have
	Elapsed  time.Duration // of the run
	Rate     float64       // ok operations in the last second
	Bytes    int64         // their bytes
	P50, P99 time.Duration // response time in the last second; 0: none ended
	InFlight int64
	Errors   int64         // attempts that failed so far
	Left     time.Duration // until the window's end; negative: not known
	Width    int           // columns that the line may take; 0: 80
}

// Progress is the live view's line, without a newline. What has no room is left out, the
// parts that matter least first.
func Progress(kind Kind, l Live) string {
	most := l.Width
	if most <= 0 {
		most = screenWidth
	}
	parts := progressParts(kind, l)
	for {
		line, last := "", 0
		for i, p := range parts {
			if line != "" {
				line += " · "
			}
			line += p.text
			if p.order >= parts[last].order {
				last = i
			}
		}
		switch {
		case units.Width(line) <= most:
			return line
		case len(parts) == 1:
			return fmt.Sprintf("%.*s…", most-1, line)
		}
		parts = slices.Delete(parts, last, last+1)
	}
}

// progressPart is a part of the line; that of the highest order is left out first.
type progressPart struct {
	text  string
	order int
}

func progressParts(kind Kind, l Live) []progressPart {
	var parts []progressPart
	if l.Doing != "" {
		parts = append(parts, progressPart{units.Clean(l.Doing), 0}, progressPart{units.Clock(l.Elapsed), 3},
			progressPart{paceOf(kind, l), 4},
			progressPart{units.Count(l.Errors, "error", "errors"), 1})
		if l.Left >= 0 {
			parts = append(parts, progressPart{"about " + units.Clock(l.Left) + " left", 2})
		}
		return parts
	}
	if l.Phase != "" && l.Phase != rundoc.PhaseWindow {
		parts = append(parts, progressPart{units.Clean(l.Phase), 4})
	}
	parts = append(parts,
		progressPart{units.Clock(l.Elapsed), 2},
		progressPart{paceOf(kind, l), 0},
		progressPart{"p50 " + units.Nonzero(int64(l.P50)), 6},
		progressPart{"p99 " + units.Nonzero(int64(l.P99)), 3},
		progressPart{units.Number(l.InFlight) + " in flight", 7},
		progressPart{units.Count(l.Errors, "error", "errors"), 1},
	)
	if l.Left >= 0 {
		parts = append(parts, progressPart{units.Clock(l.Left) + " left", 5})
	}
	return parts
}

// paceOf is how fast it goes, as the kind says it, or operations per second.
func paceOf(kind Kind, l Live) string {
	if kind.Pace != nil {
		return kind.Pace(l)
	}
	return kind.Words.orOperations().Rate(l.Rate)
}
