package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A given mutant was made by hand: of a kind that is not made here, or one that survived when that was last tried.
type given struct {
	file     string
	tests    tests
	from, to string
	about    string
	applied  string
	line     int
}

// readGiven reads given.txt. Each has a line with its file and the tests that must notice it, one with what the file
// has once, after a minus, what becomes of it, after a plus, and what it was, after a number sign.
func readGiven(root, name string) ([]given, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []given
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		mark, rest, _ := strings.Cut(line, " ")
		last := len(all) - 1
		switch {
		case line == "" || strings.HasPrefix(line, "##"):
		case last < 0 && strings.ContainsAny(mark, "-+#"):
			return nil, fmt.Errorf("%s: the first line must name a file and a package with tests", name)
		case mark == "-":
			all[last].from = rest
		case mark == "+":
			all[last].to = rest
		case mark == "#":
			all[last].about = rest
		default:
			dir, pattern, _ := strings.Cut(rest, ":")
			all = append(all, given{file: mark, tests: tests{dir: path.Clean(dir), run: pattern}})
		}
	}
	for i := range all {
		if err := all[i].apply(root); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// givenTime is how long the tests of a mutant made by hand may take, which were not run without it.
const givenTime = 2 * time.Minute

// apply finds the place of the change.
func (g *given) apply(root string) error {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(g.file)))
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), g.from); n != 1 || g.from == "" || g.from == g.to {
		return fmt.Errorf("%s has %d times %q, where a mutant is to be: it must be there once, and change", g.file, n, g.from)
	}
	before, _, _ := strings.Cut(string(text), g.from)
	g.line = 1 + strings.Count(before, "\n")
	g.applied = strings.Replace(string(text), g.from, g.to, 1)
	return nil
}

// given runs the mutants made by hand, each with a build of its own.
func (s *survey) given(ctx context.Context, all []given, until time.Time) error {
	return s.each(ctx, len(all), until, func(ctx context.Context, i int) (verdict, string, error) {
		g := &all[i]
		about := fmt.Sprintf("%s:%d: %s => %s (%s)", g.file, g.line, g.from, g.to, g.about)
		b := &bench{root: s.root, dir: filepath.Join(s.temp, fmt.Sprintf("given%d", i))}
		defer os.RemoveAll(b.dir)
		binary, err := b.build(ctx, "it", g.tests.dir, map[string]string{g.file: g.applied})
		if err != nil {
			return stillborn, about, ctx.Err()
		}
		suite := &suite{dir: g.tests.dir, binary: binary}
		if err := suite.list(ctx, s.root, g.tests.run); err != nil {
			return survived, about, err
		}
		if len(suite.tests) == 0 {
			return survived, about, fmt.Errorf("given.txt: %s has no test %s", g.tests.dir, g.tests.run)
		}
		got, err := suite.run(ctx, s.root, binary, suite.tests, s.patience+givenTime)
		return verdictOf(got), about, err
	})
}
