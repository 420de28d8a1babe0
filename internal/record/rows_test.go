package record

import (
	"errors"
	"syscall"
	"testing"
)

// cutting is a file that takes so much of what is written next, and can be cut.
type cutting struct {
	takes  int
	fails  error // of a write
	cut    error
	length int64
}

func (c *cutting) Write(p []byte) (int, error) {
	n := min(len(p), c.takes)
	c.length += int64(n)
	return n, c.fails
}

func (c *cutting) Truncate(size int64) error {
	if c.cut == nil {
		c.length = size
	}
	return c.cut
}

// A write that fails half-way leaves the rows that were there, or says that it could not.
func TestEdgesOfWholeRows(t *testing.T) {
	lost := errors.New("lost")
	for i, tt := range []struct {
		file   cutting
		cuts   bool // it can be cut
		length int64
		says   string
	}{
		{cutting{takes: 0, fails: syscall.ENOSPC, cut: lost}, true, 8, "no space left on device"},
		{cutting{takes: 1, fails: syscall.ENOSPC}, true, 8, "no space left on device"},
		{cutting{takes: 1, fails: syscall.ENOSPC, cut: lost}, true, 9, "no space left on device (its last row is incomplete: lost)"},
		{cutting{takes: 3, fails: syscall.ENOSPC}, false, 11, "no space left on device"},
	} {
		file := cutting{takes: 100}
		w := NewWholeRows(&file)
		if !tt.cuts {
			w = NewWholeRows(struct{ writes }{&file})
		}
		for _, rows := range []string{"one\n", "two\n"} {
			w.Pending = 1
			if n, err := w.Write([]byte(rows)); n != 4 || err != nil || w.Pending != 0 {
				t.Errorf("%d: %d, %v, %d are left", i, n, err, w.Pending)
			}
		}
		tt.file.length, file = file.length, cutting{}
		file, w.Pending = tt.file, 2
		if n, err := w.Write([]byte("three\nfour\n")); n != 0 || err == nil || err.Error() != tt.says || !errors.Is(err, syscall.ENOSPC) ||
			w.Pending != 2 || file.length != tt.length {
			t.Errorf("%d: %d, %v; %d are left, and the file has %d bytes", i, n, err, w.Pending, file.length)
		}
	}
}

type writes interface{ Write(p []byte) (int, error) }

// What the slowest operations have in common: a mark that they have, or more than half of their time from something.
func TestTailCountsMarks(t *testing.T) {
	for i, tt := range []struct {
		o    Operation
		want Tail
	}{
		{Operation{Attempts: 1}, Tail{Count: 1, Other: 1}}, {Operation{Attempts: 2}, Tail{Count: 1, Retried: 1}},
		{Operation{Attempts: 1, Reconnected: true}, Tail{Count: 1, Reconnected: 1}}, {Operation{Attempts: 1, Ready: 500}, Tail{Count: 1, Other: 1}},
		{Operation{Attempts: 1, Ready: 501}, Tail{Count: 1, Waited: 1}}, {Operation{Attempts: 1, Own: 500}, Tail{Count: 1, Other: 1}},
		{Operation{Attempts: 1, Own: 501}, Tail{Count: 1, Delayed: 1}},
		{Operation{Attempts: 3, Reconnected: true, Ready: 600, Own: 600}, Tail{Count: 1, Retried: 1, Reconnected: 1, Waited: 1, Delayed: 1}},
		{Operation{Attempts: 1, Outcome: Failed}, Tail{}},
	} {
		for _, open := range []bool{true, false} {
			r := New(Config{Kinds: []Kind{{}, {}}, Open: open, Series: true})
			tt.o.Kind, tt.o.End = 1, 1000
			r.Record(1, &tt.o)
			run := runOf(r, Kind{}, Kind{})
			if got := run.Tail(1000); got != tt.want {
				t.Errorf("%d, open %v: %+v", i, open, got)
			}
			if got := run.Tail(1001); got != (Tail{}) {
				t.Errorf("%d, open %v: of what took longer %+v", i, open, got)
			}
		}
	}
	foreign := New(Config{Kinds: []Kind{{}}, Series: true, Foreign: true})
	foreign.Record(0, &Operation{Attempts: 2, End: 1000})
	if got := runOf(foreign, Kind{}).Tail(0); got != (Tail{}) {
		t.Errorf("another program's: %+v", got)
	}
	if got := (&Run{Window: new(Recorder)}).Tail(0); got != (Tail{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
