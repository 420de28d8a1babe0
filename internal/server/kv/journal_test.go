package kv

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// journaled runs a server with a journal in dir over messages, and gives what it says of run 9.
func journaled(t *testing.T, dir string, messages ...[]byte) (r kvapi.Run, notes []string) {
	t.Helper()
	t.Run("server", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			s := inMemory(t, m, func(c *Config) { c.Journal = dir })
			m.publish(messages...)
			synctest.Wait()
			r, notes = runState(t, s, 9), s.notes
		})
	})
	return r, notes
}

func TestJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "journal")
	messages, want := generated(t, hot(100), 9, 2, 40)
	first, _ := journaled(t, dir, messages...)
	again, notes := journaled(t, dir, messages[3], []byte("nonsense"))
	// The journal's order is another one, so that other rows are stale.
	if *again.State != want || again.Rows.Applied+again.Rows.Stale != first.Rows.Applied+first.Rows.Stale {
		t.Errorf("the state was %+v, %+v, and is %+v, %+v", first.State, first.Rows, again.State, again.Rows)
	}
	if again.Rows.Duplicate != 100 || again.Instance == first.Instance {
		t.Errorf("%+v", again)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "40 batches") {
		t.Errorf("%q", notes)
	}
	if times := again.Times; times == nil || len(times.Stages) != 0 {
		t.Errorf("what was recovered is in the times: %+v", times)
	}
}

