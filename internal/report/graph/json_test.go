package graph_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// What a page reads is what was handed to it, to the last digit, and null where nothing is known.
func TestValuesRoundTripThroughJSON(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, tt := range []struct {
		v    graph.Values
		want string
	}{
		{nil, "[]"}, {graph.Values{}, "[]"}, {graph.Values{1.5}, "[1.5]"}, {graph.Values{-2, math.NaN(), 3}, "[-2,null,3]"},
		{graph.Values{math.Inf(1), math.Inf(-1)}, "[null,null]"}, {graph.Values{1e300, 0.1, 5e-324}, "[1e+300,0.1,5e-324]"},
	} {
		if got, err := json.Marshal(tt.v); err != nil || string(got) != tt.want {
			t.Errorf("%v: %s, %v", tt.v, got, err)
		}
	}
	var all graph.Values
	for range 1000 {
		all = append(all, rng.NormFloat64()*math.Pow10(rng.IntN(40)-20))
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var again []float64
	if err := json.Unmarshal(text, &again); err != nil || len(again) != len(all) {
		t.Fatalf("%d values, %v", len(again), err)
	}
	for i := range all {
		if all[i] != again[i] {
			t.Errorf("%v became %v", all[i], again[i])
		}
	}
}

// The scripts of the page draw by these words: each has a colour, or is asked for by its name.
func TestScriptsKnowEachPanelWord(t *testing.T) {
	names, err := filepath.Glob("../../page/assets/*.js")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d scripts, %v", len(names), err)
	}
	var scripts strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	for _, role := range []graph.Role{graph.OK, graph.Failed, graph.Offered, graph.P50, graph.P90, graph.P99, graph.P999, graph.Most,
		graph.Own, graph.Fitted, graph.Met, graph.Unknown, graph.Neutral} {
		if !strings.Contains(scripts.String(), "\n    "+string(role)+`: ["#`) {
			t.Errorf("no script has a colour for %q", role)
		}
	}
	words := []string{string(graph.Log), string(graph.Tail)}
	for _, style := range []graph.Style{graph.Area, graph.Steps, graph.Edge, graph.Bars, graph.Dots} {
		words = append(words, string(style))
	}
	for _, unit := range []graph.Unit{graph.Nanoseconds, graph.Seconds, graph.Share, graph.Bytes, graph.Quantile} {
		words = append(words, string(unit))
	}
	for _, word := range words {
		if !strings.Contains(scripts.String(), `"`+word+`"`) && !strings.Contains(scripts.String(), " "+word+": ") {
			t.Errorf("no script asks for %q", word)
		}
	}
}
