package plan

import (
	"slices"
	"testing"
)

// Each setting of a load either says how much load there is, or is known here not to: a new one has to be put
// into one of the two lists.
func TestShaped(t *testing.T) {
	others := []string{
		"load.seed", "load.duration_ns", "load.warmup_clients", "load.warmup_operations", "load.warmup_time_ns",
		"load.drain_ns", "load.retry.timeout_ns", "load.retry.max_retries", "load.retry.initial_backoff_ns",
		"load.retry.max_backoff_ns",
	}
	l := new(Load).Settings()
	all := l.Rest()
	for _, one := range all {
		one.Name = one.Path
	}
	for _, one := range all {
		got := l.Shaped(func(flag string) bool { return flag == one.Name })
		if want := !slices.Contains(others, one.Path); got != want {
			t.Errorf("%s says how much load there is: %v, want %v", one.Path, got, want)
		}
	}
	if l.Shaped(func(string) bool { return false }) {
		t.Error("nothing was given, and that is a load")
	}
}
