package prom

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// shown is what is shown of sums, each number as it was put there; of the buckets those that have more than the one
// before. R stands for the labels of the run, and SEND for those of the operation that has some of its own.
const shown = `
	plimsoll_attempt_failures_total{cause="closed-by-peer:1006",SEND,R} 9
	plimsoll_attempts_total{operation="other",R} 0
	plimsoll_attempts_total{SEND,R} 50
	plimsoll_clients{R} 8
	plimsoll_connections_failed_total{R} 1
	plimsoll_connections_opened_total{R} 9
	plimsoll_generator_cpu_seconds_total{mode="system",R} 1
	plimsoll_generator_cpu_seconds_total{mode="user",R} 2.5
	plimsoll_generator_cpus{R} 4
	plimsoll_generator_gap_seconds_total{R} 0.5
	plimsoll_generator_gaps_total{R} 7
	plimsoll_generator_own_delay_p99_seconds{R} 5.001e-06
	plimsoll_operation_bytes_total{operation="other",R} 0
	plimsoll_operation_bytes_total{SEND,R} 4000
	plimsoll_operations_in_flight{R} 5
	plimsoll_operations_total{operation="other",outcome="failed",R} 0
	plimsoll_operations_total{operation="other",outcome="ok",R} 0
	plimsoll_operations_total{operation="other",outcome="unfinished",R} 0
	plimsoll_operations_total{operation="other",outcome="unsent",R} 0
	plimsoll_operations_total{SEND,outcome="failed",R} 3
	plimsoll_operations_total{SEND,outcome="ok",R} 40
	plimsoll_operations_total{SEND,outcome="unfinished",R} 1
	plimsoll_operations_total{SEND,outcome="unsent",R} 2
	plimsoll_reconnects_total{cause="reset",R} 4
	plimsoll_response_time_seconds_sum{operation="other",R} 0
	plimsoll_response_time_seconds_count{operation="other",R} 0
	plimsoll_response_time_seconds_bucket{SEND,R,le="1e-05"} 1
	plimsoll_response_time_seconds_bucket{SEND,R,le="0.005"} 3
	plimsoll_response_time_seconds_sum{SEND,R} 0.008003
	plimsoll_response_time_seconds_count{SEND,R} 3
	plimsoll_retries_total{operation="other",R} 0
	plimsoll_retries_total{SEND,R} 6
	plimsoll_run_info{labels="night,a\"b",member="run_1_of_2",R} 1
	plimsoll_run_phase{phase="window",R} 1
	plimsoll_service_time_seconds_sum{operation="other",R} 0
	plimsoll_service_time_seconds_count{operation="other",R} 0
	plimsoll_service_time_seconds_bucket{SEND,R,le="50"} 2
	plimsoll_service_time_seconds_sum{SEND,R} 70
	plimsoll_service_time_seconds_count{SEND,R} 2
	plimsoll_window_seconds{R} 3
`

// shortened is a scrape in the form of shown.
func shortened(text string) string {
	text = strings.NewReplacer("run 1 of 2", "run_1_of_2", `run="r1",type="TEXT",workload="chat"`, "R",
		`run="r1",workload="chat"`, "R", `operation="send",operation_9_lives="y",operation_outcome="x"`, "SEND").Replace(text)
	short, before := "", "0"
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			before = "0"
			continue
		}
		value := strings.TrimSpace(line[strings.LastIndex(line, " ")+1:])
		bucket := strings.Contains(line, "_bucket{")
		if !bucket || value != before {
			short += line
		}
		if before = value; !bucket {
			before = "0"
		}
	}
	return short
}

// A histogram whose buckets are not its count is an error, and no wrong numbers.
func TestInconsistentHistogramIsAnError(t *testing.T) {
	var m dto.Metric
	desc := prometheus.NewDesc("x", "x", nil, nil)
	if err := newHistogram(desc, record.Buckets{Count: 2}, time.Now(), nil).Write(&m); err == nil {
		t.Errorf("%v", &m)
	}
	bad := errors.New("x")
	if err := (&histogram{native: prometheus.NewInvalidMetric(desc, bad)}).Write(&m); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
}

// Whatever an operation is called, and whatever its labels are, what was counted of it is shown: a scrape that fails
// would show nothing of any run.
func TestUnusualNamesAreExported(t *testing.T) {
	s, url, _ := served(t, t.Context(), func() *record.Sums {
		return &record.Sums{Kinds: []record.KindSums{{Operation: rundoc.Operation{Name: "a\xff", OK: 7,
			Labels: map[string]string{"a-b": "\xfe", "a_b": "2", "a.b": "3"}}}}}
	})
	defer s.End(t.Context(), 0)
	want := `plimsoll_operations_total{a_b="\uFFFD",a_b_="3",a_b__="2",operation="a\uFFFD",outcome="ok",run="r1",workload="chat"} 7`
	if got := scrape(t, url); !strings.Contains(got, strings.ReplaceAll(want, `\uFFFD`, "\uFFFD")) {
		t.Errorf("%s", got)
	}
}

// Four scrapes may go on at the same time, and one more is told to come back.
func TestScrapesAtOnce(t *testing.T) {
	going, free := make(chan struct{}), make(chan struct{})
	s, url, _ := served(t, t.Context(), func() *record.Sums {
		going <- struct{}{}
		<-free
		return nil
	})
	defer s.End(t.Context(), 0)
	var scrapes sync.WaitGroup
	for range 4 {
		scrapes.Go(func() {
			if answer, err := http.Get(url); err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("%v %v", answer, err)
			}
		})
		<-going
	}
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a fifth one: %s", answer.Status)
	}
	close(free)
	scrapes.Wait()
	http.DefaultClient.CloseIdleConnections()
}
