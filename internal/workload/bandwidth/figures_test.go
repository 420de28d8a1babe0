package bandwidth

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// slowMaker is a lab whose memory comes late, as if data were made slowly.
type slowMaker struct {
	*lab
	takes time.Duration
}

func (s *slowMaker) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	w, err := s.lab.Create(ctx, path, size)
	return &slowWriter{w, s.takes}, err
}

type slowWriter struct {
	store.Writer
	takes time.Duration
}

// Reserve takes the time of making the data.
//
// synctest: called only inside a bubble.
func (w *slowWriter) Reserve(ctx context.Context, n int) ([][]byte, error) {
	time.Sleep(w.takes)
	return w.Writer.Reserve(ctx, n)
}

// TestSlowDataCountsAsGenerator: data of 30 ms a block, written in 10 ms, holds up by 20 ms each
// time, and by 30 ms before the first block.
func TestSlowDataCountsAsGenerator(t *testing.T) {
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.write = 10 * time.Millisecond
			l.fail = func(call string, _ int) error {
				if call == "close" && fails {
					return errors.New("no")
				}
				return nil
			}
			u := execute(t, &slowMaker{l, 30 * time.Millisecond}, transferOf(), WholeFile, nil).Upload
			if u.DataTime != 210*time.Millisecond || u.StreamTime != 310*time.Millisecond ||
				u.BlockTime != 100*time.Millisecond {
				t.Errorf("failing: %v: %+v", fails, u)
			}
		})
	}
}

// settler is a lab with a cache.
type settler struct {
	*lab
	err error
}

func (s *settler) Settle(ctx context.Context, path string) error {
	s.mu.Lock()
	_, there := s.files[path]
	s.mu.Unlock()
	if !there {
		return errors.New(path + " is not there")
	}
	if err := s.call(ctx, "settle", 3*time.Second); err != nil {
		return err
	}
	return s.err
}

func TestSettlingACacheIsNotMeasured(t *testing.T) {
	for _, test := range []struct {
		only    string
		err     error
		settled int
		notes   int
	}{{"", nil, 4, 0}, {"", errors.New("stuck"), 4, 1}, {OnlyUpload, nil, 0, 0}} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.write, l.read = 10*time.Millisecond, 10*time.Millisecond
			p := transferOf()
			p.Streams, p.Repeat, p.Rename, p.Only = 2, 2, true, test.only
			o := execute(t, &settler{l, test.err}, p, WholeFile, nil)
			if l.counts["settle"] != test.settled || len(o.Notes) != test.notes {
				t.Errorf("%d settled, notes %q", l.counts["settle"], o.Notes)
			}
			if o.Upload.Duration != 200*time.Millisecond ||
				test.only == "" && o.Download.Duration != 200*time.Millisecond {
				t.Errorf("settling is in %v or %v", o.Upload.Duration, o.Download.Duration)
			}
		})
	}
}

// A file that is shorter than what was asked for is no smaller measurement, but none.
func TestInspectRejectsFileShorterThanAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := transferOf()
		p.Keep = true
		execute(t, l, p, WholeFile, nil)
		p.Keep, p.Only, p.Size = false, OnlyDownload, 150*kib+1
		err := New(Config{Plan: p, Store: l, Path: "/file", Policy: WholeFile, Active: 3, Compare: true,
			Hard: t.Context()}).Inspect(t.Context())
		if store.CauseOf(err) != store.Truncated ||
			!strings.Contains(err.Error(), "has 153600 bytes, fewer than the 153601 to be read") {
			t.Error(err)
		}
	})
}

// ending is a lab whose files end before their end.
type ending struct {
	*lab
	open, stream int64 // the size that is told, and the bytes that come
}

type endingFile struct {
	store.File
	of *ending
}

func (e *ending) Open(ctx context.Context, path string) (store.File, error) {
	f, err := e.lab.Open(ctx, path)
	return &endingFile{f, e}, err
}

func (f *endingFile) Size() int64 { return f.of.open }

func (f *endingFile) Stream(ctx context.Context) (io.ReadCloser, error) {
	s, err := f.File.Stream(ctx)
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(s, f.of.stream), s}, err
}

func TestTruncatedDownloadFails(t *testing.T) {
	for _, e := range []ending{{open: 149 * kib, stream: 150 * kib}, {open: 150 * kib, stream: 149 * kib},
		{open: 150 * kib, stream: 16 * kib}} {
		synctest.Test(t, func(t *testing.T) {
			e.lab = newLab()
			o := execute(t, &e, transferOf(), WholeFile, nil)
			if o.Download.Failed != 1 || o.Download.Bytes != 0 || store.CauseOf(o.Failure) != store.Truncated ||
				len(e.files) != 0 {
				t.Errorf("%+v: %v", o.Download, o.Failure)
			}
		})
	}
}
