package rundoc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The totals of a document, of which each is edited for itself.
func TestEdgesOfTotals(t *testing.T) {
	sound := Run{Operations: []Operation{{Scheduled: 1, OK: 1, RatePerS: 1e6, BytesPerS: 1e6, ResponseTime: timesOf(5)}}}
	sound.Conclude()
	text, err := json.Marshal(sound.Total)
	if err != nil {
		t.Fatal(err)
	}
	of := func(edit func(*Totals)) Run {
		r := sound
		r.Total = new(Totals)
		if err := json.Unmarshal(text, r.Total); err != nil {
			t.Fatal(err)
		}
		edit(r.Total)
		return r
	}
	hold(t, (*judgement).totals, []edge{
		{"sound", of(func(*Totals) {}), ""},
		{"rates of another rounding", of(func(s *Totals) { s.RatePerS, s.BytesPerS = 1e6+0.0009, 1e6-0.0009 }), ""},
		{"another rate", of(func(s *Totals) { s.RatePerS += 0.002 }), "are not the sums"},
		{"another rate of bytes", of(func(s *Totals) { s.BytesPerS += 0.002 }), "are not the sums"},
		{"another time", of(func(s *Totals) { s.ResponseTime.MinNS++ }), "the response_time is not the one"},
	})
}

// A deviation may differ by a ns and a millionth.
func TestEdgesOfTheSameTimes(t *testing.T) {
	for _, tt := range []struct {
		is, other int64
		want      bool
	}{{100, 101, true}, {100, 102, false}, {1e9, 1e9 + 1001, true}, {1e9, 1e9 + 1500, false}, {101, 100, true}} {
		if got := (&Summary{StddevNS: tt.is}).same(&Summary{StddevNS: tt.other}); got != tt.want {
			t.Errorf("%d and %d: %v", tt.is, tt.other, got)
		}
	}
}

// Causes stand in the order of their counts, and those of one count in the order of their names.
func TestTotalsOrderCauses(t *testing.T) {
	var one, other []Cause
	for i := range 12 {
		c := Cause{Cause: fmt.Sprintf("cause %02d", 11-i), Count: int64(i / 2)}
		one, other = append(one, c), append(other, Cause{Cause: c.Cause, Count: 1})
	}
	r := Run{Operations: []Operation{{Causes: one}, {Causes: other}}}
	total, err := r.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if len(total.Causes) != 12 || !slices.IsSortedFunc(total.Causes, func(a, b Cause) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Cause, b.Cause)
	}) {
		t.Errorf("%+v", total.Causes)
	}
}
