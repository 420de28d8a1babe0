package throughput

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sort"
	"testing"
	"testing/synctest"
	"time"
)

// A sourced path is one of constant rate, in virtual time, to which a body comes as its source has it.
// What the receiver sees follows from when each piece was written to the socket: it is the truth.
type sourced struct {
	size, buffer int64
	rate         float64 // bytes per second
	rtt          time.Duration
	held         int64 // so much is kept back until more comes: net/http's own buffer
	counted      bool  // the kernel counts when it is busy

	start  time.Time
	pieces []written
	kept   int64
}

const modelTick = 4 * time.Millisecond // of the kernel's clock

// written is a piece that the socket got.
type written struct {
	at     time.Duration
	left   time.Duration // its last byte left
	before int64         // bytes before it
	bytes  int64
}

func (m *sourced) now() time.Duration { return time.Since(m.start) }

// synctest: used only inside a bubble.
func (m *sourced) write(n int64) {
	m.kept += n
	total := m.total()
	if m.kept == 0 || m.kept < m.held && total+m.kept < m.size {
		return
	}
	for total+m.kept-m.acked(m.now()) > m.buffer {
		time.Sleep(100 * time.Microsecond)
	}
	at := m.now()
	left := at
	if len(m.pieces) > 0 {
		left = max(left, m.pieces[len(m.pieces)-1].left)
	}
	m.pieces = append(m.pieces, written{at, left + m.needs(m.kept), total, m.kept})
	m.kept = 0
}

func (m *sourced) needs(n int64) time.Duration {
	return time.Duration(float64(n) / m.rate * float64(time.Second))
}

func (m *sourced) total() int64 {
	if len(m.pieces) == 0 {
		return 0
	}
	last := m.pieces[len(m.pieces)-1]
	return last.before + last.bytes
}

// acked is how many bytes are acknowledged at a time.
func (m *sourced) acked(at time.Duration) int64 {
	at -= m.rtt
	i := sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].left > at })
	if i == len(m.pieces) {
		return m.total()
	}
	p := m.pieces[i]
	gone := p.bytes - int64(float64(p.left-at)/float64(time.Second)*m.rate)
	return p.before + max(gone, 0)/1448*1448
}

// busy is for how long something was unacknowledged until a time, in ticks of 4 ms as the kernel counts.
func (m *sourced) busy(until time.Duration) (sum time.Duration) {
	var free time.Duration
	for _, p := range m.pieces {
		from, to := max(p.at, free), min(p.left+m.rtt, until)
		if to > from {
			sum, free = sum+to.Truncate(modelTick)-from.Truncate(modelTick), to
		}
	}
	return sum
}

func (m *sourced) probe() (look, error) {
	var at time.Duration
	if !m.start.IsZero() {
		at = m.now()
	}
	return look{queue: m.total() - m.acked(at), acked: -1, minRTT: max(m.rtt, time.Microsecond), counted: m.counted,
		busy: m.busy(at), tick: modelTick, sending: Sending{Busy: m.busy(at), Tick: modelTick}}, nil
}

// RoundTrip plays net/http.
//
// synctest: used only inside a bubble.
func (m *sourced) RoundTrip(r *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(r.Context())
	here, there := net.Pipe() // only so that there is a connection to ask
	defer func() { _ = here.Close(); _ = there.Close() }()
	m.start = time.Now()
	trace.GotConn(httptrace.GotConnInfo{Conn: here})
	trace.WroteHeaders()
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Body.Read(buf)
		m.write(int64(n))
		if err != nil {
			break
		}
	}
	_ = r.Body.Close()
	trace.WroteRequest(httptrace.WroteRequestInfo{})
	time.Sleep(m.pieces[len(m.pieces)-1].left + m.rtt + 65*time.Millisecond - m.now())
	trace.GotFirstResponseByte()
	return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, Request: r}, nil
}

// truth is the rate at which the receiver got the body: from its first byte to its last.
func (m *sourced) truth() float64 {
	first, last := m.pieces[0], m.pieces[len(m.pieces)-1]
	return float64(m.size) / (last.left - first.at).Seconds()
}

