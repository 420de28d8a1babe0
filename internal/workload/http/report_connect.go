package http

import (
	"fmt"
	"net"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// connecting is what became of the connections, and what was sent again since one was lost.
func (v *shown) connecting() report.Section {
	s := v.Connections()
	streams := v.detail.Protocol == "HTTP/2"
	if streams {
		s.Intro = append(s.Intro, "Protocol: HTTP/2.")
		if n := v.detail.StreamLimit; n > 0 {
			s.Intro = append(s.Intro, fmt.Sprintf("The server allows %s per connection.",
				units.Count(n, "concurrent request", "concurrent requests")))
		}
	}
	if n := v.detail.Resent; n > 0 {
		why := "had received no part of " + one(n, "it", "them")
		if streams {
			why = "had not started to process " + one(n, "it", "them")
		}
		s.Intro = append(s.Intro, fmt.Sprintf("%s sent again on a new connection, because the server had closed the "+
			"previous one and %s. The extra time is included in %s.", units.Count(n, "request was", "requests were"), why,
			one(n, "the response time", "the response times")))
	}
	if n := v.detail.Redirects; n > 0 {
		s.Intro = append(s.Intro, units.Count(n, "redirect was", "redirects were")+" followed; the response times "+
			"include them.")
	}
	if t := v.detail.Tokens; t != nil {
		line := units.Count(t.Fetched, "token was", "tokens were") + " fetched in addition to the measured requests"
		if t.Failed > 0 {
			line += fmt.Sprintf("; %s failed, most recently because %s", units.Count(t.Failed, "attempt", "attempts"),
				units.Clean(t.LastFailure))
		}
		s.Intro = append(s.Intro, line+".")
	}
	c := v.detail.Connecting
	if c == nil {
		return s
	}
	transport := "TCP"
	if len(c.Addresses) == 1 {
		if _, _, err := net.SplitHostPort(c.Addresses[0].Address); err != nil {
			transport = "Unix socket"
		}
	}
	for _, stage := range []struct {
		name  string
		times *rundoc.Summary
	}{{"name lookup", c.Lookup}, {transport, c.TCP}, {"proxy", c.Proxy}, {"TLS", c.TLS}} {
		if t := stage.times; t != nil {
			s.Intro = append(s.Intro, fmt.Sprintf("Of this, %s: %s.", stage.name, report.Spread(t)))
		}
	}
	if c.MoreAddresses > 0 || len(c.Addresses) > 1 {
		s.Intro = append(s.Intro, "Connections by address: "+addresses(c)+".")
	}
	return s
}

// addresses are those that connections were made to, those with the most first.
func addresses(c *rundoc.HTTPConnecting) string {
	const shown = 4
	var parts []string
	others := c.MoreAddresses
	for i, a := range c.Addresses {
		if i < shown {
			parts = append(parts, fmt.Sprintf("%s: %s", a.Address, units.Number(a.Connections)))
		} else {
			others += a.Connections
		}
	}
	if others > 0 {
		parts = append(parts, "others: "+units.Number(others))
	}
	return strings.Join(parts, ", ")
}

func one(n int64, alone, several string) string {
	if n == 1 {
		return alone
	}
	return several
}
