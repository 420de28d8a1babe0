package http

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
)

// connecting is what became of the connections, and what was sent again since one was lost.
func (v *shown) connecting() report.Section {
	s := v.Connections()
	if n := v.detail.Resent; n > 0 {
		s.Intro = append(s.Intro, fmt.Sprintf("%s sent again on a new connection: the server had closed the one before, and "+
			"its system had taken nothing of %s. The time is in %s.", units.Count(n, "request was", "requests were"),
			one(n, "it", "them"), one(n, "its response time", "their response times")))
	}
	return s
}

func one(n int64, alone, several string) string {
	if n == 1 {
		return alone
	}
	return several
}
