package pair_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// worker is a kind of traffic whose runs say when they were made.
type worker struct {
	name   string
	failed error
	began  func(name string)
}

func (s worker) Measure(context.Context, context.Context, *run.Run) (*run.Found, error) {
	s.began(s.name)
	if s.failed != nil {
		return nil, s.failed
	}
	return &run.Found{Doc: &rundoc.Run{Operations: []rundoc.Operation{{Name: s.name, Scheduled: 1, OK: 1}}}, Plan: 1}, nil
}

func (worker) Conclude(*rundoc.Run) run.Conclusion { return run.Conclusion{} }

func environment() *run.Env {
	return &run.Env{
		Stdout: &bytes.Buffer{}, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(string) (string, bool) { return "", false },
	}
}

// Whole runs follow each other in the order that was asked for, and each side's document is its own.
func TestByRunsKeepsTheOrder(t *testing.T) {
	for first := range 2 {
		var order []string
		jobs := [2]run.Job{}
		for i, name := range []string{"a", "b"} {
			jobs[i] = run.Job{Workload: "http", Operations: "requests",
				Work: worker{name: name, began: func(name string) { order = append(order, name) }}}
		}
		made := pair.Launch(t.Context(), t.Context(), environment(), jobs, pair.Options{Way: setdoc.ByRuns, First: first})
		want := [][]string{{"a", "b"}, {"b", "a"}}[first]
		if !slices.Equal(order, want) {
			t.Errorf("first %d: they were made in the order %v", first, order)
		}
		for i, name := range []string{"a", "b"} {
			if made.Docs[i] == nil || made.Docs[i].Operations[0].Name != name {
				t.Errorf("first %d: side %d was not measured: %v", first, i, made.Errs[i])
			}
		}
	}
}

// Where the first one cannot begin, the second is not measured for nothing; an interrupt between them is said.
func TestInTurnEndsEarly(t *testing.T) {
	none := errors.New("nobody is there")
	began := 0
	jobs := [2]run.Job{{Work: worker{failed: none, began: func(string) { began++ }}},
		{Work: worker{began: func(string) { began++ }}}}
	made := pair.Launch(t.Context(), t.Context(), environment(), jobs, pair.Options{Way: setdoc.ByRuns})
	if began != 1 || !errors.Is(made.Errs[0], none) || made.Docs[1] != nil {
		t.Errorf("%d began: %+v", began, made)
	}
	soft, cancel := context.WithCancel(t.Context())
	jobs[0].Work = worker{began: func(string) { cancel() }}
	made = pair.Launch(soft, t.Context(), environment(), jobs, pair.Options{Way: setdoc.ByRuns})
	if made.Docs[0] == nil || made.Docs[1] != nil || made.Errs[1] == nil {
		t.Errorf("interrupted between: %+v", made)
	}
}

// At the same time neither waits for the other.
func TestAtOnce(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	jobs := [2]run.Job{}
	for i, name := range []string{"a", "b"} {
		jobs[i].Work = worker{name: name, began: func(string) { both.Done(); both.Wait() }}
	}
	made := pair.Launch(t.Context(), t.Context(), environment(), jobs, pair.Options{Way: setdoc.AtOnce})
	if made.Docs[0] == nil || made.Docs[1] == nil {
		t.Errorf("%v", made.Errs)
	}
}
