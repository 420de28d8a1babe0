package kv

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// momentsOf asks a server for the moments of a run.
func momentsOf(t *testing.T, s *Server, run string) (status int, all []kvapi.Moment, leftOut string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/runs/"+run+"/moments", nil))
	if w.Code == http.StatusOK {
		if err := kvapi.ReadMoments(w.Body, func(m kvapi.Moment) bool { all = append(all, m); return true }); err != nil {
			t.Fatal(err)
		}
	}
	return w.Code, all, w.Header().Get(kvapi.LeftOut)
}

// TestMomentsOfAnApplyDelay has batches that are applied so long after they arrived, whatever else comes with them,
// and the moments say so: in fake time, to the nanosecond.
func TestMomentsOfAnApplyDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.ApplyDelay, c.Listeners = 30*time.Millisecond, 1 })
		status := ask(t, s, httptest.NewRequest(http.MethodPut, "/v1/runs/7",
			strings.NewReader(`{"offset_ns":0,"bound_ns":0,"moments":true}`)), nil)
		if status != http.StatusNoContent {
			t.Fatalf("status %d", status)
		}
		now := s.clock.Now()
		var want []kvapi.Moment
		var together [][]byte
		for i := range uint64(3) {
			h := from(7, 2, i)
			h.Scheduled, h.Sent = now-int64(i)*1e6, now
			together = append(together, message(t, h, update("a", "b", int64(i)+1), update("c", "d", int64(i)+1)))
			want = append(want, kvapi.Moment{Publisher: 2, Sequence: i, DueNS: h.Scheduled, AppliedNS: now + 30e6, Updates: 2})
		}
		warm := from(7, 2, 3)
		warm.Warmup = true
		m.publish(append(together, message(t, warm, update("e", "f", 9)))...)
		time.Sleep(time.Second)
		synctest.Wait()
		status, got, leftOut := momentsOf(t, s, "7")
		if diff := cmp.Diff(want, got); diff != "" || status != http.StatusOK || leftOut != "0" {
			t.Errorf("status %d, left out %s (-want +got):\n%s", status, leftOut, diff)
		}
	})
}

func TestMomentsThatNobodyAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		m.publish(message(t, from(7, 2, 0), update("a", "b", 1)))
		synctest.Wait()
		for _, run := range []string{"7", "8"} {
			if status, _, _ := momentsOf(t, s, run); status != http.StatusNotFound {
				t.Errorf("run %s: status %d", run, status)
			}
		}
		if status, _, _ := momentsOf(t, s, "x"); status != http.StatusBadRequest {
			t.Errorf("status %d", status)
		}
	})
}
