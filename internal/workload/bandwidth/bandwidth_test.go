package bandwidth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

const kib = 1 << 10

// transferOf is a plan of ten blocks of 16 KiB, the last of them shorter.
func transferOf() Plan {
	return Plan{
		Size: 150 * kib, Block: 16 * kib, Streams: 1, Repeat: 1,
		Data: DataRandom, Checksum: ChecksumCRC32C,
		Load: plan.Load{
			Seed: 7, Clients: 1, Pipeline: 1, Drain: 5 * time.Second,
			Retry: plan.Retry{Timeout: time.Hour, MaxBackoff: time.Second},
		},
	}
}

// An outcome holds the results of a run.
type outcome struct {
	Result
	doc  *rundoc.Run
	rows []Row
}

// execute carries out a plan in fake time and checks the invariants of its document.
func execute(t *testing.T, l store.Store, p Plan, policy Policy, stop <-chan struct{}, objects ...store.Object) outcome {
	t.Helper()
	alarms := wake.NewPortable()
	defer alarms.Close()
	var o outcome
	p.Load.Clients = p.Streams
	b := New(Config{
		Plan: p, Store: l, Path: "/file", Policy: policy, Active: 3, Compare: true, Hard: context.Background(),
		Objects: objects,
		Row:     func(r Row) { o.rows = append(o.rows, r) },
	})
	if p.Only == OnlyDownload && len(objects) == 0 {
		if err := b.Inspect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	b.Begin()
	r, err := engine.Run(t.Context(), stop, engine.Config{Load: p.Load, Workload: b, Alarms: alarms})
	if err != nil {
		t.Fatal(err)
	}
	if o.doc, err = r.Document(); err != nil {
		t.Fatal(err)
	}
	runtest.CheckInvariants(t, o.doc)
	o.Result = b.Result()
	return o
}

func (o *outcome) operations() (list []string) {
	for _, r := range o.rows {
		list = append(list, r.Operation)
	}
	return list
}

func TestFileIsUploadedDownloadedAndDeleted(t *testing.T) {
	for _, policy := range []Policy{WholeFile, Sequential, Random, Vector, Prefetch} {
		for _, kind := range []string{DataRandom, DataText, DataZero} {
			if kind != DataRandom && policy != WholeFile {
				continue // how it is read has nothing to do with what it holds
			}
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.create, l.write, l.close, l.open, l.read = 40*time.Millisecond, 10*time.Millisecond, time.Second,
					20*time.Millisecond, 5*time.Millisecond
				p := transferOf()
				p.Data = kind
				o := execute(t, l, p, policy, nil)
				if o.Upload.Files != 1 || o.Upload.Failed != 0 || o.Upload.Bytes != 150*kib ||
					o.Upload.Duration != 1140*time.Millisecond || o.Upload.CloseTime != time.Second ||
					o.Upload.BlockTime != 100*time.Millisecond || o.Upload.StreamTime != o.Upload.Duration {
					t.Errorf("%s: upload: %+v", policy, o.Upload)
				}
				if o.Download.Files != 1 || o.Download.Bytes != 150*kib || o.Iterations != 1 {
					t.Errorf("%s: download: %+v", policy, o.Download)
				}
				if o.Check.Bytes != 150*kib || o.Check.Wrong != 0 {
					t.Errorf("%s, %s: %+v", policy, kind, o.Check)
				}
				if len(l.files) != 0 || len(o.Left) != 0 {
					t.Errorf("left behind: %v", o.Left)
				}
				if want := 1 + 10 + 1 + 1 + 10 + 1 + 1; len(o.rows) != want {
					t.Errorf("%d operations, want %d: %v", len(o.rows), want, o.operations())
				}
				want := map[Policy]time.Duration{ // three ranges at a time, ten blocks
					Random: 70 * time.Millisecond, Vector: 40 * time.Millisecond, Prefetch: 40 * time.Millisecond,
				}
				if d := o.Download.Duration; want[policy] != 0 && d != want[policy] {
					t.Errorf("%s: the download took %v, want %v", policy, d, want[policy])
				}
				if policy.ranged() && policy != Random && l.most != 3 {
					t.Errorf("%s: %d ranges at the same time", policy, l.most)
				}
				first := slices.Sorted(slices.Values(l.asked[:min(3, len(l.asked))]))
				if inOrder := slices.Equal(first, []string{"0", "16384", "32768"}); policy.ranged() &&
					inOrder == (policy == Random) {
					t.Errorf("%s: asked for %v", policy, l.asked)
				}
			})
		}
	}
}

