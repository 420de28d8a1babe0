package bandwidth

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// lateMemory is a store in parts whose memory comes late, so that the data is late.
type lateMemory struct {
	*partLab
	late map[int]time.Duration // of the block with this number
}

func (l *lateMemory) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	w, err := l.partLab.Create(ctx, path, size)
	return &lateWriter{Writer: w, late: l.late}, err
}

type lateWriter struct {
	store.Writer
	late  map[int]time.Duration
	block int
}

func (w *lateWriter) Vacant() float64 { return w.Writer.(store.Queue).Vacant() }

// Reserve returns memory after the delay of the block.
//
// synctest: called only inside a bubble.
func (w *lateWriter) Reserve(ctx context.Context, n int) ([][]byte, error) {
	time.Sleep(w.late[w.block])
	w.block++
	return w.Writer.Reserve(ctx, n)
}

// TestWaitForDataIsNotTheStoresTime: what an upload waits for its first block, or for one at a time when nothing is on its
// way, is not the store's, and is taken out. A wait beside a part on its way stays in, since nobody knows what it cost.
func TestWaitForDataIsNotTheStoresTime(t *testing.T) {
	const block = 16 * kib
	for name, c := range map[string]struct {
		late                  map[int]time.Duration
		size                  int64
		took, taken, heldUpBy time.Duration
	}{
		// 0.1 s to begin, four parts of 1 s in two places, 0.05 s to complete.
		"in time":   {nil, 4 * block, 2150 * time.Millisecond, 0, 0},
		"the first": {map[int]time.Duration{0: 3 * time.Second}, 4 * block, 2150 * time.Millisecond, 3 * time.Second, 0},
		"one file":  {map[int]time.Duration{0: 3 * time.Second}, block, time.Second, 3 * time.Second, 0},
		// Made from the start on, it is there after 3 s. From 0.1 s on it is waited for, one second of it beside two parts.
		"the third": {map[int]time.Duration{2: 3 * time.Second}, 4 * block, 4050 * time.Millisecond, 0,
			1450 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &lateMemory{&partLab{lab: newLab(), slabs: store.NewSlabs(block), part: block, block: block, active: 2,
				takes: func(int) time.Duration { return time.Second }}, c.late}
			defer l.slabs.Close()
			p := transferOf()
			p.Size, p.Block, p.Only, p.Repeat = c.size, block, OnlyUpload, 3
			o := execute(t, l, p, WholeFile, nil)
			if u := &o.Upload; u.Duration != 3*c.took || u.Taken != 3*c.taken || u.DataTime != 3*c.heldUpBy {
				t.Errorf("%s: it took %v, %v was taken out, %v waited for data; want three times %v, %v and %v", name,
					u.Duration, u.Taken, u.DataTime, c.took, c.taken, c.heldUpBy)
			}
		})
	}
}

// warmStore notes what it is asked to make ahead.
type warmStore struct {
	*lab
	asked store.Ahead
}

func (w *warmStore) MakeAhead(a store.Ahead) { w.asked = a }

// TestMakeAheadFillsFileContent: what is made ahead is what files hold but for their stamps.
func TestMakeAheadFillsFileContent(t *testing.T) {
	p, l := transferOf(), &warmStore{lab: newLab()}
	p.Streams = 3
	b := New(Config{Plan: p, Store: l})
	b.MakeAhead()
	if a := l.asked; a.Size != p.Size || a.Files != 3 || a.Most != mostAhead {
		t.Fatalf("%+v", a)
	}
	memory := make([]byte, 3*4096)
	l.asked.Fill(memory, 2*4096)
	if at := b.contentOf(0, 0).Compare(memory, 2*4096); at >= 0 {
		t.Errorf("byte %d is not what a file holds", at)
	}
	p.Only = OnlyDownload
	l.asked = store.Ahead{}
	if New(Config{Plan: p, Store: l}).MakeAhead(); l.asked.Fill != nil {
		t.Error("data was made for a run that uploads nothing")
	}
}
