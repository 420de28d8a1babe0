package report

import (
	"fmt"
	"strings"
	"time"
)

// Live is what a live view knows of a run that goes on.
type Live struct {
	Workload string
	Phase    string        // "" or rundoc.PhaseWindow: not shown
	Elapsed  time.Duration // of the run
	Rate     float64       // ok operations in the last second
	P50, P99 time.Duration // response time in the last second; 0: none ended
	InFlight int64
	Errors   int64         // attempts that failed so far
	Left     time.Duration // until the window's end; negative: not known
}

// Progress is the live view's line: at most 80 columns, without a newline.
func Progress(l Live) string {
	parts := []string{
		clock(l.Elapsed),
		wordsFor(l.Workload).rate(l.Rate),
		"p50 " + nonzero(int64(l.P50)),
		"p99 " + nonzero(int64(l.P99)),
		number(l.InFlight) + " in flight",
		some(l.Errors, "error", "errors"),
	}
	if l.Left >= 0 {
		parts = append(parts, clock(l.Left)+" left")
	}
	if l.Phase != "" && l.Phase != "window" {
		parts = append([]string{clean(l.Phase)}, parts...)
	}
	line := strings.Join(parts, " · ")
	if width(line) > screenWidth {
		line = strings.Join(parts, " ")
	}
	if width(line) > screenWidth {
		line = fmt.Sprintf("%.*s…", screenWidth-1, line)
	}
	return line
}
