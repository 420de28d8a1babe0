package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		stop()
		os.Exit(1)
	}
}

// options say what is fuzzed, and for how long.
type options struct {
	time   string
	sample int
	seed   uint64
	only   string
	keep   bool
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	var o options
	flags.StringVar(&o.time, "time", "10s", "how long each target runs: a `time`, or a number of inputs as 10000x")
	flags.IntVar(&o.sample, "sample", 0, "run `N` targets by chance; 0: all")
	flags.Uint64Var(&o.seed, "seed", 0, "which ones; 0: others each time")
	flags.StringVar(&o.only, "only", "", "run those with the `text` in their package or name")
	flags.BoolVar(&o.keep, "keep", false, "keep what was found in testdata/fuzz")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s is no flag", flags.Arg(0))
	}
	all, err := targets(ctx)
	if err != nil {
		return err
	}
	cache, err := cacheDir(ctx)
	if err != nil {
		return err
	}
	chosen := o.choose(out, all)
	if len(chosen) == 0 {
		return fmt.Errorf("none of %d targets has %q in its name", len(all), o.only)
	}
	for _, t := range chosen {
		began := time.Now()
		fmt.Fprintf(out, "%s %s\n", t.pkg, t.name)
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", o.time, "-parallel", "2", t.pkg)
		cmd.WaitDelay = time.Minute
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", t.pkg, t.name, err, said)
		}
		if !o.keep {
			continue
		}
		kept, err := t.keep(ctx, cache)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  %d inputs kept, after %v\n", kept, time.Since(began).Round(time.Second))
	}
	return nil
}

// choose picks those to run.
func (o options) choose(out io.Writer, all []target) []target {
	all = slices.DeleteFunc(all, func(t target) bool { return !strings.Contains(t.pkg+" "+t.name, o.only) })
	if o.sample == 0 || o.sample >= len(all) {
		return all
	}
	seed := o.seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	fmt.Fprintf(out, "%d of %d targets, -seed %#x\n", o.sample, len(all), seed)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:o.sample]
}
