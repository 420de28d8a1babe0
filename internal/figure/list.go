package figure

import "slices"

// Listed is a figure in a list of them.
type Listed struct {
	Name   string // as it is asked for; a time stands for all that can be asked of it: "service.p99"
	Help   string
	Unit   Unit
	Labels []string
	Own    bool   // only this kind has it
	Write  string // how its values are written: "0.1% or 12"
}

// List are all figures of a kind, its own first.
func List(known Known) []Listed {
	var list []Listed
	for _, s := range known.sources() {
		name := s.Name
		if s.Times != nil {
			name += ".p99"
		}
		if name == responseTime+".p99" {
			name = "p99"
		}
		write := s.Unit.Example()
		if s.partial != nil {
			write = Share.Example() + " or " + Count.Example()
		}
		list = append(list, Listed{name, s.Help, s.Unit, slices.Clone(s.Labels), s.own, write})
	}
	return list
}

// Names are what a shell may offer as figures of a kind, and what a word that is none was probably meant to be.
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
