package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

// possible says why a condition cannot be made here, or "". A quota is tried: in a container root may
// have no control groups either.
func (c condition) possible(l *lab) string {
	if c.generator.quota == 0 {
		return ""
	}
	if !l.root {
		return "a quota needs root"
	}
	if _, err := l.quota(c.generator.quota, c.generator.above); err != nil {
		return "no quota can be made: " + err.Error()
	}
	return ""
}

// tooManyFailed trials in a row end the bench: something is wrong that will not go away.
const tooManyFailed = 5

// makeTrials makes the trials that are missing, round by round, and prints the tables.
func makeTrials(ctx context.Context, l *lab, o *options, out *results) error {
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
		n += len(plan(o, chosen, round))
	}
	fmt.Printf("\n## Conditions\n\n%d trials of %s, about %s in all\n", n, o.window,
		(time.Duration(n) * (o.window + 600*time.Millisecond)).Round(time.Minute))
	defer func() { printConditions(os.Stdout, out) }()
	failures := 0
	for round := range o.trials {
		for _, next := range plan(o, chosen, round) {
			if err := o.due(ctx); err != nil {
				return err
			}
			if err := l.make(ctx, o, next); err != nil {
				return err // no trial: the bench was ended
			}
			out.Trials = append(out.Trials, *next.trial)
			next.trial.tell(os.Stderr, o.trials)
			if failures++; next.trial.Validity != failed {
				failures = 0
			}
			if err := save(o.out, out); err != nil {
				return err
			}
			if failures == tooManyFailed {
				return fmt.Errorf("%d trials in a row failed, the last: %s", failures, next.trial.Error)
			}
		}
	}
	return nil
}

// planned is a trial that is to be made.
type planned struct {
	*trial
	condition condition
	moment    float64 // of the stop, as a share of the time in which it may begin
}

// plan is a round in its order, a function of the seed: a bench that goes on finds the same.
func plan(o *options, chosen []condition, round int) []planned {
	r := rand.New(rand.NewPCG(o.seed, 1<<32+uint64(round)))
	drawn := draw(o.seed, round)
	var all []planned
	for _, i := range r.Perm(len(chosen)) {
		seed, moment := r.Uint64()>>1, r.Float64() // the binaries share them
		if !chosen[i].due(o, round) {
			continue
		}
		all = append(all, planned{newTrial(chosen[i], round, seed, drawn), chosen[i], moment})
	}
	return all
}

// make makes one trial. Its error is that the bench is to end; what else goes wrong is the trial's.
func (l *lab) make(ctx context.Context, o *options, p planned) error {
	began, others := time.Now(), l.others()
	p.Loopback = p.Loopback || !l.root
	err := l.try(ctx, o, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.Validity, p.Error = failed, err.Error()
	}
	p.Took, p.OthersCPUs = time.Since(began), others()
	return nil
}

func (l *lab) try(ctx context.Context, o *options, p planned) (err error) {
	c := p.condition
	here, there := l.places(p.Loopback)
	at, err := l.serve(there.place, append([]string{o.binary}, c.kind.serving(there.ip, c.target.delay)...)...)
	if err != nil {
		return err
	}
	defer at.kill()
	var g *group
	if c.generator.quota > 0 {
		if g, err = l.quota(c.generator.quota, c.generator.above); err != nil {
			return err
		}
		here.group = g.inside
	}
	unhog, err := l.hog(c.target.hogs, there.cpu)
	if err != nil {
		return err
	}
	defer unhog()
	before := g.throttledNS()
	run, err := l.start(here.place, append(c.generator.environment(), storeKeys...),
		append([]string{o.binary}, p.asking(at.served, o.window)...)...)
	if err != nil {
		return err
	}
	defer run.kill()
	stopped := run.freeze(ctx, stopAt(o.window, p.moment), c.generator.stop)
	defer stopped()
	defer at.freeze(ctx, stopAt(o.window, p.moment), c.target.stop)()
	unhog, err = l.hogLater(ctx, c.generator.hogs, here.cpu)
	if err != nil {
		return err
	}
	defer unhog()
	ended := run.wait(ctx, 4*o.window+30*time.Second)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d, err := readDocument(&run.out, ended, run.errs.String())
	if err != nil {
		return err
	}
	p.Bite = bite{ThrottledNS: g.throttledNS() - before, GCPercent: gcPercent(run.errs.String())}
	p.fill(d)
	return nil
}

// stopAt is when a stop begins after the start of the program. The window begins 0.1 to 0.3 s after
// that, by the length of the warm-up, and the stop in its second quarter.
func stopAt(window time.Duration, moment float64) time.Duration {
	return 200*time.Millisecond + window/4 + time.Duration(moment*float64(window/4))
}

// hogLater starts busy loops when the program has had the CPU for long enough to begin: before, it
// took a minute to do that now and then, in which nothing is measured.
func (l *lab) hogLater(ctx context.Context, n, cpu int) (stop func(), err error) {
	if n == 0 || !sleep(ctx, 100*time.Millisecond) {
		return func() {}, nil
	}
	return l.hog(n, cpu)
}

// tell tells that a trial was made.
func (t *trial) tell(w *os.File, rounds int) {
	fmt.Fprintf(w, "round %d/%d %-34s %5d/s %2d clients, others %.2f CPUs, took %.1f s  %s %s\n", t.Round+1, rounds,
		t.Condition, t.Rate, t.Clients, t.OthersCPUs, t.Took.Seconds(), t.Validity, t.Error)
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
