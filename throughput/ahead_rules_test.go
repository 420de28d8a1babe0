package throughput

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A saysPeeker says what it is told to say.
type saysPeeker struct {
	come        []int64 // one after the other, and then the last
	least, most time.Duration
	err         error
	takes       time.Duration
	asked       int
}

func (p *saysPeeker) waiting() (int64, error) {
	p.asked++
	time.Sleep(p.takes)
	return p.come[min(p.asked, len(p.come))-1], p.err
}

func (p *saysPeeker) silent() (least, most time.Duration, err error) { return p.least, p.most, p.err }

// A connection is asked what has come of an answer from 64 KiB on, over HTTP/1, up to three times, until it says so
// within the error of a stamp.
func TestAheadIsAsked(t *testing.T) {
	long := func(*attempt, *responseBody) {}
	of := func(length int64) func(*attempt, *responseBody) {
		return func(_ *attempt, b *responseBody) { b.length = length }
	}
	for _, c := range []struct {
		name  string
		edit  func(*attempt, *responseBody)
		says  saysPeeker
		asked int
		ahead int64
		at    Stamp
	}{
		{"64 KiB", of(64 << 10), saysPeeker{come: []int64{7}}, 1, 7, ms(5)},
		{"one byte less", of(64<<10 - 1), saysPeeker{come: []int64{7}}, 0, 0, 0},
		{"an empty one", of(0), saysPeeker{come: []int64{7}}, 0, 0, 0},
		{"of no known length", of(-1), saysPeeker{come: []int64{7}}, 1, 7, ms(5)},
		{"no connection", func(a *attempt, _ *responseBody) { a.conn = nil }, saysPeeker{come: []int64{7}}, 0, 0, 0},
		{"HTTP/2", func(a *attempt, _ *responseBody) { a.place = &place{} }, saysPeeker{come: []int64{7}}, 0, 0, 0},
		{"decompressed", func(a *attempt, _ *responseBody) { a.timeline.Uncompressed = true },
			saysPeeker{come: []int64{7}}, 0, 0, 0},
		{"nothing has come", long, saysPeeker{come: []int64{0}}, 1, 0, 0},
		{"one byte has", long, saysPeeker{come: []int64{1}}, 1, 1, ms(5)},
		{"it cannot be asked", long, saysPeeker{come: []int64{0}, err: errBroken}, 1, 0, 0},
		{"just in time", long, saysPeeker{come: []int64{7, 8, 9}, takes: 50 * micro}, 1, 7, ms(5)},
		{"too late", long, saysPeeker{come: []int64{7, 8, 9}, takes: 50*micro + 1}, 3, 9, ms(5) + 2*Stamp(50*micro+1)},
	} {
		synctest.Test(t, func(t *testing.T) {
			says := c.says
			x := &exchange{transport: &Transport{system: system{peeker: func(net.Conn) peeker { return &says }}}}
			a := &attempt{exchange: x, conn: remote{}}
			a.sent.start = time.Now()
			time.Sleep(5 * milli)
			b := &responseBody{attempt: a, length: 1 << 20, began: milli}
			c.edit(a, b)
			a.lookAhead(b)
			began := milli
			if offset, ok := c.at.Offset(); ok {
				began = offset
			}
			if says.asked != c.asked || b.ahead.Load() != c.ahead || a.timeline.ResponseAsked != c.at || b.began != began {
				t.Errorf("%s: asked %d times, %d bytes at %v, begun at %v", c.name, says.asked, b.ahead.Load(),
					a.timeline.ResponseAsked, b.began)
			}
			if asks := c.asked > 0 && says.err == nil; asks != (b.peek != nil) {
				t.Errorf("%s: is asked again: %t", c.name, b.peek != nil)
			}
		})
	}
}

// Where somebody else asks for the queue, the real connection is not asked what has come.
func TestAheadOfAnotherSystem(t *testing.T) {
	none := func(net.Conn) peeker { return nil }
	queue := func(net.Conn) prober { return nil }
	for _, s := range []system{{prober: queue}, {peeker: none}, {peeker: none, prober: queue}} {
		if p := s.peek(remote{}); p != nil {
			t.Errorf("%v", p)
		}
	}
}

// A first piece that fits into the buffer of net/http came with the head, so it was there as well.
func TestAheadHasWhatCameWithTheHead(t *testing.T) {
	for _, c := range []struct {
		from  io.ReadCloser
		ahead int64
		n     int
		want  int64
	}{
		{http.NoBody, 7, 4096, 4103}, {http.NoBody, 7, 4097, 7}, {http.NoBody, 7, 1, 8}, {http.NoBody, 7, 0, 7},
		{http.NoBody, 1, 10, 11}, {http.NoBody, 0, 10, 0}, {nil, 7, 10, 7},
	} {
		b := &responseBody{from: c.from}
		b.ahead.Store(c.ahead)
		if b.withHeaders(c.n); b.ahead.Load() != c.want {
			t.Errorf("a piece of %d and %d: %d", c.n, c.ahead, b.ahead.Load())
		}
	}
}

