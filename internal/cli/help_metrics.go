package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
)

const metricsHead = `A metric is a measured quantity. Thresholds, --until, compare, sweep and
loadline refer to it by its name:

  plimsoll http URL --threshold 'p99<50ms' --threshold 'failed<0.1%'
  plimsoll chat URL --threshold 'p95{type=TEXT}<20ms'

A time has percentiles (p50, p99.9), mean, min and max. A percentile needs ten
values above it: a p99 needs 1,000 operations. Labels in braces select
operations. Quote thresholds, because < and > are special characters of shells.
`

const metricsFoot = `
Details: 'plimsoll help metrics KIND' or 'plimsoll help metrics NAME'
`

// kindNames returns the names of all kinds.
func kindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Name)
	}
	return names
}

// metricNames returns the metrics of all kinds, without statistics.
func metricNames() []string {
	var names []string
	for _, k := range kinds() {
		for _, l := range figure.List(knownOf(k)) {
			if !slices.Contains(names, l.Family) {
				names = append(names, l.Family)
			}
		}
	}
	return names
}

// isMetric reports whether a kind has a metric of this name.
func isMetric(name string) bool {
	return slices.ContainsFunc(kinds(), func(k run.Kind) bool {
		_, found := figure.Find(name, knownOf(k))
		return found
	})
}

func knownOf(k run.Kind) figure.Known { return k.Report.Known(k.Name) }

// ownMetrics returns the metrics that only this kind has.
func ownMetrics(k run.Kind) []figure.Listed {
	return slices.DeleteFunc(figure.List(knownOf(k)), func(l figure.Listed) bool { return !l.Own })
}

// printMetrics lists the metrics of all kinds, or describes those of one kind, or one metric. With all it describes
// those of all kinds.
func printMetrics(w io.Writer, name string, all bool) error {
	var b strings.Builder
	i := slices.IndexFunc(kinds(), func(k run.Kind) bool { return k.Name == name })
	switch {
	case name == "" && all:
		b.WriteString(metricsHead)
		describeMetrics(&b, "All kinds", figure.List(figure.Known{}))
		for _, k := range kinds() {
			describeKind(&b, k)
		}
	case name == "":
		b.WriteString(metricsHead)
		listMetrics(&b, "All kinds", figure.List(figure.Known{}))
		listOwn(&b)
		b.WriteString(metricsFoot)
	case i >= 0:
		describeKind(&b, kinds()[i])
		common := slices.DeleteFunc(figure.List(knownOf(kinds()[i])), func(l figure.Listed) bool { return l.Own })
		listMetrics(&b, "Metrics of all kinds", common)
		b.WriteString(metricsFoot)
	default:
		if err := describeMetric(&b, name); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n")); err != nil {
		return fault.New(fault.RunFailed, "cannot write the metrics: %w", err)
	}
	return nil
}

// listedMetric is a line of a list of metrics. Statistics of the same quantity share one.
type listedMetric struct {
	figure.Listed
	also []string // the other statistics
}

// shared returns the list with one entry for all statistics of a quantity.
func shared(list []figure.Listed) []listedMetric {
	var all []listedMetric
	at := map[string]int{} // of a quantity
	for _, l := range list {
		quantity, statistic, is := statisticOf(l)
		if i, seen := at[quantity]; is && seen {
			all[i].also = append(all[i].also, statistic)
			continue
		}
		if is {
			at[quantity] = len(all)
		}
		all = append(all, listedMetric{Listed: l})
	}
	return all
}

// writeMetrics writes each metric with its name and what text returns.
func writeMetrics(b *strings.Builder, title string, list []listedMetric, text func(l listedMetric) string) {
	fmt.Fprintf(b, "\n%s\n", title)
	column := 0
	for _, l := range list {
		column = max(column, len(l.Name)+2)
	}
	column = min(column, 26)
	for _, l := range list {
		said := text(l)
		if len(l.also) > 0 {
			said += "; also " + strings.Join(l.also, ", ")
		}
		name := l.Name
		for _, line := range wrapped(said, helpWidth-2-column) {
			fmt.Fprintf(b, "  %-*s%s\n", column, name, line)
			name = ""
		}
	}
}

// listMetrics writes a line for each metric.
func listMetrics(b *strings.Builder, title string, list []figure.Listed) {
	writeMetrics(b, title, shared(list), func(l listedMetric) string { return l.Help })
}

// describeMetrics writes each metric with its labels and a value.
func describeMetrics(b *strings.Builder, title string, list []figure.Listed) {
	writeMetrics(b, title, shared(list), func(l listedMetric) string {
		if l.Own && len(l.Labels) > 0 {
			return fmt.Sprintf("%s (%s; labels: %s)", l.Help, l.Write, strings.Join(l.Labels, ", "))
		}
		return fmt.Sprintf("%s (%s)", l.Help, l.Write)
	})
}

