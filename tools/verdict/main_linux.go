package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

func main() {
	// The kernel ends a child when the thread that started it ends: so that it is always this one.
	runtime.LockOSThread()
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "launch":
		err = launch(os.Args[2:])
	case len(os.Args) > 1 && os.Args[1] == "hog":
		hog()
	case len(os.Args) > 1 && os.Args[1] == "truth":
		err = truth()
	default:
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		err = bench(ctx, os.Args[1:])
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "verdict:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, args []string) error {
	o, parts, err := parse(args)
	if err != nil {
		return err
	}
	l, err := newLab()
	if err != nil {
		return err
	}
	defer l.close()
	r, err := begin(o)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d, window %s, Linux %s, %d CPUs, load average %s\n",
		o.seed, o.window, r.Kernel, r.CPUs, loadAverage())
	for _, part := range parts { // also after the end of the bench: each prints what it has
		switch wrong := part(ctx, l, o, r); {
		case errors.Is(wrong, errTime):
			r.Incomplete = wrong.Error()
		case wrong != nil && !errors.Is(err, wrong):
			err = errors.Join(err, wrong)
			r.Incomplete = err.Error()
		}
	}
	if r.Incomplete != "" {
		fmt.Printf("\ntrials are missing (%s): -resume %s goes on\n", r.Incomplete, cmp.Or(o.out, "FILE"))
	}
	return errors.Join(err, save(o.out, r))
}

// begin is what an earlier bench made, or nothing.
func begin(o *options) (*results, error) {
	r := &results{Seed: o.seed, WindowNS: int64(o.window), Started: time.Now(), Kernel: kernel(), CPUs: runtime.NumCPU()}
	var err error
	if r.Binaries, err = o.sums(); err != nil || o.resume == "" {
		return r, err
	}
	if err := r.resume(o.resume, o.given["time"]); err != nil {
		return nil, err
	}
	if o.given["seed"] && o.seed != r.Seed {
		return nil, fmt.Errorf("%s has the seed %d", o.resume, r.Seed)
	}
	o.seed, o.window = r.Seed, time.Duration(r.WindowNS)
	return r, nil
}

type part func(context.Context, *lab, *options, *results) error

var errUsage = errors.New("usage: verdict -binary PLIMSOLL [flags] conditions|pacing …")

func parse(args []string) (*options, []part, error) {
	o := &options{}
	f := flag.NewFlagSet("verdict", flag.ContinueOnError)
	f.StringVar(&o.binary, "binary", "bin/plimsoll", "the program to judge")
	f.StringVar(&o.before, "before", "", "an earlier one, which takes turns with it")
	f.IntVar(&o.trials, "trials", 20, "trials of each condition")
	f.IntVar(&o.others, "others", 0, "trials of those that are about something else than a generator in clear trouble; "+
		"0: as many")
	f.DurationVar(&o.window, "time", 10*time.Second, "window of a trial")
	only := f.String("only", "", "conditions whose name matches this `regexp`")
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "draws loads and orders")
	f.StringVar(&o.out, "out", "", "write all trials to this file, as JSON (default that of -resume)")
	f.StringVar(&o.resume, "resume", "", "go on with the trials that are missing in this file")
	limit := f.Duration("for", 0, "begin no trial after this time")
	if err := f.Parse(args); err != nil {
		return nil, nil, err
	}
	o.given = map[string]bool{}
	f.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	o.out = cmp.Or(o.out, o.resume)
	if *limit > 0 {
		o.until = time.Now().Add(*limit)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return nil, nil, err
	}
	for _, path := range []*string{&o.binary, &o.before} {
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return nil, nil, err
			}
		}
	}
	if o.others <= 0 || o.others > o.trials {
		o.others = o.trials
	}
	known := map[string]part{"conditions": conditionsPart, "pacing": pacingPart}
	var parts []part
	for _, name := range f.Args() {
		if known[name] == nil {
			return nil, nil, errUsage
		}
		parts = append(parts, known[name])
	}
	if len(parts) == 0 {
		return nil, nil, errUsage
	}
	return o, parts, nil
}