// A patient source waits before some of its pieces.
type patient struct {
	size  int64
	pause func(given int64) time.Duration
	piece func(given int64) int64 // at most
	given int64
}

// synctest: used only inside a bubble.
func (s *patient) Read(p []byte) (int, error) {
	if s.given == s.size {
		return 0, io.EOF
	}
	time.Sleep(s.pause(s.given))
	n := min(int64(len(p)), s.size-s.given)
	if s.piece != nil {
		n = min(n, s.piece(s.given))
	}
	s.given += n
	return int(n), nil
}

func (m *sourced) measure(t *testing.T, source *patient, length int64) (got *Timeline) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := newKept()
		rt := Wrap(m, k)
		rt.system = system{prober: func(net.Conn) prober { return m }, nap: time.Sleep}
		req := request(t, http.MethodPut, "http://model", io.NopCloser(source))
		req.ContentLength = length
		if _, err := rt.RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		got = k.wait(t, 1)[0]
	})
	return got
}

// late waits before the first piece alone.
func late(d time.Duration) func(int64) time.Duration {
	return func(given int64) time.Duration {
		if given == 0 {
			return d
		}
		return 0
	}
}

// What the wait for the source does to each figure, on a path of 12.5 MB/s.
func TestSources(t *testing.T) {
	const ms = time.Millisecond
	header := func(given int64) int64 { // as gzip's
		if given == 0 {
			return 10
		}
		return 32 << 10
	}
	afterHeader := func(given int64) time.Duration {
		if given == 10 {
			return 300 * ms
		}
		return 0
	}
	bursts := func(given int64) time.Duration {
		if given > 0 && given%(1<<20) == 0 {
			return 200 * ms
		}
		return 0
	}
	every := func(d time.Duration) func(int64) time.Duration {
		return func(given int64) time.Duration {
			if given == 0 {
				return 0
			}
			return d
		}
	}
	for _, c := range []struct {
		name  string
		size  int64
		pause func(int64) time.Duration
		piece func(int64) int64
		held  int64
		limit Limit
	}{
		{"at once", 4 << 20, every(0), nil, 0, LimitNetwork},
		{"5 ms late", 1 << 20, late(5 * ms), nil, 0, LimitNetwork},
		{"300 ms late", 10 << 20, late(300 * ms), nil, 4096, LimitNetwork},
		{"a header, and 300 ms", 10 << 20, afterHeader, header, 0, LimitSource},
		{"a header that is held back, and 300 ms", 4 << 20, afterHeader, header, 4096, LimitSource},
		{"in bursts", 4 << 20, bursts, nil, 0, LimitSource},
		{"at a tenth of the rate", 1 << 20, every(26 * ms), nil, 0, LimitSource},
		{"at half the rate", 4 << 20, every(5 * ms), nil, 0, LimitSource},
		{"nearly at the rate", 8 << 20, every(2500 * time.Microsecond), nil, 0, LimitSource},
		{"at twice the rate", 8 << 20, every(1300 * time.Microsecond), nil, 0, ""},
	} {
		for _, counted := range []bool{true, false} {
			for _, chunked := range []bool{true, false} {
				name := fmt.Sprintf("%s, counted %v, chunked %v", c.name, counted, chunked)
				m := &sourced{size: c.size, buffer: 1 << 20, rate: 12.5e6, rtt: 5 * ms, held: c.held, counted: counted}
				length := c.size
				if chunked {
					length = -1
				}
				got := m.measure(t, &patient{size: c.size, pause: c.pause, piece: c.piece}, length)
				rate, _ := got.WriteThroughputDelivered()
				e, _ := got.WriteThroughputError()
				if off := rate/m.truth() - 1; max(off, -off) > e && c.held == 0 {
					t.Errorf("%s: off by %.1f%%: %+v", name, off*100, got)
				}
				if off := rate/m.rate - 1; got.WriteQuality() == OK && (off > Tolerance || off < -Tolerance) {
					t.Errorf("%s: ok, and off from the path's rate by %.1f%%: %+v", name, off*100, got)
				}
				ok := got.WriteQuality() == OK
				if counted && (got.WriteLimit() != c.limit || ok != (c.limit == LimitNetwork)) {
					t.Errorf("%s: limited by %q, %s, %.3g of the path's rate: %+v %+v", name, got.WriteLimit(), got.WriteQuality(),
						rate/m.rate, got, got.Sending)
				}
				if limit := got.WriteLimit(); !counted && limit != "" && limit != c.limit {
					t.Errorf("%s: limited by %q", name, limit)
				}
			}
		}
	}
}

