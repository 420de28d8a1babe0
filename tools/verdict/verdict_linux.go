package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// class is whose the trouble of a condition is.
type class string

const (
	generatorTrouble class = "generator"
	targetTrouble    class = "target"
	quiet            class = "quiet"
)

// condition is what a trial is made under. The target is remote unless it is on loopback.
type condition struct {
	name  string
	class class
	open  bool
	generator,
	target harm
	loopback bool
	rate     int  // 0: drawn
	faint    bool // so little harm that it is reported, and not asked to be found
}

// conditions are all, closed and open.
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
			c.open = open
			all = append(all, c.titled())
		}
	}
	for _, rate := range []int{200, 1000, 5000} {
		for _, loopback := range []bool{false, true} {
			c := condition{open: true, rate: rate, loopback: loopback, name: fmt.Sprintf("remote %d/s", rate)}
			if loopback {
				c.name = fmt.Sprintf("loopback %d/s", rate)
			}
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
	c.name = string(c.class) + " " + c.name + " " + model(c.open)
	return c
}

func model(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}

// possible says why a condition cannot be made here, or "".
func (c condition) possible(l *lab) string {
	if !l.root && c.generator.quota > 0 {
		return "a quota needs root"
	}
	return ""
}

// load is how much is asked of the target. These are not the loads that the verdict's thresholds
// were chosen with. The highest rate needs more than a quota gives.
type load struct{ Rate, Clients int }

var (
	rates   = []int{300, 1700, 3300, 9000}
	clients = []int{5, 20, 60}
)

// draw makes the loads of all rounds: each as often as any other, in a random order. The conditions
// of a round share one, so that each has a quiet trial beside it that was made under the same.
func draw(r *rand.Rand, rounds int) []load {
	all := make([]load, rounds)
	for i := range all {
		all[i] = load{Rate: rates[i%len(rates)], Clients: clients[i%len(clients)]}
	}
	r.Shuffle(rounds, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// due reports whether a condition has a trial in this round: where there are fewer of the others, they
// are spread evenly. The quiet trials that the others are compared with have one in each round.
func (c condition) due(o *options, round int) bool {
	if c.class == generatorTrouble && !c.faint || c.class == quiet && !c.loopback && c.rate == 0 {
		return true
	}
	return round*o.others/o.trials != (round+1)*o.others/o.trials
}

// conditionsPart makes the trials, round by round, and prints the tables.
func conditionsPart(ctx context.Context, l *lab, o *options, out *results) error {
	random := rand.New(rand.NewPCG(o.seed, 1))
	chosen := slices.DeleteFunc(conditions(), func(c condition) bool { return !o.only.MatchString(c.name) })
	chosen = slices.DeleteFunc(chosen, func(c condition) bool {
		why := c.possible(l)
		if why != "" {
			out.LeftOut = append(out.LeftOut, c.name+": "+why)
		}
		return why != ""
	})
	if !l.root {
		out.LeftOut = append(out.LeftOut, "a remote target needs root: it is on loopback in every trial")
	}
	n := 0
	for round := range o.trials {
		for _, c := range chosen {
			if c.due(o, round) {
				n += len(o.binaries())
			}
		}
	}
	fmt.Printf("\n## Conditions\n\n%d trials of %s, about %s\n", n, o.window,
		(time.Duration(n) * (o.window + 500*time.Millisecond)).Round(10*time.Second))
	defer func() { printConditions(os.Stdout, o, out) }()
	for round, drawn := range draw(random, o.trials) {
		random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		for _, c := range slices.DeleteFunc(slices.Clone(chosen), func(c condition) bool { return !c.due(o, round) }) {
			for _, b := range o.binaries() {
				others := l.others()
				t, err := l.try(ctx, o, c, b, drawn, random)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				t.Round, t.OthersCPUs = round, others()
				out.Trials = append(out.Trials, *t)
				fmt.Fprintf(os.Stderr, "round %d/%d %-34s %-6s %5d/s %2d clients, others %.2f CPUs  %s\n", round+1, o.trials,
					c.name, b.name, t.Rate, t.Clients, t.OthersCPUs, t.Validity)
			}
		}
		if err := save(o.out, out); err != nil {
			return err
		}
	}
	return nil
}

// trial is one run and what it said of itself.
type trial struct {
	Condition, Binary string
	Class             class
	Round             int
	Seed              uint64
	Rate, Clients     int // Rate is 0 in the closed model
	Loopback, Faint   bool
	OthersCPUs        float64 // that other programs used meanwhile, and the kernel for itself
	Validity          string
	Reasons           []string
	RatePerS          float64
	Raw, Free         times // response times
	Unsent            int64
	Bite              bite
	Generator         any // as the document has it
}

// detected reports whether the verdict is not valid and names the generator.
func (t *trial) detected() bool { return names(t.Reasons, generator) }

// bitten reports whether the harm was there at all, by what the tool measured itself: a quota or a
// memory limit that a small load does not reach harms nothing, and there is nothing to find.
func (t *trial) bitten(window time.Duration) bool {
	switch {
	case strings.Contains(t.Condition, "quota"):
		return float64(t.Bite.ThrottledNS) > 0.01*float64(window)
	case strings.HasPrefix(t.Condition, "generator gc"):
		return t.Bite.GCPercent > 10
	}
	return true
}

// try makes one trial.
func (l *lab) try(ctx context.Context, o *options, c condition, b binary, drawn load,
	random *rand.Rand) (*trial, error) {
	t := &trial{
		Condition: c.name, Binary: b.name, Class: c.class, Seed: random.Uint64() >> 1, Clients: drawn.Clients,
		Loopback: c.loopback || !l.root, Faint: c.faint,
	}
	if c.open {
		t.Rate = drawn.Rate
	}
	if c.rate > 0 {
		t.Rate, t.Clients = c.rate, 32 // as many as there are without --clients
	}
	here, there := l.places(t.Loopback)
	served, url, err := l.serve(there.place, o.binary, "serve", "chat", "--listen", there.ip+":0",
		"--delay", c.target.delay.String())
	if err != nil {
		return nil, err
	}
	defer served.kill()
	var g *group
	if c.generator.quota > 0 {
		if g, err = l.quota(c.generator.quota, c.generator.above); err != nil {
			return nil, err
		}
		here.group = g.inside
	}
	for cpu, n := range map[int]int{here.cpu: c.generator.hogs, there.cpu: c.target.hogs} {
		stop, err := l.hog(n, cpu)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	throttled := g.follow()
	defer throttled(time.Time{}, time.Time{}) // ends it, whatever happens
	run, err := l.start(here.place, c.generator.environment(), append([]string{b.path}, t.args(url, o.window)...)...)
	if err != nil {
		return nil, err
	}
	defer run.kill()
	// The window begins some 50 ms after the program; the middle half of it has the stop.
	at := 100*time.Millisecond + o.window/4 + time.Duration(random.Int64N(int64(o.window/4)))
	stopped := run.freeze(ctx, at, c.generator.stop)
	defer served.freeze(ctx, at, c.target.stop)()
	defer stopped()
	ended := run.wait(ctx, 4*o.window+30*time.Second)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d, err := readDocument(&run.out, ended, run.errs.String())
	if err != nil {
		return nil, err
	}
	from, length := d.window()
	t.Bite = bite{ThrottledNS: throttled(from, from.Add(length)), GCPercent: gcPercent(run.errs.String())}
	t.fill(d)
	return t, nil
}

func (t *trial) args(url string, window time.Duration) []string {
	args := []string{"chat", url + "/chat/1", "--clients", strconv.Itoa(t.Clients), "--duration", window.String(),
		"--seed", strconv.FormatUint(t.Seed, 10), "--warmup-messages", "20", "--warmup-time", "200ms",
		"--warmup-clients", strconv.Itoa(t.Clients), "--json", "--no-save"}
	if t.Rate > 0 {
		args = append(args, "--rate", strconv.Itoa(t.Rate))
	}
	return args
}

func (t *trial) fill(d *document) {
	t.Validity, t.Reasons = d.Verdict.Validity, d.Verdict.Reasons
	t.RatePerS, t.Unsent = d.Totals.RatePerS, d.Totals.Unsent
	t.Raw = d.Totals.ResponseTime
	t.Raw.Free = nil
	if free := d.Totals.ResponseTime.Free; free != nil {
		t.Free = *free
	}
	t.Generator = d.Generator
}

// spot is where one side runs, and its address.
type spot struct {
	place
	ip string
}

// places are the generator's and the target's.
func (l *lab) places(loopback bool) (here, there spot) {
	here = spot{place{cpu: generatorCPU, namespace: l.generator}, generatorIP}
	there = spot{place{cpu: targetCPU, namespace: l.target}, targetIP}
	if loopback {
		there.namespace, there.ip = here.namespace, "127.0.0.1"
	}
	return here, there
}
