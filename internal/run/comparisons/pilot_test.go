package comparisons

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// timed is a command whose runs have a length.
type timed struct {
	command
	duration time.Duration
}

func (c *timed) Settings() *setting.Set {
	return c.command.Settings().Group("", setting.Duration(&c.duration, "duration", "").At("load.duration_ns"))
}

func (c *timed) Resolve([]string, func(string) bool) error { return c.Settings().Check() }

// timedRequest is a request of sides that are measured for a second unless something else is decided.
func timedRequest(dir string, figures ...string) *Request {
	r := request(dir)
	r.Figures, r.Fewer = figures, true
	for side := range r.Sides {
		k := &r.Sides[side].Kind
		k.New = func() run.Command { return &timed{command: command{clients: 1}} }
		k.InTurn = []run.Preset{{Setting: "duration", Value: "1s"}}
	}
	return r
}

// at are both sides of a launch at so many operations a second, each measured for as long as the request says.
//
// synctest: called only inside a bubble.
func (c *Comparison) at(rates [2]float64) *pair.Made {
	length := time.Second
	if c.request.length > 0 {
		length = c.request.length
	}
	m := new(pair.Made)
	for side, rate := range rates {
		doc := messages(int(rate * length.Seconds()))
		noise := int64(1e4 * ((7*len(c.of.Launches) + 3*side) % 11))
		doc.Operations[0].ResponseTime = timesOf(int(rate*length.Seconds()), 1e6+noise)
		doc.ID, doc.Ledger.WindowNS, doc.Operations[0].RatePerS = fmt.Sprint(side, len(c.of.Launches)), int64(length), rate
		doc.Verdict.Validity = rundoc.Valid
		m.Docs[side] = doc
		time.Sleep(length)
	}
	time.Sleep(600 * time.Millisecond)
	return m
}

// TestLaunchesAreLongEnough: a pilot launch decides how long each side is measured, so that every figure is known in every
// launch; and the whole takes no longer than is reasonable, unless that was asked for.
func TestLaunchesAreLongEnough(t *testing.T) {
	for _, tt := range []struct {
		name     string
		rates    [2]float64
		figures  []string
		edit     func(*Request)
		length   time.Duration // 0: of the kind
		launches int
		leftOut  string
		most     time.Duration
	}{
		{"fast", [2]float64{20_000, 19_000}, nil, nil, time.Second, 30, "", 2 * time.Minute},
		{"just too slow", [2]float64{982, 1200}, nil, nil, 1500 * time.Millisecond, 30, "", 2 * time.Minute},
		{"one of them slow", [2]float64{2000, 300}, nil, nil, 4700 * time.Millisecond, 30, "", 6 * time.Minute},
		{"slow", [2]float64{130, 150}, nil, nil, 10900 * time.Millisecond, 12, "", 5 * time.Minute},
		{"very slow", [2]float64{20, 20}, nil, nil, 8800 * time.Millisecond, 12,
			"p99 is not tested: it would need 1m10.5s per side and launch, 28m0s in total; --metric +p99 includes it",
			5 * time.Minute},
		{"very slow, and asked for", [2]float64{20, 20}, []string{"p99"}, nil, 70500 * time.Millisecond, 12, "", time.Hour},
		{"so many launches were asked for", [2]float64{130, 150}, nil, func(r *Request) { r.Fewer = false },
			10900 * time.Millisecond, 30, "", time.Hour},
		{"ten were asked for", [2]float64{982, 1200}, nil, func(r *Request) { r.Fewer, r.Launches = false, 10 },
			1800 * time.Millisecond, 10, "", 2 * time.Minute},
		{"a length was given", [2]float64{982, 1200}, nil, func(r *Request) {
			r.Both = []several.Given{{Name: "duration", Values: []string{"1s"}}}
		}, 0, 30, "", 2 * time.Minute},
		{"no percentile", [2]float64{20, 20}, []string{"rate"}, nil, 0, 30, "", 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := timedRequest(t.TempDir(), tt.figures...)
				if tt.edit != nil {
					tt.edit(r)
				}
				c, _, _ := comparisonOf(t, r, nil, contrast.Analyze)
				pilots := 0
				c.launch = func(_, _ context.Context, _ *run.Env, _ [2]run.Job, o pair.Options) *pair.Made {
					if o.Member.What == "pilot launch" {
						pilots++
					}
					return c.at(tt.rates)
				}
				began := time.Now()
				if err := c.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > tt.most {
					t.Errorf("it took %v", took)
				}
				if r.length != tt.length || pilots > 1 || (pilots == 1) != (tt.length > 0) || r.Launches != tt.launches ||
					strings.Join(c.of.LeftOut, " ") != tt.leftOut {
					t.Errorf("%v, %d pilots, %d launches, %q", r.length, pilots, r.Launches, c.of.LeftOut)
				}
				if plan := fmt.Sprintf(`"duration_ns":%d`, tt.length); tt.length > 0 && !strings.Contains(string(c.of.Sides[1].Plan), plan) {
					t.Errorf("%s, want %s", c.of.Sides[1].Plan, plan)
				}
				if tt.leftOut != "" && !slices.Contains(c.of.Doubts, tt.leftOut) {
					t.Errorf("%q", c.of.Doubts)
				}
				if len(c.of.Launches) > tt.launches || len(c.Doc.Members) != 2*len(c.of.Launches) {
					t.Errorf("%d launches, %d members", len(c.of.Launches), len(c.Doc.Members))
				}
				for i := range c.of.Rows {
					row, name := &c.of.Rows[i], c.of.Figures[i].Name
					if row.Outcome == setdoc.Unknown || strings.HasPrefix(name, "p") && (row.A == nil || row.B == nil) {
						t.Errorf("%s: %s, %s", name, row.Outcome, row.Absent)
					}
					if info := strings.HasPrefix(tt.leftOut, name+" "); info != (row.Outcome == setdoc.NotJudged) && name != "cpu_per_operation" {
						t.Errorf("%s: %s", name, row.Outcome)
					}
				}
				if wrong := contrast.Reread(&c.Doc); len(wrong) > 0 {
					t.Error(wrong)
				}
			})
		})
	}
}