// TestRows are those that a CSV is made of.
func TestRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.write, l.read, l.close = time.Millisecond, time.Millisecond, 3*time.Millisecond
		p := transferOf()
		p.Size, p.Block, p.Rename = 24*kib, 16*kib, true
		o := execute(t, l, p, Prefetch, nil)
		ms := time.Millisecond
		want := []Row{
			{"create-file", 1, 1, 0, 0, 0, 0, ""},
			{"upload-block", 1, 1, 16 * kib, 16 * kib, 0, ms, ""},
			{"upload-block", 1, 1, 8 * kib, 24 * kib, ms, ms, ""},
			{"close-upload", 1, 1, 0, 24 * kib, 2 * ms, 3 * ms, ""},
			{"rename", 1, 1, 0, 0, 5 * ms, 0, ""},
			{"open-for-download", 1, 1, 0, 0, 5 * ms, 0, ""},
			{"download-block", 1, 1, 16 * kib, 16 * kib, 5 * ms, ms, ""},
			{"download-block", 1, 1, 8 * kib, 24 * kib, 6 * ms, 0, ""},
			{"close-download", 1, 1, 0, 24 * kib, 6 * ms, 0, ""},
			{"delete-file", 1, 1, 0, 0, 6 * ms, 0, ""},
		}
		if diff := cmp.Diff(want, o.rows); diff != "" {
			t.Error(diff)
		}
		if l.counts["rename"] != 1 || len(l.files) != 0 {
			t.Errorf("calls: %v, files: %d", l.counts, len(l.files))
		}
	})
}

func TestStreamsWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.write, l.read = 10*time.Millisecond, 10*time.Millisecond
		p := transferOf()
		p.Streams, p.Repeat = 3, 2
		// The second stream's writes are slow in its first file.
		l.fail = func(call string, n int) error {
			if call == "write" && n == 2 {
				time.Sleep(time.Second)
			}
			return nil
		}
		o := execute(t, l, p, WholeFile, nil)
		if o.Upload.Files != 6 || o.Upload.Bytes != 6*150*kib || o.Iterations != 2 {
			t.Errorf("%+v", o.Upload)
		}
		var lastUpload, firstOpen time.Duration
		for _, r := range o.rows {
			if r.Iteration != 1 {
				continue
			}
			switch r.Operation {
			case "close-upload":
				lastUpload = max(lastUpload, r.Start+r.Duration)
			case "open-for-download":
				if firstOpen == 0 || r.Start < firstOpen {
					firstOpen = r.Start
				}
			}
		}
		if lastUpload != 1100*time.Millisecond || firstOpen < lastUpload {
			t.Errorf("a download began at %v, before the last upload ended at %v", firstOpen, lastUpload)
		}
		if want := []Iteration{{Bytes: 450 * kib, Duration: 1100 * time.Millisecond},
			{Bytes: 450 * kib, Duration: 100 * time.Millisecond, From: 1200 * time.Millisecond}}; !cmp.Equal(want, o.Upload.Iterations) {
			t.Errorf("iterations: %v", o.Upload.Iterations)
		}
		if o.Upload.Duration != 1200*time.Millisecond {
			t.Errorf("the uploads took %v", o.Upload.Duration)
		}
	})
}

func TestFailureLeavesNoFiles(t *testing.T) {
	broken := store.Fail(store.SlowDown, "the store is busy")
	for _, test := range []struct {
		call    string
		n       int
		aborted int
		last    string
	}{
		{"create", 1, 0, "create-file"},
		{"write", 3, 1, "upload-block"},
		{"close", 1, 1, "close-upload"},
		{"open", 1, 0, "delete-file"},
		{"read", 4, 0, "delete-file"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.fail = func(call string, n int) error {
				if call == test.call && n == test.n {
					return broken
				}
				return nil
			}
			p := transferOf()
			p.Repeat = 5
			o := execute(t, l, p, WholeFile, nil)
			if len(l.files) != 0 || l.counts["abort"] != test.aborted {
				t.Errorf("%s: %d files left, %d uploads aborted", test.call, len(l.files), l.counts["abort"])
			}
			if got := o.rows[len(o.rows)-1].Operation; got != test.last || o.Iterations != 1 {
				t.Errorf("%s: the last operation was %s, in iteration %d", test.call, got, o.Iterations)
			}
			if o.Upload.Failed+o.Download.Failed != 1 || o.Download.Files != 0 {
				t.Errorf("%s: %+v, %+v", test.call, o.Upload, o.Download)
			}
			total, err := o.doc.Totals()
			if err != nil || total.Failed != 1 || total.Causes[0].Cause != store.SlowDown {
				t.Errorf("%s: %+v, %v", test.call, total.Causes, err)
			}
		})
	}
}

