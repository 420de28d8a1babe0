package throughput

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A pause stops the network if more than 32 KiB come in it at the rate before, and was one of a piece that came.
func TestBodyIsPaused(t *testing.T) {
	for _, c := range []struct {
		pause   time.Duration
		moved   int64 // with the piece
		n       int
		counted bool
	}{
		{milli, 32<<10 + 1 + 500, 500, true},
		{milli, 32<<10 + 500, 500, false},
		{milli, 32<<10 + 2, 1, true},
		{2 * milli, 16<<10 + 501, 500, true},
		{milli - 1, 32<<10 + 500, 500, false},
		{milli, 1 << 20, 0, false},
		{milli, 1 << 20, -1, false},
	} {
		b := &responseBody{answered: 2 * milli, away: 9}
		b.received.moved = c.moved
		b.paused.Store(5)
		b.pause(3*milli, c.pause, c.n)
		want, away := int64(5), time.Duration(9)
		if c.counted {
			want, away = want+int64(c.pause), 0
		}
		if b.paused.Load() != want || b.away != away {
			t.Errorf("%+v: paused for %d, away for %d", c, b.paused.Load(), b.away)
		}
	}
}

// A read is what a Read of a body does: it takes a time, and gives so much and perhaps an error. The caller has been
// away before it.
type read struct {
	away, takes time.Duration
	gives       int
	err         error
}

// bodyOf plays reads of a body that began after a millisecond, and gives it and the error of the last.
func bodyOf(length int64, says peeker, reads ...read) (b *responseBody, err error) {
	x := &exchange{transport: &Transport{}}
	a := &attempt{exchange: x}
	a.sent.start = time.Now()
	b = &responseBody{attempt: a, length: length, answered: milli, began: milli, peek: says}
	b.received.start = a.sent.start
	time.Sleep(milli)
	for _, r := range reads {
		time.Sleep(r.away)
		b.from = io.NopCloser(readerFunc(func([]byte) (int, error) { time.Sleep(r.takes); return r.gives, r.err }))
		_, err = b.Read(make([]byte, 1<<20))
	}
	return b, err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The wait for the last pieces is that of the last Read that took more than 20 µs and gave something; it begins with
// the end of the Read before, or with the answer.
func TestBodyWaitsForItsLastPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		reads  []read
		waited time.Duration
		before int64
	}{
		{"the first", []read{{0, 21 * micro, 100, nil}}, milli, 0},
		{"begun late", []read{{milli, 21 * micro, 100, nil}}, milli, 0},
		{"not for long", []read{{0, 20 * micro, 100, nil}}, 0, 0},
		{"the second", []read{{0, 20 * micro, 100, nil}, {0, 20*micro + 1, 1, nil}}, milli + 20*micro, 100},
		{"the second after a pause", []read{{0, 20 * micro, 100, nil}, {milli, milli, 7, nil}}, milli + 20*micro, 100},
		{"not the third", []read{{0, milli, 100, nil}, {0, milli, 7, nil}, {0, micro, 9, nil}}, 2 * milli, 100},
		{"nothing came", []read{{0, milli, 100, nil}, {0, milli, 0, nil}}, milli, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			if b, _ := bodyOf(1<<20, nil, c.reads...); b.waited != c.waited || b.before != c.before {
				t.Errorf("%s: since %v, after %d bytes", c.name, b.waited, b.before)
			}
		})
	}
}

// How late the last byte came is judged when it is there: of a body of a known length with that, of another one at
// its end.
func TestBodyIsJudgedAtItsEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int64
		last   read
		late   time.Duration
	}{
		{"whole", 200, read{0, 5 * milli, 100, nil}, 4 * milli},
		{"whole, with a byte", 101, read{0, 5 * milli, 1, nil}, 4990 * micro},
		{"whole, with its end", 200, read{0, 5 * milli, 100, io.EOF}, 4 * milli},
		{"not whole", 201, read{0, 5 * milli, 100, nil}, 0},
		{"ended early", 201, read{0, 5 * milli, 100, io.EOF}, 0},
		{"of no known length", -1, read{0, 5 * milli, 100, io.EOF}, 4 * milli},
		{"of no length", 0, read{0, 5 * milli, 100, io.EOF}, 0},
		{"of no known length, goes on", -1, read{0, 5 * milli, 100, nil}, 0},
		{"of no known length, broken", -1, read{0, 5 * milli, 100, errBroken}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, _ := bodyOf(c.length, nil, read{0, milli, 100, nil}, c.last)
			if got := time.Duration(b.late.Load()); got != c.late {
				t.Errorf("%s: %v late, want %v", c.name, got, c.late)
			}
		})
	}
}

