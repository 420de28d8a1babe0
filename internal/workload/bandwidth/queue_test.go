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

// TestStallIsInOneBlockOnly shows where the stall is and in nothing else.
func TestStallIsInOneBlockOnly(t *testing.T) {
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

// TestUploadTimeWithSlowResponses takes parts ÷ places × the time of an answer.
func TestUploadTimeWithSlowResponses(t *testing.T) {
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
