package kv

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

func TestHealthWhenNothingCanBeReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		var said strings.Builder
		s.log = slog.New(slog.NewTextHandler(&said, nil))
		m.fail(&topic.Error{Cause: topic.CauseClosed, Err: errors.New("the broker has gone")})
		time.Sleep(time.Minute)
		var h health
		if status := get(t, s, "/health", &h); status != http.StatusServiceUnavailable || h.Receiving ||
			len(h.Problems) != 1 || h.Problems[0] != "no listener can receive: the broker has gone" {
			t.Errorf("%d: %+v", status, h)
		}
		// The broker is back, and nobody publishes.
		m.fail(nil)
		time.Sleep(time.Minute)
		h = health{}
		if status := get(t, s, "/health", &h); status != http.StatusOK || !h.Receiving || len(h.Problems) != 0 {
			t.Errorf("%d: %+v", status, h)
		}
		for n := range uint64(40) {
			m.publish(message(t, from(8, 0, n), update("a", "0", 0)))
			synctest.Wait() // a listener each, sooner or later
		}
		if got := said.String(); strings.Count(got, "receive call failed, retrying") != 1 ||
			strings.Count(got, "receiving again") > 1 {
			t.Errorf("it said:\n%s", got)
		}
		m.publish(message(t, from(9, 0, 0), update("a", "1", 1)))
		time.Sleep(time.Minute) // the waits after failures have an end
		if status := get(t, s, "/health", &h); status != http.StatusOK || h.Live != 1 {
			t.Errorf("%d: %+v", status, h)
		}
		if n := int64(time.Minute); h.LastNS <= 0 || h.LastNS > n {
			t.Errorf("the last batch was %d ns ago", h.LastNS)
		}
	})
}
