package show

import (
	"encoding/json"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// next returns the command that checks the batches of a run that only published, or else one that draws a chart.
func next(run *rundoc.Run) string {
	if d := run.Updates(); d != nil && d.Proof == nil && d.Batch > 0 {
		return "plimsoll updates --verify last --kv http://YOUR-HOST:PORT"
	}
	return "plimsoll report last --chart run.svg"
}

// lessLoad is the command for such a share of a run's rate, unless it was a search for the largest one; "" where the
// command cannot say all that the run was told.
func lessLoad(run *rundoc.Run, share float64) string {
	var p planned
	d := run.Updates()
	if json.Unmarshal(run.Plan, &p) != nil || d == nil || d.Batch <= 0 || len(d.Search) > 0 {
		return ""
	}
	command := "plimsoll updates"
	if !ofOwnBroker(run) {
		command = report.WithWord(command, run.Target.URL)
	} else if p.URL != "" {
		command = report.WithWord(command, p.URL)
	}
	for _, url := range p.KV {
		command = report.WithWord(command, "--kv="+url)
	}
	command = report.WithRate(report.Again(command, run, planFlags), share*p.Load.RatePerS)
	return report.WithWord(command, "--batch", strconv.Itoa(d.Batch))
}

// planFlags are what the command repeats. Data from files has an end, and no rate of its own.
var planFlags = []report.PlanFlag{
	{At: "url"},
	{At: "kv"},
	{At: "commit_base"},
	{At: "output"},
	{At: "grid"},
	{At: "batch"},
	{At: "load.seed"},
	{At: "load.clients", Flag: "--publishers", Default: "2"},
	{At: "load.pipeline", Flag: "--in-flight", Default: "8"},
	{At: "load.duration_ns", Flag: "--duration", Default: "10s"},
	{At: "load.rate_per_s"},
	{At: "load.arrivals", Flag: "--arrivals", Default: "constant"},
	{At: "load.max_clients"},
	{At: "load.max_waiting"},
	{At: "load.warmup_clients"},
	{At: "load.warmup_time_ns"},
	{At: "load.drain_ns"},
	{At: "load.retry.timeout_ns", Flag: "--timeout", Default: "5s"},
	{At: "load.retry.max_retries", Flag: "--max-retries", Default: "5"},
	{At: "load.retry.initial_backoff_ns", Flag: "--initial-backoff", Default: "50ms"},
	{At: "load.retry.max_backoff_ns", Flag: "--max-backoff", Default: "1s"},
	{At: "acks", Flag: "--acks"},
	{At: "compression", Flag: "--compression"},
	{At: "linger_ns", Flag: "--linger"},
	{At: "codec", Flag: "--codec", Default: "compact"},
	{At: "key_length", Flag: "--key-length", Default: "30"},
	{At: "value_length", Flag: "--value-length", Default: "10"},
	{At: "hot_keys", Flag: "--hot-keys"},
	{At: "deletes_share", Flag: "--deletes"},
	{At: "sets_share", Flag: "--sets"},
	{At: "servers", Flag: "--servers"},
	{At: "reads_per_s", Flag: "--reads"},
	{At: "read_keys", Flag: "--read-keys", Default: rundoc.ReadRecent},
	{At: "listeners", Flag: "--listeners", Default: "4"},
	{At: "receive_batch", Flag: "--receive-batch", Default: "10"},
	{At: "publish_only", Flag: "--publish-only"},
	{At: "within_ns", Flag: "--deadline", Default: "1s"},
	{At: "settle_ns", Flag: "--settle", Default: "30s"},
}
