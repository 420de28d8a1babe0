package sets

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/setdoc"
)

// CSV writes the levels of a sweep, a row each, the figures of a comparison, or the runs of any other set.
//
// The columns of a level: the settings varied, by their names; runs; throughput, throughput_low, throughput_high (95%
// interval of the mean), peak_second, in the unit that the column unit names; predicted, efficiency (0 to 1);
// scheduled, ok, failed, not_ok_share, retries, reconnects, connections_opened, connections_failed; service_mean_ns,
// service_p50_ns, service_p99_ns, response_p50_ns, response_p99_ns; in_flight_sampled, in_flight_predicted;
// share_STATE of the ledger and missing_STATE of the efficiency, for each state that occurs, with _ for a space;
// validity; causes ("timeout=3;reset=1"). Those of a figure of a comparison: figure, unit, less_is_better, launches, a,
// b, ratio, ratio_low, ratio_high, p, holm_p, sign_flip_p, smallest, outcome, absent.
//
// Those of a run: of launches the figure that they are about, by its name; name, workload, target, id, rate_per_s,
// response_p99_ns, validity, exit, error. A figure that is absent is an empty cell.
func CSV(w io.Writer, set *setdoc.Set) error {
	v := NewView(Source{Set: set}, report.Options{})
	if set.Loadline != nil {
		line := lineView{v, set.Loadline}
		return report.WriteCSV(w, line.probes(), probesCSV(line)...)
	}
	if set.Comparison != nil {
		c := contrastView{v, set.Comparison}
		return report.WriteCSV(w, c.rows(), contrastCSV(c)...)
	}
	if !v.isSweep() {
		return report.WriteCSV(w, v.members(), append(v.csvLaunches(),
			report.Left("name", func(m member) string { return m.Name }),
			report.Left("workload", func(m member) string { return m.Workload }),
			report.Left("target", func(m member) string { return m.Target }),
			report.Left("id", func(m member) string { return m.ID }),
			report.Left("rate_per_s", func(m member) string { return csvNumber(m.RatePerS) }),
			report.Left("response_p99_ns", func(m member) string { return csvInteger(m.P99NS) }),
			report.Left("validity", func(m member) string { return string(m.Verdict.Validity) }),
			report.Left("exit", func(m member) string { return strconv.Itoa(m.Exit) }),
			report.Left("error", func(m member) string { return m.Error }))...)
	}
	return report.WriteCSV(w, v.all(), slices.Concat(v.csvSettings(), v.csvFigures(), v.csvCounts(), v.csvTimes(),
		v.csvStates(), []report.Column[level]{
			report.Left("validity", func(l level) string { return l.Validity }),
			report.Left("causes", func(l level) string {
				var list []string
				for _, c := range l.Causes {
					list = append(list, c.Cause+"="+strconv.FormatInt(c.Count, 10))
				}
				return strings.Join(list, ";")
			}),
		})...)
}

// csvLaunches is the figure of launches, by its name, in the unit that documents have it in.
func (v *View) csvLaunches() []report.Column[member] {
	l := v.Set.Launches
	if l == nil {
		return nil
	}
	value := v.launchValues()
	return []report.Column[member]{report.Left(l.Figure.Name, func(m member) string { return csvNumber(value[m]) })}
}

func (v *View) csvSettings() []report.Column[level] {
	var columns []report.Column[level]
	for i, vary := range v.sweep.Vary {
		columns = append(columns, report.Left(vary.Setting, func(l level) string { return l.Values[i] }))
	}
	return columns
}

func (v *View) csvFigures() []report.Column[level] {
	number := func(head string, x func(level) *float64) report.Column[level] {
		return report.Left(head, func(l level) string { return csvNumber(x(l)) })
	}
	end := func(i int) func(level) *float64 {
		return func(l level) *float64 {
			if len(l.Interval) != 2 {
				return nil
			}
			return &l.Interval[i]
		}
	}
	return []report.Column[level]{
		report.Left("runs", func(l level) string { return strconv.Itoa(l.Runs) }),
		number("throughput", func(l level) *float64 { return l.Throughput }),
		number("throughput_low", end(0)), number("throughput_high", end(1)),
		number("peak_second", func(l level) *float64 { return l.PeakSecond }),
		report.Left("unit", func(level) string { return v.sweep.Figure.Unit }),
		number("predicted", func(l level) *float64 { return l.Predicted }),
		number("efficiency", func(l level) *float64 { return l.Efficiency }),
		number("in_flight_sampled", func(l level) *float64 { return &l.InFlight }),
		number("in_flight_predicted", func(l level) *float64 { return &l.InFlightPredicted }),
	}
}

func csvNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', 8, 64)
}

func csvInteger(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func (v *View) csvCounts() []report.Column[level] {
	count := func(head string, n func(level) int64) report.Column[level] {
		return report.Left(head, func(l level) string { return strconv.FormatInt(n(l), 10) })
	}
	return []report.Column[level]{
		count("scheduled", func(l level) int64 { return l.Scheduled }), count("ok",
			func(l level) int64 { return l.OK }),
		count("failed", func(l level) int64 { return l.Failed }),
		report.Left("not_ok_share", func(l level) string { return csvNumber(&l.FailedShare) }),
		count("retries", func(l level) int64 { return l.Retries }),
		count("reconnects", func(l level) int64 { return l.Reconnects }),
		count("connections_opened", func(l level) int64 { return l.Opened }),
		count("connections_failed", func(l level) int64 { return l.NotOpened }),
	}
}

func (v *View) csvTimes() []report.Column[level] {
	time := func(head string, ns func(level) *int64) report.Column[level] {
		return report.Left(head, func(l level) string { return csvInteger(ns(l)) })
	}
	mean := func(l level) *int64 {
		if l.ServiceMeanNS == 0 {
			return nil
		}
		return &l.ServiceMeanNS
	}
	return []report.Column[level]{
		time("service_mean_ns", mean), time("service_p50_ns", func(l level) *int64 { return l.ServiceP50NS }),
		time("service_p99_ns", func(l level) *int64 { return l.ServiceP99NS }),
		time("response_p50_ns", func(l level) *int64 { return l.ResponseP50NS }),
		time("response_p99_ns", func(l level) *int64 { return l.ResponseP99NS }),
	}
}

func (v *View) csvStates() []report.Column[level] {
	var columns []report.Column[level]
	states := v.states(func(l level) []string {
		var names []string
		for name := range l.Shares {
			names = append(names, name)
		}
		for _, m := range l.Missing {
			names = append(names, m.State)
		}
		return names
	})
	for _, state := range states {
		name := strings.ReplaceAll(state, " ", "_")
		columns = append(columns, report.Left("share_"+name, func(l level) string {
			if x, known := l.Shares[state]; known {
				return csvNumber(&x)
			}
			return ""
		}), report.Left("missing_"+name, func(l level) string {
			i := slices.IndexFunc(l.Missing, func(m setdoc.MissingShare) bool { return m.State == state })
			if i < 0 {
				return ""
			}
			return csvNumber(&l.Missing[i].Share)
		}))
	}
	return columns
}