// Pauses from more than 20 µs on are looked at each by itself, if what has come meanwhile did not tell of them; that
// before the first Read is not one of these.
func TestBodyCountsPauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		says   peeker
		reads  []read
		paused time.Duration
	}{
		{"a long one", nil, []read{{0, milli, 1 << 20, nil}, {milli, 0, 1 << 20, nil}}, milli},
		{"a short one", nil, []read{{0, 20 * micro, 1 << 20, nil}, {20 * micro, 0, 1 << 20, nil}}, 0},
		{"just long enough", nil, []read{{0, 20 * micro, 1 << 20, nil}, {20*micro + 1, 0, 1 << 20, nil}}, 20*micro + 1},
		{"nothing moved before", nil, []read{{0, milli, 0, nil}, {milli, 0, 1 << 20, nil}}, 0},
		{"before the first", nil, []read{{milli, milli, 1 << 20, nil}}, 0},
		{"told of", &saysPeeker{come: []int64{1 << 20}}, []read{{0, milli, 1 << 20, nil}, {milli, 0, 1 << 20, nil}}, milli},
		{"not told of", &saysPeeker{come: []int64{0}}, []read{{0, milli, 1 << 20, nil}, {milli, 0, 1 << 20, nil}}, milli},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, _ := bodyOf(1<<30, c.says, c.reads...)
			if got := time.Duration(b.paused.Load()); got != c.paused {
				t.Errorf("%s: %v, want %v", c.name, got, c.paused)
			}
		})
	}
}

// A body that was read as long as it was declared is whole, and so is one that has ended; an error is the attempt's.
func TestBodyEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int64
		err    error
		closed bool
		whole  bool
		over   bool
	}{
		{"goes on", 100, nil, false, false, false},
		{"read whole and closed", 100, nil, true, true, true},
		{"closed early", 101, nil, true, false, true},
		{"of no known length, closed", -1, nil, true, false, true},
		{"ended", -1, io.EOF, false, true, true},
		{"ended and closed", -1, io.EOF, true, true, true},
		{"broken", 100, errBroken, false, false, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, err := bodyOf(c.length, nil, read{0, milli, 100, c.err})
			a := b.attempt
			a.owes = true // it is not over
			want := c.err
			if c.closed {
				err, want = b.Close(), nil
			}
			if !errors.Is(err, want) || a.responseOver != c.over || a.timeline.ResponseEnded != c.whole ||
				errors.Is(a.timeline.Err, errBroken) != errors.Is(c.err, errBroken) {
				t.Errorf("%s: %v, over %t, %+v", c.name, err, a.responseOver, a.timeline)
			}
		})
	}
}

// The reader's time is what passes from the first byte of the answer to the first Read, and between the Reads up to the
// last piece; it is also the most that it paused.
func TestBodyTellsOfItsReader(t *testing.T) {
	for _, c := range []struct {
		name    string
		reads   []read
		counted time.Duration // of pauses so far
		time    time.Duration // the reader's
		paused  time.Duration
		last    Stamp
	}{
		{"nothing was read", []read{{milli, milli, 0, nil}}, milli, 0, 0, 77},
		{"one byte", []read{{milli, milli, 1, nil}}, 0, milli, 0, ms(3)},
		{"at once", []read{{0, milli, 1 << 20, nil}}, 0, 0, 0, ms(2)},
		{"long before the first Read", []read{{milli, milli, 1 << 20, nil}}, 0, milli, milli, ms(3)},
		{"long before, with a little", []read{{milli, milli, 64 << 10, nil}}, 0, milli, 0, ms(3)},
		{"long before, with a little more", []read{{milli, milli, 64<<10 + 1, nil}}, 0, milli, milli, ms(3)},
		{"between", []read{{0, milli, 100, nil}, {3 * milli, milli, 100, nil}}, 0, 3 * milli, 0, ms(6)},
		{"between, counted", []read{{0, milli, 100, nil}, {3 * milli, milli, 100, nil}},
			2 * milli, 3 * milli, 2 * milli, ms(6)},
		{"counted too much", []read{{0, milli, 100, nil}, {3 * milli, milli, 100, nil}},
			9 * milli, 3 * milli, 3 * milli, ms(6)},
		{"before and between", []read{{milli, milli, 100, nil}, {3 * milli, milli, 1, io.EOF}}, 0, 4 * milli, 0, ms(7)},
		{"after the last", []read{{0, milli, 100, nil}, {3 * milli, milli, 0, io.EOF}}, 0, 0, 0, ms(2)},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, _ := bodyOf(1<<30, nil, c.reads...)
			b.paused.Store(int64(c.counted))
			b.late.Store(7)
			b.ahead.Store(8)
			got := Timeline{FirstResponseByte: ms(1), LastResponseByte: 77}
			b.finish(&got)
			var want Timeline
			for _, r := range c.reads {
				if want.ResponseBytes += int64(r.gives); r.gives > 0 {
					want.ResponseReads++
				}
			}
			want.FirstResponseByte, want.LastResponseByte = ms(1), c.last
			if want.ReaderTime, want.ReaderPaused = c.time, c.paused; want.ResponseBytes > 0 {
				want.LastResponseError, want.ResponseAhead = 7, 8
			}
			if got != want {
				t.Errorf("%s:\n%+v, want\n%+v", c.name, got, want)
			}
		})
	}
}

