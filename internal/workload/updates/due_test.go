package updates

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/rundoc"
)

// fate is what a broker did to a batch of the window, as it knows it: what came last counts.
type fate struct{ delivered, acknowledged bool }

// witness has a broker note the fate of each batch of the window.
func witness(t *testing.T, b *broker, fates func(n int) fate) map[delta.Header]fate {
	t.Helper()
	seen := map[delta.Header]fate{}
	final := &topic.Error{Cause: topic.CauseDenied, Final: true, Err: errors.New("no")}
	b.deliver = func(n int, m []byte) [][]byte {
		h, err := delta.ReadHeader(m)
		if err != nil {
			t.Error(err)
		}
		f := fates(n)
		if !h.Warmup {
			key := delta.Header{Publisher: h.Publisher, Sequence: h.Sequence}
			was := seen[key]
			seen[key] = fate{was.delivered || f.delivered, was.acknowledged || f.acknowledged}
		}
		if !f.delivered {
			return [][]byte{}
		}
		return [][]byte{m}
	}
	b.lose = func(n int, _ []byte) error {
		if fates(n).acknowledged {
			return nil
		}
		return final
	}
	return seen
}

// told is what a witness's notes come to.
func told(seen map[delta.Header]fate) (f rundoc.Fates) {
	for _, one := range seen {
		switch {
		case one.delivered:
			f.Received++
		case one.acknowledged:
			f.Lost++
		default:
			f.NeverPublished++
		}
	}
	return f
}

// TestFatesMatchTheBroker drops, refuses and keeps silent about batches.
func TestFatesMatchTheBroker(t *testing.T) {
	for name, edit := range map[string]func(*Plan){
		"two publishers": func(u *Plan) { u.Load.Retry.Max = 0 },
		"one, and one at a time": func(u *Plan) {
			u.Load.Retry.Max, u.Load.Clients, u.Load.Pipeline = 0, 1, 1
		},
		"at random":    func(u *Plan) { u.Load.Retry.Max, u.Load.Arrivals = 0, plan.Poisson },
		"deletes":      func(u *Plan) { u.Load.Retry.Max, u.HotKeys, u.Deletes = 0, 30, .3 },
		"no warm-up":   func(u *Plan) { u.Load.Retry.Max, u.Load.WarmupTime = 0, 0 },
		"with a retry": func(u *Plan) { u.Load.Retry.Max = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			l := short(edit)
			seen := witness(t, l.broker, func(n int) fate {
				return fate{delivered: n%3 != 1 && n%7 != 2, acknowledged: n%3 != 1 && n%11 != 4}
			})
			l.run(t)
			want := told(seen)
			if want.Received == 0 || want.Lost == 0 || want.NeverPublished == 0 {
				t.Fatalf("%+v: not all fates came", want)
			}
			if diff := cmp.Diff(want, l.work.Fates(Word{l.broker.server.run(), true})); diff != "" {
				t.Error(diff)
			}
			if want.Lost > l.proof.Lost {
				t.Errorf("the window lost %d, and the run %d", want.Lost, l.proof.Lost)
			}
			early := rundoc.Fates{Received: want.Received, Unknown: want.Lost + want.NeverPublished}
			if diff := cmp.Diff(early, l.work.Fates(Word{l.broker.server.run(), false})); diff != "" {
				t.Errorf("before the end: %s", diff)
			}
			silent := rundoc.Fates{Unknown: want.Received + want.Lost + want.NeverPublished}
			if diff := cmp.Diff(silent, l.work.Fates(Word{nil, true})); diff != "" {
				t.Errorf("without an answer: %s", diff)
			}
			due, err := rundoc.NewDueBatches(l.total(t).Scheduled, 1, nil, want)
			if err != nil || due.Unknown != want.Received || due.Untimed != want.Received || due.Lost != want.Lost ||
				due.NeverPublished != l.total(t).Scheduled-want.Received-want.Lost {
				t.Errorf("%+v, %v", due, err)
			}
		})
	}
}

// TestUnsentBatchesAreNeverPublished has a broker that takes too long for most of what is due.
func TestUnsentBatchesAreNeverPublished(t *testing.T) {
	l := short(func(u *Plan) { u.Load.Clients, u.Load.Pipeline = 1, 1 })
	l.plan.Load.Drain = time.Millisecond
	l.broker.takes = func(int) time.Duration { return 90 * time.Millisecond }
	seen := witness(t, l.broker, func(int) fate { return fate{true, true} })
	l.run(t)
	total, got := l.total(t), l.work.Fates(Word{l.broker.server.run(), true})
	if total.Unsent == 0 || got.Received != int64(len(seen)) {
		t.Fatalf("%d unsent; %+v, and the broker saw %d", total.Unsent, got, len(seen))
	}
	due, err := rundoc.NewDueBatches(total.Scheduled, math.MaxInt64, nil, got)
	if err != nil || due.NeverPublished != total.Scheduled-int64(len(seen)) || due.NeverPublished < total.Unsent {
		t.Errorf("%+v of %+v, %v", due, total, err)
	}
}
