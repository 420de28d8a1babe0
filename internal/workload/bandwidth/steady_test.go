package bandwidth

import (
	"context"
	"io"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// lanes is a lab that moves each file at a speed of its own.
type lanes struct {
	*lab
	block map[string]time.Duration // by path: how long a block takes, either way
}

func (l lanes) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	w, err := l.lab.Create(ctx, path, size)
	return laneWriter{w, l.block[path]}, err
}

type laneWriter struct {
	store.Writer
	block time.Duration
}

// Write takes the time of a block.
//
// synctest: called only inside a bubble.
func (w laneWriter) Write(ctx context.Context, n int) error {
	time.Sleep(w.block)
	return w.Writer.Write(ctx, n)
}

func (l lanes) Open(ctx context.Context, path string) (store.File, error) {
	f, err := l.lab.Open(ctx, path)
	return laneFile{f, l.block[path]}, err
}

type laneFile struct {
	store.File
	block time.Duration
}

func (f laneFile) Stream(ctx context.Context) (io.ReadCloser, error) {
	s, err := f.File.Stream(ctx)
	return laneStream{s, f.block}, err
}

type laneStream struct {
	io.ReadCloser
	block time.Duration
}

// Read takes the time of a block.
//
// synctest: called only inside a bubble.
func (s laneStream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if n > 0 {
		time.Sleep(s.block)
	}
	return n, err
}

// TestTimedStreamsDoNotWait: streams that are quick do not wait for the one that is slow, and what counts is what
// all of them moved while all were busy.
func TestTimedStreamsDoNotWait(t *testing.T) {
	for name, only := range map[string]string{"both ways": "", "uploads": OnlyUpload} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := lanes{newLab(), map[string]time.Duration{
					"/file": 10 * time.Millisecond, "/file-2": 11 * time.Millisecond, "/file-3": 97 * time.Millisecond,
				}}
				p := transferOf()
				p.Size = 160 * kib // ten blocks of one length: the speed is the same everywhere
				p.Streams, p.Repeat, p.Duration, p.Only = 3, 0, 8*time.Second, only
				phase := p.Duration / 2
				if only != "" {
					phase = p.Duration
				}
				o := execute(t, l, p, WholeFile, nil)
				rate := 0. // what the lanes carry
				for _, block := range l.block {
					rate += 16 * kib / block.Seconds()
				}
				for _, got := range []Transfer{o.Upload, o.Download} {
					if only != "" && got.Files == 0 {
						continue
					}
					s := got.Steady
					if s == nil {
						t.Fatalf("no steady part: %+v", got)
					}
					if s.From != phase/10 || s.Duration != phase-phase/10 {
						t.Errorf("what counts is %v, from %v on", s.Duration, s.From)
					}
					if share := float64(s.Bytes) / s.Duration.Seconds() / rate; math.Abs(share-1) > 1e-4 {
						t.Errorf("the rate is %.5f of what the lanes carry", share)
					}
					if got.Duration < phase || got.Duration > phase+970*time.Millisecond || got.Failed != 0 ||
						got.Bytes != got.Files*160*kib {
						t.Errorf("%+v", got)
					}
				}
				// The slowest moves a file in 0.97 s.
				if want := int(phase/(970*time.Millisecond)) + 1; o.Iterations != want {
					t.Errorf("each stream moved %d files at least, not %d", want, o.Iterations)
				}
				if o.Check.Bytes != o.Download.Bytes || o.Check.Wrong != 0 || len(l.files) != 0 {
					t.Errorf("%+v, %d files are left", o.Check, len(l.files))
				}
			})
		})
	}
}

// TestTimedDownloads reads the file that is there again and again.
func TestTimedDownloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := transferOf()
		p.Keep = true
		execute(t, l, p, WholeFile, nil)
		l.read = 5 * time.Millisecond
		p.Keep, p.Repeat, p.Duration, p.Only, p.Streams = false, 0, 2*time.Second, OnlyDownload, 2
		o := execute(t, l, p, WholeFile, nil)
		if o.Download.Steady == nil || o.Download.Files != 80 || o.Check.Bytes != 80*150*kib || len(l.files) != 1 {
			t.Errorf("%+v, %+v", o.Download, o.Check)
		}
	})
}

// TestFailureEndsTimedPhase: nothing is left, not even the file that the failed one was to replace, and no rate is made
// of a time in which a stream had given up.
func TestFailureEndsTimedPhase(t *testing.T) {
	for _, call := range []string{"create", "write", "close"} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.write, l.close = 10*time.Millisecond, time.Millisecond
			after := map[string]int{"create": 4, "write": 35, "close": 4}[call]
			l.fail = func(called string, n int) error {
				if called == call && n == after {
					return store.Fail(store.SlowDown, "the store is busy")
				}
				return nil
			}
			p := transferOf()
			p.Repeat, p.Duration = 0, 10*time.Second
			o := execute(t, l, p, WholeFile, nil)
			if o.Upload.Files != 3 || o.Upload.Failed != 1 || o.Upload.Steady != nil || o.Download.Files != 0 {
				t.Errorf("%s: %+v, %+v", call, o.Upload, o.Download)
			}
			if len(l.files) != 0 || len(o.Left) != 0 {
				t.Errorf("%s: %d files are left, %v", call, len(l.files), o.Left)
			}
		})
	}
}

// TestInterruptEndsTimedPhase: what was cut off is removed, and what it was to replace.
func TestInterruptEndsTimedPhase(t *testing.T) {
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.write = 100 * time.Millisecond
			p := transferOf()
			p.Repeat, p.Duration, p.Keep = 0, 10*time.Second, keep
			stop := make(chan struct{})
			time.AfterFunc(2380*time.Millisecond, func() { close(stop) })
			o := execute(t, l, p, WholeFile, stop)
			if o.Upload.Files != 2 || o.Upload.Steady != nil || o.Iterations != 0 {
				t.Errorf("%+v", o.Upload)
			}
			if keep && (len(l.files) != 1 || len(o.Notes) != 1) || !keep && len(l.files) != 0 {
				t.Errorf("keep %v: %d files, %v", keep, len(l.files), o.Notes)
			}
		})
	}
}

// TestTimedRunRenamesOnce: only the last file is renamed.
func TestTimedRunRenamesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.write, l.read = 10*time.Millisecond, 10*time.Millisecond
		p := transferOf()
		p.Repeat, p.Duration, p.Rename = 0, 2*time.Second, true
		o := execute(t, l, p, WholeFile, nil)
		if l.counts["rename"] != 1 || len(l.files) != 0 || o.Check.Bytes != 10*150*kib || o.Check.Wrong != 0 {
			t.Errorf("calls: %v, %d files, %+v", l.counts, len(l.files), o.Check)
		}
	})
}
