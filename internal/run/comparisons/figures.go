package comparisons

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// mostRows bounds the figures: the more there are, the less can be said of each.
const mostRows = 20

// row is a figure that is compared.
type row struct {
	spec figure.Spec
	setdoc.Compared
	wanted bool // it was asked for
}

// rows are the figures that are compared: those that were asked for, or those of the kind, and such as begin with +
// besides.
func (r *Request) rows(k *run.Kind, operations string) ([]row, error) {
	known := k.Report.Known(k.Name)
	var names, more []string
	for _, name := range r.Figures {
		if plus, is := strings.CutPrefix(name, "+"); is {
			more = append(more, plus)
		} else {
			names = append(names, name)
		}
	}
	asked := len(names) > 0
	if !asked {
		names = k.ComparedFigures()
	}
	var list []row
	for i, name := range append(names, more...) {
		spec, err := figure.Parse(name, known)
		switch {
		case err != nil && !asked && i < len(names):
			continue // the kind does not have it
		case err != nil:
			return nil, fault.New(fault.Usage, "--metric: %w", err).Hint("%s", fault.HintOf(err))
		}
		wanted := asked || i >= len(names)
		if at := slices.IndexFunc(list, func(one row) bool { return one.Name == spec.String() }); at >= 0 {
			list[at].Info, list[at].wanted = list[at].Info && !wanted, list[at].wanted || wanted
			continue
		}
		f := setdoc.Figure{Name: spec.String(), Unit: string(spec.Unit()), Of: cmp.Or(spec.Counts(operations), spec.String())}
		// What the generator's process uses is no property of a side, unless that is what is asked for.
		info := !wanted && spec.OfProcess()
		list = append(list, row{spec, setdoc.Compared{Figure: f, Less: spec.LessIsBetter(), Info: info}, wanted})
	}
	if len(list) > mostRows {
		return nil, fault.New(fault.Usage, "--metric: %d metrics are too many, the maximum is %d", len(list),
			mostRows).Hint("compare fewer: every additional metric makes the test of each one weaker")
	}
	return list, nil
}

// compared are the figures of the rows.
func compared(rows []row) []setdoc.Compared {
	list := make([]setdoc.Compared, len(rows))
	for i := range rows {
		list[i] = rows[i].Compared
	}
	return list
}

// valuesOf are what the figures came to in a run, as it was measured: the generator's own delay is a part of both
// sides. A rate by slices is that of the time in which the clients were not idle because a slice drained: what that
// takes depends on how long the slowest operation goes on, and not on what is got through. In the open model they are
// idle for want of work, and the rate is what it is. What a kind alone has in bytes a second is the rate of single
// bodies, which no slice drains in. Of two sides at the same time nobody knows which of them the process did something
// for.
//
// longer says that the user could have the run measure for longer.
func valuesOf(rows []row, way string, doc *rundoc.Run, longer bool) []setdoc.Known {
	sliced := way == setdoc.BySlices && !doc.OpenModel()
	list := make([]setdoc.Known, len(rows))
	for i, one := range rows {
		v := one.spec.Of(doc)
		if way == setdoc.AtOnce && one.spec.OfProcess() {
			v.Why = "both sides run in one process at the same time, so it cannot be attributed to one of them"
		}
		if v.Why != "" {
			list[i].Why = cmp.Or(several.TooFew(one.spec, doc, longer), v.Why)
			continue
		}
		unit := one.spec.Unit()
		if sliced && (unit == figure.PerSecond || unit == figure.BytesPerSec && !one.spec.Own()) {
			v.Raw /= pair.Busy(doc)
		}
		list[i].Value = new(v.Raw)
		if unit == figure.Share {
			list[i].Of = one.spec.Scheduled(doc)
		}
	}
	return list
}
