package run

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

// goal is a goal of a kind that has a figure of its own.
func goal(t *testing.T, text string) threshold.Threshold {
	t.Helper()
	known := figure.Known{Own: []figure.Source{{Name: "lost", Unit: figure.Count,
		Number: func(*rundoc.Run, map[string]string) figure.Value { return figure.Value{Raw: 99} }}}}
	g, err := threshold.Parse(text, known)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// When the miss of a goal can be seen: what can be undone by nothing at once, what says how it will be after a while,
// and the rest at the end.
func TestWhenAThresholdMissIsFinal(t *testing.T) {
	for text, want := range map[string]seen{
		"max<1s": atOnce, "max>1s": atTheEnd, "min>1s": atOnce, "min<1s": atTheEnd, "connect.max<=1s": atOnce,
		"p99<1s": whileItGoes, "p99>1s": atTheEnd, "mean<=1s": whileItGoes, "mean>1s": atTheEnd,
		"service.p50<1s": whileItGoes, "send_delay.p99<1s": whileItGoes, "first_attempt.p99<1s": whileItGoes,
		"connect.p99<1s": whileItGoes,
		"failed<1%":      whileItGoes, "failed<=0": atOnce, "failed>1%": atTheEnd, "failed>=1": atTheEnd,
		"unsent<1%": whileItGoes, "unsent<10": atOnce, "unsent>10": atTheEnd,
		"unfinished<1": atTheEnd, "unfinished<1%": atTheEnd,
		"ok>99%": whileItGoes, "ok<99%": atTheEnd, "ok>100": atTheEnd, "ok<100": atTheEnd,
		"retries<10": atOnce, "retries>10": atTheEnd, "reconnects<=0": atOnce, "bytes<1MB": atOnce, "bytes>1MB": atTheEnd,
		"rate>10/s": whileItGoes, "rate<10/s": atTheEnd, "bytes_rate>=1MB/s": whileItGoes, "bytes_rate<1MB/s": atTheEnd,
		"lost<=0": atTheEnd,
	} {
		if got := whenSeen(goal(t, text), true); got != want {
			t.Errorf("%s: %v, not %v", text, got, want)
		}
	}
	for _, text := range []string{"rate>10/s", "bytes_rate>1MB/s"} { // the load is to rise, or is of one after the other
		if got := whenSeen(goal(t, text), false); got != atTheEnd {
			t.Errorf("%s of a load that changes: %v", text, got)
		}
	}
}

// lookAt shows a lookout a window that is so long, with a failure more than so many operations can have by chance or
// without.
func lookAt(l *lookout, at time.Duration, failed int64) bool {
	return l.misses(&rundoc.Run{
		Ledger:     rundoc.Ledger{WindowNS: int64(at)},
		Operations: []rundoc.Operation{{Name: "send", Scheduled: 1000, OK: 1000 - failed, Failed: failed}},
	})
}

// What may turn ends a run that has gone on for a second, when it was missed for half a second; what cannot, at the
// first look.
func TestWhenARunIsEnded(t *testing.T) {
	type look struct {
		at     time.Duration // ms
		failed int64
		ends   bool
	}
	for _, test := range []struct {
		name, goal string
		looks      []look
	}{
		{"from the start", "failed<1%", []look{{250, 100, false}, {500, 100, false}, {750, 100, false}, {1000, 100, true}}},
		{"from later on", "failed<1%", []look{{1000, 0, false}, {9250, 100, false}, {9500, 100, false}, {9750, 100, true}}},
		{"and met between", "failed<1%", []look{{5000, 100, false}, {5250, 0, false}, {5500, 100, false}, {5750, 100, false},
			{6000, 100, true}}},
		{"as few as chance makes", "failed<1%", []look{{5000, 15, false}, {6000, 15, false}, {9000, 15, false}}},
		{"for good", "failed<=0", []look{{250, 0, false}, {500, 1, true}}},
		{"what the end tells", "lost<=0", []look{{5000, 100, false}, {9000, 100, false}}},
	} {
		l := newLookout([]threshold.Threshold{goal(t, test.goal), goal(t, "max<1s")}, true)
		for _, look := range test.looks {
			if got := lookAt(l, look.at*time.Millisecond, look.failed); got != look.ends {
				t.Errorf("%s, after %v: ends %v", test.name, look.at*time.Millisecond, got)
			}
			if look.ends && l.missed != test.goal {
				t.Errorf("%s: %q ended it", test.name, l.missed)
			}
		}
	}
}

// A miss that the generator's own delay may be the reason of ends nothing: at the end, nobody can tell.
func TestTheGeneratorsDelayEndsNothing(t *testing.T) {
	slow, quick := rundoc.Summary{Count: 9, MaxNS: 90e6}, rundoc.Summary{Count: 9, MaxNS: 9e6}
	for _, test := range []struct {
		free rundoc.Summary
		ends bool
	}{{quick, false}, {slow, true}} {
		times := slow
		times.Free = &test.free
		l := newLookout([]threshold.Threshold{goal(t, "max<50ms")}, true)
		doc := &rundoc.Run{Operations: []rundoc.Operation{{Name: "send", OK: 9, Scheduled: 9, ResponseTime: times}}}
		if got := l.misses(doc); got != test.ends {
			t.Errorf("without its delay %v: ends %v", time.Duration(test.free.MaxNS), got)
		}
	}
}
