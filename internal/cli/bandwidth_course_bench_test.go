//go:build unix

package cli_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// pacedProxy passes connections on at a rate, and counts what it passes by its own clock, in bins of 100 ms. Its
// sockets have small buffers, so that what the kernel has acknowledged for it and what it has read are the same
// within a few milliseconds.
type pacedProxy struct {
	net.Listener
	to   string
	rate atomic.Int64 // bytes per second of each way, of all connections together; 0: nothing moves

	up, down pacer
	serving  sync.WaitGroup
	mu       sync.Mutex
	open     []net.Conn
}

// pacer lets bytes through at the proxy's rate, and counts them.
type pacer struct {
	mu     sync.Mutex
	free   time.Time // when the next byte may go
	origin time.Time // of the bins; by the wall clock too
	bins   []int64
}

const (
	courseBin    = 100 * time.Millisecond
	coursePiece  = 8 << 10
	courseBuffer = 16 << 10
)

// smallBuffers is before a socket connects or listens. Segments are those of Ethernet, since buffers smaller than a
// segment of loopback would make it wait for its timers.
func smallBuffers(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, courseBuffer)
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, courseBuffer)
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1400)
	})
}

func newPacedProxy(tb testing.TB, to string, rate int64) *pacedProxy {
	tb.Helper()
	config := net.ListenConfig{Control: smallBuffers}
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &pacedProxy{Listener: l, to: strings.TrimPrefix(to, "http://")}
	p.rate.Store(rate)
	p.up.origin, p.down.origin = time.Now(), time.Now()
	p.serving.Go(p.accept)
	tb.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.open {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.serving.Wait()
	})
	return p
}

func (p *pacedProxy) url() string { return "http://" + p.Addr().String() }

