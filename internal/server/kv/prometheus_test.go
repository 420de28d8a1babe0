package kv

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestPrometheus has a real Prometheus scrape the server, with native histograms and with classic ones, and asks it
// each query of each dashboard, and those of docs/kv.md: each has data.
func TestPrometheus(t *testing.T) {
	peertest.PrometheusProgram(t)
	for _, native := range []bool{false, true} {
		for _, seed := range []bool{!native} {
			t.Run(fmt.Sprintf("native=%v,seed=%v", native, seed), func(t *testing.T) {
				t.Parallel()
				scraped := beingScraped(t, seed)
				p := peer{peertest.StartPrometheus(t, "kv", strings.TrimPrefix(scraped.url, "http://"), 250*time.Millisecond, native)}
				queries := queriesOf(t, "grafana")
				// Google's collector takes classic histograms.
				if !native || seed {
					maps.Copy(queries, queriesOf(t, "cloud-monitoring"))
					maps.DeleteFunc(queries, func(_, q string) bool { return strings.Contains(q, "googleapis_com:") })
				}
				if seed {
					maps.Copy(queries, documented(t))
				}
				p.untilAllAnswer(t, queries, scraped)
				// Over all the scrapes: one that failed, as on a busy machine, has nothing at its instant.
				_, buckets := p.ask(t, "count_over_time(ReceivedLowLatencyNotificationsE2E_bucket[10m])")
				if buckets == (native && !seed) {
					t.Errorf("native histograms are not what Prometheus was asked for: classic buckets are there: %v", buckets)
				}
				p.holdAgainstTruth(t, queries, scraped, native && !seed)
			})
		}
	}
}

// lag is how long before it is published each batch was sent, as it says itself: the shortest time from end to end.
const lag = 316 * time.Millisecond

// scrapedServer is a server to which something happens before each scrape.
type scrapedServer struct {
	server *Server
	url    string
	scrape chan struct{} // one was answered
}

// beingScraped serves a server that has got batches and a read since the last scrape.
func beingScraped(t *testing.T, seed bool) *scrapedServer {
	t.Helper()
	m := newMemory()
	m.broker, m.names, m.clock = true, "GcpPubSub", "GCP"
	s := inMemory(t, m, func(c *Config) { c.SeedMetrics = seed })
	out := &scrapedServer{server: s, scrape: make(chan struct{}, 1)}
	inner := s.handler()
	var mu sync.Mutex
	var sequence uint64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		for range 20 {
			h := from(1, 0, sequence)
			h.Clock, h.Sent = s.clock.ID(), s.clock.Now()-int64(lag)
			m.publish(message(t, h, update("key", "value", int64(sequence))))
			sequence++
		}
		mu.Unlock()
		inner.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/getvalues?keys=key", nil))
		inner.ServeHTTP(w, r)
		select {
		case out.scrape <- struct{}{}:
		default:
		}
	}))
	t.Cleanup(web.Close)
	out.url = web.URL
	return out
}

// peer is a Prometheus.
type peer struct{ peertest.Prometheus }

// ask asks a query, and says whether the answer has data: series that are numbers, one for each set of labels.
func (p peer) ask(t *testing.T, query string) (float64, bool) {
	t.Helper()
	all := p.Query(t, query)
	for _, s := range all {
		text, _ := s.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false
		}
		if len(all) == 1 {
			return v, true
		}
	}
	return 0, len(all) > 0
}

// untilAllAnswer asks after each scrape, until all have data.
func (p peer) untilAllAnswer(t *testing.T, queries map[string]string, s *scrapedServer) {
	t.Helper()
	missing := slices.Sorted(maps.Keys(queries))
	late := time.After(2 * time.Minute) // what has no data then will have none
	for len(missing) > 0 {
		select {
		case <-s.scrape:
		case <-late:
			for _, name := range missing {
				t.Errorf("%s: no data: %s", name, queries[name])
			}
			return
		}
		missing = slices.DeleteFunc(missing, func(name string) bool {
			_, ok := p.ask(t, queries[name])
			return ok
		})
	}
}

// holdAgainstTruth compares the medians from end to end with how long before each batch was sent: at least that, and
// no more than what the server knows to be the longest, but for the width of a bucket.
func (p peer) holdAgainstTruth(t *testing.T, queries map[string]string, s *scrapedServer, native bool) {
	t.Helper()
	width := 1.76 // (20 s / 50 µs)^(1/23)
	if native {
		width = 1.1
	}
	held := 0
	for name, query := range queries {
		if !strings.Contains(query, "histogram_quantile(0.5") ||
			!strings.Contains(query, "ReceivedLowLatencyNotificationsE2E_bucket") {
			continue
		}
		held++
		got, _ := p.ask(t, query)
		var st stats
		get(t, s.server, "/stats", &st)
		least, most := float64(lag.Microseconds()), float64(st.Times.Stages[rundoc.StageE2ESent].Summary.MaxNS)/1e3
		if got < least/width || got > most*width {
			t.Errorf("%s: %v µs, and it was between %v and %v", name, got, least, most)
		}
	}
	if held == 0 {
		t.Error("there is no median from end to end")
	}
}

// documented are the queries of the reference's document, which docs/kv.md gives.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/kv.md")
	if err != nil {
		t.Fatal(err)
	}
	queries := make(map[string]string)
	for _, query := range []string{
		`histogram_quantile(0.5,rate(ReceivedLowLatencyNotificationsE2E_bucket[20m]))`,
		`rate(EventStatus{event="RealtimeTotalRowsUpdated"}[1m])`,
		`histogram_quantile(0.5,rate(Latency_bucket{event="ReceivedLowLatencyNotifications"}[10m]))`,
	} {
		if !strings.Contains(string(text), "\n    "+query+"\n") {
			t.Errorf("docs/kv.md does not have %s", query)
		}
		queries["reference: "+query] = query
	}
	return queries
}