func TestDownloadFindsCorruptByte(t *testing.T) {
	places := []int{0, 31, 4096, 150*kib - 1}
	for _, policy := range []Policy{WholeFile, Vector} {
		for _, at := range places {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.fail = func(call string, _ int) error {
					if call == "open" {
						l.files["/file"][at] ^= 0x10
					}
					return nil
				}
				o := execute(t, l, transferOf(), policy, nil)
				if text := o.Check.Mismatch(transferOf().Block, ""); !strings.HasPrefix(text, fmt.Sprintf("byte %d ", at)) {
					t.Errorf("%s: byte %d: %q", policy, at, text)
				}
			})
		}
	}
}

func TestInterruptLeavesNoFiles(t *testing.T) {
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.create, l.write = 50*time.Millisecond, 100*time.Millisecond
			p := transferOf()
			p.Keep = keep
			stop := make(chan struct{})
			time.AfterFunc(380*time.Millisecond, func() { close(stop) })
			o := execute(t, l, p, WholeFile, stop)
			if !o.doc.Interrupted || l.counts["abort"] != 1 || l.counts["write"] != 4 || len(l.files) != 0 {
				t.Errorf("interrupted: %v, calls: %v", o.doc.Interrupted, l.counts)
			}
			if o.Upload.Files != 0 || o.Upload.Bytes != 0 || o.Upload.Duration != 0 || len(o.Upload.Iterations) != 0 {
				t.Errorf("what was not completed counts: %+v", o.Upload)
			}
		})
	}
}

func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := transferOf()
		p.Keep, p.Streams = true, 2
		o := execute(t, l, p, WholeFile, nil)
		if len(l.files) != 2 || len(o.Left) != 2 || l.counts["delete"] != 0 {
			t.Errorf("%d files, left: %v", len(l.files), o.Left)
		}
		// What is kept can be read and compared by a later run.

		p.Only, p.Keep, p.Streams, p.Size = OnlyDownload, false, 1, 0
		p.Load.Seed = 99
		o = execute(t, l, p, Prefetch, nil)
		if o.Check.Bytes != 150*kib || o.Check.Wrong != 0 || len(l.files) != 2 || o.Upload.Files != 0 {
			t.Errorf("%+v, %d files", o.Check, len(l.files))
		}
	})
}

func TestDurationEndsIterations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.close = time.Second
		p := transferOf()
		p.Repeat, p.Duration, p.Only = 0, 3500*time.Millisecond, OnlyUpload
		o := execute(t, l, p, WholeFile, nil)
		if o.Iterations != 4 || o.Upload.Files != 4 || o.Download.Files != 0 || l.counts["open"] != 0 {
			t.Errorf("%d iterations, %+v", o.Iterations, o.Upload)
		}
	})
}

func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := transferOf()
		p.Flush = true
		o := execute(t, l, p, WholeFile, nil)
		if l.counts["flush"] != 10 || len(o.Notes) != 0 {
			t.Errorf("%d flushes, %v", l.counts["flush"], o.Notes)
		}
		l = newLab()
		l.fail = func(call string, _ int) error {
			if call == "flush" {
				return store.Fail(store.Unsupported, "no")
			}
			return nil
		}
		o = execute(t, l, p, WholeFile, nil)
		if l.counts["flush"] != 1 || len(o.Notes) != 1 || o.Upload.Files != 1 {
			t.Errorf("%d flushes, %v", l.counts["flush"], o.Notes)
		}
	})
}

func TestEmptyFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := transferOf()
		p.Size = 0
		for _, policy := range []Policy{WholeFile, Random, Vector} {
			o := execute(t, l, p, policy, nil)
			if o.Upload.Files != 1 || o.Download.Files != 1 || len(o.rows) != 5 {
				t.Errorf("%v", o.operations())
			}
		}
	})
}
