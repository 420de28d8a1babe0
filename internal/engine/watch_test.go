package engine

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestInFlightIsAccurate checks both numbers in flight against the true one.
func TestInFlightIsAccurate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*lab, *Config)
		want   float64
	}{
		// 10 ms of every 40; behind a failure, too, the client is free.
		{"after a failure", func(l *lab, c *Config) {
			c.Load.ThinkTime = 30 * time.Millisecond
			l.fail = func(uint64, int) *op.Failure { return &op.Failure{Cause: "rejected", Final: true} }
		}, .5},
		// An operation that must first connect is in flight.
		{"while it connects", func(l *lab, c *Config) {
			c.Load.Retry.Max = 0
			l.connect = 900 * time.Millisecond
			l.fail = func(index uint64, _ int) *op.Failure {
				if index%10 == 0 {
					return &op.Failure{Cause: "closed"}
				}
				return nil
			}
		}, 2},
		// What is in flight behind the window is not the window's.
		{"in the drain", func(l *lab, c *Config) {
			c.Load.ThinkTime, c.Load.Drain, c.Load.Retry.Timeout = 30*time.Millisecond, time.Minute, time.Hour
			l.service = func(_ uint64, at time.Duration) time.Duration {
				if at > c.Load.Duration-50*time.Millisecond {
					return 40 * time.Second
				}
				return 10 * time.Millisecond
			}
		}, .5},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				config := Config{Load: load(), Workload: l}
				config.Load.Duration = 20 * time.Second
				c.change(l, &config)
				doc, _ := runWith(t, config, nil)
				if got := doc.Little.InFlightPredicted; math.Abs(got-c.want) > .02*c.want {
					t.Errorf("%v in flight, want %v", got, c.want)
				}
				for i, p := range doc.Series {
					if math.Abs(*p.InFlight-c.want) > .15*c.want {
						t.Errorf("%v in flight in second %d, want %v", *p.InFlight, i, c.want)
					}
				}
			})
		})
	}
}

// TestUsageIsOfTheWindow has a target that uses two processors' time from the first moment on.
func TestUsageIsOfTheWindow(t *testing.T) {
	for name, ramp := range map[string]time.Duration{"no ramp": 0, "a ramp": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				p := load()
				p.WarmupClients, p.WarmupTime, p.Ramp = 1, time.Second, ramp
				doc, r := runWith(t, Config{Load: p, Workload: l, TargetCPU: func() (user, system time.Duration) {
					ran := time.Since(l.made)
					return 2 * ran, ran / 2
				}}, nil)
				if doc.Target.CPUUserNS != 4e9 || doc.Target.CPUSystemNS != 1e9 {
					t.Errorf("the target used %v and %v",
						time.Duration(doc.Target.CPUUserNS), time.Duration(doc.Target.CPUSystemNS))
				}
				if r.Reading.Elapsed != 2*time.Second {
					t.Errorf("the usage of %v", r.Reading.Elapsed)
				}
			})
		})
	}
}

// TestEachWatchCanBeOff has the document say so and leave its figure out, and the run go on as ever. Its verdict is that
// of what was seen.
func TestEachWatchCanBeOff(t *testing.T) {
	for watch, want := range map[instrument.Watch]string{
		instrument.Hiccups: "hiccups", instrument.RunDelay: "run delay", instrument.Throttling: "throttling",
		instrument.Processors: "processors", instrument.GC: "garbage collection", instrument.Stamps: "kernel stamps",
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &stampedLab{lab: newLab()}
			doc, _ := runWith(t, Config{Load: load(), Workload: l, Meter: instrument.Config{Off: watch}}, nil)
			counts(t, total(t, doc), 400, 400, 0, 0, 0)
			g := doc.Generator
			if !slices.Contains(g.Unseen, want+": switched off") {
				t.Errorf("%s is off, and unseen is %q", want, g.Unseen)
			}
			for of, there := range map[instrument.Watch]bool{
				instrument.Hiccups: g.Hiccups != nil, instrument.RunDelay: g.RunDelayNS != nil,
				instrument.Throttling: g.ThrottledNS != nil, instrument.Processors: g.Processors != nil,
				instrument.Stamps: g.Stamps != nil && l.times != nil,
			} {
				if there && of == watch || !there && of != watch && runtime.GOOS == "linux" {
					t.Errorf("without %s: watch %b has a figure: %v", want, of, there)
				}
			}
			if unseen := rundoc.Judge(doc).Unseen; !slices.Contains(unseen, want+": switched off") {
				t.Errorf("without %s: the verdict does not mention it: %q", want, unseen)
			}
		})
	}
}

