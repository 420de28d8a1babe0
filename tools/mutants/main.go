package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	n                  int
	seed               uint64
	all, list, loud    bool
	wide               bool
	escapes            float64 // in a hundred
	only, changed, dir string
	bound, patience    time.Duration
	parallel           int
	packages           []string
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.IntVar(&o.n, "n", 60, "how many mutants the sample has")
	flags.BoolVar(&o.all, "all", false, "all mutants, no sample")
	flags.Uint64Var(&o.seed, "seed", 0, "of the sample; 0: another one each time")
	flags.BoolVar(&o.wide, "wide", false, "of the packages of wide.txt, too")
	flags.Float64Var(&o.escapes, "escapes", 0, "how many in a hundred may survive")
	flags.StringVar(&o.only, "only", "", "those whose identity has this text, all of them")
	flags.StringVar(&o.changed, "changed", "", "packages that changed since this revision")
	flags.DurationVar(&o.bound, "for", 0, "begin no mutant after this time; 0: no bound")
	flags.DurationVar(&o.patience, "patience", 20*time.Second, "what tests have beside ten times their usual time")
	flags.IntVar(&o.parallel, "parallel", runtime.NumCPU(), "how many at once")
	flags.BoolVar(&o.list, "list", false, "say which there are, and run none")
	flags.BoolVar(&o.loud, "v", false, "tell of each mutant, not only of those that survived")
	flags.StringVar(&o.dir, "lists", "tools/mutants", "where packages.txt, equivalent.txt and given.txt are")
	err := flags.Parse(args)
	o.packages = flags.Args()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000)
	}
	return o, err
}

func run(ctx context.Context, out io.Writer, args []string) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	began := time.Now()
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	subjects, hand, err := o.subjects(ctx, out, root)
	if err != nil {
		return err
	}
	equivalents, err := readEquivalents(filepath.Join(o.dir, "equivalent.txt"))
	if err != nil {
		return err
	}
	packs, made, err := loadAll(ctx, root, subjects)
	if err != nil {
		return err
	}
	if old := stale(equivalents, packs); len(old) > 0 {
		return fmt.Errorf("equivalent.txt has what is no mutant any more:\n\t%s", strings.Join(old, "\n\t"))
	}
	sample := o.sample(packs, equivalents)
	if o.list {
		for _, m := range sample {
			fmt.Fprintln(out, m.id())
		}
		return nil
	}
	temp, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	fmt.Fprintf(out, "mutants: %d of %d, seed %d, and %d made by hand\n", len(sample), made, o.seed, len(hand))
	s := &survey{root: root, temp: temp, parallel: o.parallel, patience: o.patience, out: out, loud: o.loud,
		count: map[verdict]int{}}
	// Those made by hand come behind: each has a build of its own, and takes what is left of the time.
	if err := s.all(ctx, packs, sample, began, o.bound*2/3); err != nil {
		return err
	}
	var until time.Time
	if o.bound > 0 {
		until = began.Add(o.bound)
	}
	if err := s.given(ctx, hand, until); err != nil {
		return err
	}
	return s.sum(o, len(equivalents), time.Since(began))
}

// sum tells what became of all, and is an error where more survived than may.
func (s *survey) sum(o options, equivalents int, took time.Duration) error {
	noticed, escaped := s.count[killed]+s.count[late], s.count[survived]
	share := 100 * float64(escaped) / float64(max(1, noticed+escaped))
	fmt.Fprintf(s.out, "mutants: %d killed, %d of them by time; %d survived, %.2f %%; %d stillborn; %d not tried in the "+
		"time; %d listed as equivalent; seed %d; %v\n", noticed, s.count[late], escaped, share, s.count[stillborn],
		s.count[untried], equivalents, o.seed, took.Round(time.Second))
	if share > o.escapes {
		return fmt.Errorf("%d survived: write a test that notices, or say in %s/equivalent.txt why none can", escaped, o.dir)
	}
	return nil
}

// subjects are the packages and the mutants made by hand that were asked for.
func (o *options) subjects(ctx context.Context, out io.Writer, root string) ([]subject, []given, error) {
	subjects, err := readSubjects(filepath.Join(o.dir, "packages.txt"))
	if err != nil {
		return nil, nil, err
	}
	if o.wide {
		more, err := readSubjects(filepath.Join(o.dir, "wide.txt"))
		if err != nil {
			return nil, nil, err
		}
		subjects = widened(subjects, more)
	}
	subjects = chosen(subjects, o.packages)
	hand, err := readGiven(root, filepath.Join(o.dir, "given.txt"))
	if err != nil {
		return nil, nil, err
	}
	hand = slices.DeleteFunc(hand, func(g given) bool {
		return o.only != "" && !strings.Contains(g.file+" "+g.from+" => "+g.to, o.only) ||
			len(o.packages) > 0 && !slices.Contains(o.packages, path.Dir(g.file))
	})
	if o.changed == "" {
		return subjects, hand, nil
	}
	dirs, whole, err := changed(ctx, root, o.changed)
	if whole {
		fmt.Fprintf(out, "mutants: there is no %s here: all packages count as changed\n", o.changed)
	}
	if err != nil || whole {
		return subjects, hand, err
	}
	subjects = slices.DeleteFunc(subjects, func(s subject) bool { return !s.among(dirs) })
	hand = slices.DeleteFunc(hand, func(g given) bool { return !dirs[path.Dir(g.file)] && !dirs[g.tests.dir] })
	return subjects, hand, nil
}

// loadAll reads the packages and makes their mutants.
func loadAll(ctx context.Context, root string, subjects []subject) (packs []*pack, made int, err error) {
	for _, s := range subjects {
		p, err := load(ctx, root, s)
		if err != nil {
			return nil, 0, err
		}
		p.makeMutants()
		packs, made = append(packs, p), made+len(p.mutants)
	}
	return packs, made, nil
}

// sample takes mutants of all packages by chance, or those that were asked for. Equivalents are none.
func (o *options) sample(packs []*pack, equivalents map[string]string) []*mutant {
	var all []*mutant
	for _, p := range packs {
		for _, m := range p.mutants {
			if equivalents[m.id()] == "" && strings.Contains(m.id(), o.only) {
				all = append(all, m)
			}
		}
	}
	if o.all || o.list || o.only != "" {
		return all
	}
	rand.New(rand.NewPCG(o.seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(o.n, len(all))]
}

// all runs the sample, package by package, each in its share of the time.
func (s *survey) all(ctx context.Context, packs []*pack, sample []*mutant, began time.Time, bound time.Duration) error {
	left := len(sample)
	for _, p := range packs {
		var mine []*mutant
		for _, m := range sample {
			if slices.Contains(p.files, m.file) {
				mine = append(mine, m)
			}
		}
		if len(mine) == 0 {
			continue
		}
		var until time.Time
		if bound > 0 {
			rest := bound - time.Since(began)
			until = time.Now().Add(rest * time.Duration(len(mine)) / time.Duration(left))
		}
		left -= len(mine)
		if err := s.pack(ctx, p, mine, until); err != nil {
			return err
		}
	}
	return nil
}
