package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed    verdict = "killed"
	late      verdict = "late" // killed, too
	survived  verdict = "survived"
	stillborn verdict = "stillborn"
	untried   verdict = "untried" // the time was up
)

func verdictOf(got try) verdict {
	switch {
	case got.late:
		return late
	case got.failed:
		return killed
	}
	return survived
}

// A survey runs mutants and tells what became of them.
type survey struct {
	root, temp string
	parallel   int
	patience   time.Duration // what tests have in any case before a mutant is killed by the time
	out        io.Writer

	mu    sync.Mutex
	count map[verdict]int
	loud  bool // tells also what was killed
}

// each runs mutants in parallel, until all were or the time is up.
func (s *survey) each(ctx context.Context, n int, until time.Time,
	run func(ctx context.Context, i int) (verdict, string, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	for range min(s.parallel, n) {
		workers.Go(func() {
			for i := range next {
				if !until.IsZero() && time.Now().After(until) {
					s.note(untried, "")
					continue
				}
				v, about, err := run(ctx, i)
				if err != nil {
					cancel(err)
					return
				}
				s.note(v, about)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func (s *survey) note(v verdict, about string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[v]++
	if v == survived || v == stillborn || s.loud && v != untried {
		fmt.Fprintf(s.out, "%s: %s\n", v, about)
	}
}

// pack runs mutants of one package.
func (s *survey) pack(ctx context.Context, p *pack, chosen []*mutant, until time.Time) error {
	dir, err := os.MkdirTemp(s.temp, "p")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{root: s.root, dir: dir, pack: p}
	files, err := p.together()
	if err != nil {
		return err
	}
	suites, err := s.suites(ctx, b, files)
	if err != nil {
		return err
	}
	return s.each(ctx, len(chosen), until, func(ctx context.Context, i int) (verdict, string, error) {
		m := chosen[i]
		v, why, err := s.mutant(ctx, b, suites, m)
		return v, fmt.Sprintf("%s%s\n\tline %d: %s", m.id(), why, m.line, m.sourceLine()), err
	})
}

// suites builds the tests that must notice the mutants of a package, and finds out which comes by which.
func (s *survey) suites(ctx context.Context, b *bench, files map[string]string) ([]*suite, error) {
	var all []*suite
	for i, tests := range b.pack.subject.tests {
		binary, err := b.build(ctx, fmt.Sprint(i), tests.dir, files)
		if err != nil {
			return nil, err
		}
		one := &suite{dir: tests.dir, place: i, binary: binary}
		if err := one.list(ctx, s.root, tests.run); err != nil {
			return nil, err
		}
		all = append(all, one)
		if err := s.parallelTests(ctx, len(one.tests), func(ctx context.Context, i int) error {
			return one.tests[i].scout(ctx, s.root)
		}); err != nil {
			return nil, err
		}
		if err := s.leaveOut(ctx, b, one); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// leaveOut takes those tests out of a suite that fail in the program with all mutants, where none is on, and pass in the
// one without: such as hold what is inlined or allocated, which the questions change. It is an error that one fails
// there, too.
func (s *survey) leaveOut(ctx context.Context, b *bench, of *suite) error {
	plain := ""
	for _, t := range of.tests {
		if t.failure == "" {
			continue
		}
		if plain == "" {
			var err error
			if plain, err = b.build(ctx, fmt.Sprint("plain", of.place), of.dir, nil); err != nil {
				return err
			}
		}
		got, err := of.run(ctx, s.root, plain, []*test{t}, scouting)
		if err != nil {
			return err
		}
		if got.failed {
			return fmt.Errorf("%s of %s fails without a mutant:\n%s", t.name, of.dir, got.said)
		}
		fmt.Fprintf(s.out, "left out: %s of %s, which the questions themselves make fail\n", t.name, of.dir)
	}
	of.tests = slices.DeleteFunc(of.tests, func(t *test) bool { return t.failure != "" })
	return nil
}

// parallelTests calls f for each of so many tests.
func (s *survey) parallelTests(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	quiet := &survey{parallel: s.parallel, out: io.Discard, count: map[verdict]int{}}
	return quiet.each(ctx, n, time.Time{}, func(ctx context.Context, i int) (verdict, string, error) {
		return killed, "", f(ctx, i)
	})
}

// mutant runs one. What it says besides is why it survived.
func (s *survey) mutant(ctx context.Context, b *bench, suites []*suite, m *mutant) (verdict, string, error) {
	if m.alone {
		return s.alone(ctx, b, suites, m)
	}
	var reached []*test
	for _, one := range suites {
		for _, t := range one.tests {
			if t.reaches[m.number] {
				reached = append(reached, t)
			}
		}
	}
	if len(reached) == 0 {
		return survived, " (no test comes by it)", nil
	}
	for _, tests := range rounds(reached) {
		one := tests[0].suite
		got, err := one.run(ctx, s.root, one.binary, tests, s.limit(tests), fmt.Sprintf("PLIMSOLL_MUTANT=%d", m.number))
		if err != nil || got.failed {
			return verdictOf(got), "", err
		}
	}
	return survived, "", nil
}

// alone runs a mutant that has a build of its own, against all tests.
func (s *survey) alone(ctx context.Context, b *bench, suites []*suite, m *mutant) (verdict, string, error) {
	for i, one := range suites {
		name := fmt.Sprintf("m%d-%d", m.number, i)
		binary, err := b.build(ctx, name, one.dir, b.alone(m))
		if err != nil {
			return stillborn, "", ctx.Err()
		}
		for _, tests := range rounds(one.tests) {
			got, err := one.run(ctx, s.root, binary, tests, s.limit(tests))
			if err != nil || got.failed {
				return verdictOf(got), "", err
			}
		}
		if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
			return survived, "", err
		}
	}
	return survived, "", nil
}

// sourceLine is the line of the file where the mutant is.
func (m *mutant) sourceLine() string {
	lines := strings.Split(string(m.file.text), "\n")
	return strings.TrimSpace(lines[m.line-1])
}