// listOwn writes a line for each metric that only some kinds have. Those that an earlier kind has, too, share a line.
func listOwn(b *strings.Builder) {
	of := map[string]string{} // the first kind that has a metric, by its name and help
	for _, k := range kinds() {
		var own []figure.Listed
		var names []string
		as := ""
		for _, l := range ownMetrics(k) {
			first, known := of[l.Name+"\n"+l.Help]
			if known && (as == "" || as == first) {
				as, names = first, append(names, l.Name)
				continue
			}
			own = append(own, l)
			of[l.Name+"\n"+l.Help] = k.Name
		}
		listMetrics(b, k.Name, own)
		if as == "" {
			continue
		}
		for _, line := range wrappedList(append([]string{"as in " + as + ": " + names[0]}, names[1:]...), helpWidth-2) {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// statisticOf returns the quantity and the statistic of a metric such as "client.p50", which is not a distribution.
func statisticOf(l figure.Listed) (quantity, statistic string, is bool) {
	i := strings.LastIndexByte(l.Name, '.')
	if l.Times || i < 0 {
		return "", "", false
	}
	quantity, statistic = l.Name[:i], l.Name[i+1:]
	return quantity, statistic, slices.Contains([]string{"min", "mean", "max"}, statistic) ||
		statistic[0] == 'p' && strings.Trim(statistic[1:], "0123456789.") == ""
}

// describeKind writes the metrics that only a kind has, and what is peculiar to it.
func describeKind(b *strings.Builder, k run.Kind) {
	describeMetrics(b, "Metrics of "+k.Name, ownMetrics(k))
	known := knownOf(k)
	text := "Label of its operations: operation."
	if len(known.Labels) > 0 {
		text = "Labels of its operations: operation, " + strings.Join(known.Labels, ", ") + "."
	}
	if known.Mixed {
		text += " Its operations differ too much to be added up: times and rates that all kinds have need a label, " +
			"as in p99{operation=NAME}."
	}
	if len(known.Lacks) > 0 {
		text += " It does not have " + strings.Join(known.Lacks, ", ") + "."
	}
	for _, line := range wrapped(text, helpWidth-2) {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// describeMetric writes all about the metric of a name. Kinds may have different metrics of the same name.
func describeMetric(b *strings.Builder, name string) error {
	name, _, _ = strings.Cut(strings.TrimSpace(name), "{")
	type variant struct {
		figure.Listed
		kinds []string
		mixed []string
	}
	var found []*variant
	for _, k := range kinds() {
		l, has := figure.Find(name, knownOf(k))
		if !has {
			continue
		}
		i := slices.IndexFunc(found, func(v *variant) bool { return v.Own == l.Own && v.Help == l.Help })
		if i < 0 {
			i = len(found)
			found = append(found, &variant{Listed: l})
		}
		found[i].kinds = append(found[i].kinds, k.Name)
		if knownOf(k).Mixed && l.Alike {
			found[i].mixed = append(found[i].mixed, k.Name)
		}
		for _, label := range l.Labels {
			if !slices.Contains(found[i].Labels, label) {
				found[i].Labels = append(found[i].Labels, label)
			}
		}
	}
	if len(found) == 0 {
		return unknownMetric(name)
	}
	for i, v := range found {
		if i > 0 {
			b.WriteString("\n")
		}
		writeMetric(b, name, v.Listed, v.kinds, v.mixed)
	}
	return nil
}

// unknownMetric returns the error for a name that no kind has, with the name that was probably meant.
func unknownMetric(name string) error {
	e := fault.New(fault.Usage, "there is no metric %q", name)
	near := fault.Nearest(name, slices.Concat(kindNames(), metricNames()))
	for _, k := range kinds() {
		_, err := figure.Parse(name, knownOf(k))
		if unknown, is := errors.AsType[*figure.Unknown](err); is && near == "" {
			near = unknown.Near
		}
	}
	if near != "" {
		return e.Hint("did you mean 'plimsoll help metrics %s'? 'plimsoll help metrics' lists all", near)
	}
	return e.Hint("'plimsoll help metrics' lists all")
}

// writeMetric writes all about a metric of these kinds. In those that are mixed it needs a label.
func writeMetric(b *strings.Builder, name string, l figure.Listed, of, mixed []string) {
	fmt.Fprintf(b, "%s\n", name)
	text := strings.ToUpper(l.Help[:1]) + l.Help[1:] + "."
	if l.About != "" {
		text += " " + l.About
	}
	for _, line := range wrapped(text, helpWidth-2) {
		fmt.Fprintf(b, "  %s\n", line)
	}
	b.WriteString("\n")
	row := func(key, value string) {
		for _, line := range wrapped(value, helpWidth-14) {
			fmt.Fprintf(b, "  %-12s%s\n", key, line)
			key = ""
		}
	}
	if len(of) == len(kinds()) {
		row("Kinds", "all")
	} else {
		row("Kinds", strings.Join(of, ", "))
	}
	row("Unit", l.Unit.Name()+", such as "+l.Write)
	stem := strings.TrimSuffix(l.Name, "p99")
	if l.Times {
		row("Statistics", fmt.Sprintf("%[1]sp50, %[1]sp99.9 (any percentile), %[1]smean, %[1]smin, %[1]smax", stem))
	}
	if len(l.Labels) > 0 {
		row("Labels", strings.Join(l.Labels, ", "))
	}
	if len(mixed) > 0 {
		row("", "required in "+strings.Join(mixed, " and ")+", whose operations differ too much to be added up")
	}
	better, operator := "lower", "<"
	if l.More {
		better, operator = "higher", ">"
	}
	row("Better", better)
	asked := l.Name
	if l.Times && name != l.Family {
		asked = name
	}
	value, _, _ := strings.Cut(l.Write, " or ")
	fmt.Fprintf(b, "\n  plimsoll %s --threshold '%s%s%s'\n", of[0], asked, operator, value)
	if len(l.Labels) > 0 {
		fmt.Fprintf(b, "  plimsoll %s --threshold '%s{%s=NAME}%s%s'\n", of[0], asked, l.Labels[0], operator, value)
	}
}
