package store

import (
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/throughput"
)

func TestRate(t *testing.T) {
	var r Rate
	if _, ok := r.PerSecond(); ok {
		t.Error("nothing has a rate")
	}
	r.add(100, 0, true) // a rate of nothing would last forever
	r.add(100, 50, false)
	r.add(100, 50, true) // 2 s
	r.add(300, 300, true)
	if got, ok := r.PerSecond(); !ok || math.Abs(got-400.0/3) > 1e-6 || r.Attempts != 2 {
		t.Errorf("%v of %d attempts", got, r.Attempts)
	}
}

// The figures count every request that the client made since Start.
func TestRequestsCountAttempts(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, "answer")
	}))
	var accepted atomic.Int64 // net/http gives a connection up when its writer is late
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			accepted.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	var r Requests
	r.Start()
	client := NewClient(&Config{Requests: &r})
	defer client.CloseIdleConnections()
	call := func(name, path, body string) {
		req, err := http.NewRequestWithContext(r.Named(t.Context(), name), http.MethodPut, server.URL+path,
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	call("Check", "/missing", "before the run")
	settled(t, &r, 1)
	r.Retry("Check", Reset)
	r.Start() // what was before is forgotten
	client.CloseIdleConnections()
	accepted.Store(0)
	if len(r.Figures()) != 0 {
		t.Errorf("before the run: %+v", r.Figures())
	}
	call("Put", "/there", "four")
	call("Put", "/there", "")
	call("Put", "/missing", "ten bytes!")
	call("Get", "/there", "")
	r.Retry("Put", SlowDown)
	r.Retry("Put", SlowDown)
	r.Retry("Get", Reset)
	want := []Figures{
		{Name: "Get", Attempts: 1, Received: 6, Retries: map[string]int64{Reset: 1}},
		{Name: "Put", Attempts: 3, Failed: 1, Sent: 14, Received: 18, Retries: map[string]int64{SlowDown: 2}},
	}
	settled(t, &r, 4)
	got := r.Figures()
	timed := cmpopts.IgnoreFields(Figures{}, "Opened", "Setup", "Send", "Wait", "Receive", "Total", "Slowest", "Longest",
		"Handoff", "Delivered", "Read", "Qualities", "Limits", "Times")
	if diff := cmp.Diff(want, got, timed); diff != "" {
		t.Error(diff)
	}
	var opened int64
	for _, f := range got {
		opened += f.Opened
		if sum := f.Setup + f.Send + f.Wait + f.Receive; sum != f.Total || f.Slowest > f.Total || f.Total <= 0 {
			t.Errorf("%s: the stages are %v of %v, the slowest took %v", f.Name, sum, f.Total, f.Slowest)
		}
	}
	for _, f := range got { // all of them were answered
		for stage, sum := range []time.Duration{f.Setup, f.Send, f.Wait, f.Receive, f.Total} {
			if times := f.Times[stage]; times.Sum != sum || times.Histogram.TotalCount() != f.Attempts {
				t.Errorf("%s: stage %d has %d times of %v, not %d of %v", f.Name, stage, times.Histogram.TotalCount(),
					times.Sum, f.Attempts, sum)
			}
		}
	}
	if opened == 0 || opened != accepted.Load() {
		t.Errorf("%d connections were opened, and %d accepted", opened, accepted.Load())
	}
	got[0].Retries["other"] = 1
	if r.Figures()[0].Retries["other"] != 0 {
		t.Error("who got figures can change them")
	}
}

// settled waits until so many attempts were observed: that of a body can take a moment longer
// than its answer.
func settled(t *testing.T, r *Requests, attempts int64) {
	t.Helper()
	for t.Context().Err() == nil {
		var sum int64
		for _, f := range r.Figures() {
			sum += f.Attempts
		}
		if sum >= attempts {
			return
		}
		runtime.Gosched()
	}
}

// An attempt without a response has failed.
func TestRequestsCountUnansweredAsFailed(t *testing.T) {
	var r Requests
	client := NewClient(&Config{Requests: &r})
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(r.Named(t.Context(), "Get"), http.MethodGet, "http://127.0.0.1:1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Do(req); CauseOf(err) != Refused {
		t.Fatalf("%v", err)
	}
	settled(t, &r, 1)
	if f := r.Figures(); len(f) != 1 || f[0].Failed != 1 || f[0].Attempts != 1 {
		t.Errorf("%+v", f)
	}
}

// A request that its caller cancels has not failed; one that times out has.
func TestRequestsCancelledByCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := make(peertest.Pipes)
		server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}
		done := make(chan error)
		go func() { done <- server.Serve(network) }()
		var r Requests
		client := NewClient(&Config{Requests: &r, Timeout: time.Minute}, func(t *http.Transport) { t.DialContext = network.Dial })
		get := func(ctx context.Context, name string) {
			req, err := http.NewRequestWithContext(r.Named(ctx, name), http.MethodGet, "http://pipe/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Do(req); err == nil {
				t.Error("an answer")
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		get(ctx, "Cut")
		get(t.Context(), "Late")
		synctest.Wait()
		if f := r.Figures(); len(f) != 2 || f[0].Failed != 0 || f[0].Attempts != 1 || f[1].Failed != 1 || f[1].Attempts != 1 {
			t.Errorf("%+v", f)
		}
		client.CloseIdleConnections()
		_ = server.Close()
		<-done
	})
}

