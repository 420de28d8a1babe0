package throughputtest

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
)

// A clockedConn knows by the kernel's stamps when how much had come.
type clockedConn struct {
	*stampedConn
	mu   sync.Mutex
	come []cameBy
}

type cameBy struct {
	at    time.Time
	bytes int // with all before
}

func (c *clockedConn) NetConn() net.Conn { return c.Conn }

func (c *clockedConn) Read(p []byte) (int, error) {
	n, err := c.stampedConn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	so := n
	if len(c.come) > 0 {
		so += c.come[len(c.come)-1].bytes
	}
	c.come = append(c.come, cameBy{time.Unix(0, c.last.Load()), so})
	return n, err
}

func (c *clockedConn) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.come = nil
}

// rate is that of what came after a moment, or since the first came.
func (c *clockedConn) rate(since time.Time) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, last := cameBy{at: since}, c.come[len(c.come)-1]
	if c.come[0].at.After(since) {
		first.at = c.come[0].at
	}
	for _, a := range c.come {
		if !a.at.After(since) {
			first.bytes = a.bytes
		}
	}
	return float64(last.bytes-first.bytes) / last.at.Sub(first.at).Seconds()
}

// TestAccuracyOfReads downloads short bodies over links, and compares their rates with those by the kernel's stamps of
// their packets, from the first on or of those that had not come when the socket was asked: who waits for a processor
// sees the first byte and the last one late. Where the quality is ok, the rate is within 5% of that.
func TestAccuracyOfReads(t *testing.T) {
	if os.Getenv("PLIMSOLL_ACCURACY") == "" {
		t.Skip("measures real time; run it with make bench-accuracy")
	}
	fmt.Println("| link | body | attempts | by the first byte ÷ truth | read ÷ truth | ok | worst ok |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, k := range links {
		if k.RTT == 0 { // these have their rate in one direction
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			get := clockedReads(t, k)
			for _, kib := range numbers(t, "ACCURACY_KIB", "64,128,256,1024") {
				readTimes(t, k.Name, get, kib<<10, numbers(t, "ACCURACY_ATTEMPTS", "56")[0])
			}
		})
	}
}

// A read downloads so many bytes, and returns the rates of them all and of what the read rate is of, by the kernel.
type read func(size int) (got *throughput.Timeline, whole, truth float64, err error)

// clockedReads returns what downloads so many bytes.
func clockedReads(t *testing.T, k linkKind) func(size int) (got *throughput.Timeline, whole, truth float64, err error) {
	l := newLink(t)
	url := startFar(t, l, k)
	dial := l.dial("cubic")
	conn := &clockedConn{}
	over := make(chan *throughput.Timeline, 4)
	base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		raw, err := c.(*net.TCPConn).SyscallConn()
		if err != nil {
			return nil, err
		}
		conn.stampedConn = &stampedConn{Conn: c, raw: raw, piece: 1448}
		return conn, raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
		})
	}}
	t.Cleanup(base.CloseIdleConnections)
	client := &http.Client{Transport: measuring(base,
		throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))}
	return func(size int) (got *throughput.Timeline, whole, truth float64, err error) {
		conn.reset()
		resp, err := client.Get(fmt.Sprintf("%s?size=%d", url, size))
		if err != nil {
			return nil, 0, 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return nil, 0, 0, err
		}
		got = <-over
		asked, _ := got.ResponseAsked.Offset() // 0 if nothing had come: from the first on
		return got, conn.rate(time.Time{}), conn.rate(got.Started.Round(0).Add(asked)), nil
	}
}

func readTimes(t *testing.T, name string, get read, size, attempts int) {
	var before, ratios []float64
	ok, worst := 0, 0.0
	for i := range attempts + 1 {
		got, whole, truth, err := get(size)
		if err != nil {
			t.Fatal(err)
		}
		v, known := got.ReadThroughput()
		if i == 0 || !known { // the first has no connection yet
			continue
		}
		took := time.Duration(got.LastResponseByte - got.FirstResponseByte)
		before, ratios = append(before, float64(size)/took.Seconds()/whole), append(ratios, v/truth)
		if off := math.Abs(v/truth - 1); got.ReadQuality() == throughput.OK {
			ok, worst = ok+1, max(worst, off)
			if off > throughput.Tolerance {
				t.Errorf("the rate is off by %.1f%%: truth %.4g, %+v", off*100, truth, got)
			}
		}
	}
	slices.Sort(before)
	slices.Sort(ratios)
	three := func(v []float64) string {
		if len(v) == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f (%.3f–%.3f)", v[len(v)/2], v[0], v[len(v)-1])
	}
	fmt.Printf("| %s | %d KiB | %d | %s | %s | %d%% | %.1f%% |\n", name, size>>10, attempts, three(before), three(ratios),
		100*ok/attempts, worst*100)
}
