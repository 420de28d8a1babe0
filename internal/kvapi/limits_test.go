package kvapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRequestsTimeOut checks that no request waits longer than its timeout for a server that never responds, or that stops
// in the middle of a response.
func TestRequestsTimeOut(t *testing.T) {
	const timeout = 20 * time.Millisecond
	for name, begin := range map[string]string{"silent": "", "halfway": "\x01\x02"} {
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if _, _ = io.Copy(io.Discard, r.Body); begin != "" { // otherwise the server does not notice that the client disconnected
				w.Header().Set(LeftOut, "0")
				_, _ = io.WriteString(w, begin)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
		c.timeout = timeout
		for what, ask := range map[string]func() error{
			"long run": func() error {
				c.timeout = time.Hour
				defer func() { c.timeout = timeout }()
				_, err := c.Run(t.Context(), 1, RunOptions{Within: timeout})
				return err
			},
			"info":     func() error { _, err := c.Info(t.Context()); return err },
			"clock":    func() error { _, err := c.Clock(t.Context()); return err },
			"register": func() error { return c.Register(t.Context(), 1, Registration{}) },
			"run":      func() error { _, err := c.Run(t.Context(), 1, RunOptions{State: true, Times: true}); return err },
			"offset": func() error {
				_, err := c.Offset(t.Context(), 3, func() int64 { return 0 }, 1)
				return err
			},
			"moments": func() error {
				_, err := c.Moments(t.Context(), 1, 10, func(Moment) bool { return true })
				return err
			},
		} {
			err := ask()
			if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "\n") ||
				!strings.Contains(err.Error(), ": no response within 20ms") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// TestSlowMomentsAreAllRead checks that the timeout applies to each read and not to the whole response.
func TestSlowMomentsAreAllRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := bytes.Repeat(AppendMoment(nil, Moment{}, Moment{AppliedNS: 1}), 1000)
		c, err := NewClient("http://slow", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		c.http.Transport = slow{all}
		n := 0
		if _, err := c.Moments(t.Context(), 1, 1000, func(Moment) bool { n++; return true }); err != nil || n != 1000 {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// slow is a transport whose response body returns one byte every 30 seconds.
type slow struct{ body []byte }

// RoundTrip returns the slow response.
//
// synctest: called only inside a bubble.
func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{LeftOut: {"0"}}, Body: io.NopCloser(
		readerFunc(func(b []byte) (int, error) {
			time.Sleep(30 * time.Second)
			if err := r.Context().Err(); err != nil {
				return 0, err
			}
			if len(s.body) == 0 {
				return 0, io.EOF
			}
			b[0], s.body = s.body[0], s.body[1:]
			return 1, nil
		}))}, nil
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestEndlessResponsesAreBounded checks that reading stops at the largest response that a run can have.
func TestEndlessResponsesAreBounded(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, `{"publishers":[`)
		for more := strings.Repeat(`{"publisher":1},`, 4096); err == nil; {
			_, err = io.WriteString(w, more)
		}
	})
	for _, test := range []struct {
		ask  func() error
		most uint64
		want string
	}{
		{func() error { _, err := c.Info(t.Context()); return err }, 4 << 20, "exceeds 4096 KiB"},
		{func() error { _, err := c.Run(t.Context(), 1, RunOptions{}); return err }, 4 << 20, "exceeds 4096 KiB"},
		{func() error {
			_, err := c.Run(t.Context(), 1, RunOptions{Batches: 1 << 14, Seconds: 1 << 11, Times: true})
			return err
		}, 6 << 20, "exceeds 6144 KiB"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := test.ask()
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.200v, want %q", err, test.want)
		}
		// A buffer that grows is copied several times.
		if used := after.TotalAlloc - before.TotalAlloc; used > 8*test.most+4<<20 {
			t.Errorf("%d MiB were allocated for an answer of at most %d", used>>20, test.most>>20)
		}
	}
}
