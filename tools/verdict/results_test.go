package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestDraw: a load depends on the seed and its round alone, and twelve rounds have each of the twelve.
func TestDraw(t *testing.T) {
	for block := range 3 {
		seen := map[load]bool{}
		for i := range 12 {
			seen[draw(7, 12*block+i)] = true
		}
		if len(seen) != 12 {
			t.Errorf("rounds from %d on have %d loads of 12", 12*block, len(seen))
		}
	}
	if draw(7, 0) == draw(8, 0) && draw(7, 1) == draw(8, 1) && draw(7, 2) == draw(8, 2) {
		t.Error("the seed changes nothing")
	}
}

// TestResume: what was made is taken over but for what failed, and only of the same programs and windows.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	old := &results{
		Seed: 9, WindowNS: int64(2 * time.Second), Binaries: map[string]string{"now": "abc"}, Incomplete: "interrupted",
		Trials: []trial{{Condition: "a", Validity: "valid"}, {Condition: "b", Validity: failed}},
		Pacing: []pacingTrial{{Round: 3}},
	}
	if err := save(path, old); err != nil {
		t.Fatal(err)
	}
	now := func() *results {
		return &results{Seed: 1, WindowNS: int64(10 * time.Second), Binaries: map[string]string{"now": "abc"}}
	}
	r := now()
	if err := r.resume(path, false); err != nil {
		t.Fatal(err)
	}
	if r.Seed != 9 || r.WindowNS != old.WindowNS || len(r.Trials) != 1 || r.Trials[0].Condition != "a" ||
		!slices.Equal(r.Pacing, old.Pacing) || r.Incomplete != "" {
		t.Errorf("%+v", r)
	}
	if err := now().resume(path, true); err == nil {
		t.Error("windows of 10 s go on with those of 2 s")
	}
	r = now()
	r.Binaries["now"] = "def"
	if err := r.resume(path, false); err == nil {
		t.Error("another binary goes on")
	}
}