func (p *pacedProxy) accept() {
	for {
		near, err := p.Accept()
		if err != nil {
			return
		}
		dialer := net.Dialer{Control: smallBuffers}
		far, err := dialer.DialContext(context.Background(), "tcp", p.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		p.mu.Lock()
		p.open = append(p.open, near, far)
		p.mu.Unlock()
		p.serving.Go(func() { p.pass(near, far, &p.up, true) })
		p.serving.Go(func() { p.pass(far, near, &p.down, false) })
	}
}

// pass copies one way. What comes from the client counts when it was read, what goes to it when it was written.
func (p *pacedProxy) pass(from, to net.Conn, by *pacer, reading bool) {
	defer to.Close()
	piece := make([]byte, coursePiece)
	for {
		if reading {
			by.wait(&p.rate, coursePiece)
		}
		n, err := from.Read(piece)
		if reading {
			by.count(n)
		} else if n > 0 {
			by.wait(&p.rate, n)
		}
		if n > 0 {
			if _, failed := to.Write(piece[:n]); failed != nil {
				return
			}
			if !reading {
				by.count(n)
			}
		}
		if err != nil {
			return
		}
	}
}

// wait waits until n bytes may go. A reader that finds fewer has waited too long, which only makes it slower.
func (b *pacer) wait(rate *atomic.Int64, n int) {
	for {
		b.mu.Lock()
		now, r := time.Now(), rate.Load()
		if r > 0 && !b.free.After(now) {
			if behind := now.Add(-5 * time.Millisecond); b.free.Before(behind) { // a rate is not made up for
				b.free = behind
			}
			b.free = b.free.Add(time.Duration(float64(n) / float64(r) * 1e9))
			b.mu.Unlock()
			return
		}
		sleep := time.Millisecond
		if r > 0 {
			sleep = b.free.Sub(now)
		}
		b.mu.Unlock()
		time.Sleep(sleep)
	}
}

func (b *pacer) count(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bin := int(time.Since(b.origin) / courseBin)
	for len(b.bins) <= bin {
		b.bins = append(b.bins, 0)
	}
	b.bins[bin] += int64(n)
}

// between are the bytes between two moments. Those of a bin in part are taken by its share of the bin.
func between(bins []int64, width time.Duration, from, to time.Duration) (bytes float64) {
	for i, n := range bins {
		begin, end := time.Duration(i)*width, time.Duration(i+1)*width
		if shared := min(to, end) - max(from, begin); shared > 0 {
			bytes += float64(n) * float64(shared) / float64(width)
		}
	}
	return bytes
}

// courseError compares a course with the proxy's bins, second by second, from the first whole one of the transfer to
// the last: the largest difference, as a share of what the proxy counted; of a second in which it counted next to
// nothing, as a share of a second at the highest rate.
func courseError(tb testing.TB, doc *rundoc.Run, transfer *rundoc.Transfer, ours []int64, proxy *pacer) (worst float64) {
	f := doc.Bandwidth().Flow
	window := doc.Phases[0].Started
	for _, p := range doc.Phases {
		if p.Name == rundoc.PhaseWindow {
			window = p.Started
		}
	}
	// From the proxy's clock to the bins of the document.
	shift := window.Add(time.Duration(f.FromNS)).Sub(proxy.origin)
	from := time.Duration(*transfer.Iterations[0].FromNS - f.FromNS)
	to := from + time.Duration(transfer.DurationNS)
	highest := 0.0
	for at := from; at+time.Second <= to; at += time.Second {
		highest = max(highest, between(proxy.bins, courseBin, at+shift, at+shift+time.Second))
	}
	var line strings.Builder
	for at := from; at+time.Second <= to; at += time.Second {
		truth := between(proxy.bins, courseBin, at+shift, at+shift+time.Second)
		found := between(ours, time.Duration(f.BinNS), at, at+time.Second)
		off := math.Abs(found - truth)
		if truth > highest/20 {
			off /= truth
		} else {
			off /= highest
		}
		worst = max(worst, off)
		fmt.Fprintf(&line, " %.2f/%.2f", found/1e6, truth/1e6)
	}
	tb.Logf("MB/s, ours/the proxy's:%s", line.String())
	return worst
}

// BenchmarkCourseAgainstProxy compares the course of transfers, second by second, with what a proxy counted by its own
// clock that stands between: at an even rate, through a step of the rate, and through a freeze of four seconds. It
// reports the largest difference of a second, in percent; 3 is what is promised. It takes a minute.
func BenchmarkCourseAgainstProxy(b *testing.B) {
	target, stop := serveTarget(b, "s3", "--anonymous")
	defer stop()
	conditions := []struct {
		name    string
		changes []int64 // rates in MB/s, from the second on that is the place in the list; the last one stays
	}{
		{"even", []int64{12}},
		{"step", []int64{15, 15, 15, 5}},
		{"freeze", []int64{12, 12, 0, 0, 0, 0, 12}},
	}
	for _, c := range conditions {
		for _, only := range []string{"upload", "download"} {
			b.Run(c.name+"/"+only, func(b *testing.B) {
				var worst, still float64
				for b.Loop() {
					off, stood := runCourse(b, target, only, c.changes)
					worst, still = max(worst, off), max(still, stood)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(100*worst, "worst-second-%")
				b.ReportMetric(still, "standstill-s")
			})
		}
	}
}

// runCourse makes a transfer of about eight seconds through a proxy whose rate changes.
func runCourse(b *testing.B, target, only string, changes []int64) (worst, standstill float64) {
	const mb = 1_000_000
	p := newPacedProxy(b, target, 1000*mb)
	file := []string{"s3://plimsoll/course", "--active-blocks", "4", "--part-size", "5m", "--block", "1m"}
	args := append([]string{"80m"}, append(file, "--only", "upload", "--keep", "--overwrite")...)
	if only == "download" {
		bandwidthDocument(b, append(args, "--endpoint", target)...)
		args = append(file, "--only", "download", "--policy", "prefetch")
	}
	args = append(args, "--endpoint", p.url())
	p.rate.Store(changes[0] * mb)
	done := make(chan struct{})
	var changing sync.WaitGroup
	changing.Go(func() {
		began := p.begun(done, only)
		for i, rate := range changes {
			select {
			case <-time.After(time.Until(began.Add(time.Duration(i) * time.Second))):
				p.rate.Store(rate * mb)
			case <-done:
				return
			}
		}
	})
	doc, d := bandwidthDocument(b, args...)
	close(done)
	changing.Wait()
	b.Logf("by %s, at most %v between looks", d.Flow.Counted, time.Duration(d.Flow.LongestLookNS))
	t, ours, theirs := d.Upload, d.Flow.Sent, &p.up
	if only == "download" {
		t, ours, theirs = d.Download, d.Flow.Received, &p.down
	}
	if t.Standstill != nil {
		standstill = float64(t.Standstill.DurationNS) / 1e9
	}
	theirs.mu.Lock()
	defer theirs.mu.Unlock()
	return courseError(b, doc, t, ours, theirs), standstill
}

// begun waits until a transfer has begun.
func (p *pacedProxy) begun(done <-chan struct{}, only string) time.Time {
	by := &p.up
	if only == "download" {
		by = &p.down
	}
	for {
		by.mu.Lock()
		all := int64(0)
		for _, n := range by.bins {
			all += n
		}
		by.mu.Unlock()
		if all > 100_000 {
			return time.Now()
		}
		select {
		case <-done:
			return time.Now()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
