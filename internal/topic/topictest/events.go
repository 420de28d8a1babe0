package topictest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// Events keeps what a subscription tells.
type Events struct {
	mu   sync.Mutex
	told []topic.Event
}

// Tell is for topic.SubscribeOptions.
func (e *Events) Tell(event topic.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, event)
}

// Has reports whether an event of this kind, with these words, was told.
func (e *Events) Has(kind topic.EventKind, words string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.told, func(one topic.Event) bool {
		return one.Kind == kind && strings.Contains(one.What, words)
	})
}

// MustBe fails unless the kinds that were told are these, each once or more.
func (e *Events) MustBe(t *testing.T, kinds ...topic.EventKind) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var got []topic.EventKind
	for _, one := range e.told {
		got = append(got, one.Kind)
	}
	slices.Sort(got)
	slices.Sort(kinds)
	if !slices.Equal(slices.Compact(got), kinds) {
		t.Errorf("told %+v, want %q", e.told, kinds)
	}
}
