package throughput

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A scriptConn gives so many bytes with each Read, and takes so many of each Write, both after a millisecond.
type scriptConn struct {
	remote
	gives, takes []int
}

func (c *scriptConn) Read([]byte) (int, error) {
	time.Sleep(milli)
	if len(c.gives) == 0 {
		return 0, io.EOF
	}
	n := c.gives[0]
	c.gives = c.gives[1:]
	return n, nil
}

func (c *scriptConn) Write(p []byte) (int, error) {
	time.Sleep(milli)
	if len(c.takes) == 0 {
		return len(p), nil
	}
	n := c.takes[0]
	c.takes = c.takes[1:]
	return n, io.ErrShortWrite
}

// A request is labelled as the client says, and begins when it says, or now.
func TestConnBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			length  int64
			hasBody bool
			ago     time.Duration
		}{{0, false, 0}, {1, true, 0}, {-1, true, 0}, {5, true, milli}} {
			k := newKept()
			conn := (&Transport{Observer: k}).NewConn(&scriptConn{})
			r := Request{Method: "PUT", Scheme: "https", Host: "host", Reused: true, ContentLength: c.length}
			want := time.Now()
			if c.ago > 0 {
				want = want.Add(-c.ago)
				r.Started = want
			}
			if !conn.Begin(t.Context(), r) {
				t.Fatal("it is not measured")
			}
			conn.Fail(errBroken)
			got := k.wait(t, 1)[0]
			if !got.Started.Equal(want) || got.Method != "PUT" || got.Scheme != "https" || got.Host != "host" ||
				!got.Reused || got.Attempt != 1 || got.ContentLength != c.length || got.HasBody != c.hasBody ||
				got.ConnectionGot != At(0) || got.Err != errBroken || got.Ended != At(c.ago) {
				t.Errorf("%+v", got)
			}
		}
	})
}

// The first byte of an answer is when the client says, but not after its head, or when Read saw it.
func TestConnIsAnswered(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads []int
		began time.Duration // since the request began; 0: it does not say
		want  Stamp         // the head was read after 5 ms
	}{
		{"as it says", nil, 3 * milli, ms(3)},
		{"after the head", nil, 7 * milli, ms(5)},
		{"it does not say", nil, 0, ms(5)},
		{"as Read saw it", []int{1, 1}, 3 * milli, ms(1)},
		{"as a later Read saw it", []int{0, 1}, 0, ms(2)},
		{"as no Read saw it", []int{0, 0}, 0, ms(5)},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKept()
			conn := (&Transport{Observer: k}).NewConn(&scriptConn{gives: c.reads})
			start := time.Now()
			conn.Begin(t.Context(), Request{})
			for range c.reads {
				_, _ = conn.Read(make([]byte, 1))
			}
			time.Sleep(5*milli - time.Since(start))
			a := Answer{Proto: "HTTP/1.1", Status: 204}
			if c.began > 0 {
				a.Began = start.Add(c.began)
			}
			conn.AnswerBegins(a)
			conn.AnswerEnds(0, nil)
			got := k.wait(t, 1)[0]
			if got.FirstResponseByte != c.want || got.Proto != "HTTP/1.1" || got.Status != 204 || !got.ResponseEnded {
				t.Errorf("%s: %+v", c.name, got)
			}
		})
	}
}

// Only 100 lets a body go.
func TestConnContinues(t *testing.T) {
	for status, want := range map[int]bool{99: false, 100: true, 101: false, 103: false} {
		k := newKept()
		conn := (&Transport{Observer: k}).NewConn(&scriptConn{})
		conn.Begin(t.Context(), Request{ContentLength: 3})
		conn.Interim(status)
		conn.Fail(nil)
		if got := k.wait(t, 1)[0]; got.Continued.Happened() != want {
			t.Errorf("%d: continued at %v", status, got.Continued)
		}
	}
}

