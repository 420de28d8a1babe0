package throughput

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// A modelConn is a connection over a model: what is written goes its way, and an answer of one byte comes back.
type modelConn struct {
	remote
	*model
}

// synctest: used only inside a bubble.
func (c *modelConn) Write(p []byte) (int, error) {
	m, n := c.model, int64(len(p))
	if m.written == 0 {
		m.start = time.Now()
	}
	for m.written+n-m.acked(time.Since(m.start)) > m.buffer {
		enough := min(m.written+n-m.buffer+m.lump, m.size)
		time.Sleep(max(m.departed(enough)+m.rtt-time.Since(m.start), 10*time.Microsecond))
	}
	m.written += n
	return len(p), nil
}

// synctest: used only inside a bubble.
func (c *modelConn) Read(p []byte) (int, error) {
	m := c.model
	time.Sleep(m.departed(m.size) + m.rtt + m.serverDelay - time.Since(m.start))
	return copy(p, "."), nil
}

// upload sends the model's body over a Conn, in the pieces of net/http, and reads the answer.
func (m *model) upload(t *testing.T) (got *Timeline) {
	synctest.Test(t, func(t *testing.T) {
		k := newKept()
		transport := &Transport{Observer: k, system: system{prober: func(net.Conn) prober { return m }, nap: m.nap}}
		c := transport.NewConn(&modelConn{remote{from: ":1", to: "192.0.2.1:80"}, m})
		if !c.Begin(t.Context(), Request{Method: "PUT", Scheme: "http", Host: "model", ContentLength: m.size}) {
			t.Fatal("it is not measured")
		}
		c.BodyBegins()
		sent := sendAll(c, m.size)
		c.RequestEnds(sent, nil)
		_, _ = c.Read(make([]byte, 1))
		c.AnswerBegins(Answer{Proto: "HTTP/1.1", Status: 200})
		c.AnswerEnds(0, nil)
		got = k.wait(t, 1)[0]
	})
	return got
}

func sendAll(c *Conn, size int64) (sent int64) {
	buf := make([]byte, 32<<10)
	for sent < size {
		n, _ := c.Write(buf[:min(size-sent, int64(len(buf)))])
		sent += int64(n)
	}
	return sent
}

// What a Conn tells of an upload is what a Transport tells of it.
func TestConnUploadsAsATransport(t *testing.T) {
	seen := map[Quality]int{}
	random := rand.New(rand.NewPCG(3, 0))
	for range 400 {
		m := randomModel(random, 0)
		again := *m
		want, truth := m.measure(t)
		got := again.upload(t)
		seen[got.WriteQuality()]++
		a, _ := want.WriteThroughputDelivered()
		b, _ := got.WriteThroughputDelivered()
		if a != b || want.WriteQuality() != got.WriteQuality() || want.WriteLimit() != got.WriteLimit() ||
			want.Drained != got.Drained || want.RequestWritten != got.RequestWritten ||
			want.FirstResponseByte != got.FirstResponseByte || want.RequestBytes != got.RequestBytes {
			t.Fatalf("the transport's rate %.4g (%s), the connection's %.4g (%s), true %.4g, of\n%+v\n%+v\n%+v",
				a, want.WriteQuality(), b, got.WriteQuality(), truth, again, want, got)
		}
	}
	if seen[OK] < 100 || seen[BelowResolution] == 0 {
		t.Errorf("%v: the models say little", seen)
	}
}

// A pourConn is a connection that an answer comes on; it has a head of one byte.
type pourConn struct {
	remote
	*pour
	late time.Duration
	head bool
}

// synctest: used only inside a bubble.
func (c *pourConn) Read(p []byte) (int, error) {
	if !c.head {
		c.head = true
		c.start, c.at = time.Now(), time.Now()
		time.Sleep(c.late)
		return copy(p, "."), nil
	}
	return c.pour.Read(p)
}

// download reads an answer as pouredTo, from a Conn.
//
// synctest: used only inside a bubble.
func download(t *testing.T, body *pour, late time.Duration, piece int, inside, outside time.Duration, known bool) *Timeline {
	body.copying = inside
	k := newKept()
	transport := &Transport{Observer: k}
	transport.system.peeker = func(net.Conn) peeker { return pourPeeker{body} }
	c := transport.NewConn(&pourConn{remote: remote{from: ":1", to: "192.0.2.1:80"}, pour: body, late: late})
	c.Begin(t.Context(), Request{Method: "GET", Scheme: "http"})
	buf := make([]byte, piece)
	_, _ = c.Read(buf[:1])
	length := int64(-1)
	if known {
		length = body.size
	}
	c.AnswerBegins(Answer{Proto: "HTTP/1.1", Status: 200, Length: length})
	var n int64
	for n < body.size {
		some, _ := c.Read(buf)
		if n += int64(some); n < body.size {
			time.Sleep(outside)
		}
	}
	c.AnswerEnds(n, nil)
	return k.wait(t, 1)[0]
}

