package engine

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

// rows is a file of samples: its lines are numbers of attempts.
type rows struct{ strings.Builder }

func (r *rows) Close() error { return nil }

// sampled carries out a run that keeps samples, and counts them.
func sampled(t *testing.T, l *lab, p plan.Load) (*rundoc.Run, int64) {
	t.Helper()
	var file rows
	s := record.NewSamples(&file, "", func(b []byte, s *record.Sample) []byte {
		return append(strconv.AppendInt(b, s.Attempts, 10), '\n')
	}, func(err error) { t.Error(err) })
	doc, _ := runWith(t, Config{Load: p, Workload: l, Samples: s}, nil)
	if _, lost, err := s.Close(); lost != 0 || err != nil {
		t.Errorf("%d samples lost, %v", lost, err)
	}
	return doc, int64(strings.Count(file.String(), "\n"))
}

// TestOperationsInFlightAfterTheRampAreCarried has two arrivals in the ramp, at 0 and √½ s, and
// eight in the window, at 1, 1.25, … 2.75 s; each takes 900 ms.
func TestOperationsInFlightAfterTheRampAreCarried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(uint64, time.Duration) time.Duration { return 900 * time.Millisecond }
		p := load()
		p.Clients, p.Rate, p.Ramp = 5, 4, time.Second
		doc, samples := sampled(t, l, p)
		o := total(t, doc)
		counts(t, o, 8, 8, 0, 0, 0)
		// The second of the ramp ends in the window's first second, and three of the window's
		// own in the drain.
		if o.Carried != 1 || o.RatePerS != 3 || samples != 8 {
			t.Errorf("%d carried, %v a second, %d samples", o.Carried, o.RatePerS, samples)
		}
		if s := doc.Series; len(s) != 2 || s[0].OK != 2 || s[1].OK != 4 {
			t.Errorf("series %+v", s)
		}
		carried := 1.9 - 1 - (1 - math.Sqrt(.5))
		if want := (carried + 5*.9 + .75 + .5 + .25) / 2; math.Abs(doc.Little.InFlightPredicted-want) > .001 {
			t.Errorf("%v in flight, want %v", doc.Little.InFlightPredicted, want)
		}
	})
}

// TestSamplesNameTheirPhases counts the rows of each phase against what the phases had.
func TestSamplesNameTheirPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load()
		p.Clients, p.Rate, p.Ramp, p.WarmupClients, p.WarmupTime = 5, 100, time.Second, 2, time.Second
		var file rows
		s := record.NewSamples(&file, "", func(b []byte, s *record.Sample) []byte {
			return append(append(b, s.Phase...), '\n')
		}, func(err error) { t.Error(err) })
		doc, _ := runWith(t, Config{Load: p, Workload: newLab(), Samples: s, AllSamples: true}, nil)
		if _, lost, err := s.Close(); lost != 0 || err != nil {
			t.Errorf("%d samples lost, %v", lost, err)
		}
		var counted int
		for _, phase := range doc.Phases {
			n := strings.Count(file.String(), phase.Name+"\n")
			if counted += n; int64(n) != phase.Operations || phase.Name == rundoc.PhaseWarmup && n == 0 {
				t.Errorf("%s: %d rows of %d", phase.Name, n, phase.Operations)
			}
		}
		if all := strings.Count(file.String(), "\n"); all != counted {
			t.Errorf("%d rows, %d of a phase", all, counted)
		}
	})
}

// TestErrorIfEarlierPhasesTakeAllOperations leaves no operation to the window.
func TestErrorIfEarlierPhasesTakeAllOperations(t *testing.T) {
	for phase, change := range map[string]func(*plan.Load){
		"warm-up": func(p *plan.Load) { p.WarmupClients, p.WarmupTime = 2, time.Second },
		"ramp":    func(p *plan.Load) { p.Ramp = time.Second },
	} {
		t.Run(phase, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				alarms := wake.NewPortable()
				defer alarms.Close()
				p := load()
				p.Duration, p.Operations = 0, 50
				change(&p)
				_, err := Run(t.Context(), nil, Config{Load: p, Workload: newLab(), Alarms: alarms})
				if fault.CodeOf(err) != fault.Usage ||
					!strings.Contains(err.Error(), "the "+phase+" used all 50 operations") {
					t.Errorf("error %v, code %d", err, fault.CodeOf(err))
				}
			})
		})
	}
}

// TestAttemptsKnowIfTheyAreMeasured: warm-up and ramp are not, and retries are as their operation is.
func TestAttemptsKnowIfTheyAreMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for name, c := range map[string]struct {
		rate  float64
		sends func(uint64) sending
	}{
		"closed":               {},
		"open":                 {rate: 100},
		"open, sent by alarms": {rate: 100, sends: func(index uint64) sending { return sending(index % 3) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.sends = c.sends
				l.fail = func(index uint64, attempt int) *op.Failure {
					if index%4 == 0 && attempt == 1 {
						return &op.Failure{Cause: "busy"}
					}
					return nil
				}
				p := load()
				p.Clients, p.Rate, p.Ramp, p.WarmupClients, p.WarmupTime = 5, c.rate, time.Second, 2, time.Second
				o := total(t, run(t, l, p, nil))
				all, measured := l.attempts.Load(), l.measured.Load()
				if measured != o.Attempts || o.Retries == 0 || measured >= all {
					t.Errorf("%d of %d attempts were the window's, but the document has %d, %d of them retries",
						measured, all, o.Attempts, o.Retries)
				}
			})
		})
	}
}
