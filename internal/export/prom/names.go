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
		{runInfo, "gauge", "1 for each run that goes on, or the last one that ended", []string{"labels", "member"}},
		{runPhase, "gauge", "1 for the phase that goes on, or what comes before and after the phases", []string{"phase"}},
		{window, "gauge", "how long the measurement window has been open", nil},
		{operations, "counter", "operations of the window that are over, by how they ended; 'unsent' were due and never sent",
			[]string{operation, "outcome"}},
		{attempts, "counter", "tries of operations that are over", []string{operation}},
		{retries, "counter", "tries after the first one", []string{operation}},
		{failures, "counter", "tries that failed, retried or not, by cause", []string{operation, "cause"}},
		{bytes, "counter", "payload bytes of operations that ended ok", []string{operation}},
		{responseTime, "histogram", "from when an operation should have started to its end, retries included",
			[]string{operation}},
		{serviceTime, "histogram", "from when an operation did start to its end, retries included", []string{operation}},
		{inFlight, "gauge", "operations that have begun and not ended", nil},
		{clients, "gauge", "clients of the load", nil},
		{opened, "counter", "connections that were opened, over the whole run", nil},
		{unopened, "counter", "tries to connect that failed, over the whole run", nil},
		{reconnects, "counter", "connections that replaced a lost one, by the cause of the loss", []string{"cause"}},
		{cpuSeconds, "counter", "CPU time that the load generator has used in the window", []string{"mode"}},
		{cpus, "gauge", "CPUs that the load generator may use", nil},
		{gaps, "counter", "times in the window in which nothing of the load generator ran", nil},
		{gapSeconds, "counter", "how long those were together", nil},
		{ownDelay, "gauge", "the part of a response time that the load generator caused: its 99th percentile over the window",
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
