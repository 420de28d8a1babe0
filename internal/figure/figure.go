package figure

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Unit is what a figure counts in, as documents name it.
type Unit string

// The units.
const (
	Time        Unit = "ns"
	PerSecond   Unit = "per_s"
	BytesPerSec Unit = "bytes_per_s"
	Share       Unit = "share" // 0 to 1
	Count       Unit = "count"
	Bytes       Unit = "bytes"
)

// Value is what a figure came to in a run.
type Value struct {
	Raw  float64
	Free *float64 // without the generator's own delay; nil where that is not known or the figure has none
	Unit Unit
	// Low and High are the ends of its 95% confidence interval within the run; nil where that is not known, or the
	// figure is no estimate: a count, an extreme.
	Low, High *float64
	// Unsure says why an estimate has no interval; "": it has one, or is none.
	Unsure string
	// Why says why there is no value, in words for the user: "too few operations for a p99"; "": there is one.
	Why string
	// Never says that there is none since it would be longer than any time: so much has not arrived at all.
	Never bool

	freeLow, freeHigh *float64
}

// Source is a figure that runs have, or a family of times.
type Source struct {
	Name   string   // "rate", "failed", "visibility"
	Help   string   // one line, for the list of metrics
	About  string   // more about it, for 'plimsoll help metrics NAME'; "": nothing
	Unit   Unit     // of Number; Time for Times
	Labels []string // the labels by which it may be asked for: "type" in p95{type=TEXT}; nil: none
	Counts string   // of a rate: what there are so many of in a second, "deliveries"; "": the run's operations

	// One of the two. match holds the labels that were asked for.
	// Times are merged exactly; their percentiles, mean, minimum and maximum are figures: visibility.p99.
	Times  func(run *rundoc.Run, match map[string]string) []rundoc.Summary
	Number func(run *rundoc.Run, match map[string]string) Value

	// Later, if not nil, is how many there are beside the Times that are longer than all of them, though nobody knows
	// by how much, and why: what never arrived. They count in the ranks of percentiles.
	Later func(run *rundoc.Run) (n int64, why string)
	// More says whether more of it is better, by the labels that were asked for; nil: less is, of all but rates.
	More func(match map[string]string) bool
	// Process says that it is of all that the process of the generator did: with another load in it at the same time it
	// is that of both.
	Process bool
}

// MoreIsBetter is the More of what there should be much of.
func MoreIsBetter(map[string]string) bool { return true }

// Known is what the figures of a kind of run are. The zero value is that of a kind which nobody knows: it has the
// common ones.
type Known struct {
	Kind   string   // what the kind is called in messages; "": a run
	Own    []Source // that it has besides the common ones; one of a common name stands before that one
	Mixed  bool     // its operations are of unlike kinds: times and rates of all together mean nothing
	Lacks  []string // the common ones that none of its runs has
	Labels []string // that its operations have besides their names; nil: they are not known, and any will do
}

// Spec is a figure that was asked for by its name.
type Spec struct {
	source source
	stat   stat // of Times
	labels map[string]string
	unit   Unit
}

// source is a Source with what only the common ones have.
type source struct {
	Source
	own   bool
	alike bool // it means nothing over operations of unlike kinds
	// partial is Number as a Count where that is a Share, or the other way round; nil: there is no such.
	partial func(run *rundoc.Run, match map[string]string) Value
}

// Name is the figure without its labels, in its plain form: "p99", "visibility.p99", "failed".
func (s Spec) Name() string {
	switch {
	case s.source.Times == nil:
		return s.source.Name
	case s.source.Name == responseTime:
		return s.stat.String()
	}
	return s.source.Name + "." + s.stat.String()
}

// String is the figure as a person writes it, in its plain form: "p95{type=TEXT}".
func (s Spec) String() string {
	if len(s.labels) == 0 {
		return s.Name()
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(s.labels)) {
		parts = append(parts, k+"="+quoted(s.labels[k]))
	}
	return s.Name() + "{" + strings.Join(parts, ",") + "}"
}

// quoted is the value of a label, in quotes where it would end sooner without.
func quoted(value string) string {
	if value == "" || strings.ContainsAny(value, `,}{="'\`) || strings.TrimSpace(value) != value {
		return strconv.Quote(value)
	}
	return value
}

// Labels are those by which it was asked for.
func (s Spec) Labels() map[string]string { return maps.Clone(s.labels) }

// Unit is what the figure counts in.
func (s Spec) Unit() Unit { return s.unit }

// LessIsBetter reports whether less of the figure is better, as of times, of costs and of what went wrong.
func (s Spec) LessIsBetter() bool {
	if s.source.More != nil {
		return !s.source.More(s.labels)
	}
	return s.unit != PerSecond && s.unit != BytesPerSec
}

// OfProcess reports whether the figure is of all that the generator's process did, whichever load it did it for.
func (s Spec) OfProcess() bool { return s.source.Process }

// Counts is what a rate counts, "deliveries"; operations is what the run calls those. "": it is no rate.
func (s Spec) Counts(operations string) string {
	if s.unit != PerSecond {
		return ""
	}
	return cmp.Or(s.source.Counts, operations)
}

// Own reports whether only one kind of run has the figure.
func (s Spec) Own() bool { return s.source.own }

// Needs is how many times a run must have for it to have the figure: 0 where any number will do.
func (s Spec) Needs() int64 {
	if s.source.Times == nil || s.stat.name != "" {
		return 0
	}
	return s.stat.needs()
}

// Outcome reports whether the figure counts what became of operations, such as those that failed.
func (s Spec) Outcome() bool { return s.source.partial != nil || s.unit == Count }

// Few reports whether a run has too few times for the figure, so that a longer one would have it.
func (s Spec) Few(run *rundoc.Run) bool { return s.Count(run) < s.Needs() }

// In is the figure in another unit: what is a share of the operations is also a count of them. false: it is not to be
// had in that unit.
func (s Spec) In(unit Unit) (Spec, bool) {
	if unit == s.unit {
		return s, true
	}
	if s.source.partial == nil || unit != Count && unit != Share {
		return s, false
	}
	s.unit = unit
	s.source.Number, s.source.partial = s.source.partial, s.source.Number
	return s, true
}

// Of is what the figure came to in a run.
func (s Spec) Of(run *rundoc.Run) Value {
	if s.source.Times == nil {
		v := s.source.Number(run, s.labels)
		v.Unit = s.unit
		return v.unsure(s.Name()).checked()
	}
	var more later
	if s.source.Later != nil {
		more.n, more.why = s.source.Later(run)
	}
	var all *rundoc.Summary
	if len(s.labels) == 0 && !s.source.own {
		all = totalOf(run, s.source.Name)
	}
	v := s.ofTimes(s.source.Times(run, s.labels), all, more)
	if !s.source.own {
		if why := unmatched(run, s.labels); why != "" { // there are no such times either
			v.Why = why
		}
	}
	return v.checked()
}
