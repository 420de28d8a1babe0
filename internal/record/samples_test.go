package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// memory is a file that can fail: it takes whole writes up to its room, then half of one.
type memory struct {
	bytes.Buffer
	room   int
	block  chan struct{}
	closed bool
}

func (m *memory) Write(p []byte) (int, error) {
	if m.block != nil {
		<-m.block
	}
	if m.Len()+len(p) > m.room {
		return 0, syscall.ENOSPC
	}
	return m.Buffer.Write(p)
}

func (m *memory) Close() error { m.closed = true; return nil }

func row(b []byte, s *Sample) []byte { return fmt.Appendf(b, "row,%d\n", s.Start) }

func TestEverySampleIsWritten(t *testing.T) {
	m := &memory{room: 1 << 30}
	s := NewSamples(m, "header\n", row, func(err error) { t.Error(err) })
	const slots, each = 8, 1000
	var adding sync.WaitGroup
	for slot := range slots {
		b := s.Buffer()
		adding.Go(func() {
			for i := range each {
				b.Add(&Sample{Operation: Operation{Start: int64(slot*each + i)}})
			}
		})
	}
	adding.Wait()
	written, lost, err := s.Close()
	if written != slots*each || lost != 0 || err != nil || !m.closed {
		t.Errorf("written %d, lost %d, error %v, closed %v", written, lost, err, m.closed)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(m.String()) {
		seen[line] = true
	}
	if len(seen) != slots*each+1 || !seen["header\n"] || !seen["row,7999\n"] {
		t.Errorf("%d different lines", len(seen))
	}
}

// TestSamplesAreFlushedEverySecond shows what is left after a SIGKILL.
func TestSamplesAreFlushedEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{room: 1 << 30}
		s := NewSamples(m, "", row, func(error) {})
		b := s.Buffer()
		for i := range 300 {
			b.Add(&Sample{Operation: Operation{Start: int64(i)}})
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if n := strings.Count(m.String(), "\n"); n < 195 {
			t.Errorf("%d of 300 rows are in the file after 3 s", n)
		}
		_, _, _ = s.Close()
	})
}

func TestFullDiskIsReportedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{room: 100}
		var told []error
		s := NewSamples(m, "header\n", row, func(err error) { told = append(told, err) })
		b := s.Buffer()
		for i := range 1000 {
			b.Add(&Sample{Operation: Operation{Start: int64(i)}})
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(told) != 1 || !errors.Is(told[0], syscall.ENOSPC) {
			t.Errorf("told %v", told)
		}
		b.Add(&Sample{})
		written, lost, err := s.Close()
		if written != 0 || lost != 1001 || !errors.Is(err, syscall.ENOSPC) || m.String() != "header\n" {
			t.Errorf("written %d, lost %d, error %v, file %q", written, lost, err, m)
		}
	})
}

// TestPartialWriteIsTruncated leaves part of a row in a file, as a full disk does.
func TestPartialWriteIsTruncated(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "samples"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := NewWholeRows(f)
	if _, err := w.Write([]byte("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	// What a disk that fills up does to the next write: a part of it gets in.
	if _, err := f.Write([]byte("thr")); err != nil {
		t.Fatal(err)
	}
	if err := w.cutBack(syscall.ENOSPC); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSlowDiskLosesAndCountsSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{room: 1 << 30, block: make(chan struct{})}
		go func() { m.block <- struct{}{} }() // the header gets through
		s := NewSamples(m, "header\n", row, func(err error) { t.Error(err) })
		b := s.Buffer()
		const n = (batchQueue + 200) * batchSize
		for i := range n {
			b.Add(&Sample{Operation: Operation{Start: int64(i)}})
		}
		close(m.block)
		written, lost, err := s.Close()
		if written+lost != n || lost == 0 || err != nil {
			t.Errorf("written %d, lost %d, error %v", written, lost, err)
		}
	})
}