// TestGapsAppearInTimesAndSeries has a generator that does not run for half a second, by its own sleeper, beside
// answers without a stamp: what of their time lies in it is not the target's.
func TestGapsAppearInTimesAndSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.stamped = func(uint64, time.Duration) time.Duration { return 0 }
		l.service = func(index uint64, at time.Duration) time.Duration {
			if at >= time.Second {
				return 700 * time.Millisecond
			}
			return 100 * time.Millisecond
		}
		sleep := func(d time.Duration) {
			if at := time.Since(l.made); at >= 1100*time.Millisecond && at < 1110*time.Millisecond {
				d = 500 * time.Millisecond
			}
			time.Sleep(d)
		}
		// In fake time the process uses no CPU time: what the test needs of it in real time says nothing of the gap.
		meter := instrument.Config{Sleep: sleep, CPU: func() int64 { return 0 }}
		doc, _ := runWith(t, Config{Load: load(), Workload: l, Meter: meter}, nil)
		h := doc.Generator.Hiccups
		if h.Gaps != 1 || h.Long != 1 || h.GapsNS != 499e6 {
			t.Fatalf("%+v", h)
		}
		var series int64
		for _, p := range doc.Series {
			series += p.GapNS
		}
		if series != h.GapsNS {
			t.Errorf("the series has gaps of %v, the window of %v", time.Duration(series), time.Duration(h.GapsNS))
		}
		// Both clients had an operation from 1 s to 1.7 s, with all of the gap in it.
		about(t, "own time", doc.Generator.OwnTimeNS, 2*h.GapsNS, 0)
	})
}

// TestBlockedProgressDelaysNothing never comes back from telling.
func TestBlockedProgressDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		p := load()
		p.Duration = 20 * time.Second
		doc, _ := runWith(t, Config{Load: p, Workload: newLab(), Progress: func(Progress) { <-release }}, nil)
		counts(t, total(t, doc), 4000, 4000, 0, 0, 0)
		if len(doc.Series) != 20 {
			t.Fatalf("%d seconds", len(doc.Series))
		}
		for i, point := range doc.Series {
			// The two that end on the stroke belong to the next second, but for the last.
			want := int64(200)
			switch i {
			case 0:
				want = 198
			case 19:
				want = 202
			}
			if point.OK != want || point.P50NS == 0 {
				t.Errorf("second %d: %+v", i, point)
			}
		}
	})
}

// TestStopInTheDrainIsAnInterruption comes when the window has ended by itself.
func TestStopInTheDrainIsAnInterruption(t *testing.T) {
	for after, want := range map[time.Duration]bool{500 * time.Millisecond: true, 5 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.service = func(uint64, time.Duration) time.Duration { return 900 * time.Millisecond }
			p := load()
			p.Duration = 100 * time.Millisecond
			stop := make(chan struct{})
			timer := time.AfterFunc(after, func() { close(stop) })
			defer timer.Stop()
			doc := run(t, l, p, stop)
			counts(t, total(t, doc), 2, 2, 0, 0, 0)
			if doc.Interrupted != want {
				t.Errorf("stopped after %v: interrupted %v", after, doc.Interrupted)
			}
		})
	}
}