// A body that writes itself is waited for between its writes.
func TestSourceThatWritesItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKept()
		base := roundTrip(func(r *http.Request) (*http.Response, error) {
			_, err := r.Body.(io.WriterTo).WriteTo(slowWriter(10 * time.Millisecond))
			_ = r.Body.Close()
			return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, Request: r}, err
		})
		req := request(t, http.MethodPut, "http://model", dump{})
		req.ContentLength = -1
		if _, err := Wrap(base, k).RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		got := k.wait(t, 1)[0]
		first, _ := got.FirstBodyRead.Offset()
		if got.SourceTime != 15*time.Millisecond || first != 300*time.Millisecond || got.BodyAsked != At(0) {
			t.Errorf("%+v", got)
		}
	})
}

// A dump writes itself: after 300 ms three pieces, 5 ms before each other one and before the end.
type dump struct{ endless }

// synctest: used only inside a bubble.
func (dump) WriteTo(w io.Writer) (sum int64, err error) {
	time.Sleep(300 * time.Millisecond)
	for range 3 {
		n, _ := w.Write(make([]byte, 1000))
		sum += int64(n)
		time.Sleep(5 * time.Millisecond)
	}
	return sum, nil
}

type slowWriter time.Duration

// synctest: used only inside a bubble.
func (w slowWriter) Write(p []byte) (int, error) { time.Sleep(time.Duration(w)); return len(p), nil }

// Whatever the source does: where the quality is ok, delivered is within 5% of the path's own rate, and
// of what the receiver saw.
func TestSourcesOfAllKinds(t *testing.T) {
	qualities, limits := map[Quality]int{}, map[Limit]int{}
	seeds := uint64(100)
	if os.Getenv("PLIMSOLL_NIGHTLY") != "" {
		seeds = 500
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(7, seed))
		log := func(least, most float64) float64 { return least * math.Pow(most/least, random.Float64()) }
		m := &sourced{
			size: int64(log(64<<10, 16<<20)), buffer: int64(log(64<<10, 4<<20)), rate: log(1e6, 250e6),
			rtt: time.Duration(log(2e4, 5e7)), held: int64(random.IntN(2) * 4096), counted: random.IntN(4) > 0,
		}
		m.buffer = max(m.buffer, int64(4*m.rate*m.rtt.Seconds())) // what it is too small for is not modelled
		step, wait := int64(log(1, float64(m.size))), time.Duration(log(1e3, 5e8))
		often := random.Float64()
		source := &patient{size: m.size, piece: func(int64) int64 { return max(step, m.size/500) },
			pause: func(int64) time.Duration {
				if random.Float64() > often*often {
					return 0
				}
				return time.Duration(float64(wait) * random.Float64())
			}}
		got := m.measure(t, source, m.size)
		quality := got.WriteQuality()
		qualities[quality]++
		limits[got.WriteLimit()]++
		rate, known := got.WriteThroughputDelivered()
		e, _ := got.WriteThroughputError()
		if off, own := rate/m.truth()-1, rate/m.rate-1; quality == OK && (max(off, -off) > Tolerance || max(own, -own) > Tolerance) {
			t.Errorf("seed %d: off by %.1f%%, from the path's rate by %.1f%%, claimed %.1f%%: %+v\n%+v %+v", seed, off*100,
				own*100, e*100, got, got.Sending, *m)
		}
		if limit := got.WriteLimit(); limit == LimitNetwork && known && rate < (0.8-e)*m.rate {
			t.Errorf("seed %d: limited by the network at %.2f of its rate: %+v %+v", seed, rate/m.rate, got, got.Sending)
		}
		if t.Failed() {
			return
		}
	}
	t.Log(qualities, limits)
}
