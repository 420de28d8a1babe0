package setting_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/setting"
)

func TestFormerNamesAreNotedOnce(t *testing.T) {
	var metrics []string
	var share float64
	var deadline time.Duration
	set := new(setting.Set).Group("Load",
		setting.List(&metrics, "metric", "name", "h").Formerly("figure"),
		setting.Duration(&deadline, "deadline", "h"),
		setting.Share(&share, "within", "h").Formerly("search-within"))
	within := set.Lookup("within").GivesWay(setting.DurationOf(set, "deadline"))
	var notes []string
	for _, one := range set.All() {
		one.NotifyBy(func(note string) { notes = append(notes, note) })
	}
	for _, value := range []string{"p50", "p99"} {
		if err := set.Lookup("figure").SetAs("figure", value); err != nil {
			t.Error(err)
		}
	}
	if err := within.Set("3s"); err != nil || deadline != 3*time.Second {
		t.Errorf("a duration for --within: %v, %v", deadline, err)
	}
	if err := within.SetAs("search-within", "3s"); err == nil {
		t.Error("--search-within, which was always a share, takes a duration")
	}
	if diff := cmp.Diff([]string{"p50", "p99"}, metrics); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"--figure is now --metric; the old name still works",
		"--within 3s is now --deadline 3s; the old name still works",
		"--search-within is now --within; the old name still works",
	}, notes); diff != "" {
		t.Error(diff)
	}
}
