package run

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/until"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Defaults of a run with --until.
const (
	untilMost   = 5 * time.Minute
	leastMost   = 30 * time.Second
	untilWarmup = 30 * time.Second // maximum length of the warm-up
)

// The bounds of the precision. Values themselves are stored to about 1%.
const (
	leastWithin = 0.01
	mostWithin  = 0.5
)

// Until has the settings of a run that ends when a metric is known precisely enough.
type Until struct {
	Most time.Duration

	texts []string
	known figure.Known
	asked *Asked
	warms bool // it decides how long its warm-up is
}

// Asked is a metric and its precision.
type Asked struct {
	Figure figure.Spec
	Within float64 // half the width of the interval, as a share of the value
}

// String returns the metric and its precision: "p99±5%".
func (a *Asked) String() string { return a.Figure.String() + "±" + share(a.Within) }

// share formats a share as a percentage.
func share(of float64) string { return strconv.FormatFloat(100*of, 'g', 4, 64) + "%" }

// Settings declares the settings for a kind with these metrics.
func (u *Until) Settings(known figure.Known) []*setting.Setting {
	u.known = known
	if u.Most == 0 {
		u.Most = untilMost
	}
	asked := UntilSetting(&u.texts, known, "measure until the 95% confidence interval of a metric is this "+
		"narrow, as in p99±5% (or p99+-5%); the warm-up lasts until it is steady; with --repeat: for the "+
		"median of the launches").
		Rule(func(string) error { return u.read() })
	return []*setting.Setting{
		asked,
		plan.Time(&u.Most, "until-most", "with --until: maximum length of the measurement").OfResults().
			Rule(func(flag string) error {
				switch {
				case len(u.texts) == 0 && u.Most != untilMost:
					return fault.New(fault.Usage, "%s needs --until", flag).
						Hint("remove it; --duration sets the length of the measurement")
				case u.Most < leastMost:
					return fault.New(fault.Usage, "%s is %v: it must be at least %v", flag, u.Most,
						leastMost)
				}
				return nil
			}),
	}
}

// UntilSetting declares the setting for the metric and its precision.
func UntilSetting(into *[]string, known figure.Known, help string) *setting.Setting {
	s := setting.List(into, "until", "metric±share", help).OfResults().Offer(figure.Names(known)...)
	s.Unended = true
	return s
}

// Asked returns the metric to wait for, or nil.
func (u *Until) Asked() *Asked { return u.asked }

func (u *Until) read() (err error) {
	u.asked = nil
	if len(u.texts) == 0 {
		return nil
	}
	if u.asked, err = ParseUntil(u.texts, u.known); err == nil {
		_, err = u.rule()
	}
	return err
}

// ParseUntil parses the values of --until.
func ParseUntil(texts []string, known figure.Known) (*Asked, error) {
	text := texts[0]
	bad := func(hint, format string, args ...any) error {
		return fault.New(fault.Usage, "--until %.80q: "+format, append([]any{text}, args...)...).Hint("%s", hint)
	}
	if len(texts) > 1 {
		return nil, fault.New(fault.Usage, "--until is given %d times, but only one metric can end the run", len(texts)).
			Hint("use the one that takes longest, usually a high percentile")
	}
	name, within := text, ""
	for _, sign := range []string{"±", "+/-", "+-"} {
		if before, after, found := strings.Cut(text, sign); found {
			name, within = before, strings.TrimSpace(after)
			break
		}
	}
	spec, err := figure.Parse(name, known)
	if err != nil {
		hint := fault.HintOf(err)
		if hint == "" && name == text { // p99<50ms, 5%: the form is what is not known
			hint = "write a metric and its precision: p99±5% (or p99+-5%)"
		}
		return nil, fault.New(fault.Usage, "--until %.80q: %w", text, err).Hint("%s", hint)
	}
	if within == "" {
		return nil, bad("write "+spec.String()+"±5% (or "+spec.String()+"+-5%)",
			"the precision of %s is missing", spec)
	}
	digits, percent := strings.CutSuffix(within, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case !percent || err != nil:
		return nil, bad("for example ±5%", "%q is not a share of the metric", within)
	case !(v/100 >= leastWithin && v/100 <= mostWithin):
		return nil, bad("for example ±5%", "±%s is out of range: it must be from ±%s to ±%s", within, share(leastWithin),
			share(mostWithin))
	}
	return &Asked{Figure: spec, Within: v / 100}, nil
}

// rule returns the stopping rule. Metrics that are only known at the end of a run are an error.
func (u *Until) rule() (until.Rule, error) {
	spec := u.asked.Figure
	r := until.Rule{Within: u.asked.Within, Most: u.Most}
	times := spec.Times() == "response" || spec.Times() == "service"
	switch {
	case spec.Own() || u.known.Mixed:
	case times && spec.Extreme() == "" && spec.Quantile() > 0:
		r.Measure, r.Quantile, r.Needs = until.Percentile, spec.Quantile(), spec.Needs()
		return r, nil
	case times && spec.Extreme() == "":
		r.Measure = until.Mean
		return r, nil
	case spec.Name() == "rate":
		r.Measure = until.Rate
		return r, nil
	case spec.Name() == "failed" && spec.Unit() == figure.Share:
		r.Measure = until.Failed
		return r, nil
	}
	return r, fault.New(fault.Usage, "--until %s: the precision of this metric is unknown during a run", u.asked).
		Hint("use a percentile or the mean of the response or service time, rate, or failed; or add --repeat " +
			"20, which works with any metric")
}

