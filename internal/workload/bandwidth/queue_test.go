package bandwidth

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// partLab is a lab whose files are written in parts, each of which takes a known time.
type partLab struct {
	*lab
	slabs  *store.Slabs
	part   int64
	block  int64
	active int
	takes  func(part int) time.Duration
}

func (l *partLab) Create(ctx context.Context, _ string, size int64) (store.Writer, error) {
	if err := l.call(ctx, "create", l.create); err != nil {
		return nil, err
	}
	return store.NewPartWriter(ctx, l, l.slabs, size, l.part, l.block, l.active), nil
}

func (l *partLab) PutWhole(ctx context.Context, _ *store.Part) error {
	return l.call(ctx, "whole", l.takes(1))
}
func (l *partLab) Begin(ctx context.Context) error { return l.call(ctx, "begin", 100*time.Millisecond) }
func (l *partLab) PutPart(ctx context.Context, p *store.Part) error {
	return l.call(ctx, "part", l.takes(p.Number))
}
func (l *partLab) Complete(ctx context.Context, _ int) error {
	return l.call(ctx, "complete", 50*time.Millisecond)
}
func (l *partLab) Abort(ctx context.Context) error { return l.call(ctx, "abort", 0) }

// uploaded is the time of each block, and of close, of a file of 16 blocks.
func uploaded(t *testing.T, part int64, active int, takes func(part int) time.Duration) (blocks []time.Duration,
	end time.Duration, o outcome) {
	t.Helper()
	const block = 16 * kib
	l := &partLab{lab: newLab(), slabs: store.NewSlabs(part), part: part, block: block, active: active, takes: takes}
	defer l.slabs.Close()
	p := transferOf()
	p.Size, p.Block, p.Only = 16*block, block, OnlyUpload
	o = execute(t, l, p, WholeFile, nil)
	for _, r := range o.rows {
		switch r.Operation {
		case "upload-block":
			blocks = append(blocks, r.Duration)
		case "close-upload":
			end = r.Duration
		}
	}
	return blocks, end, o
}

// TestAQueueOfTwo is an upload as the writer of a stream sees it: blocks cost nothing until
// both places are taken, then one of them waits for a part to leave, and close for the rest.
func TestAQueueOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocks, end, o := uploaded(t, 64*kib, 2,
			func(part int) time.Duration { return time.Duration(part) * 10 * time.Second })
		// Parts end after 0.1 (begun by block 4) + 10, 20, 10.1 + 30 and 20.1 + 40 s.
		for i, d := range blocks {
			want := time.Duration(0)
			switch i {
			case 3: // the upload begins
				want = 100 * time.Millisecond
			case 11: // the first part leaves
				want = 10 * time.Second
			case 15: // the second one does
				want = 10 * time.Second
			}
			if d != want {
				t.Errorf("block %d took %v, want %v", i, d, want)
			}
		}
		if want := 40*time.Second + 50*time.Millisecond; end != want {
			t.Errorf("close took %v, want %v", end, want)
		}
		if want := 60*time.Second + 150*time.Millisecond; o.Upload.Duration != want || o.Upload.StreamTime != want {
			t.Errorf("the upload took %v, want %v", o.Upload.Duration, want)
		}
	})
}

// TestAStallInOnePart shows where the stall is and in nothing else.
func TestAStallInOnePart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocks, end, o := uploaded(t, 16*kib, 1, func(part int) time.Duration {
			if part == 5 {
				return 2 * time.Second
			}
			return 10 * time.Millisecond
		})
		for i, d := range blocks {
			want := 10 * time.Millisecond // each waits for the one before
			switch i {
			case 0:
				want = 100 * time.Millisecond
			case 5:
				want = 2 * time.Second
			}
			if d != want {
				t.Errorf("block %d took %v, want %v", i, d, want)
			}
		}
		if want := 100*time.Millisecond + 15*10*time.Millisecond + 2*time.Second +
			50*time.Millisecond; o.Upload.Duration != want || end != 60*time.Millisecond {
			t.Errorf("the upload took %v, want %v; close %v", o.Upload.Duration, want, end)
		}
	})
}

// TestAStoreThatAnswersLate takes parts ÷ places × the time of an answer.
func TestAStoreThatAnswersLate(t *testing.T) {
	for places, want := range map[int]time.Duration{1: 1600 * time.Millisecond, 4: 400 * time.Millisecond,
		16: 100 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			_, _, o := uploaded(t, 16*kib, places, func(int) time.Duration { return 100 * time.Millisecond })
			if got := o.Upload.Duration - 150*time.Millisecond; got != want {
				t.Errorf("%d places: %v, want %v", places, got, want)
			}
		})
	}
}

// TestAPartThatFails has the upload given up, and nothing left behind.
func TestAPartThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &partLab{lab: newLab(), slabs: store.NewSlabs(16 * kib), part: 16 * kib, block: 16 * kib, active: 4}
		defer l.slabs.Close()
		l.takes = func(int) time.Duration { return 10 * time.Millisecond }
		l.fail = func(call string, n int) error {
			if call == "part" && n == 6 {
				return store.Fail(store.SlowDown, "busy")
			}
			return nil
		}
		o := execute(t, l, transferOf(), WholeFile, nil)
		if l.counts["abort"] != 1 || l.counts["complete"] != 0 || o.Upload.Failed != 1 || o.Upload.Bytes != 0 {
			t.Errorf("calls: %v, %+v", l.counts, o.Upload)
		}
		if o.Failure == nil || store.CauseOf(o.Failure) != store.SlowDown {
			t.Errorf("failed at %s with %v", o.FailedAt, o.Failure)
		}
	})
}

// TestAWaitForDataCountsByWhatStandsEmpty makes the data late.
func TestAWaitForDataCountsByWhatStandsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &vacancies{}
		u := &uploading{writer: busy, made: make(chan madeBlock, 1), clock: &idleClock{}}
		for _, share := range []float64{1, 0.5, 0} {
			busy.share = share
			time.AfterFunc(time.Second, func() { u.made <- madeBlock{n: 1} })
			u.next()
		}
		if want := 1500 * time.Millisecond; u.waited != want {
			t.Errorf("waited %v, want %v", u.waited, want)
		}
		u = &uploading{writer: struct{ store.Writer }{}, made: u.made, clock: u.clock}
		time.AfterFunc(time.Second, func() { u.made <- madeBlock{n: 1} })
		if u.next(); u.waited != time.Second {
			t.Errorf("without a queue: waited %v", u.waited)
		}
	})
}

// vacancies is a writer of whose places this share is empty.
type vacancies struct {
	store.Writer
	share float64
}

func (v *vacancies) Vacant() float64 { return v.share }
