package show

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// LessLoad is a command for such a share of the messages that a run got through; "" where it cannot say all that the
// run was told, such as headers, whose values are secret. own are the flags that say what the messages are.
func LessLoad(command string, own []report.PlanFlag) func(run *rundoc.Run, share float64) string {
	return func(run *rundoc.Run, share float64) string {
		total, err := run.Totals()
		if err != nil {
			return ""
		}
		again := report.Again(report.WithTarget(command, run), run, PlanFlags(own))
		return report.WithRate(again, share*total.RatePerS)
	}
}

// Repeat returns a function that returns the command with which the load of a run of the open model is made again, or
// "" if flags cannot express it. own are the flags that say what the messages are.
func Repeat(command string, own []report.PlanFlag) func(run *rundoc.Run) string {
	return func(run *rundoc.Run) string {
		flags := slices.Concat([]report.PlanFlag{{At: "load.rate_per_s", Flag: "--rate"}}, PlanFlags(own))
		return report.Again(report.WithTarget(command, run), run, flags)
	}
}

// PlanFlags are all that a command for less load repeats, with those of the messages.
func PlanFlags(own []report.PlanFlag) []report.PlanFlag {
	return slices.Concat(loadFlags(), own, dialFlags())
}

// loadFlags are what a command for less load repeats, which has a rate instead of a think time.
func loadFlags() []report.PlanFlag {
	return []report.PlanFlag{
		{At: "url"},
		{At: "output"},
		{At: "load.seed"},
		{At: "load.clients", Flag: "--clients", Default: "32"},
		{At: "load.pipeline", Flag: "--pipeline", Default: "1"},
		{At: "load.operations", Flag: "--messages"},
		{At: "load.duration_ns", Flag: "--duration", Default: "10s"},
		{At: "load.think_time_ns"},
		{At: "load.client_stages"},
		{At: "load.start_clients"},
		{At: "load.rate_per_s"},
		{At: "load.arrivals", Flag: "--arrivals", Default: "poisson"},
		{At: "load.pacing", Flag: "--pacing", Default: "auto"},
		{At: "load.realtime", Flag: "--realtime"},
		{At: "load.ramp_ns", Flag: "--ramp"},
		{At: "load.max_clients"},
		{At: "load.max_waiting"},
		{At: "load.warmup_clients"},
		{At: "load.warmup_operations"},
		{At: "load.warmup_time_ns"},
		{At: "load.drain_ns"},
		{At: "load.retry.timeout_ns", Flag: "--timeout", Default: "5s"},
		{At: "load.retry.max_retries", Flag: "--max-retries", Default: "5"},
		{At: "load.retry.initial_backoff_ns", Flag: "--initial-backoff", Default: "50ms"},
		{At: "load.retry.max_backoff_ns", Flag: "--max-backoff", Default: "1s"},
	}
}

func dialFlags() []report.PlanFlag {
	return []report.PlanFlag{
		{At: "dial.origin", Flag: "--origin"},
		{At: "dial.ca_file", Flag: "--ca"},
		{At: "dial.insecure", Flag: "--insecure"},
		{At: "dial.cert_file", Flag: "--cert"},
		{At: "dial.key_file", Flag: "--key"},
		{At: "dial.server_name", Flag: "--server-name"},
		{At: "dial.connect_to", Flag: "--connect-to"},
		{At: "dial.unix_socket", Flag: "--unix-socket"},
		{At: "dial.source_address", Flag: "--source-address"},
		{At: "dial.cookies", Flag: "--cookies"},
		{At: "load.fanout", Flag: "--fanout"},
		{At: "load.receivers", Flag: "--receivers", Default: "200"},
		{At: "dial.compress", Flag: "--compress"},
		{At: "dial.max_message_bytes", Flag: "--max-message", Default: "4MiB"},
	}
}
