package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// slower is how many times its usual time a test may take, beside what it has in any case: the machine may be busy
	// with something else.
	slower = 10
	// quick is how long those tests take, together, that are asked first.
	quick = 500 * time.Millisecond
	// scouting is what a test may take without a mutant.
	scouting = 10 * time.Minute
)

// A test is one of a test binary.
type test struct {
	suite   *suite
	name    string
	took    time.Duration
	reaches map[int]bool // the numbers of mutants
	failure string       // what it said where it failed without a mutant, in the program with all
}

// A suite is the tests of one package.
type suite struct {
	dir    string // the package's
	place  int    // among those of the subject
	binary string
	tests  []*test
}

// A try is one run of tests.
type try struct {
	failed, late bool
	said         string
}

// run runs tests of a suite. It is no error that they fail.
func (s *suite) run(ctx context.Context, root, binary string, tests []*test, limit time.Duration,
	env ...string) (try, error) {
	var names []string
	for _, t := range tests {
		names = append(names, regexp.QuoteMeta(t.name))
	}
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	temp, err := os.MkdirTemp(filepath.Dir(binary), "run-")
	if err != nil {
		return try{}, err
	}
	defer os.RemoveAll(temp) // what a killed test left; the whole directory goes at the end
	program, args := bounded(binary, []string{"-test.short", "-test.failfast", "-test.timeout=0",
		"-test.run=^(" + strings.Join(names, "|") + ")$"})
	cmd := exec.CommandContext(inTime, program, args...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(s.dir))
	cmd.Env = append(append(os.Environ(), "TMPDIR="+temp), env...)
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return try{}, ctx.Err()
	case inTime.Err() != nil:
		return try{failed: true, late: true}, nil
	}
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is && !errors.Is(err, exec.ErrWaitDelay) {
		return try{}, err
	}
	return try{failed: err != nil, said: said.String()}, nil
}

// list finds the tests of a suite whose names fit.
func (s *suite) list(ctx context.Context, root, pattern string) error {
	out, err := command(ctx, filepath.Join(root, filepath.FromSlash(s.dir)), nil, s.binary, "-test.list", ".")
	if err != nil {
		return err
	}
	fits, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("packages.txt: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		name := strings.TrimSpace(line)
		if (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")) &&
			fits.MatchString(name) {
			s.tests = append(s.tests, &test{suite: s, name: name})
		}
	}
	return nil
}

// scout runs a test without a mutant, and notes how long it takes and which mutants it comes by.
func (t *test) scout(ctx context.Context, root string) error {
	notes := t.suite.binary + "." + strings.ReplaceAll(t.name, "/", "_")
	began := time.Now()
	got, err := t.suite.run(ctx, root, t.suite.binary, []*test{t}, scouting, "PLIMSOLL_MUTANTS_REACHED="+notes)
	if err != nil {
		return err
	}
	if got.failed {
		t.failure = cmp.Or(got.said, "it said nothing")
		return nil
	}
	t.took = time.Since(began)
	t.reaches = map[int]bool{}
	text, err := os.ReadFile(notes)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for field := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return fmt.Errorf("%s: %w", notes, err)
		}
		t.reaches[n] = true
	}
	return nil
}

// rounds are the tests in the order in which they are asked: those of a package before those of the next, and the
// quick ones at once before the others.
func rounds(tests []*test) [][]*test {
	byTime := slices.Clone(tests)
	slices.SortStableFunc(byTime, func(a, b *test) int {
		return cmp.Or(cmp.Compare(a.suite.place, b.suite.place), cmp.Compare(a.took, b.took))
	})
	var all [][]*test
	var sum time.Duration
	for _, t := range byTime {
		last := len(all) - 1
		if last < 0 || sum+t.took > quick || all[last][0].suite != t.suite {
			all, sum, last = append(all, nil), 0, last+1
		}
		all[last] = append(all[last], t)
		sum += t.took
	}
	return all
}

// limit is how long tests may take.
func (s *survey) limit(tests []*test) time.Duration {
	sum := s.patience
	for _, t := range tests {
		sum += slower * t.took
	}
	return sum
}
