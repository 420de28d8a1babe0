package main

import (
	"context"
	"encoding/json"
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

// options are the flags.
type options struct {
	binary, before, wsbench string
	trials, others          int
	window                  time.Duration
	only                    *regexp.Regexp
	seed                    uint64
	out                     string
}

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

// results is what -out gets: enough to compute each figure again.
type results struct {
	Seed       uint64
	WindowNS   int64
	Started    time.Time
	Kernel     string
	CPUs       int
	Trials     []trial       `json:",omitempty"`
	Pacing     []pacingTrial `json:",omitempty"`
	Hotpath    []hotpathTurn `json:",omitempty"`
	LeftOut    []string      `json:",omitempty"`
	Incomplete string        `json:",omitempty"` // why not all trials were made
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
	r := &results{Seed: o.seed, WindowNS: int64(o.window), Started: time.Now(), Kernel: kernel(), CPUs: runtime.NumCPU()}
	fmt.Printf("seed %d, window %s, Linux %s, %d CPUs, load average %s\n",
		o.seed, o.window, r.Kernel, r.CPUs, loadAverage())
	for _, part := range parts {
		if err = part(ctx, l, o, r); err != nil {
			r.Incomplete = err.Error()
			break
		}
	}
	return errors.Join(err, save(o.out, r))
}

// save writes the results, also those of a bench that was ended.
func save(path string, r *results) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

type part func(context.Context, *lab, *options, *results) error

var errUsage = errors.New("usage: verdict -binary PLIMSOLL [flags] conditions|pacing|hotpath …")

func parse(args []string) (*options, []part, error) {
	o := &options{}
	f := flag.NewFlagSet("verdict", flag.ContinueOnError)
	f.StringVar(&o.binary, "binary", "bin/plimsoll", "the program to judge")
	f.StringVar(&o.before, "before", "", "an earlier one, which takes turns with it")
	f.StringVar(&o.wsbench, "wsbench", "bin/wsbench", "the bare loop, for hotpath")
	f.IntVar(&o.trials, "trials", 20, "trials of each condition")
	f.IntVar(&o.others, "others", 0, "trials of those that are about something else than a generator in clear trouble; "+
		"0: as many")
	f.DurationVar(&o.window, "time", 10*time.Second, "window of a trial")
	only := f.String("only", "", "conditions whose name matches this `regexp`")
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "draws loads and orders")
	f.StringVar(&o.out, "out", "", "write all trials to this file, as JSON")
	if err := f.Parse(args); err != nil {
		return nil, nil, err
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return nil, nil, err
	}
	for _, path := range []*string{&o.binary, &o.before, &o.wsbench} {
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return nil, nil, err
			}
		}
	}
	if o.others <= 0 || o.others > o.trials {
		o.others = o.trials
	}
	known := map[string]part{"conditions": conditionsPart, "pacing": pacingPart, "hotpath": hotpathPart}
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

// binaries are those that take turns, by the name that the tables give them.
func (o *options) binaries() []binary {
	if o.before == "" {
		return []binary{{"now", o.binary}}
	}
	return []binary{{"before", o.before}, {"now", o.binary}}
}

// binary is a plimsoll.
type binary struct{ name, path string }