// What the body below says when it is closed, or asked for its descriptor, is said.
func TestBodyBreaks(t *testing.T) {
	x := &exchange{}
	x.current.Store(&attempt{exchange: x})
	if err := x.body(&closing{}).Close(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	a := x.current.Load()
	a.owes = true // it is not over
	if err := (&responseBody{attempt: a, from: &closing{}}).Close(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	file := &fileBody{conn: (*os.File)(nil)}
	if raw, err := file.SyscallConn(); raw != nil || !errors.Is(err, os.ErrInvalid) {
		t.Error(raw, err)
	}
}

// A body that writes itself says what it wrote, and what broke.
func TestBodyThatWritesItself(t *testing.T) {
	for _, err := range []error{nil, errBroken} {
		x := &exchange{}
		x.current.Store(&attempt{exchange: x})
		b := &writerToBody{&requestBody{exchange: x}, strings.NewReader("text")}
		n, got := b.WriteTo(writerFunc(func([]byte) (int, error) { return 4, err }))
		if n != 4 || !errors.Is(got, err) || x.current.Load().sent.bytes.Load() != 4 {
			t.Errorf("%d, %v; want 4, %v", n, got, err)
		}
	}
}

type onlySeeker struct {
	io.ReadCloser
	io.Seeker
}

type onlyConn struct {
	io.ReadCloser
	syscall.Conn
}

type onlyWriter struct {
	io.ReadCloser
	io.WriterTo
}

// A body that the kernel can send by itself stays one; one that writes itself does where net/http has it do so, which
// is without a length. The first takes no allocation.
func TestBodyStaysWhatItIs(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	text := strings.NewReader("text")
	for _, c := range []struct {
		name   string
		from   io.ReadCloser
		length int64
		want   string
	}{
		{"a file", file, 5, "file"},
		{"a file of no known length", file, -1, "file"},
		{"it only seeks", onlySeeker{http.NoBody, text}, 5, ""},
		{"it only has a descriptor", onlyConn{http.NoBody, file}, 5, ""},
		{"it writes itself", onlyWriter{http.NoBody, text}, -1, "writer"},
		{"it writes itself, of a length", onlyWriter{http.NoBody, text}, 1, ""},
		{"it writes itself, of none", onlyWriter{http.NoBody, text}, 0, ""},
		{"it only reads", &slowly{}, -1, ""},
	} {
		x := &exchange{}
		a := &attempt{exchange: x}
		a.timeline.ContentLength = c.length
		x.current.Store(a)
		for range 2 {
			kind := ""
			var own *requestBody
			switch b := x.body(c.from).(type) {
			case *fileBody:
				kind, own = "file", b.requestBody
			case *writerToBody:
				kind, own = "writer", b.requestBody
			case *requestBody:
				own = b
			}
			if kind != c.want || own.from != c.from || own.exchange != x {
				t.Errorf("%s: became %q, want %q", c.name, kind, c.want)
			}
		}
		if x.firstBody.from != c.from {
			t.Errorf("%s: the first is another one", c.name)
		}
	}
}

// A seeking says where a file is, one answer after the other; what is below 0 comes with an error.
type seeking []int64

func (s *seeking) Seek(int64, int) (int64, error) {
	at := (*s)[0]
	*s = (*s)[1:]
	if at < 0 {
		return -at, errBroken
	}
	return at, nil
}

type rawFunc struct {
	syscall.RawConn
	err error
}

func (r rawFunc) Read(func(uintptr) bool) error { return r.err }

// What the kernel sent is by how much the position of the file has moved, if that is known before and after.
func TestBodySentByTheKernel(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after int64
		bytes         int64
	}{
		{"all", 10, 110, 100},
		{"one byte", 10, 11, 1},
		{"none", 10, 10, 0},
		{"backwards", 10, 9, 0},
		{"not known before", -1, 110, 0},
		{"not known after", 10, -110, 0},
		{"never known", -1, -110, 0},
	} {
		x := &exchange{}
		a := &attempt{exchange: x}
		a.sent.start = time.Now()
		x.current.Store(a)
		raw := &fileRaw{rawFunc{err: io.ErrShortWrite}, &fileBody{requestBody: &requestBody{exchange: x},
			seeker: &seeking{c.before, c.after}}}
		err := raw.Read(nil)
		if !errors.Is(err, io.ErrShortWrite) || a.sent.bytes.Load() != c.bytes || a.timeline.Sendfile != (c.bytes > 0) {
			t.Errorf("%s: %v, %d bytes, %t", c.name, err, a.sent.bytes.Load(), a.timeline.Sendfile)
		}
		if !a.mu.TryLock() {
			t.Errorf("%s: the attempt is locked", c.name)
		}
	}
}
