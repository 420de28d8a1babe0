package http

import (
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// repeat returns the command that makes the load of a run of the open model again, or "" if flags cannot express it, as
// those that have secret values cannot.
func repeat(run *rundoc.Run) string {
	return report.Again(report.WithTarget("plimsoll http", run), run, []report.PlanFlag{
		{At: "url"},
		{At: "output"},
		{At: "load.seed"},
		{At: "load.clients", Flag: "--clients", Default: "16"},
		{At: "load.pipeline", Flag: "--pipeline", Default: "1"},
		{At: "load.operations", Flag: "--count"},
		{At: "load.duration_ns", Flag: "--duration", Default: "10s"},
		{At: "load.rate_per_s", Flag: "--rate"},
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
		{At: "load.retry.max_retries", Flag: "--max-retries", Default: "0"},
		{At: "load.retry.initial_backoff_ns", Flag: "--initial-backoff", Default: "50ms"},
		{At: "load.retry.max_backoff_ns", Flag: "--max-backoff", Default: "1s"},
		{At: "request.method", Flag: "--method"},
		{At: "request.name", Flag: "--name"},
		{At: "request.file", Flag: "--requests"},
		{At: "request.table", Flag: "--data-file"},
		{At: "request.redirects", Flag: "--redirects"},
		{At: "request.cookies", Flag: "--cookies"},
		{At: "request.compressed", Flag: "--compressed"},
		{At: "request.rates", Flag: "--rates"},
		{At: "dial.ca_file", Flag: "--ca"},
		{At: "dial.insecure", Flag: "--insecure"},
		{At: "dial.cert_file", Flag: "--cert"},
		{At: "dial.key_file", Flag: "--key"},
		{At: "dial.server_name", Flag: "--server-name"},
		{At: "dial.connect_to", Flag: "--connect-to"},
		{At: "dial.churn", Flag: "--churn"},
		{At: "dial.http2", Flag: "--http2"},
	})
}
