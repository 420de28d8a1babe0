package sweep

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// level is a level in the making.
type level struct {
	*setdoc.Level
	rows   []setdoc.Row
	used   []setdoc.Row // those that its means are of
	usable bool         // what it shows can be held against other levels
	lags   bool         // less got through than was offered
	step   float64      // by which the throughput of a run can change: one operation; 0: not known
}

// makeLevels makes one of each stretch of rows with the same values.
func (a *analysis) makeLevels() {
	for from := 0; from < len(a.Rows); {
		to := from
		for to < len(a.Rows) && a.compare(a.Rows[from], a.Rows[to]) == 0 {
			to++
		}
		a.levels = append(a.levels, a.levelOf(a.Rows[from:to]))
		from = to
	}
	a.Levels = make([]setdoc.Level, len(a.levels))
	for i := range a.levels {
		a.Levels[i] = *a.levels[i].Level
		a.levels[i].Level = &a.Levels[i]
	}
	a.noise = noiseOf(a.levels)
}

func (a *analysis) levelOf(rows []setdoc.Row) level {
	v := level{Level: &setdoc.Level{Values: rows[0].Values, Runs: len(rows), Validity: gravest(rows)}, rows: rows}
	if a.numeric() {
		v.Load = a.axes[0].loads[valueAt(rows[0], 0)]
	}
	v.used = slices.DeleteFunc(slices.Clone(rows), func(r setdoc.Row) bool { return r.Validity == string(rundoc.Invalid) })
	if len(v.used) == 0 {
		v.used = rows
	}
	if w := v.used[0].WindowNS; a.Figure.Name == rateFigure && w > 0 {
		v.step = 1e9 / float64(w)
	}
	v.count()
	v.means()
	v.lags = lags(v.Level, a.Figure)
	v.usable = v.Throughput != nil && v.used[0].Validity != string(rundoc.Invalid)
	return v
}

// gravest is the worst verdict of the runs.
func gravest(rows []setdoc.Row) string {
	order := []string{string(rundoc.Valid), string(rundoc.Seen), string(rundoc.Suspect), string(rundoc.Invalid)}
	return slices.MaxFunc(rows, func(x, y setdoc.Row) int {
		return cmp.Compare(slices.Index(order, x.Validity), slices.Index(order, y.Validity))
	}).Validity
}

// count sums up what all its runs count.
func (v *level) count() {
	causes := map[string]int64{}
	for _, r := range v.rows {
		if r.Member == "" {
			v.Lost++
		}
		v.OK += r.OK
		v.Failed += r.Failed
		v.Scheduled += r.OK + r.Failed + r.Unsent + r.Unfinished
		v.Retries += r.Retries
		v.Reconnects += r.Reconnects
		v.Opened += r.Opened
		v.NotOpened += r.NotOpened
		for _, c := range r.Causes {
			causes[c.Cause] += c.Count
		}
	}
	if v.Scheduled > 0 {
		v.FailedShare = float64(v.Scheduled-v.OK) / float64(v.Scheduled)
	}
	for _, cause := range slices.Sorted(maps.Keys(causes)) {
		v.Causes = append(v.Causes, setdoc.CauseCount{Cause: cause, Count: causes[cause]})
	}
	slices.SortStableFunc(v.Causes, func(x, y setdoc.CauseCount) int { return cmp.Compare(y.Count, x.Count) })
}

func (v *level) means() {
	throughput := v.throughputs()
	// A run in which nothing was ok has none, and a mean of the others would be too good.
	if len(throughput) == len(v.used) {
		v.Throughput = new(mean(throughput))
		v.Interval = interval(throughput, v.step)
	}
	v.Clients = mean(of(v.used, func(r setdoc.Row) *float64 { return &r.Clients }))
	if offered := of(v.used, func(r setdoc.Row) *float64 { return r.OfferedPerS }); len(offered) > 0 {
		v.OfferedPerS = new(mean(offered))
	}
	if peaks := of(v.used, func(r setdoc.Row) *float64 { return r.PeakSecond }); len(peaks) > 0 {
		v.PeakSecond = new(slices.Max(peaks))
	}
	v.ServiceMeanNS = int64(math.Round(mean(of(v.used, func(r setdoc.Row) *float64 {
		return new(float64(r.ServiceMeanNS))
	}))))
	v.ServiceP50NS = median(v.used, func(r setdoc.Row) *int64 { return r.ServiceP50NS })
	v.ServiceP99NS = median(v.used, func(r setdoc.Row) *int64 { return r.ServiceP99NS })
	v.ResponseP50NS = median(v.used, func(r setdoc.Row) *int64 { return r.ResponseP50NS })
	v.ResponseP99NS = median(v.used, func(r setdoc.Row) *int64 { return r.ResponseP99NS })
	v.Shares = shares(v.used)
	v.InFlight = mean(of(v.used, func(r setdoc.Row) *float64 { return &r.InFlightSampled }))
	v.InFlightPredicted = mean(of(v.used, func(r setdoc.Row) *float64 { return &r.InFlightPredicted }))
	if v.InFlight > 0 && v.InFlightPredicted > 0 {
		v.Little = finite(v.InFlight/v.InFlightPredicted - 1)
	}
}

// throughputs are those of the runs that its means are of.
func (v *level) throughputs() []float64 {
	list := of(v.used, func(r setdoc.Row) *float64 { return r.Throughput })
	return slices.DeleteFunc(list, func(x float64) bool { return x <= 0 })
}

// of are the figures of rows that have one.
func of(rows []setdoc.Row, get func(setdoc.Row) *float64) (list []float64) {
	for _, r := range rows {
		if v := get(r); v != nil {
			list = append(list, *v)
		}
	}
	return list
}

func mean(list []float64) (sum float64) {
	for _, v := range list {
		sum += v / float64(len(list))
	}
	return sum // 0 of none
}

// interval is the 95% interval of the mean of repeats, by Student's t; nil with fewer than two. A run counts whole
// operations, so that two runs may give the same by chance: they are taken to differ no less than rounding to a step
// does. Where no step is known, runs that are the same to the last digit tell no interval.
func interval(list []float64, step float64) []float64 {
	n := float64(len(list))
	if n < 2 {
		return nil
	}
	m, squares := mean(list), 0.0
	for _, v := range list {
		squares += (v - m) * (v - m)
	}
	deviation := max(math.Sqrt(squares/(n-1)), step/math.Sqrt(12))
	if deviation <= 1e-9*m {
		return nil
	}
	half := stats.Student975(n-1) * deviation / math.Sqrt(n)
	return []float64{max(0, m-half), m + half}
}

// median is that of the runs' figures, all of which must have one: the lower of two in the middle.
func median(rows []setdoc.Row, get func(setdoc.Row) *int64) *int64 {
	var list []int64
	for _, r := range rows {
		if v := get(r); v != nil {
			list = append(list, *v)
		}
	}
	if len(list) == 0 || len(list) < len(rows) {
		return nil
	}
	slices.Sort(list)
	return &list[(len(list)-1)/2]
}

// shares are those of the clients' time, over all its runs.
func shares(rows []setdoc.Row) map[string]float64 {
	all, sum := map[string]float64{}, 0.0
	for _, r := range rows {
		for state, ns := range r.States {
			if ns > 0 {
				all[state] += float64(ns)
				sum += float64(ns)
			}
		}
	}
	if sum == 0 {
		return nil
	}
	for state := range all {
		all[state] /= sum
	}
	return all
}

// finite is a figure, or nil where it is none.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
