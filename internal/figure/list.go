package figure

import "slices"

// Listed describes a metric in a list of them.
type Listed struct {
	Name   string // as it is asked for; of times the p99 stands for all statistics: "service.p99"
	Family string // without a statistic: "service"
	Help   string // one line
	About  string // more about it; "": nothing
	Unit   Unit
	Labels []string
	Times  bool   // it is a distribution of times, with percentiles, mean, min and max
	More   bool   // higher is better
	Own    bool   // only this kind has it
	Alike  bool   // it has a meaning only for one operation where the operations of a kind differ
	Write  string // how its values are written: "0.1% or 12"
}

// List returns all metrics of a kind, its own first.
func List(known Known) []Listed {
	var list []Listed
	for _, s := range known.sources() {
		list = append(list, s.listed())
	}
	return list
}

// Find returns the metric that a name is about: "service", "service.p99" or "p99.9". Labels are not read.
func Find(name string, known Known) (Listed, bool) {
	for _, s := range known.sources() {
		if s.Name == name {
			return s.listed(), true
		}
	}
	spec, err := known.find(name)
	return spec.source.listed(), err == nil
}

func (s source) listed() Listed {
	l := Listed{Name: s.Name, Family: s.Name, Help: s.Help, About: s.About, Unit: s.Unit, Labels: slices.Clone(s.Labels),
		Times: s.Times != nil, More: !Spec{source: s, unit: s.Unit}.LessIsBetter(), Own: s.own, Alike: s.alike,
		Write: s.Unit.Example()}
	if l.Times {
		l.Name += ".p99"
	}
	if l.Name == responseTime+".p99" {
		l.Name = "p99"
	}
	if s.partial != nil {
		l.Write = Share.Example() + " or " + Count.Example()
	}
	return l
}

// Names returns the metrics of a kind for completion and for spelling suggestions.
func Names(known Known) []string {
	names := []string{"p50", "p90", "p95", "p99", "p99.9", mean, minimum, maximum}
	for _, s := range known.sources() {
		if s.Times == nil {
			names = append(names, s.Name)
			continue
		}
		for _, st := range []string{"p50", "p99", mean, maximum} {
			names = append(names, s.Name+"."+st)
		}
	}
	return names
}
