package throughput

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A pour is the body of a response that comes at a rate, in virtual time, as far as its receiver has room
// for it: when that is full, the network stands still.
type pour struct {
	size, room int64
	rate       float64       // bytes per second
	copying    time.Duration // that a Read takes
	stops      time.Duration // how long the last segment is held back
	drowsy     time.Duration // how late what comes next is seen, from when so much is left on
	left       int64
	delays     time.Duration // between what the socket has and the answer, the first time

	start time.Time
	taken int64
	come  int64     // and not yet taken
	at    time.Time // then
	last  time.Time // when the last of it had come
}

func (p *pour) fill() {
	now := time.Now()
	more := int64(now.Sub(p.at).Seconds() * p.rate)
	was := p.come
	if p.come = min(p.come+more, p.room, p.size-p.taken); p.come > was {
		p.last = p.at.Add(time.Duration(float64(p.come-was) / p.rate * 1e9))
	}
	p.at = now
}

func (p *pour) Read(b []byte) (int, error) {
	time.Sleep(p.copying)
	p.fill()
	if p.taken == p.size {
		return 0, io.EOF
	}
	if p.come == 0 { // a segment or the rest of it
		p.come = min(segment, p.size-p.taken)
		time.Sleep(time.Duration(float64(p.come) / p.rate * float64(time.Second)))
		if p.taken+p.come == p.size {
			time.Sleep(p.stops)
		}
		p.at = time.Now()
		p.last = p.at
		if p.size-p.taken-p.come <= p.left {
			time.Sleep(p.drowsy)
			p.drowsy = 0
		}
	}
	n := min(int64(len(b)), p.come)
	p.taken, p.come = p.taken+n, p.come-n
	return int(n), nil
}

func (p *pour) Close() error { return nil }

// What a caller who is slow does to the read rate, of a body that comes at 12.5 MB/s to a receiver with
// room for 64 KiB.
func TestReaders(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name    string
		pause   func(read, last int64) time.Duration // after a Read that gave so much, before the next
		limit   Limit
		quality Quality
	}{
		{"at once", func(_, _ int64) time.Duration { return 0 }, LimitNetwork, OK},
		{"that hashes at twice the rate", func(_, last int64) time.Duration { return time.Duration(last) * 40 }, LimitNetwork, OK},
		{"that is slow", func(_, last int64) time.Duration { return time.Duration(last) * 800 }, LimitReader, Paced},
		{"that is slow, in small pieces", func(_, last int64) time.Duration { return time.Duration(last) * 100 }, LimitReader, Paced},
		{"that begins late", func(read, _ int64) time.Duration {
			if read == 0 {
				return 2000 * ms
			}
			return 0
		}, LimitReader, Paced},
		{"that begins a little late", func(read, _ int64) time.Duration {
			if read == 0 {
				return 20 * ms
			}
			return 0
		}, LimitNetwork, OK},
		{"that rests now and then", func(read, _ int64) time.Duration {
			if read%(1<<20) < 32<<10 {
				return 100 * ms
			}
			return 0
		}, LimitReader, Paced},
	} {
		synctest.Test(t, func(t *testing.T) {
			body := &pour{size: 10 << 20, room: 64 << 10, rate: 12.5e6}
			base := roundTrip(func(r *http.Request) (*http.Response, error) {
				body.start, body.at = time.Now(), time.Now()
				return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, ContentLength: body.size, Body: body,
					Request: r}, nil
			})
			k := newKept()
			resp, err := Wrap(base, k).RoundTrip(request(t, http.MethodGet, "http://model", nil))
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 32<<10)
			if c.name == "that is slow, in small pieces" {
				buf = buf[:4<<10]
			}
			for read, n := int64(0), 0; ; {
				time.Sleep(c.pause(read, int64(n)))
				var err error
				n, err = resp.Body.Read(buf)
				read += int64(n)
				if err != nil {
					break
				}
			}
			got := k.wait(t, 1)[0]
			rate, _ := got.ReadThroughput()
			t.Logf("a reader %s: %.3g of the rate, %v of %v outside, %v of it paused", c.name, rate/body.rate, got.ReaderTime,
				time.Duration(got.LastResponseByte-got.FirstResponseByte), got.ReaderPaused)
			if got.ReadLimit() != c.limit || got.ReadQuality() != c.quality {
				t.Errorf("a reader %s: limited by %q, %s: %+v", c.name, got.ReadLimit(), got.ReadQuality(), got)
			}
			if off := rate/body.rate - 1; got.ReadQuality() == OK && (off > Tolerance || off < -Tolerance) {
				t.Errorf("a reader %s: ok at %.3g of the rate", c.name, rate/body.rate)
			}
		})
	}
}
