package throughput

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A metered piece is one that a meter saw: it was asked for after a time, took another, and gave so much.
type metered struct {
	away, takes time.Duration
	n           int
	err         error
}

func (p metered) by(m *meter) {
	time.Sleep(p.away)
	m.before()
	time.Sleep(p.takes)
	m.after(p.n, p.err)
}

// The number of pieces is published of the first two, of each sixteenth and at the end.
func TestMeterPublishesItsCalls(t *testing.T) {
	for calls := 1; calls <= 40; calls++ {
		var m meter
		for range calls {
			m.after(1, nil)
		}
		want := calls
		if calls > 2 {
			if want = calls / 16 * 16; want == 0 {
				want = 2
			}
		}
		if got := m.reads.Load(); got != int64(want) || m.bytes.Load() != int64(calls) {
			t.Errorf("%d calls: %d are told of, and %d bytes", calls, got, m.bytes.Load())
		}
		if m.after(0, io.EOF); m.reads.Load() != int64(calls) {
			t.Errorf("%d calls: %d are told of in the end", calls, m.reads.Load())
		}
	}
}

// The time inside of calls is that after the first piece. It is published from more than 10 µs on, and at the end;
// what brought nothing counts when another piece comes.
func TestMeterKnowsTheTimeInside(t *testing.T) {
	for _, c := range []struct {
		name          string
		pieces        []metered
		until, beyond time.Duration
		asked         Stamp
		first, last   Stamp
		bytes         int64
	}{
		{"nothing", []metered{{milli, milli, 0, nil}}, 0, 0, ms(1), 0, 0, 0},
		{"one", []metered{{milli, milli, 5, nil}}, 0, 0, ms(1), ms(2), ms(2), 5},
		{"one of a byte", []metered{{milli, milli, 1, nil}}, 0, 0, ms(1), ms(2), ms(2), 1},
		{"after nothing", []metered{{milli, milli, 0, nil}, {0, milli, 5, nil}}, 0, 0, ms(1), ms(3), ms(3), 5},
		{"two", []metered{{milli, milli, 5, nil}, {milli, 3 * milli, 5, nil}}, 3 * milli, 0, ms(1), ms(2), ms(6), 10},
		{"two, quick", []metered{{milli, milli, 5, nil}, {milli, 10 * micro, 5, nil}}, 0, 0, ms(1), ms(2),
			ms(3) + Stamp(10*micro), 10},
		{"two, less quick", []metered{{milli, milli, 5, nil}, {milli, 10*micro + 1, 5, nil}}, 10*micro + 1, 0, ms(1), ms(2),
			ms(3) + Stamp(10*micro+1), 10},
		{"two, quick, and the end", []metered{{milli, milli, 5, nil}, {milli, 10 * micro, 5, io.EOF}}, 10 * micro, 0, ms(1),
			ms(2), ms(3) + Stamp(10*micro), 10},
		{"the end", []metered{{milli, milli, 5, nil}, {milli, 3 * milli, 0, io.EOF}}, 0, 3 * milli, ms(1), ms(2), ms(2), 5},
		{"in vain twice", []metered{{milli, milli, 5, nil}, {milli, 3 * milli, 0, nil}, {milli, milli, 0, nil}}, 0, 4 * milli,
			ms(1), ms(2), ms(2), 5},
		{"in vain, and then not", []metered{{milli, milli, 5, nil}, {milli, 3 * milli, 0, nil}, {milli, milli, 7, nil}},
			4 * milli, 0, ms(1), ms(2), ms(8), 12},
		{"in vain a second time", []metered{{milli, milli, 5, nil}, {0, milli, 0, nil}, {0, milli, 7, nil},
			{0, milli, 7, nil}, {0, milli, 0, nil}}, 3 * milli, milli, ms(1), ms(2), ms(5), 19},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := meter{start: time.Now()}
			for _, p := range c.pieces {
				p.by(&m)
			}
			if until, beyond := m.waited(); until != c.until || beyond != c.beyond {
				t.Errorf("%s: %v and %v inside", c.name, until, beyond)
			}
			if m.asked.get() != c.asked || m.first.get() != c.first || m.last.get() != c.last || m.bytes.Load() != c.bytes {
				t.Errorf("%s: asked %v, %v to %v, %d bytes", c.name, m.asked.get(), m.first.get(), m.last.get(), m.bytes.Load())
			}
		})
	}
}