// What a Conn tells of a download is what a Transport tells of it, whether the length of the answer is known or not.
func TestConnDownloadsAsATransport(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		size            int64
		late            time.Duration
		piece           int
		inside, outside time.Duration
	}{
		{32 << 10, 0, 32 << 10, 0, 0},
		{256 << 10, 0, 32 << 10, 0, 0},
		{256 << 10, 4 * ms, 32 << 10, 0, 0},
		{1 << 20, 0, 32 << 10, 0, 0},
		{1 << 20, 0, 32 << 10, 0, 4 * ms},
		{1 << 20, 0, 8 << 10, 50 * time.Microsecond, 10 * time.Microsecond},
		{4 << 20, ms, 64 << 10, 0, 20 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			fresh := func() *pour { return &pour{size: c.size, room: 64 << 10, rate: 12.5e6} }
			want := poured(t, fresh(), "http", c.late, c.piece, c.inside, c.outside)
			for _, known := range []bool{true, false} {
				got := download(t, fresh(), c.late, c.piece, c.inside, c.outside, known)
				a, _ := want.ReadThroughput()
				b, _ := got.ReadThroughput()
				if a != b || want.ReadQuality() != got.ReadQuality() || want.ReadLimit() != got.ReadLimit() ||
					want.ResponseBytes != got.ResponseBytes || want.ResponseAhead != got.ResponseAhead {
					t.Errorf("%+v: the transport's rate %.4g (%s, %s), the connection's %.4g (%s, %s)\n%+v\n%+v", c,
						a, want.ReadQuality(), want.ReadLimit(), b, got.ReadQuality(), got.ReadLimit(), want, got)
				}
			}
		})
	}
}

// An answer that is measured from its head on has the rate of one that was measured from the request on, if its first
// byte was stamped. What was read with the head in a larger buffer is no part of the rate.
func TestConnBegunLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &pour{size: 1 << 20, room: 64 << 10, rate: 12.5e6}
		k := newKept()
		transport := &Transport{Observer: k}
		transport.system.peeker = func(net.Conn) peeker { return pourPeeker{body} }
		c := transport.NewConn(&pourConn{remote: remote{from: ":1", to: "192.0.2.1:80"}, pour: body})
		started := time.Now()
		buf := make([]byte, 16<<10)
		_, _ = c.Read(buf)
		began := time.Now()
		time.Sleep(2 * time.Millisecond)
		with, _ := c.Read(buf) // which is what a client with a large buffer has when it has read the head
		c.Begin(t.Context(), Request{Started: started, Method: "GET", Scheme: "http"})
		c.AnswerBegins(Answer{Began: began, Proto: "HTTP/1.1", Status: 200, Length: body.size, Read: int64(with)})
		n := int64(with)
		for n < body.size {
			some, _ := c.Read(buf)
			n += int64(some)
		}
		c.AnswerEnds(n, nil)
		got := k.wait(t, 1)[0]
		if v, _ := got.ReadThroughput(); got.ReadQuality() != OK || v < 12.4e6 || v > 12.6e6 {
			t.Errorf("%.4g (%s): %+v", v, got.ReadQuality(), got)
		}
		if got.ResponseAhead < int64(with) || got.ResponseBytes != body.size {
			t.Errorf("%d of %d bytes were ahead", got.ResponseAhead, got.ResponseBytes)
		}
	})
}

// A piped Conn is one whose other side this test plays.
func piped(t *testing.T, o Observer) (*Conn, net.Conn) {
	t.Helper()
	here, there := net.Pipe()
	t.Cleanup(func() { _ = here.Close(); _ = there.Close() })
	return (&Transport{Observer: o}).NewConn(here), there
}

func TestConnWhoseRequestFails(t *testing.T) {
	k := newKept()
	c, there := piped(t, k)
	go func() { _, _ = io.Copy(io.Discard, there) }()
	why := errors.New("reset")
	for _, end := range []func(){
		func() { c.Fail(why) },
		func() { c.RequestEnds(3, why); c.Fail(why) },
		func() { c.AnswerBegins(Answer{Status: 200, Length: 10}); c.AnswerEnds(4, why) },
	} {
		c.Begin(t.Context(), Request{ContentLength: 10})
		c.BodyBegins()
		_, _ = c.Write([]byte("123"))
		end()
		got := k.wait(t, 1)[0]
		if got.Err != why || got.WriteQuality() != Aborted || got.ReadQuality() != Aborted {
			t.Errorf("%v, %s, %s", got.Err, got.WriteQuality(), got.ReadQuality())
		}
	}
	c.Begin(t.Context(), Request{})
	c.Begin(t.Context(), Request{})
	if got := k.wait(t, 1)[0]; got.Err != ErrUnended {
		t.Errorf("the error is %v", got.Err)
	}
	c.Fail(nil)
	k.wait(t, 1)
	c.Fail(why)
	c.RequestEnds(0, nil)
	c.AnswerBegins(Answer{})
	c.AnswerEnds(0, nil)
	c.BodyBegins()
	c.Interim(100)
	select {
	case <-k.got:
		t.Error("what has ended was told of again")
	default:
	}
}

