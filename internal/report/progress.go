package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Live is what a live view knows of a run that goes on.
type Live struct {
	Workload string
	Phase    string        // "" or rundoc.PhaseWindow: not shown
	Doing    string        // what is measured now, where the response times of all have no meaning; "": they have
	Elapsed  time.Duration // of the run
	Rate     float64       // ok operations in the last second
	Bytes    int64         // their bytes; shown for a bandwidth run
	P50, P99 time.Duration // response time in the last second; 0: none ended
	InFlight int64
	Errors   int64         // attempts that failed so far
	Left     time.Duration // until the window's end; negative: not known
	Width    int           // columns that the line may take; 0: 80
}

// Progress is the live view's line, without a newline. What has no room is left out, the
// parts that matter least first.
func Progress(l Live) string {
	most := l.Width
	if most <= 0 {
		most = screenWidth
	}
	parts := progressParts(l)
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
		case width(line) <= most:
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

func progressParts(l Live) []progressPart {
	var parts []progressPart
	if l.Doing != "" {
		parts = append(parts, progressPart{clean(l.Doing), 0}, progressPart{clock(l.Elapsed), 3}, progressPart{progressRate(l), 4},
			progressPart{some(l.Errors, "error", "errors"), 1})
		if l.Left >= 0 {
			parts = append(parts, progressPart{"about " + clock(l.Left) + " left", 2})
		}
		return parts
	}
	if l.Phase != "" && l.Phase != "window" {
		parts = append(parts, progressPart{clean(l.Phase), 4})
	}
	parts = append(parts,
		progressPart{clock(l.Elapsed), 2},
		progressPart{progressRate(l), 0},
		progressPart{"p50 " + nonzero(int64(l.P50)), 6},
		progressPart{"p99 " + nonzero(int64(l.P99)), 3},
		progressPart{number(l.InFlight) + " in flight", 7},
		progressPart{some(l.Errors, "error", "errors"), 1},
	)
	if l.Left >= 0 {
		parts = append(parts, progressPart{clock(l.Left) + " left", 5})
	}
	return parts
}

// progressRate is operations per second, or the bandwidth where that is what is measured.
func progressRate(l Live) string {
	if l.Workload == rundoc.WorkloadUpdates {
		return wordsFor(l.Workload).rate(l.Rate) + " published"
	}
	if l.Workload != rundoc.WorkloadBandwidth {
		return wordsFor(l.Workload).rate(l.Rate)
	}
	// What is on its way is known when its block or its close ends: that is not 0 MB/s.
	if l.Bytes == 0 && l.InFlight > 0 {
		return "no block ended"
	}
	return fmt.Sprintf("%s (%s)", megabytes(float64(l.Bytes)), megabits(float64(l.Bytes)))
}
