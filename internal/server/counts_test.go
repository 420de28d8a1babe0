package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What is counted is there for Prometheus, under its name, beside what the process does.
func TestCounts(t *testing.T) {
	c := NewCounts()
	c.Counter("test_total", "h").Add(3)
	c.Counters("test_by_total", "h", "how").WithLabelValues("well").Add(2)
	c.Gauge("test_open", "h").Set(5)
	c.Reading("test_read", "h", func() float64 { return 7 })
	c.Histogram("test_seconds", "h", []float64{1}).Observe(0.5)
	c.ClassicHistograms("test_classic", "h", []float64{1, 2}, "how").WithLabelValues("well").Observe(1.5)
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		"test_total 3", `test_by_total{how="well"} 2`, "test_open 5", "test_read 7", `test_seconds_bucket{le="1"} 1`,
		`test_classic_bucket{how="well",le="1"} 0`, `test_classic_bucket{how="well",le="2"} 1`, "go_goroutines ",
		"process_start_time_seconds ",
	} {
		if !strings.Contains(w.Body.String(), "\n"+want) {
			t.Errorf("there is no %q", want)
		}
	}
}

// An answer of JSON says so, with its status.
func TestAnswerJSON(t *testing.T) {
	w := httptest.NewRecorder()
	AnswerJSON(w, http.StatusTeapot, map[string]int{"a": 1})
	if w.Code != http.StatusTeapot || w.Header().Get("Content-Type") != "application/json" || w.Body.String() != "{\"a\":1}\n" {
		t.Errorf("%d, %v, %q", w.Code, w.Header(), w.Body)
	}
}
