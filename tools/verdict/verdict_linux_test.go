package main

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestConditions: each name is there once, and a run without root leaves out the quotas alone.
func TestConditions(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range conditions() {
		if seen[c.name] {
			t.Errorf("%s is there twice", c.name)
		}
		seen[c.name] = true
		if left := c.possible(&lab{}) != ""; left != (c.generator.quota > 0) {
			t.Errorf("%s left out: %v", c.name, left)
		}
	}
	for _, name := range []string{"generator hog4 updates", "quiet loopback updates", "generator quota0.3 bandwidth",
		"quiet remote 500/s http", "quiet loopback 10000/s http", "quiet remote ws", "quiet remote overhead"} {
		if !seen[name] {
			t.Errorf("no %q", name)
		}
	}
}

func TestDue(t *testing.T) {
	o := &options{trials: 20, others: 8}
	always := []string{"quiet remote open", "quiet remote closed", "quiet remote bandwidth", "quiet loopback updates"}
	for _, c := range conditions() {
		n := 0
		for round := range o.trials {
			if c.due(o, round) {
				n++
			}
		}
		want := 8
		if c.class == generatorTrouble && !c.faint || slices.Contains(always, c.name) {
			want = 20
		}
		if n != want {
			t.Errorf("%s has %d trials, want %d", c.name, n, want)
		}
	}
}

// TestPlan: a round is the same whenever it is planned, and no other's.
func TestPlan(t *testing.T) {
	o := &options{seed: 5, binary: "now", trials: 5, others: 5}
	round := func(n int) (all []trial) {
		for _, p := range plan(o, conditions(), n) {
			all = append(all, *p.trial)
		}
		return all
	}
	same := func(a, b trial) bool { return a.Condition == b.Condition && a.Seed == b.Seed && a.Rate == b.Rate }
	if !slices.EqualFunc(round(3), round(3), same) {
		t.Error("a round is planned anew")
	}
	if slices.EqualFunc(round(3), round(4), same) {
		t.Error("two rounds are the same")
	}
}

// TestFailures: a program that writes no document fails its trials. The bench ends after several failures in a row.
func TestFailures(t *testing.T) {
	o := &options{
		binary: "/nowhere", trials: 20, others: 20, window: time.Second, only: regexp.MustCompile("closed$"), seed: 1,
		out: filepath.Join(t.TempDir(), "results.json"),
	}
	l, out := &lab{self: "/bin/false"}, &results{}
	err := makeTrials(t.Context(), l, o, out)
	if err == nil || !strings.Contains(err.Error(), "in a row failed") || len(out.Trials) != tooManyFailed {
		t.Errorf("%d trials, %v", len(out.Trials), err)
	}
	again := &results{}
	o.until = time.Now().Add(-time.Second)
	if err := makeTrials(t.Context(), l, o, again); !errors.Is(err, errTime) || len(again.Trials) != 0 {
		t.Errorf("after the end: %d trials, %v", len(again.Trials), err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	o.until = time.Time{}
	if err := makeTrials(ended, l, o, again); !errors.Is(err, context.Canceled) || len(again.Trials) != 0 {
		t.Errorf("after a signal: %d trials, %v", len(again.Trials), err)
	}
}

// TestWaitEnds: a process that takes too long has ended when wait returns.
func TestWaitEnds(t *testing.T) {
	l := &lab{self: "/bin/sh"}
	c := l.prepare(place{}, nil)
	c.cmd.Args = []string{"sh", "-c", "exec sleep 60"}
	if err := c.begin(); err != nil {
		t.Fatal(err)
	}
	if err := c.wait(t.Context(), 10*time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Error(err)
	}
	if c.cmd.ProcessState == nil {
		t.Error("it lives")
	}
	c.kill()
}