// stamp is a moment of an attempt.
func stamp(d time.Duration) throughput.Stamp { return throughput.Stamp(d + 1) }

// TestStages: an attempt of 4 s, of which 1 s passed before there was a connection, and whose
// bytes the other side had later than the operating system took them.
func TestStages(t *testing.T) {
	second := time.Second
	line := throughput.Timeline{
		ConnectionGot: stamp(second), RequestWritten: stamp(1500 * time.Millisecond), Drained: stamp(2 * second),
		FirstResponseByte: stamp(3500 * time.Millisecond), Ended: stamp(4 * second), RequestBytes: 1000,
		ResponseBytes: 400, ResponseEnded: true,
	}
	want := stages{setup: second, send: second, wait: 1500 * time.Millisecond, receive: 500 * time.Millisecond,
		total: 4 * second}
	if got := stagesOf(&line); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// What failed is charged to where it was.
	failed := throughput.Timeline{Ended: stamp(9 * second)}
	if got := stagesOf(&failed); got != (stages{setup: 9 * second, total: 9 * second}) {
		t.Errorf("no connection: %+v", got)
	}
	failed.ConnectionGot = stamp(second)
	if got := stagesOf(&failed); got != (stages{setup: second, send: 8 * second, total: 9 * second}) {
		t.Errorf("cut in the middle of the body: %+v", got)
	}
	failed.RequestWritten = stamp(3 * second)
	if got := stagesOf(&failed); got != (stages{setup: second, send: 2 * second, wait: 6 * second, total: 9 * second}) {
		t.Errorf("no answer: %+v", got)
	}
	early := throughput.Timeline{ConnectionGot: stamp(second), FirstResponseByte: stamp(3 * second),
		Ended: stamp(4 * second)}
	if got := stagesOf(&early); got != (stages{setup: second, send: 2 * second, receive: second, total: 4 * second}) {
		t.Errorf("an answer before all was sent: %+v", got)
	}
	synctest.Test(t, func(t *testing.T) {
		var r Requests
		r.Start()
		time.Sleep(5 * second)
		r.observe(AboutPart(t.Context(), 3), &call{name: "x"}, &line)
		short := line
		short.Ended = stamp(3500 * time.Millisecond)
		r.observe(t.Context(), &call{name: "x"}, &short)
		f := r.Figures()[0]
		if f.Slowest != 4*second || f.Total != 7500*time.Millisecond || f.Send != 2*second {
			t.Errorf("%+v", f)
		}
		longest := Longest{
			{Of: "part 3", From: second, Took: 4 * second}, {From: 1500 * time.Millisecond, Took: 3500 * time.Millisecond},
		}
		for i := range longest {
			longest[i].Failed = true // an attempt without a status
		}
		if diff := cmp.Diff(longest, f.Longest); diff != "" {
			t.Error(diff)
		}
	})
}

// The time between a failed attempt and the next one of the same call is a pause; other calls have none.
func TestRequestsCountPauses(t *testing.T) {
	var r Requests
	began := time.Now()
	attempt := func(c *call, from, took time.Duration, status int) {
		r.observe(t.Context(), c, &throughput.Timeline{
			Started: began.Add(from), ConnectionGot: stamp(0), FirstResponseByte: stamp(took), Ended: stamp(took), Status: status,
		})
	}
	one, other := &call{name: "Put"}, &call{name: "Put"}
	attempt(one, 0, time.Second, 503)
	attempt(other, 2*time.Second, time.Second, 200)
	attempt(one, 3*time.Second, time.Second, 503)
	attempt(one, 5*time.Second, time.Second, 200)
	attempt(other, 60*time.Second, time.Second, 200)
	r.Paused("Get", time.Minute)
	figures := r.Figures()
	if len(figures) != 2 || figures[0].Paused != time.Minute || figures[1].Paused != 3*time.Second {
		t.Errorf("%+v", figures)
	}
}

