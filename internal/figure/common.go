package figure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// responseTime is the time that a percentile without a name is of.
const responseTime = "response"

// byOperation is the label that every operation has: its name.
const byOperation = "operation"

// labels are those that were asked for.
type labels = map[string]string

// common are the figures that every run has.
func common() []source {
	return slices.Concat(commonTimes(), commonRates(), commonCounts())
}

func commonTimes() []source {
	of := func(name, help, about string, time func(*rundoc.Operation) *rundoc.Summary) source {
		return source{alike: true, Source: Source{Name: name, Help: help, About: about, Unit: Time,
			Labels: []string{byOperation},
			Times: func(run *rundoc.Run, match labels) []rundoc.Summary {
				var all []rundoc.Summary
				for _, o := range matching(run, match) {
					all = append(all, *time(o))
				}
				return all
			}}}
	}
	return []source{
		of(responseTime, "response time: scheduled start to end; also p50, mean, max",
			"It includes all attempts and, in the open model, the wait for a free client. In the closed model it equals the "+
				"service time. Only operations of the measurement window count.",
			func(o *rundoc.Operation) *rundoc.Summary { return &o.ResponseTime }),
		of("service", "service time: actual start to end",
			"It includes all attempts and the pauses between them, but not the wait for a free client.",
			func(o *rundoc.Operation) *rundoc.Summary { return &o.ServiceTime }),
		of("send_delay", "send delay: scheduled to actual start (open model)",
			"A long send delay means that no client was free, or that the generator was late.",
			func(o *rundoc.Operation) *rundoc.Summary { return &o.SendDelay }),
		of("first_attempt", "time of the first attempt, without retries",
			"Compare it with the service time to see what retries cost.",
			func(o *rundoc.Operation) *rundoc.Summary { return &o.FirstAttempt }),
		{Source: Source{Name: "connect", Help: "time to connect, including TLS, over the whole run", Unit: Time,
			Times: func(run *rundoc.Run, _ labels) []rundoc.Summary {
				return []rundoc.Summary{run.Connections.ConnectTime}
			}}},
	}
}

func commonRates() []source {
	of := func(name, help string, unit Unit, rate func(*rundoc.Operation) float64) source {
		return source{alike: true, Source: Source{Name: name, Help: help, Unit: unit, Labels: []string{byOperation},
			Number: counted(func(run *rundoc.Run, match labels) Value {
				sum := 0.0
				for _, o := range matching(run, match) {
					sum += rate(o)
				}
				if run.Ledger.WindowNS <= 0 && sum == 0 {
					return Value{Why: "the document has no measurement window"}
				}
				return rateWithin(run, match, Value{Raw: sum, Unit: unit})
			})}}
	}
	return []source{
		of("rate", "successful operations per second, in the window", PerSecond,
			func(o *rundoc.Operation) float64 { return o.RatePerS }),
		of("bytes_rate", "payload of successful operations per second", BytesPerSec,
			func(o *rundoc.Operation) float64 { return o.BytesPerS }),
	}
}

func commonCounts() []source {
	count := func(name, help string, unit Unit, of func(*rundoc.Operation) int64) source {
		sum := counted(func(run *rundoc.Run, match labels) Value {
			n, _ := sums(run, match, of)
			return Value{Raw: float64(n)}
		})
		return source{Source: Source{Name: name, Help: help, Unit: unit, Labels: []string{byOperation}, Number: sum}}
	}
	// The same as a count and as a share of what was scheduled.
	both := func(name, help string, unit Unit, of func(*rundoc.Operation) int64) source {
		s := count(name, help, unit, of)
		share := counted(func(run *rundoc.Run, match labels) Value {
			n, all := sums(run, match, of)
			if all <= 0 {
				return Value{Why: "no operation was scheduled"}
			}
			return shareWithin(run, Value{Raw: float64(n) / float64(all)}, n, all)
		})
		s.partial = share
		if unit == Share {
			s.Number, s.partial = share, s.Number
		}
		return s
	}
	reconnects := Source{Name: "reconnects", Help: "connections that were lost and reopened, in the window", Unit: Count,
		Number: func(run *rundoc.Run, _ labels) Value {
			v := Value{}
			for _, c := range run.Connections.Reconnects {
				v.Raw += float64(c.Count)
			}
			return v
		}}
	more := func(s source) source { s.More = MoreIsBetter; return s }
	cpu := Source{Name: "cpu_per_operation", Unit: Time, Number: cpuPerOperation, Process: true,
		Help: "the generator's CPU time per successful operation"}
	return []source{
		both("failed", "failed, unsent and unfinished operations", Share, notOK),
		more(both("ok", "successful operations", Count, func(o *rundoc.Operation) int64 { return o.OK })),
		both("unsent", "scheduled operations that were never sent", Count,
			func(o *rundoc.Operation) int64 { return o.Unsent }),
		both("unfinished", "operations that were still in flight at the end", Count,
			func(o *rundoc.Operation) int64 { return o.Unfinished }),
		count("retries", "attempts after the first one of an operation", Count,
			func(o *rundoc.Operation) int64 { return o.Retries }),
		{Source: reconnects},
		more(count("bytes", "payload of successful operations", Bytes,
			func(o *rundoc.Operation) int64 { return o.Bytes })),
		{Source: cpu},
	}
}

