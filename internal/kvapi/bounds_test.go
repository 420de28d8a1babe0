package kvapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestAServerThatHangs is given up when the time of the question is over, which one question may have
// more of than others, whether it says nothing or stops in the middle of the answer.
func TestAServerThatHangs(t *testing.T) {
	for name, begin := range map[string]string{"silent": "", "halfway": `{"publishers":[`} {
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if begin != "" {
				_, _ = io.WriteString(w, begin)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
		c.timeout = 20 * time.Millisecond
		_, err := c.Info(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "/v1/info: it did not answer within 20ms") {
			t.Errorf("%s: %v", name, err)
		}
		c.timeout = time.Hour
		_, err = c.Run(t.Context(), 1, RunOptions{Within: 30 * time.Millisecond})
		if !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "it did not answer within 30ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnswersWithoutEnd are read up to what a server can have to say of the run.
func TestAnswersWithoutEnd(t *testing.T) {
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
		{func() error { _, err := c.Info(t.Context()); return err }, 4 << 20, "more than 4096 KiB"},
		{func() error { _, err := c.Run(t.Context(), 1, RunOptions{}); return err }, 4 << 20, "more than 4096 KiB"},
		{func() error {
			_, err := c.Run(t.Context(), 1, RunOptions{Batches: 1 << 14, Seconds: 1 << 11, Times: true})
			return err
		}, 6 << 20, "more than 6144 KiB"},
		{func() error {
			_, err := c.Run(t.Context(), 1, RunOptions{Batches: 1<<63 - 1, Seconds: -1})
			return err
		}, 68 << 20, "more than 69632 KiB"},
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
