package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// class is whose the trouble of a condition is.
type class string

const (
	generatorTrouble class = "generator"
	targetTrouble    class = "target"
	quiet            class = "quiet"
)

// harm is what is done to the generator or to the target during a trial.
type harm struct {
	hogs   int           // busy loops on its CPU
	stop   time.Duration // it is stopped for so long in the middle of the window
	quota  float64       // CPUs of its control group; 0 for none
	above  bool          // the quota is that of the group above
	memory bool          // little memory, and a collection of garbage at each turn
	delay  time.Duration // of the target's answers
}

// condition is what a trial is made under. The target is remote unless it is on loopback.
type condition struct {
	name  string
	class class
	kind  kind
	open  bool // of chat
	generator,
	target harm
	loopback bool
	rate     int  // 0: drawn
	faint    bool // so little harm that it is reported, and not asked to be found
}

// conditions returns all conditions: of chat, closed and open, of the kinds whose responses have no stamps of the
// kernel's, and, with nothing wrong, of the other kinds and of http at several rates.
func conditions() []condition {
	var all []condition
	for _, open := range []bool{false, true} {
		for _, c := range []condition{
			{name: "hog1", generator: harm{hogs: 1}, faint: true},
			{name: "hog2", generator: harm{hogs: 2}},
			{name: "hog4", generator: harm{hogs: 4}},
			{name: "stop0.2s", generator: harm{stop: 200 * time.Millisecond}, faint: true},
			{name: "stop1s", generator: harm{stop: time.Second}},
			{name: "quota0.3", generator: harm{quota: 0.3}},
			{name: "quota0.6", generator: harm{quota: 0.6}},
			{name: "quota0.3above", generator: harm{quota: 0.3, above: true}},
			{name: "gc", generator: harm{memory: true}},
			{name: "slow5ms", target: harm{delay: 5 * time.Millisecond}},
			{name: "slow50ms", target: harm{delay: 50 * time.Millisecond}},
			{name: "stop0.2s", target: harm{stop: 200 * time.Millisecond}},
			{name: "stop1s", target: harm{stop: time.Second}},
			{name: "hog4", target: harm{hogs: 4}},
			{name: "remote"}, // what the others are compared with
			{name: "loopback", loopback: true},
		} {
			c.kind, c.open = chat, open
			all = append(all, c.titled())
		}
	}
	for _, c := range []condition{ // a load that each quota is too little for
		{name: "quota0.3 12000/s", generator: harm{quota: 0.3}},
		{name: "quota0.6 12000/s", generator: harm{quota: 0.6}},
		{name: "remote 12000/s"},
	} {
		c.kind, c.open, c.rate = chat, true, 12000
		all = append(all, c.titled())
	}
	for _, rate := range []int{500, 2000, 5000, 10000} {
		for _, place := range []string{"remote", "loopback"} {
			c := condition{kind: http, rate: rate, loopback: place == "loopback", name: fmt.Sprintf("%s %d/s", place, rate)}
			all = append(all, c.titled())
		}
	}
	for _, c := range []condition{ // 40 requests are in flight, and clients are added for them
		{name: "slow80ms 500/s", kind: http, rate: 500, target: harm{delay: 80 * time.Millisecond}},
		{name: "remote", kind: http},
		{name: "remote", kind: ws},
		{name: "remote", kind: overhead},
	} {
		all = append(all, c.titled())
	}
	return append(all, unstamped()...)
}

// unstamped are the conditions of updates and bandwidth. The message service in the server of updates
// listens on loopback alone.
func unstamped() []condition {
	var all []condition
	for _, k := range []kind{updates, bandwidth} {
		for _, c := range []condition{
			{name: "hog4", generator: harm{hogs: 4}},
			{name: "stop1s", generator: harm{stop: time.Second}},
			{name: "quota0.3", generator: harm{quota: 0.3}},
			{name: "hog4", target: harm{hogs: 4}},
			{name: "stop1s", target: harm{stop: time.Second}},
			{name: "remote"},
		} {
			if c.loopback = k == updates; c.loopback && c.name == "remote" {
				c.name = "loopback"
			}
			c.kind = k
			all = append(all, c.titled())
		}
	}
	return all
}

// titled gives a condition its class, and its whole name.
func (c condition) titled() condition {
	switch {
	case c.generator != harm{}:
		c.class = generatorTrouble
	case c.target != harm{}:
		c.class = targetTrouble
	default:
		c.class = quiet
	}
	c.name = string(c.class) + " " + c.name + " " + c.model()
	return c
}

// model is open or closed, and the kind where that has but one of them.
func (c condition) model() string {
	switch {
	case c.kind != chat:
		return string(c.kind)
	case c.open:
		return "open"
	}
	return "closed"
}

// due reports whether a condition has a trial in this round: where there are fewer of the others, they
// are spread evenly. The quiet trials that the others are compared with have one in each round.
func (c condition) due(o *options, round int) bool {
	reference := c.class == quiet && c.rate == 0 &&
		(c.kind == chat && !c.loopback || c.kind == updates || c.kind == bandwidth)
	if c.class == generatorTrouble && !c.faint || reference {
		return true
	}
	return round*o.others/o.trials != (round+1)*o.others/o.trials
}

// load is how much is asked of the target. These are not the loads that the verdict's thresholds
// were chosen with. The highest rate needs more than a quota gives.
type load struct{ Rate, Clients int }

var (
	rates   = []int{300, 1700, 3300, 9000}
	clients = []int{5, 20, 60}
)

// draw gives the load of a round, a function of the seed and the round: in each twelve rounds every
// load is there once. The conditions of a round share it, so that each has a quiet trial beside it
// that was made under the same.
func draw(seed uint64, round int) load {
	n := len(rates) * len(clients)
	i := rand.New(rand.NewPCG(seed, uint64(round/n))).Perm(n)[round%n]
	return load{Rate: rates[i%len(rates)], Clients: clients[i/len(rates)]}
}
