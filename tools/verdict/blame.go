package main

import (
	"regexp"
	"strings"
)

// side is whom the reason of a verdict names.
type side string

const (
	generator side = "generator" // what limited or delayed the run is the generator's
	target    side = "target"    // it is the target's, or there were too few clients for it
	shared    side = "shared"    // both share a machine
	neither   side = "neither"   // of the figures alone: too short, too few, Little's law
	lawBroken side = "law"       // a bug of Plimsoll
	unknown   side = "unknown"   // words that the list below does not have: look at it
)

// words are looked for in this order, in small letters; the first that a reason holds decides. So
// what only mentions the generator, in an advice or beside the target, stands before what blames it.
var words = []struct {
	phrase string
	side   side
}{
	{"broken law", lawBroken},
	{"invariant violated", lawBroken},
	{"this is a bug in plimsoll", lawBroken},
	{"little's law", neither},
	{"share this machine", shared},
	{"shares this machine", shared},
	{"has an address of this machine", shared},
	{"address is on this machine", shared},
	{"the target runs on this machine", shared},

	// What the generator waited for, or did not do.
	{"the generator did not offer the load", generator},
	{"the load was not offered as asked", generator},
	{"the load was not offered as planned", generator},
	{"although a client was free", generator},
	{"the bandwidth is the instrument's", generator},
	{"the streams waited for the generator", generator},
	{"garbage collection", generator},
	{"quota", generator},
	{"the generator used", generator},
	{"the generator started", generator},
	{"the generator did not run", generator},
	{"the generator was paused", generator},
	{"without the generator delay", generator},
	{"the generator delay was", generator},
	{"the generator reached its limit of open files", generator},
	{"the generator's machine had no free local port", generator},
	{"the generator stood still", generator},
	{"the generator waited", generator},
	{"the generator's threads", generator},
	{"the generator's own", generator},
	{"the generator's limit", generator},
	{"the generator may open no more files", generator},
	{"the generator had no local port", generator},

	{"the target did not keep up", target},
	{"the target completed only", target},
	{"the target or the generator stalled", target},
	{"the target was too slow", target},
	{"too few", target},
	{" were busy, and operations waited", target},
	{" were busy and operations waited", target},
	{" were busy: ", target},
	{"needed clients", target},
	{"backing off or without a connection", target},
	{"backing off or disconnected", target},
	{"no operation ended ok", target},
	{"operations succeeded, so there is nothing to measure", target},

	{"the server did not keep up", target},
	{"the server had not received", target},
	{"the server did not receive", target},

	{"the times are those of the rest", neither},
	{"the times cover only the rest", neither},
	{"start and end effects", neither},
	{"the clocks of publisher and server", neither},
	{"the times from the publisher to the server are not known", neither},
	{"wall clock stepped", neither},
}

// blames says whom a reason names.
func blames(reason string) side {
	text := strings.ToLower(reason)
	for _, w := range words {
		if strings.Contains(text, w.phrase) {
			return w.side
		}
	}
	return unknown
}

// names reports whether one of the reasons names this side.
func names(reasons []string, s side) bool {
	for _, r := range reasons {
		if blames(r) == s {
			return true
		}
	}
	return false
}

var figures = regexp.MustCompile(`[+-]?[0-9][0-9,.]*(e[+-]?[0-9]+)?( (ns|µs|ms|s|min|h|%|MiB|KiB))?`)

// shape is a reason without its figures, by which reasons of one sort are counted.
func shape(reason string) string { return figures.ReplaceAllString(reason, "#") }
