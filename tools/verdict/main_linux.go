package main

import (
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
	o, err := parse(args)
	if err != nil {
		return err
	}
	l, err := newLab()
	if err != nil {
		return err
	}
	defer l.close()
	r := &results{Seed: o.seed, WindowNS: int64(o.window), Started: time.Now(), Kernel: kernel(), CPUs: runtime.NumCPU()}
	fmt.Printf("seed %d, window %s, Linux %s, %d CPUs, load average %s\n",
		o.seed, o.window, r.Kernel, r.CPUs, loadAverage())
	if err = makeTrials(ctx, l, o, r); err != nil {
		r.Incomplete = err.Error()
		if errors.Is(err, errTime) {
			err = nil
		}
	}
	if r.Incomplete != "" {
		fmt.Printf("\ntrials are missing: %s\n", r.Incomplete)
	}
	return errors.Join(err, save(o.out, r))
}

var errUsage = errors.New("usage: verdict -binary PLIMSOLL [flags]")

func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("verdict", flag.ContinueOnError)
	f.StringVar(&o.binary, "binary", "bin/plimsoll", "the program to judge")
	f.IntVar(&o.trials, "trials", 20, "trials of each condition")
	f.IntVar(&o.others, "others", 0, "trials of those that are about something else than a generator in clear trouble; "+
		"0: as many")
	f.DurationVar(&o.window, "time", 10*time.Second, "window of a trial")
	only := f.String("only", "", "conditions whose name matches this `regexp`")
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "draws loads and orders")
	f.StringVar(&o.out, "out", "", "write all trials to this file, as JSON")
	limit := f.Duration("for", 0, "begin no trial after this time")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, errUsage
	}
	if *limit > 0 {
		o.until = time.Now().Add(*limit)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return nil, err
	}
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return nil, err
	}
	if o.others <= 0 || o.others > o.trials {
		o.others = o.trials
	}
	return o, nil
}