// Resolve replaces the length of the load by --until. It is called after the load's own Resolve.
func (u *Until) Resolve(load *plan.Load, given func(flag string) bool) error {
	if len(u.texts) == 0 {
		return nil
	}
	for _, flag := range []string{"duration", load.Called.Count, "messages", "stages", "recorded-times"} {
		if flag != "" && given(flag) {
			return fault.New(fault.Usage, "--until and --%s cannot be combined: --until sets the length of the "+
				"measurement", flag).
				Hint("remove --%s and limit the measurement with --until-most, or add --repeat 20 for runs of "+
					"one length", flag)
		}
	}
	load.Duration = u.Most
	u.warms = load.WarmupClients > 0 && !given("warmup-time") && !given(load.Called.Warmup) && !given("warmup-messages")
	if u.warms {
		load.WarmupTime, load.WarmupOperations = untilWarmup, 0
	}
	return nil
}

// watching is a run that is looked at until its figure is known.
type watching struct {
	asked  *Asked
	rule   until.Rule
	warms  bool
	warmup *until.Warmup
	window *until.Window
	before looked // of the warm-up
	so     looked // of the window
}

// looked is what a phase had come to when it was looked at last.
type looked struct {
	record.Tally
	at time.Duration // since it began
}

// watch is what looks after the figure; nil where none is asked for.
func (u *Until) watch() *watching {
	if u.asked == nil {
		return nil
	}
	r, err := u.rule()
	if err != nil {
		return nil // the settings were checked
	}
	return &watching{asked: u.asked, rule: r, warms: u.warms, warmup: until.NewWarmup(r), window: until.NewWindow(r)}
}

// steady reports whether the warm-up is.
func (w *watching) steady(s *record.SoFar) bool {
	return w.warmup.Add(w.stretch(s, &w.before))
}

// enough reports whether the window is to end.
func (w *watching) enough(s *record.SoFar) bool {
	return w.window.Add(w.stretch(s, &w.so))
}

// stretch is what came since the last look.
func (w *watching) stretch(s *record.SoFar, last *looked) until.Batch {
	ask := record.Times{Service: w.asked.Figure.Times() == "service", Response: w.asked.Figure.Times() != "service"}
	now := s.Tally(ask, func(k record.Kind) bool { return w.asked.Figure.Covers(k.Name, k.Labels) }, stats.Bins, stats.Bin)
	at := time.Duration(s.Now - s.Start)
	b := until.Batch{
		Length: at - last.at, OK: now.OK - last.OK, Failed: now.Failed - last.Failed, Count: now.Count - last.Count,
		Sum: now.Sum - last.Sum, Times: make([]uint32, stats.Bins),
	}
	for i, n := range now.Times {
		if last.Times != nil {
			n -= last.Times[i]
		}
		b.Times[i] = uint32(max(0, n))
	}
	*last = looked{now, at}
	return b
}

// document is what came of it.
func (w *watching) document(doc *rundoc.Run) *rundoc.Until {
	a := w.window.End()
	d := &rundoc.Until{
		Figure: w.asked.Figure.String(), Unit: string(w.asked.Figure.Unit()), Within: w.asked.Within, Known: a.Known,
		Why: a.Why, MostNS: int64(w.rule.Most), TakesNS: int64(a.Takes), NotSteady: !a.Steady,
	}
	if a.Interval.Absent == "" {
		d.Value, d.Low, d.High = &a.Interval.Value, &a.Interval.Low, &a.Interval.High
	}
	if w.warms {
		d.WarmupNS, d.WarmupNotSteady = int64(w.before.at), !w.warmup.Steady()
	}
	switch {
	case doc.Interrupted:
		d.Known, d.Why = false, "the run was interrupted"
	case doc.Aborted != "":
		d.Known, d.Why = false, "the run was ended because it missed "+doc.Aborted
	case d.Known:
		w.widen(doc, &a.Interval)
	}
	return d
}

// widen gives the document's interval of the percentile that was waited for the ends that its own has: one that was
// looked at until it was narrow has to be wider than the document's, which is not made for that.
func (w *watching) widen(doc *rundoc.Run, i *until.Interval) {
	if w.rule.Measure != until.Percentile || len(w.asked.Figure.Labels()) > 0 {
		return
	}
	times := func(response, service *rundoc.Summary) *rundoc.Summary {
		if w.asked.Figure.Times() == "service" {
			return service
		}
		return response
	}
	var all *rundoc.Summary
	switch {
	case len(doc.Operations) == 1:
		all = times(&doc.Operations[0].ResponseTime, &doc.Operations[0].ServiceTime)
	case doc.Total != nil:
		all = times(doc.Total.ResponseTime, doc.Total.ServiceTime)
	}
	if all == nil {
		return
	}
	permille := math.Round(1000 * w.rule.Quantile)
	if math.Abs(permille-1000*w.rule.Quantile) > 1e-6 {
		return // the document has no such percentile
	}
	if own := all.Interval(int64(permille)); own != nil {
		own.LowNS = max(all.MinNS, min(own.LowNS, int64(i.Low)))
		own.HighNS = min(all.MaxNS, max(own.HighNS, int64(math.Ceil(i.High))))
	}
}

// unknown returns the error of a run that did not reach the precision of --until.
func unknown(doc *rundoc.Run) error {
	u := doc.Until
	if u == nil || u.Known {
		return nil
	}
	e := fault.New(fault.Untrusted, "%s did not reach the precision of %s: %s", units.Clean(u.Figure), share(u.Within),
		u.Why)
	most := units.Length(u.MostNS)
	if u.TakesNS > u.MostNS {
		return e.Hint("it needs a window of about %s, but --until-most is %s: raise --until-most, or use a lower precision",
			units.Length(u.TakesNS), most)
	}
	return e.Hint("--until-most is %s", most)
}
