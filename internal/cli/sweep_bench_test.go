//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/setdoc"
)

// queue is a chat server that can be computed: so many workers, each of which takes a message from the queue as soon as
// it is free, and has it for exactly the service time. A worker's clock runs on by that time, however late the timer
// is by which the answer leaves, so that the server gets through exactly workers ÷ service time a second.
type queue struct {
	gws.BuiltinEventHandler
	service func(inside int) time.Duration // for so many messages inside the server
	limit   int64                          // connections beyond it are closed; 0: none
	alarms  *wake.Scheduler

	open   atomic.Int64
	mu     sync.Mutex
	free   []time.Time // when each worker is free
	inside int
}

// serveQueue starts a server of so many workers, and gives its URL.
func serveQueue(tb testing.TB, workers int, limit int64, service func(inside int) time.Duration) string {
	tb.Helper()
	q := &queue{service: service, limit: limit, alarms: wake.New(), free: make([]time.Time, workers)}
	tb.Cleanup(q.alarms.Close)
	upgrader := gws.NewUpgrader(q, &gws.ServerOption{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := q.open.Add(1); q.limit > 0 && n > q.limit {
			q.open.Add(-1)
			http.Error(w, "full", http.StatusServiceUnavailable)
			return
		}
		conn, err := upgrader.Upgrade(w, r)
		if err != nil {
			q.open.Add(-1)
			return
		}
		go func() { // until the connection ends
			conn.ReadLoop()
			q.open.Add(-1)
		}()
	}))
	tb.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http") + "/chat/1"
}

// OnMessage gives the message to the worker who is free first.
func (q *queue) OnMessage(conn *gws.Conn, message *gws.Message) {
	defer func() { _ = message.Close() }()
	var asked struct {
		ID string `json:"messageId"`
	}
	if json.Unmarshal(message.Bytes(), &asked) != nil {
		return
	}
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inside++
	first := 0
	for i := range q.free {
		if q.free[i].Before(q.free[first]) {
			first = i
		}
	}
	begin := q.free[first]
	if begin.Before(now) {
		begin = now
	}
	q.free[first] = begin.Add(q.service(q.inside))
	q.alarms.At(q.free[first], func() {
		q.mu.Lock()
		q.inside--
		q.mu.Unlock()
		conn.WriteAsync(gws.OpcodeText, []byte(`{"messageId":"`+asked.ID+`","status":"success"}`), nil)
	})
}

// sweepOf runs plimsoll sweep chat and gives its document.
func sweepOf(tb testing.TB, args ...string) *setdoc.Sweep {
	tb.Helper()
	args = append([]string{"sweep", "chat", "--json", "--no-save", "--quiet", "--duration", "5s",
		"--warmup-time", "300ms"}, args...)
	cmd := exec.Command("plimsoll", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	set, err := setdoc.Read(bytes.NewReader(out))
	if err != nil || set.Sweep == nil {
		tb.Fatalf("plimsoll %v: %v: %v\n%s", args, runErr, err, &stderr)
	}
	return set.Sweep
}

// off is by what share a figure is not the computed one.
func off(got *float64, want float64) float64 {
	if got == nil {
		return 1
	}
	return max(*got/want-1, 1-*got/want)
}

const truthBound = 0.03

// BenchmarkSweepAgainstTruth sweeps servers whose throughput can be computed, and fails where a figure of the sweep is
// more than 3% away from that.
func BenchmarkSweepAgainstTruth(b *testing.B) {
	const workers, service = 8, 50 * time.Millisecond
	b.Run("plateau", func(b *testing.B) {
		var throughput, efficiency float64
		for b.Loop() {
			url := serveQueue(b, workers, 0, func(int) time.Duration { return service })
			s := sweepOf(b, url, "--vary", "clients=1,2,4,8,16,32")
			for i := range s.Levels {
				l := &s.Levels[i]
				throughput = max(throughput, off(l.Throughput, min(l.Load, workers)/service.Seconds()))
				efficiency = max(efficiency, off(l.Efficiency, min(l.Load, workers)/l.Load))
			}
			ends(b, s, workers, setdoc.EndsOnPlateau)
		}
		reportOff(b, "throughput", throughput)
		reportOff(b, "efficiency", efficiency)
	})
	b.Run("decline", func(b *testing.B) {
		// Each message inside makes all of them slower, so that more clients than workers get less through.
		slower := func(inside int) time.Duration { return service + service*time.Duration(inside-1)/16 }
		var throughput float64
		for b.Loop() {
			s := sweepOf(b, serveQueue(b, workers, 0, slower), "--vary", "clients=1,2,4,8,16,32")
			for i := range s.Levels {
				l := &s.Levels[i]
				n := int(l.Load)
				throughput = max(throughput, off(l.Throughput, min(l.Load, workers)/slower(n).Seconds()))
			}
			ends(b, s, workers, setdoc.EndsInDecline)
		}
		reportOff(b, "throughput", throughput)
	})
	b.Run("failure", func(b *testing.B) {
		for b.Loop() {
			url := serveQueue(b, workers, 12, func(int) time.Duration { return service })
			s := sweepOf(b, url, "--vary", "clients=4,8,12,16", "--max-retries", "1", "--timeout", "1s")
			ends(b, s, workers, setdoc.EndsInFailure)
			if s.FailsFrom == nil || s.Levels[*s.FailsFrom].Load != 16 {
				b.Error("the first level that fails is not that of 16 clients")
			} else if causes := s.Levels[*s.FailsFrom].Causes; len(causes) == 0 || !strings.Contains(causes[0].Cause, "503") {
				b.Errorf("it fails because of %+v, want the handshake's 503", causes)
			}
		}
	})
}

// ends checks the best setting and how a sweep ends.
func ends(b *testing.B, s *setdoc.Sweep, best float64, how string) {
	b.Helper()
	if s.Best == nil {
		b.Errorf("there is no best level, want that of %g clients", best)
	} else if got := s.Levels[*s.Best].Load; got != best {
		b.Errorf("the best level is that of %g clients, want %g", got, best)
	}
	if s.Ending != how {
		b.Errorf("it ends %q, want %q", s.Ending, how)
	}
	for i := range s.Levels {
		l := &s.Levels[i]
		if l.Throughput != nil && l.Efficiency != nil {
			b.Logf("%g clients: %.1f/s, efficiency %.3f, failed %.3f, %s", l.Load, *l.Throughput, *l.Efficiency, l.FailedShare,
				l.Validity)
		}
	}
	b.Log(s.Recommended, s.Doubts, fmt.Sprintf("%+v", s.Scaling))
}

func reportOff(b *testing.B, what string, worst float64) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*worst, what+"-worst-error-%")
	if worst > truthBound {
		b.Errorf("%s is up to %.1f%% away from the computed one", what, 100*worst)
	}
}
