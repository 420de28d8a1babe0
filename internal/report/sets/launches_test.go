package sets

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The report of launches has the figure that they are about for each of them, and a dash where a launch has none.
func TestLaunchesShowTheirFigure(t *testing.T) {
	set := &setdoc.Set{Schema: setdoc.Schema, Kind: setdoc.KindLaunches, Launches: &setdoc.Launches{Workload: "http",
		Figure: setdoc.Figure{Name: "p50", Unit: "ns"}}}
	for i := range 3 {
		set.Members = append(set.Members, setdoc.Member{ID: fmt.Sprint(i), Name: fmt.Sprintf("launch %d", i+1), Workload: "http",
			Verdict: rundoc.Verdict{Validity: rundoc.Valid}})
		v := setdoc.Known{Why: "interrupted"}
		if i < 2 {
			v = setdoc.Known{Value: new(float64(1234567 * (i + 1)))}
		}
		set.Launches.Values = append(set.Launches.Values, v)
	}
	v := NewView(Source{Set: set}, report.Options{})
	var b bytes.Buffer
	if err := CSV(&b, set); err != nil || !strings.Contains(b.String(), "\n1234567,launch 1") {
		t.Errorf("%v: %s", err, &b)
	}
	columns := v.launchColumn()
	if len(columns) != 1 {
		t.Fatalf("%d columns", len(columns))
	}
	value := v.launchValues()
	if members := v.members(); *value[members[1]] != 2469134 || value[members[2]] != nil {
		t.Errorf("%v", value)
	}
	wantLines(t, "the lead", linesOfTable(v.Lead(9)), "run | p50 | kind | rate | p99 | thresholds | verdict | exit | target",
		"launch 1 | 1.23 ms | http | – | – | – | valid | 0 | –", "launch 2 | 2.47 ms | http | – | – | – | valid | 0 | –",
		"launch 3 | – | http | – | – | – | valid | 0 | –")
	if set.Launches.Values = set.Launches.Values[:2]; len(v.launchValues()) != 2 {
		t.Errorf("%v", v.launchValues())
	}
	for _, name := range []string{"rate", "p99"} {
		if set.Launches.Figure.Name = name; len(v.launchColumn()) != 0 {
			t.Errorf("the %s stands there twice", name)
		}
	}
}