// What is written and read is the body's between its begin and its end, and what a client says of its length counts; of
// what could not be written no byte was taken.
func TestConnMeasuresBodies(t *testing.T) {
	for _, c := range []struct {
		name       string
		takes      []int
		body       int64 // as the client says
		read, had  int64
		want       Timeline
		wantWrites int64 // bytes that were counted while it was written
	}{
		{"all of it", nil, 20, 8, 0, Timeline{RequestBytes: 20, RequestReads: 2, ResponseBytes: 8, ResponseReads: 2}, 20},
		{"framing is none of it", nil, 18, 7, 0,
			Timeline{RequestBytes: 18, RequestReads: 2, ResponseBytes: 7, ResponseReads: 2}, 20},
		{"a byte less", []int{100, 9}, 19, 8, 0,
			Timeline{RequestBytes: 19, RequestReads: 2, ResponseBytes: 8, ResponseReads: 2}, 19},
		{"some with the head", nil, 20, 9, 1,
			Timeline{RequestBytes: 20, RequestReads: 2, ResponseBytes: 9, ResponseReads: 3}, 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKept()
			conn := (&Transport{Observer: k}).NewConn(&scriptConn{gives: []int{1, 4, 4}, takes: c.takes})
			conn.Begin(t.Context(), Request{ContentLength: -1})
			head, piece := make([]byte, 100), make([]byte, 10)
			_, _ = conn.Write(head)
			conn.BodyBegins()
			for range 2 {
				_, _ = conn.Write(piece)
			}
			if n := conn.now.Load().attempt.sent.bytes.Load(); n != c.wantWrites {
				t.Errorf("%s: %d bytes were taken", c.name, n)
			}
			conn.RequestEnds(c.body, nil)
			_, _ = conn.Write(piece) // of something else
			_, _ = conn.Read(piece)
			conn.AnswerBegins(Answer{Status: 200, Length: -1, Read: c.had})
			for range 2 {
				_, _ = conn.Read(piece)
			}
			conn.AnswerEnds(c.read, nil)
			got := k.wait(t, 1)[0]
			if got.RequestBytes != c.want.RequestBytes || got.RequestReads != c.want.RequestReads ||
				got.ResponseBytes != c.want.ResponseBytes || got.ResponseReads != c.want.ResponseReads ||
				got.WroteHeaders != ms(1) || got.BodyAsked != ms(1) || got.RequestWritten != ms(3) ||
				got.FirstResponseByte != ms(5) || got.LastResponseByte != ms(7) {
				t.Errorf("%s: %+v", c.name, got)
			}
		})
	}
}

// What a client does between the head and its first Read is its own time, whether it had some of the body or not.
func TestConnIsReadLate(t *testing.T) {
	for _, had := range []int64{0, 1, 7} {
		synctest.Test(t, func(t *testing.T) {
			k := newKept()
			conn := (&Transport{Observer: k}).NewConn(&scriptConn{gives: []int{100}})
			conn.Begin(t.Context(), Request{})
			conn.AnswerBegins(Answer{Status: 200, Length: 100 + had, Read: had})
			time.Sleep(5 * milli)
			_, _ = conn.Read(make([]byte, 100))
			conn.AnswerEnds(100+had, nil)
			if got := k.wait(t, 1)[0]; got.ReaderTime != 5*milli {
				t.Errorf("%d bytes came with the head: %v", had, got.ReaderTime)
			}
		})
	}
}

// How late the last byte came is judged at the end of an answer of no known length that was read whole.
func TestConnJudgesTheLastByte(t *testing.T) {
	for _, c := range []struct {
		length int64
		err    error
		reads  bool
		want   time.Duration
	}{{-1, nil, true, milli / 2}, {-1, errBroken, true, 0}, {200, nil, true, 0}, {0, nil, true, 0}, {-1, nil, false, 0}} {
		synctest.Test(t, func(t *testing.T) {
			k := newKept()
			conn := (&Transport{Observer: k}).NewConn(&scriptConn{gives: []int{100, 50}})
			conn.Begin(t.Context(), Request{})
			if c.reads {
				conn.AnswerBegins(Answer{Status: 200, Length: c.length})
				for range 2 {
					_, _ = conn.Read(make([]byte, 100))
				}
			}
			conn.AnswerEnds(150, c.err)
			if got := k.wait(t, 1)[0]; got.LastResponseError != c.want || got.Err != c.err {
				t.Errorf("%+v: %v late, %v", c, got.LastResponseError, got.Err)
			}
		})
	}
}

// What a connection says of its Reads and Writes is handed on, measured or not.
func TestConnHandsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, measured := range []bool{false, true} {
			conn := (&Transport{Observer: newKept()}).NewConn(&scriptConn{gives: []int{3}, takes: []int{4, 6}})
			if measured {
				conn.Begin(t.Context(), Request{ContentLength: 10})
			}
			for _, want := range []int{4, 6} {
				if n, err := conn.Write(make([]byte, 7)); n != want || err != io.ErrShortWrite {
					t.Errorf("measured %t: %d, %v", measured, n, err)
				}
				conn.BodyBegins()
			}
			for i, want := range []error{nil, io.EOF} {
				if n, err := conn.Read(make([]byte, 7)); n != 3-3*i || err != want {
					t.Errorf("measured %t: %d, %v", measured, n, err)
				}
			}
			conn.Fail(net.ErrClosed)
		}
	})
}
