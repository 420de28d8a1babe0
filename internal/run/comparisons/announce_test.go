package comparisons

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/setdoc"
)

// What is going to be done is said before the first launch: how often, how, when it is judged, and for how long.
func TestAnnounce(t *testing.T) {
	for want, of := range map[string]struct {
		launches int
		looks    []int
		way      string
		each     time.Duration
	}{
		"up to 30 launches of both sides, in alternating slices, tested after 10, 20 and 30 (--seed 7), up to about 1m0s": {
			30, []int{10, 20, 30}, setdoc.BySlices, 2 * time.Second},
		"up to 20 launches of both sides, one whole run after the other, tested after 10 and 20 (--seed 7)": {
			20, []int{10, 20}, setdoc.ByRuns, 0},
		"up to 1 launch of both sides, both at the same time (--seed 7), up to about 1s": {
			1, []int{1}, setdoc.AtOnce, 1200 * time.Millisecond},
	} {
		c := &Comparison{request: &Request{Launches: of.launches, Seed: 7}, each: of.each,
			of: &setdoc.Comparison{Looks: of.looks, Way: of.way}}
		if got := c.Announce(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A rate counts what it counts, and not itself; which way is better is the figure's own.
func TestWhatRowsCount(t *testing.T) {
	k := lab()
	rows, err := (&Request{Figures: []string{"rate", "p99", "ok"}}).rows(&k, "messages")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []setdoc.Compared{
		{Figure: setdoc.Figure{Name: "rate", Unit: "per_s", Of: "messages"}},
		{Figure: setdoc.Figure{Name: "p99", Unit: "ns", Of: "p99"}, Less: true},
		{Figure: setdoc.Figure{Name: "ok", Unit: "count", Of: "ok"}},
	} {
		if rows[i].Compared != want {
			t.Errorf("%+v, want %+v", rows[i].Compared, want)
		}
	}
}