// The first byte of an interim answer is none of the final one.
func TestConnInterim(t *testing.T) {
	k := newKept()
	c, there := piped(t, k)
	go func() {
		_, _ = there.Write([]byte("100"))
		_, _ = io.CopyN(io.Discard, there, 3)
		_, _ = there.Write([]byte("200"))
	}()
	three := make([]byte, 3)
	c.Begin(t.Context(), Request{ContentLength: 3})
	_, _ = io.ReadFull(c, three)
	c.Interim(100)
	c.BodyBegins()
	_, _ = c.Write(three)
	c.RequestEnds(3, nil)
	_, _ = io.ReadFull(c, three)
	c.AnswerBegins(Answer{Status: 200})
	c.AnswerEnds(0, nil)
	got := k.wait(t, 1)[0]
	if !got.Continued.Happened() || got.FirstResponseByte < got.RequestWritten || got.RequestBytes != 3 {
		t.Errorf("%+v", got)
	}
}

// What could not be written was not taken.
func TestConnWritesLess(t *testing.T) {
	k := newKept()
	c := (&Transport{Observer: k}).NewConn(shortConn{})
	c.Begin(t.Context(), Request{ContentLength: 5})
	c.BodyBegins()
	_, _ = c.Write(make([]byte, 3))
	if n := c.now.Load().attempt.sent.bytes.Load(); n != 2 {
		t.Errorf("%d bytes were taken", n)
	}
	c.Fail(nil)
	k.wait(t, 1)
}

type shortConn struct{ remote }

func (shortConn) Write(p []byte) (int, error) { return len(p) - 1, io.ErrShortWrite }

// Nothing is measured that nobody observes; who asks by the context is told, with that.
func TestConnObservers(t *testing.T) {
	if (*Transport)(nil).NewConn(nil).Begin(t.Context(), Request{}) {
		t.Error("nobody wants to know")
	}
	k := newKept()
	c, _ := piped(t, nil)
	if c.Begin(t.Context(), Request{}) || !c.Begin(WithObserver(t.Context(), k), Request{}) {
		t.Error("it is the context's observer")
	}
	c.Fail(nil)
	k.wait(t, 1)
	if c.NetConn() != c.Conn {
		t.Error("the connection below is another one")
	}
}

// What a Conn allocates: nothing where nothing is measured, and else the attempt, what belongs to it, and what asks the
// socket.
func TestConnAllocations(t *testing.T) {
	c := (&Transport{Observer: ObserverFunc(func(context.Context, *Timeline) {})}).NewConn(quietConn{})
	buf := make([]byte, 1<<10)
	idle := testing.AllocsPerRun(1000, func() { _, _ = c.Write(buf); _, _ = c.Read(buf) })
	long := testing.AllocsPerRun(1000, func() {
		c.Begin(context.Background(), Request{Method: "GET"})
		_, _ = c.Read(buf)
		c.AnswerBegins(Answer{Status: 200, Length: 1 << 20})
		_, _ = c.Read(buf)
		c.AnswerEnds(1<<20, nil)
	})
	if idle > 0 || long > 2 {
		t.Errorf("%v allocations of what is not measured, %v of what is", idle, long)
	}
}

type quietConn struct{ remote }

func (quietConn) Read(p []byte) (int, error)  { return len(p), nil }
func (quietConn) Write(p []byte) (int, error) { return len(p), nil }

// Over a socket there is what asks it, besides: 3 for an answer of 64 KiB or more, as docs/design/throughput.md says, and 5 for
// an upload of 256 KiB or more.
func TestConnAllocationsOfASocket(t *testing.T) {
	if newPeeker(&net.TCPConn{}) == nil && newProber(&net.TCPConn{}) == nil && runtime.GOOS != "linux" {
		t.Skip("nothing can be asked here")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	raw, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	c := (&Transport{Observer: ObserverFunc(func(context.Context, *Timeline) {})}).NewConn(raw)
	for _, kind := range []struct {
		up, down int64
		most     float64
	}{{0, 1 << 10, 2}, {0, 64 << 10, 5}, {64 << 10, 0, 2}, {256 << 10, 0, 7}} {
		got := testing.AllocsPerRun(200, func() {
			c.Begin(context.Background(), Request{Method: "PUT", ContentLength: kind.up})
			if kind.up > 0 {
				c.BodyBegins()
			}
			c.AnswerBegins(Answer{Status: 200, Length: kind.down})
			c.AnswerEnds(kind.down, nil)
		})
		if got > kind.most {
			t.Errorf("%v allocations of %d bytes up, %d down", got, kind.up, kind.down)
		}
	}
}