// What a client says that it read with the head has no part in the rate if that is more than net/http reads, or if
// something of the rest had come.
func TestAheadHasWhatAClientRead(t *testing.T) {
	for _, c := range []struct {
		asked     Stamp
		ahead, n  int64
		want      int64
		wantAsked Stamp
	}{
		{0, 0, 4096, 0, 0}, {0, 0, 4097, 4097, ms(3)}, {ms(4), 0, 4097, 4097, ms(4)}, {ms(4), 5, 4097, 4102, ms(4)},
		{ms(4), 5, 10, 15, ms(4)}, {ms(4), 1, 10, 11, ms(4)}, {0, 0, 10, 0, 0},
	} {
		a := &attempt{responseRead: ms(3)}
		a.timeline.ResponseAsked = c.asked
		b := &responseBody{attempt: a, began: milli}
		b.ahead.Store(c.ahead)
		b.had(c.n)
		began := milli
		if c.wantAsked != c.asked {
			began = 3 * milli
		}
		if b.ahead.Load() != c.want || a.timeline.ResponseAsked != c.wantAsked || b.received.bytes.Load() != c.n ||
			b.began != began {
			t.Errorf("%+v: %d at %v, begun at %v", c, b.ahead.Load(), a.timeline.ResponseAsked, b.began)
		}
	}
}

// How late the last byte was seen is the wait for the last pieces, without what they take at the rate before; or less,
// or more, if the connection was silent for so long.
func TestAheadOfTheLastByte(t *testing.T) {
	type body struct {
		waited, began       time.Duration
		before, moved, come int64
		paused              time.Duration
		passed              time.Duration // since the last byte
		says                *saysPeeker
	}
	silent := func(least, most time.Duration) *saysPeeker { return &saysPeeker{least: least, most: most} }
	for _, c := range []struct {
		name string
		body body
		want time.Duration // the last byte was seen at 20 ms
	}{
		{"at the rate before", body{waited: 10 * milli, before: 1000, moved: 1100}, 9 * milli},
		{"since it began", body{waited: 10 * milli, began: 5 * milli, before: 1000, moved: 1100}, 9500 * micro},
		{"begun after the wait", body{waited: 10 * milli, began: 12 * milli, before: 1000, moved: 1100}, 8 * milli},
		{"without what had come", body{waited: 10 * milli, before: 1000, moved: 1100, come: 500}, 8 * milli},
		{"nothing came before", body{waited: 10 * milli, before: 500, moved: 1100, come: 500}, 10 * milli},
		{"a byte came before", body{waited: 10 * milli, before: 1, moved: 2}, 0},
		{"in no time", body{waited: 1, before: 1000, moved: 1000 + 1e9}, 19*milli - 1},
		{"never waited", body{before: 1000, moved: 1100}, 0},
		{"more than the error of a stamp", body{waited: 20*milli - 50*micro - 1}, 50*micro + 1},
		{"no more than that", body{waited: 20*milli - 50*micro}, 0},
		{"without pauses", body{waited: 10 * milli, before: 1000, moved: 1100, paused: 4 * milli}, 5 * milli},
		{"silent for less", body{waited: 10 * milli, says: silent(0, 5*milli)}, 5 * milli},
		{"silent for more", body{waited: 10 * milli, says: silent(12*milli, 15*milli)}, 12 * milli},
		{"silent for about as long", body{waited: 10 * milli, says: silent(9*milli, 11*milli)}, 10 * milli},
		{"asked later", body{waited: 10 * milli, passed: 50 * micro, says: silent(0, 5*milli)}, 4950 * micro},
		{"silent for more, asked later", body{waited: 10 * milli, passed: 50 * micro, says: silent(12*milli, 15*milli)},
			11950 * micro},
		{"asked too late", body{waited: 10 * milli, passed: 50*micro + 1, says: silent(0, 5*milli)}, 10 * milli},
		{"cannot be asked", body{waited: 10 * milli, says: &saysPeeker{err: net.ErrClosed}}, 10 * milli},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := &responseBody{waited: c.body.waited, began: c.body.began, before: c.body.before}
			b.received.start, b.received.moved = time.Now(), c.body.moved
			b.received.last.set(ms(20))
			b.ahead.Store(c.body.come)
			b.paused.Store(int64(c.body.paused))
			if c.body.says != nil {
				b.peek = c.body.says
			}
			time.Sleep(20*milli + c.body.passed)
			if b.lookBack(); b.late.Load() != int64(c.want) {
				t.Errorf("%s: %v late, want %v", c.name, time.Duration(b.late.Load()), c.want)
			}
		})
	}
}

// Pauses of a caller, however short, count together from 100 µs on, if more than 32 KiB have come meanwhile.
func TestAheadOfTheCaller(t *testing.T) {
	for _, c := range []struct {
		name        string
		away, pause time.Duration
		says        *saysPeeker
		counted     bool
		left        time.Duration
	}{
		{"much has come", 60 * micro, 40 * micro, &saysPeeker{come: []int64{32<<10 + 1}}, true, 0},
		{"not enough", 60 * micro, 40 * micro, &saysPeeker{come: []int64{32 << 10}}, false, 0},
		{"not away for long", 60 * micro, 40*micro - 1, &saysPeeker{come: []int64{1 << 20}}, false, 100*micro - 1},
		{"cannot be asked", 60 * micro, 40 * micro, nil, false, 100 * micro},
		{"breaks", 60 * micro, 40 * micro, &saysPeeker{come: []int64{0}, err: net.ErrClosed}, false, 0},
	} {
		b := &responseBody{away: c.away}
		b.paused.Store(7)
		if c.says != nil {
			b.peek = c.says
		}
		got, want := b.behind(c.pause), int64(7)
		if c.counted {
			want += int64(c.away + c.pause)
		}
		if got != c.counted || b.away != c.left || b.paused.Load() != want {
			t.Errorf("%s: %t, paused for %d, away for %v", c.name, got, b.paused.Load(), b.away)
		}
		if asks := c.says != nil && c.says.err == nil; asks != (b.peek != nil) {
			t.Errorf("%s: is asked again: %t", c.name, b.peek != nil)
		}
	}
}