// TestTornJournal cuts the journal off at each byte of its begin and of its last two batches: what
// is whole is kept, and the next batch is
// written behind it.
func TestTornJournal(t *testing.T) {
	dir := t.TempDir()
	var messages [][]byte
	for n := range 3 {
		messages = append(messages, message(t, from(9, 0, uint64(n)), update(fmt.Sprint("k", n), "v", 1)))
	}
	journaled(t, dir, messages...)
	name := filepath.Join(dir, journalName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const begin = len(journalMagic)
	size := (len(whole) - begin) / 3
	for cut := range len(whole) + 1 {
		if cut > begin && cut < begin+size { // the first batch is like the others
			continue
		}
		if err := os.WriteFile(name, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		wantBatches, wantTorn := 0, cut
		if cut >= begin {
			wantBatches, wantTorn = (cut-begin)/size, (cut-begin)%size
		}
		j, torn, batches := reopen(t, dir)
		if batches != wantBatches || torn != int64(wantTorn) {
			t.Errorf("cut at %d: %d batches, %d bytes cut off", cut, batches, torn)
		}
		if err := j.append([]*work{{payload: messages[2]}}); err != nil {
			t.Fatal(err)
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
		j, torn, batches = reopen(t, dir)
		if batches != wantBatches+1 || torn != 0 {
			t.Errorf("cut at %d, and written: %d batches, %d bytes cut off", cut, batches, torn)
		}
		_ = j.close()
	}
}

func reopen(t *testing.T, dir string) (j *journal, torn int64, batches int) {
	t.Helper()
	j, torn, err := openJournal(dir, true, func(m []byte) error {
		_, _, err := delta.Decode(m, nil)
		if err == nil {
			batches++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return j, torn, batches
}

// TestAJournalThatDoesNotFitTheMemory is refused: its last batch was acknowledged, and is not cut off
// as one that was being written.
func TestAJournalThatDoesNotFitTheMemory(t *testing.T) {
	dir := t.TempDir()
	journaled(t, dir, message(t, from(9, 0, 0), update("small", "v", 1)),
		message(t, from(9, 0, 1), update("large", strings.Repeat("x", 3<<20), 1)))
	before, err := os.Stat(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory()
	cfg := Default()
	cfg.Subscription, cfg.Journal = "test", dir
	s, err := New(cfg, Source{Topic: m, URL: "memory://test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	allow(s, 1<<20)
	err = s.Listen(t.Context())
	if fault.CodeOf(err) != fault.RunFailed || !strings.Contains(fmt.Sprint(err), "does not fit") {
		t.Errorf("%v", err)
	}
	if err := s.Serve(t.Context()); err != nil {
		t.Error(err)
	}
	after, err := os.Stat(filepath.Join(dir, journalName))
	if err != nil || after.Size() != before.Size() || after.Size() < 3<<20 {
		t.Errorf("the journal had %d bytes, and has %d, %v", before.Size(), after.Size(), err)
	}
}

func TestJournalInUse(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := reopen(t, dir)
	defer j.close()
	if _, _, err := openJournal(dir, false, nil); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second server got the journal: %v", err)
	}
}

// TestFullDisk: what cannot be written is not acknowledged, and comes again.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	if info, err := full.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Skipf("/dev/full is not the device: %v, %v", info, err)
	}
	dir := t.TempDir()
	messages, want := generated(t, hot(100), 9, 2, 30)
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.Journal = dir })
		s.journal.mu.Lock()
		disk := s.journal.file
		s.journal.file = full
		s.journal.mu.Unlock()
		m.publish(messages...)
		synctest.Wait()
		var h health
		if status := get(t, s, "/health", &h); status != 503 ||
			!strings.Contains(strings.Join(h.Problems, " "), "no space left") {
			t.Errorf("%d: %+v", status, h)
		}
		if r := runState(t, s, 9); r.Refused != 30 || !strings.Contains(r.Refusal, "no space left") || r.Full {
			t.Errorf("the run is told of %d that were refused, %q, full %v", r.Refused, r.Refusal, r.Full)
		} else if r.Partial.Batches == 0 || r.Partial.Updates < r.State.Live+r.State.Tombstones ||
			r.Rows != (kvapi.Rows{}) {
			t.Errorf("what is there of them is %+v, %+v", r.Partial, r.State)
		}
		if _, unacked := m.waiting(); unacked != 30 {
			t.Errorf("%d of 30 batches are not acknowledged", unacked)
		}
		s.journal.mu.Lock()
		s.journal.file, s.journal.broken = disk, nil // there is room again
		s.journal.mu.Unlock()
		m.redeliver(nil)
		synctest.Wait()
		if r := checkRun(t, s, 9, 30, 3000, want); r.Partial != (kvapi.Partial{}) {
			t.Errorf("all was received, and %+v", r.Partial)
		}
		if status := get(t, s, "/health", nil); status != 200 {
			t.Errorf("health %d", status)
		}
		_ = full.Close()
	})
	again, _ := journaled(t, dir)
	if *again.State != want {
		t.Errorf("recovered: %+v, want %+v", again.State, want)
	}
}

// faulty is the file of a journal of which a call fails, and perhaps all after it.
type faulty struct {
	journalFile
	err   error
	at    int // the call, from 1 on; 0: none
	after bool
	half  bool // a write that fails writes half of what it was given
	calls []string
}

func (f *faulty) fails(call string) error {
	f.calls = append(f.calls, call)
	if n := len(f.calls); n == f.at || f.after && f.at > 0 && n > f.at {
		return &fs.PathError{Op: call, Path: journalName, Err: f.err}
	}
	return nil
}

func (f *faulty) Write(p []byte) (int, error) {
	if err := f.fails("write"); err != nil {
		n := 0
		if f.half {
			n, _ = f.journalFile.Write(p[:len(p)/2])
		}
		return n, err
	}
	return f.journalFile.Write(p)
}

// Sync does not wait for the disk.
func (f *faulty) Sync() error { return f.fails("sync") }

func (f *faulty) Truncate(size int64) error {
	if err := f.fails("truncate"); err != nil {
		return err
	}
	return f.journalFile.Truncate(size)
}

func (f *faulty) Seek(offset int64, whence int) (int64, error) {
	if err := f.fails("seek"); err != nil {
		return 0, err
	}
	return f.journalFile.Seek(offset, whence)
}

// TestAcknowledgedBatchesSurviveFileErrors: with each call of the file failing in each way, no batch that was
// acknowledged is missing when the journal is opened again, and none is there that was not sent.
func TestAcknowledgedBatchesSurviveFileErrors(t *testing.T) {
	const batches = 5
	var works []*work
	for i := range uint64(batches) {
		value := strings.Repeat("x", int(50*(batches-i))) // each shorter than the one before, so that it does not cover it
		works = append(works, &work{payload: message(t, from(9, 0, i), update("a", value, 1))})
	}
	write := func(t *testing.T, f *faulty) (dir string, acknowledged []uint64) {
		dir = t.TempDir()
		j, _, _ := reopen(t, dir)
		f.journalFile, j.file = j.file, f
		for i, w := range works {
			if err := j.append([]*work{w}); err == nil {
				acknowledged = append(acknowledged, uint64(i))
			} else if !errors.Is(err, f.err) {
				t.Errorf("batch %d: %v", i, err)
			}
		}
		f.at = 0
		if err := j.close(); err != nil {
			t.Error(err)
		}
		return dir, acknowledged
	}
	for name, how := range map[string]faulty{
		"full disk":          {err: syscall.ENOSPC, half: true},
		"full disk for good": {err: syscall.ENOSPC, half: true, after: true},
		"read-only":          {err: syscall.EROFS, after: true},
		"an error, once":     {err: syscall.EIO},
	} {
		t.Run(name, func(t *testing.T) {
			for at := range 2*batches + 1 { // each is written, and waited for
				f := how
				f.at = at
				dir, acknowledged := write(t, &f)
				want := batches
				switch {
				case at > 0 && f.after: // those before
					want = (at - 1) / 2
				case at > 0: // all but the one
					want--
				}
				if len(acknowledged) != want {
					t.Errorf("at %d: %v are acknowledged, want %d; calls %q", at, acknowledged, want, f.calls)
				}
				var found []uint64
				j, torn, err := openJournal(dir, false, func(m []byte) error {
					h, _, err := delta.Decode(m, nil)
					found = append(found, h.Sequence)
					return err
				})
				if err != nil {
					t.Fatalf("at %d: %v", at, err)
				}
				_ = j.close()
				if torn != 0 && !f.after {
					t.Errorf("at %d, %q: %d bytes of what failed are left", at, f.calls, torn)
				}
				for _, n := range acknowledged {
					if !slices.Contains(found, n) {
						t.Errorf("at %d, %q: %d was acknowledged, and found are %v", at, f.calls, n, found)
					}
				}
				if !slices.IsSorted(found) || len(slices.Compact(found)) != len(found) {
					t.Errorf("at %d: %v", at, found)
				}
			}
		})
	}
}

func FuzzJournal(f *testing.F) {
	good := message(f, from(9, 0, 0), update("a", "1", 1))
	now := appendRecord([]byte(journalMagic), good)
	f.Add([]byte{})
	f.Add(now)
	f.Add(appendRecord(now, good)[:len(now)+40])
	f.Add(append([]byte{byte(len(good))}, good...))
	f.Add(append(append([]byte{byte(len(good))}, good...), now...))
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80})
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		name := filepath.Join(dir, journalName)
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		apply := func(m []byte) error { _, _, err := delta.Decode(m, nil); return err }
		j, torn, err := openJournal(dir, false, apply)
		if err != nil {
			if left, _ := os.ReadFile(name); !bytes.Equal(left, content) {
				t.Errorf("%v, and the journal was changed", err)
			}
			return
		}
		if j.size+torn != int64(len(content)) {
			t.Errorf("%d + %d of %d bytes", j.size, torn, len(content))
		}
		if anyWhole(content[j.size:]) {
			t.Errorf("a whole batch was cut off behind byte %d", j.size)
		}
		_ = j.close()
	})
}
