package prom

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Family is a metric as docs/exports.md lists it.
type Family struct {
	Name, Type, Help string
	Labels           []string // beside run and workload, and those of the operation
}

// The names of what is shown.
const (
	runInfo      = "plimsoll_run_info"
	runPhase     = "plimsoll_run_phase"
	window       = "plimsoll_window_seconds"
	operations   = "plimsoll_operations_total"
	attempts     = "plimsoll_attempts_total"
	retries      = "plimsoll_retries_total"
	failures     = "plimsoll_attempt_failures_total"
	bytes        = "plimsoll_operation_bytes_total"
	responseTime = "plimsoll_response_time_seconds"
	serviceTime  = "plimsoll_service_time_seconds"
	inFlight     = "plimsoll_operations_in_flight"
	clients      = "plimsoll_clients"
	opened       = "plimsoll_connections_opened_total"
	unopened     = "plimsoll_connections_failed_total"
	reconnects   = "plimsoll_reconnects_total"
	cpuSeconds   = "plimsoll_generator_cpu_seconds_total"
	cpus         = "plimsoll_generator_cpus"
	gaps         = "plimsoll_generator_gaps_total"
	gapSeconds   = "plimsoll_generator_gap_seconds_total"
	ownDelay     = "plimsoll_generator_own_delay_p99_seconds"
)

// Families are all metrics, in the order of the document that lists them.
func Families() []Family {
	const operation = "operation"
	return []Family{
		{runInfo, "gauge", "1 for the current run, or for the last one that ended", []string{"labels", "member"}},
		{runPhase, "gauge", "1 for the current phase, or for the state before or after the phases", []string{"phase"}},
		{window, "gauge", "how long the measurement window has been open", nil},
		{operations, "counter", "completed operations of the window by outcome; 'unsent' operations were scheduled but " +
			"never sent",
			[]string{operation, "outcome"}},
		{attempts, "counter", "attempts of completed operations", []string{operation}},
		{retries, "counter", "attempts after the first", []string{operation}},
		{failures, "counter", "failed attempts by cause, whether retried or not", []string{operation, "cause"}},
		{bytes, "counter", "payload bytes of successful operations", []string{operation}},
		{responseTime, "histogram", "time from the intended start of an operation to its end, including retries",
			[]string{operation}},
		{serviceTime, "histogram", "time from the actual start of an operation to its end, including retries",
			[]string{operation}},
		{inFlight, "gauge", "operations in progress", nil},
		{clients, "gauge", "clients of the load", nil},
		{opened, "counter", "connections opened during the whole run", nil},
		{unopened, "counter", "failed connection attempts during the whole run", nil},
		{reconnects, "counter", "connections that replaced a lost one, by cause of the loss", []string{"cause"}},
		{cpuSeconds, "counter", "CPU time used by the load generator in the window", []string{"mode"}},
		{cpus, "gauge", "CPUs available to the load generator", nil},
		{gaps, "counter", "pauses in the window during which nothing in the load generator ran", nil},
		{gapSeconds, "counter", "total length of these pauses", nil},
		{ownDelay, "gauge", "p99 of the generator delay over the window",
			nil},
	}
}

// helps are the help texts by name.
func helps() map[string]string {
	all := map[string]string{}
	for _, f := range Families() {
		all[f.Name] = f.Help
	}
	return all
}

// labels are names and values in one order.
type labels struct{ names, values []string }

// with are the labels and one more. A value that is no text would take all that is shown with it.
func (l labels) with(name, value string) labels {
	return labels{append(slices.Clip(l.names), name), append(slices.Clip(l.values), strings.ToValidUTF8(value, "\uFFFD"))}
}

// desc describes a metric with these labels.
func (l labels) desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, l.names, nil)
}
