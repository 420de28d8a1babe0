package report

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// The number of clients is shown if the user chose it, or the open model added some.
func TestClientsInTheSubtitle(t *testing.T) {
	const elastic = `{"load":{"rate_per_s":100,"clients":16,"max_clients":500}}`
	for _, c := range []struct {
		plan    string
		clients int
		command string
		want    string
	}{
		{`{"load":{"clients":16}}`, 16, "plimsoll http URL", "16 clients · closed model"},
		{elastic, 16, "plimsoll http URL --rate 100", "open model"},
		{elastic, 40, "plimsoll http URL --rate 100", "up to 40 clients · open model"},
		{elastic, 16, "plimsoll http URL --clients 16 --rate 100", "16 clients · open model"},
		{elastic, 16, "", "16 clients · open model"},
		{`{"load":{"rate_per_s":100,"clients":16,"max_clients":16}}`, 16, "plimsoll http URL", "16 clients · open model"},
	} {
		run := &rundoc.Run{Plan: []byte(c.plan)}
		run.Ledger.Clients = c.clients
		kind := Kind{Repeat: func(*rundoc.Run) string { return c.command }}
		if got := NewView(run, kind, Options{}).Subtitle(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, %d clients: %q, want %q", c.plan, c.clients, got, c.want)
		}
	}
}

// The planned rate is shown beside the scheduled one if chance made a visible difference.
func TestScheduledRate(t *testing.T) {
	for plan, want := range map[string]string{
		`{"load":{"rate_per_s":200,"arrivals":"poisson"}}`:   " of 199 scheduled (random arrivals at 200/s)",
		`{"load":{"rate_per_s":199,"arrivals":"poisson"}}`:   " of 199 scheduled",
		`{"load":{"rate_per_s":200,"arrivals":"constant"}}`:  " of 199 scheduled",
		`{"load":{"rate_per_s":1000,"arrivals":"poisson"}}`:  " of 199 scheduled",
		`{"load":{"rate_per_s":0.001,"arrivals":"poisson"}}`: " of 199 scheduled",
	} {
		run := &rundoc.Run{Plan: []byte(plan), Operations: []rundoc.Operation{{Scheduled: 1990, OK: 1990}}}
		run.Ledger.WindowNS = 10_000 * ms
		if got := NewView(run, Kind{}, Options{}).ThroughputAnswer(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", plan, got, want)
		}
	}
}