// Times keeps three digits up to an hour; Median returns the middle one.
func TestMedianOfTimes(t *testing.T) {
	var f Figures
	if middle, n := f.Median(); middle != 0 || n != 0 {
		t.Errorf("of none %v of %d", middle, n)
	}
	whole := &f.Times[StageWhole]
	for _, took := range []time.Duration{time.Hour, -1, 2 * time.Hour} {
		whole.add(took)
	}
	if h := whole.Histogram; h.TotalCount() != 3 || h.Max() < int64(time.Hour) || h.Max() > int64(time.Hour+4*time.Second) || h.Min() != 0 ||
		whole.Min != -1 || whole.Max != 2*time.Hour || whole.Sum != 3*time.Hour-1 {
		t.Errorf("%v to %v, %v in all", whole.Min, whole.Max, whole.Sum)
	}
	if longestTime != time.Hour {
		t.Errorf("the longest time is %v", longestTime)
	}
	f = Figures{}
	for _, took := range []time.Duration{5 * time.Second, 1, time.Hour} {
		f.Times[StageWhole].add(took)
	}
	if middle, n := f.Median(); n != 3 || middle < 4995*time.Millisecond || middle > 5005*time.Millisecond {
		t.Errorf("%v of %d", middle, n)
	}
}

// A body is counted by how well its rate is known: by the request if it has a body, else by the response.
func TestRequestsCountRateQuality(t *testing.T) {
	for _, c := range []struct {
		line throughput.Timeline
		want map[throughput.Quality]int64
	}{
		{throughput.Timeline{ResponseEnded: true}, nil},
		{throughput.Timeline{ResponseEnded: true, ResponseBytes: 1},
			map[throughput.Quality]int64{throughput.BelowResolution: 1}},
		{throughput.Timeline{ResponseEnded: true, HasBody: true}, map[throughput.Quality]int64{throughput.NoBody: 1}},
		{throughput.Timeline{ResponseEnded: true, HasBody: true, RequestBytes: 1},
			map[throughput.Quality]int64{throughput.Aborted: 1}},
		{throughput.Timeline{ResponseEnded: true, HasBody: true, ResponseBytes: 4, ContentLength: 3},
			map[throughput.Quality]int64{throughput.BelowResolution: 1}},
	} {
		var r Requests
		r.observe(t.Context(), &call{name: "x"}, &c.line)
		if got := r.Figures()[0]; !cmp.Equal(c.want, got.Qualities) || got.Limits != nil {
			t.Errorf("%+v: %v, %v", c.line, got.Qualities, got.Limits)
		}
	}
	read := throughput.Timeline{ResponseEnded: true, ResponseBytes: 4000, ResponseReads: 4,
		FirstResponseByte: stamp(time.Second), LastResponseByte: stamp(2 * time.Second),
		Ended: stamp(2 * time.Second), Status: 200}
	var r Requests
	for range 2 {
		r.observe(t.Context(), &call{name: "x"}, &read)
	}
	got := r.Figures()[0]
	want := map[throughput.Limit]int64{throughput.LimitNetwork: 2}
	if !cmp.Equal(want, got.Limits) || got.Read.Attempts != 2 || got.Opened != 0 {
		t.Errorf("%v, %+v, %d opened", got.Limits, got.Read, got.Opened)
	}
}

// Longest keeps the ten slowest attempts and their subjects.
func TestLongestKeepsSlowest(t *testing.T) {
	var l Longest
	for i := range 100 {
		l.add(AboutPart(t.Context(), i), Slow{Took: time.Duration(i*37%100) * time.Second})
	}
	l.add(AboutRange(t.Context(), 1<<23), Slow{Took: time.Hour, Failed: true})
	l.add(t.Context(), Slow{Took: time.Minute * 50})
	list := l.sorted()
	if len(list) != mostSlow || list[0] != (Slow{Of: "range at 8388608", Took: time.Hour, Failed: true}) ||
		list[1] != (Slow{Took: 50 * time.Minute}) || list[2] != (Slow{Of: "part 27", Took: 99 * time.Second}) ||
		list[9] != (Slow{Of: "part 16", Took: 92 * time.Second}) {
		t.Error(list)
	}
}
