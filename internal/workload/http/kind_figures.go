package http

import (
	"strconv"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// noDetail is why a document has no value of a figure that only this kind has.
const noDetail = "the document has no details of an HTTP run"

// figures are those that only a run over HTTP has: the stages of its requests, its flows, its answers and its checks.
func figures() []figure.Source {
	return []figure.Source{
		ofStages("stage.send", "time to send the request",
			func(s *rundoc.Stages) *rundoc.Summary { return &s.Send }),
		ofStages("stage.wait", "request sent to first byte of the response",
			func(s *rundoc.Stages) *rundoc.Summary { return &s.Wait }),
		ofStages("stage.body", "first to last byte of the response",
			func(s *rundoc.Stages) *rundoc.Summary { return &s.Body }),
		{Name: "flow", Help: "scheduled start to end of a flow (request sequence)", Unit: figure.Time,
			Labels: []string{"flow"},
			Times: func(run *rundoc.Run, match map[string]string) (all []rundoc.Summary) {
				for i := range run.Flows {
					if f := &run.Flows[i]; matches(match, "flow", f.Name) {
						all = append(all, f.ResponseTime)
					}
				}
				return all
			}},
		ofFlows("flow.failed", "flows that ended with a failed request",
			func(f *rundoc.FlowFigures) int64 { return f.Failed }),
		better(ofFlows("flow.completed", "flows whose requests all succeeded",
			func(f *rundoc.FlowFigures) int64 { return f.Completed }), figure.MoreIsBetter),
		better(counted("answers", "complete responses; {status=5xx} selects by status",
			[]string{"status"},
			func(d *rundoc.HTTPDetail, match map[string]string) (n int64) {
				for _, s := range d.Statuses {
					if asked, is := match["status"]; !is || isStatus(s.Status, asked) {
						n += s.Count
					}
				}
				return n
			}), func(match map[string]string) bool { return match["status"] < "4" }), // of errors there should be few
		counted("failed_checks", "responses that failed a check; {check=…} selects one", []string{"check"},
			func(d *rundoc.HTTPDetail, match map[string]string) (n int64) {
				for _, c := range d.Failures {
					if matches(match, "check", c.Check) {
						n += c.Count
					}
				}
				return n
			}),
		counted("closed", "connections that the server closed after a response", nil,
			func(d *rundoc.HTTPDetail, _ map[string]string) int64 { return d.Closed }),
	}
}

// isStatus reports whether a status is the one that was asked for: 503, or 5xx.
func isStatus(status int, asked string) bool {
	if len(asked) == 3 && asked[1:] == "xx" {
		return status/100 == int(asked[0]-'0')
	}
	return strconv.Itoa(status) == asked
}

func matches(match map[string]string, label, value string) bool {
	asked, is := match[label]
	return !is || asked == value
}

// ofStages are the times of a stage.
func ofStages(name, help string, of func(*rundoc.Stages) *rundoc.Summary) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Time, Labels: []string{"operation"},
		Times: func(run *rundoc.Run, match map[string]string) (all []rundoc.Summary) {
			for i := range run.Operations {
				if o := &run.Operations[i]; o.Stages != nil && matches(match, "operation", o.Name) {
					all = append(all, *of(o.Stages))
				}
			}
			return all
		}}
}

// better is a figure of which more may be better.
func better(s figure.Source, more func(match map[string]string) bool) figure.Source {
	s.More = more
	return s
}

// ofFlows sums a count of the flows.
func ofFlows(name, help string, of func(*rundoc.FlowFigures) int64) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Count, Labels: []string{"flow"},
		Number: func(run *rundoc.Run, match map[string]string) figure.Value {
			v := figure.Value{Why: "there is no such flow"}
			for i := range run.Flows {
				if f := &run.Flows[i]; matches(match, "flow", f.Name) {
					v = figure.Value{Raw: v.Raw + float64(of(f))}
				}
			}
			return v
		}}
}

// counted is a count that the detail has.
func counted(name, help string, labels []string, of func(*rundoc.HTTPDetail, map[string]string) int64) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Count, Labels: labels,
		Number: func(run *rundoc.Run, match map[string]string) figure.Value {
			if d := run.HTTP(); d != nil {
				return figure.Value{Raw: float64(of(d, match))}
			}
			return figure.Value{Why: noDetail}
		}}
}
