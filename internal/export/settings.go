package export

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Settings say by which ways numbers leave a run while it goes on.
type Settings struct {
	Metrics       string        // where Prometheus finds them: host:port; "" nowhere
	MetricsLinger time.Duration // how long the last of them are there for one more scrape
}

// Settings declares them.
func (s *Settings) Settings() []*setting.Setting {
	all := []*setting.Setting{
		setting.Of(&s.Metrics, "metrics", "address", "show Prometheus how the run goes, at http://ADDRESS/metrics, while it "+
			"goes on; an address is host:port, or a port of 127.0.0.1", Address, func(a string) string { return a }).
			SetByRun(),
		setting.Duration(&s.MetricsLinger, "metrics-linger", "with --metrics: wait at the end until the final values were "+
			"scraped, so long at most (default 0s: do not wait)").Rule(s.linger),
	}
	for _, one := range all {
		one.OfResults()
	}
	return all
}

func (s *Settings) linger(flag string) error {
	switch {
	case s.MetricsLinger < 0:
		return fault.New(fault.Usage, "%s %v is negative", flag, s.MetricsLinger).Hint("give a time such as 30s")
	case s.MetricsLinger > 0 && s.Metrics == "":
		return fault.New(fault.Usage, "%s says nothing without --metrics", flag).Hint("add --metrics 9090, or leave it out")
	}
	return nil
}