// TestShortLaunchesAreMerged: a percentile that no launch has enough times for is that of several launches together, exactly;
// and it is judged where there are as many of these as it takes.
func TestShortLaunchesAreMerged(t *testing.T) {
	r := request(t.TempDir())
	r.Figures, r.Launches = []string{"p99", "rate"}, 30
	c, _, _ := comparisonOf(t, r, func(at int) *pair.Made {
		m := new(pair.Made)
		for side := range m.Docs {
			doc := messages(500 + 100*side)
			slow := timesOf(500+100*side, int64(1e6*(at+1))+int64(1e5*side*(at%3)))
			doc.ID, doc.Operations[0].ResponseTime, doc.Verdict.Validity = fmt.Sprint(at, side), slow, rundoc.Valid
			m.Docs[side] = doc
		}
		return m
	}, contrast.Analyze)
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for at, l := range c.of.Launches {
		v := l.Values[0][0]
		if at%2 == 0 && (v.Value != nil || !v.Merged || v.Why == "") {
			t.Errorf("launch %d: %+v", at+1, v)
		}
		// The slower of the two launches has the uppermost half of their times.
		if want := 1e6 * float64(at+1); at%2 == 1 && (v.Launches != 2 || v.Value == nil || math.Abs(*v.Value/want-1) > 0.002) {
			t.Errorf("launch %d: %+v, want %v", at+1, v, want)
		}
	}
	if row := c.of.Rows[0]; row.Launches != 15 || row.Outcome == setdoc.Unknown {
		t.Errorf("%+v", row)
	}
	const note = "p99 has 15 values from 30 launches after merging their times: too few times for a p99: 500, at least 1,000 are needed"
	if !slices.Contains(c.of.Doubts, note) {
		t.Errorf("%q", c.of.Doubts)
	}
	if wrong := append(contrast.Reread(&c.Doc), RereadMember(c.of, messages(500), figure.Known{})...); len(wrong) > 0 {
		t.Error(wrong)
	}
}