// cpuPerOperation is what the load cost the machine that made it. Of it all that the process did is a part, so that it
// is one of all operations together.
func cpuPerOperation(run *rundoc.Run, _ labels) Value {
	used := run.Generator.CPUUserNS + run.Generator.CPUSystemNS
	if used <= 0 {
		return Value{Why: "the generator's CPU time is unknown"}
	}
	ok, _ := sums(run, nil, func(o *rundoc.Operation) int64 { return o.OK })
	if ok <= 0 {
		return Value{Why: "no operation succeeded"}
	}
	return Value{Raw: float64(used) / float64(ok)}
}

// notOK counts all that was scheduled and did not end ok. Who sets a goal for failures means what users did not get:
// a server that stands still makes unsent and unfinished operations, and not one that failed.
func notOK(o *rundoc.Operation) int64 { return o.Failed + o.Unsent + o.Unfinished }

// sums adds up a count of the operations, and those that were scheduled.
func sums(run *rundoc.Run, match labels, of func(*rundoc.Operation) int64) (n, scheduled int64) {
	for _, o := range matching(run, match) {
		n, scheduled = n+of(o), scheduled+o.Scheduled
	}
	return n, scheduled
}

// Scheduled is how many operations a figure is of, which a share is a share of.
func (s Spec) Scheduled(run *rundoc.Run) int64 {
	_, n := sums(run, s.labels, func(*rundoc.Operation) int64 { return 0 })
	return n
}

// counted has no value where no operation has the labels.
func counted(number func(*rundoc.Run, labels) Value) func(*rundoc.Run, labels) Value {
	return func(run *rundoc.Run, match labels) Value {
		if why := unmatched(run, match); why != "" {
			return Value{Why: why}
		}
		return number(run, match)
	}
}

// matching are the operations that have the labels; all without any.
func matching(run *rundoc.Run, match labels) []*rundoc.Operation {
	var list []*rundoc.Operation
	for i := range run.Operations {
		if o := &run.Operations[i]; matches(o, match) {
			list = append(list, o)
		}
	}
	return list
}

func matches(o *rundoc.Operation, match labels) bool {
	for name, value := range match {
		if is, has := o.Labels[name]; is == value && has || name == byOperation && isNamed(o, value) {
			continue
		}
		return false
	}
	return true
}

// isNamed reports whether an operation has this name, also as one of a service: "S3/GetObject" is the GetObject with
// the label S3.
func isNamed(o *rundoc.Operation, name string) bool {
	of, within := strings.CutSuffix(name, "/"+o.Name)
	return o.Name == name || within && slices.Contains(slices.Collect(maps.Values(o.Labels)), of)
}

// unmatched says that no operation has the labels, and which values there are; "": one has them.
func unmatched(run *rundoc.Run, match labels) string {
	if len(match) == 0 || len(matching(run, match)) > 0 {
		return ""
	}
	spec := Spec{labels: match}
	asked := strings.Trim(spec.String(), ".{}")
	for name := range match {
		if len(match) > 1 {
			break // each may be there, and not together
		}
		if there := values(run, name); len(there) > 0 {
			return fmt.Sprintf("no operation has %s: there is %s", asked, units.FirstOf(there, 8))
		}
	}
	return "no operation has " + asked
}

// values are those of a label in a run, in the order of its operations.
func values(run *rundoc.Run, name string) []string {
	var all []string
	for i := range run.Operations {
		o := &run.Operations[i]
		value, has := o.Labels[name]
		if !has && name == byOperation {
			value, has = o.Name, true
		}
		if value = units.Clean(value); has && !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// Covers reports whether operations of this name and with these labels are among those that the figure is of.
func (s Spec) Covers(name string, with map[string]string) bool {
	return matches(&rundoc.Operation{Name: name, Labels: with}, s.labels)
}