// What the kernel moves begins when it is told to, and ends with the last that it did.
func TestMeterOfTheKernel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := meter{start: time.Now()}
		for i, c := range []struct {
			n           int64
			last        Stamp
			bytes       int64
			asked, from Stamp
		}{
			{0, 0, 0, ms(1), ms(1)}, {-1, 0, 0, ms(1), ms(1)}, {1, ms(6), 1, ms(1), ms(1)}, {9, ms(8), 10, ms(1), ms(1)},
			{0, ms(8), 10, ms(1), ms(1)},
		} {
			time.Sleep(milli)
			m.stampBegin()
			time.Sleep(milli)
			m.add(c.n)
			if m.last.get() != c.last || m.bytes.Load() != c.bytes || m.asked.get() != c.asked || m.first.get() != c.from {
				t.Errorf("%d: %v to %v, %d bytes", i, m.first.get(), m.last.get(), m.bytes.Load())
			}
		}
		m = meter{start: time.Now()}
		metered{milli, milli, 5, nil}.by(&m)
		time.Sleep(milli)
		m.stampBegin()
		if m.asked.get() != ms(1) || m.first.get() != ms(2) {
			t.Errorf("after a piece: %v, %v", m.asked.get(), m.first.get())
		}
		m = meter{start: time.Now(), calls: 1}
		m.before()
		m.stampBegin()
		if m.asked.get() != 0 {
			t.Errorf("asked for at %v, after a piece", m.asked.get())
		}
	})
}

// A stream's rate is that of two calls or more, and its time in calls has that of the first.
func TestStreamsProgress(t *testing.T) {
	for calls, want := range map[int64]float64{0: 0, 1: 0, 2: 5, 3: 5} {
		p := Progress{First: At(0), Last: At(2 * time.Second), Bytes: 10, Calls: calls}
		if got, ok := p.Throughput(); got != want || ok != (want > 0) {
			t.Errorf("%d calls: %v, %t", calls, got, ok)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		r := NewReader(&slowly{2, 3 * milli})
		if got := r.Progress(); got != (Progress{}) {
			t.Errorf("at first: %+v", got)
		}
		for _, err := range []error{nil, nil, io.EOF} {
			time.Sleep(milli)
			if n, got := r.Read(make([]byte, 1)); !errors.Is(got, err) || (n == 1) != (err == nil) {
				t.Errorf("%d, %v; want %v", n, got, err)
			}
		}
		want := Progress{Started: begun.Add(milli), First: ms(1), Last: ms(8), Bytes: 2, Calls: 2, InIO: 6 * milli}
		if got := r.Progress(); !got.Started.Equal(want.Started) {
			t.Errorf("started after %v", got.Started.Sub(begun))
		} else if got.Started = want.Started; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// Wrappers of nothing are empty, or take everything.
func TestStreamsOfNothing(t *testing.T) {
	for _, r := range []interface {
		io.Reader
		Progress() Progress
	}{(*Reader)(nil), &Reader{}, NewReader(nil), NewReadCloser(nil, nil)} {
		if n, err := r.Read(make([]byte, 5)); n != 0 || err != io.EOF || r.Progress() != (Progress{}) {
			t.Errorf("%T: %d, %v, %+v", r, n, err, r.Progress())
		}
	}
	for _, w := range []*Writer{nil, {}, NewWriter(nil)} {
		if n, err := w.Write(make([]byte, 5)); n != 5 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if got := (*Writer)(nil).Progress(); got != (Progress{}) {
		t.Errorf("%+v", got)
	}
	if err := (*ReadCloser)(nil).Close(); err != nil {
		t.Error(err)
	}
}
