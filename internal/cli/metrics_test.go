package cli

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestMetricsInPrometheus has a real Prometheus scrape a run while it goes on, with classic histograms and with native
// ones, and asks it what was counted: at the end exactly what the run's document has, and on the way what led there.
func TestMetricsInPrometheus(t *testing.T) {
	peertest.PrometheusProgram(t)
	for _, native := range []bool{false, true} {
		t.Run(fmt.Sprintf("native=%v", native), func(t *testing.T) {
			t.Parallel()
			target := peertest.Addresses(t, 1)[0]
			p := prometheusPeer{peertest.StartPrometheus(t, "plimsoll", target, 500*time.Millisecond, native)}
			p.ask(t, "up") // it begins to scrape seconds after it is ready, whether anybody answers or not
			doc := scrapedRun(t, "chat", served(t, "chat"), "--clients", "4", "--messages", "4000", "--think-time", "2ms", "--timeout", "1m", "--metrics", target, "--metrics-linger", "1m")
			total, err := doc.Totals()
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range doc.Operations {
				of := fmt.Sprintf(`{outcome="ok",type=%q,run=%q}`, o.Labels["type"], doc.ID)
				if got := p.ask(t, "last_over_time(plimsoll_operations_total"+of+"[5m])"); got != float64(o.OK) {
					t.Errorf("%s: %v ok, and the document has %d", o.Labels["type"], got, o.OK)
				}
			}
			of := fmt.Sprintf("{run=%q}", doc.ID)
			if got := p.ask(t, "sum(last_over_time(plimsoll_operations_total"+of+"[5m]))"); got != float64(total.Scheduled) {
				t.Errorf("%v scheduled, and the document has %d", got, total.Scheduled)
			}
			p.holdQuantile(t, of, native, &total)
			if got := p.ask(t, "last_over_time(plimsoll_generator_cpu_seconds_total{run=\""+doc.ID+"\",mode=\"user\"}[5m])"); got <= 0 {
				t.Errorf("the generator has used %v s", got)
			}
		})
	}
}

// number is a value as Prometheus writes it.
func number(t *testing.T, value any) float64 {
	t.Helper()
	text, _ := value.(string)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// holdQuantile compares the p99 that Prometheus computes with the document's: within the bucket, which ends at 1, 2 or 5
// times a power of ten in a classic histogram, and is 4.4% wide in a native one.
func (p prometheusPeer) holdQuantile(t *testing.T, of string, native bool, total *rundoc.Operation) {
	t.Helper()
	want := float64(*total.ResponseTime.P99NS) / 1e9
	query, low, high := "sum by (le) (last_over_time(plimsoll_response_time_seconds_bucket"+of+"[5m]))", want/2.5, want*2.5
	if native { // of which last_over_time takes none
		query = fmt.Sprintf("sum(plimsoll_response_time_seconds%s @ %.3f)", of, p.lastScrape(t, of))
		low, high = want/1.05, want*1.05
	}
	if got := p.ask(t, "histogram_quantile(.99, "+query+")"); got < low || got > high {
		t.Errorf("p99 %v s, want %v", got, want)
	}
	if native {
		query = "histogram_count(" + query + ")"
	} else {
		query = "sum(last_over_time(plimsoll_response_time_seconds_count" + of + "[5m]))"
	}
	if got := p.ask(t, query); got != float64(total.ResponseTime.Count) {
		t.Errorf("%v response times, want %d", got, total.ResponseTime.Count)
	}
}

// scrapedRun makes a run, and gives its document.
func scrapedRun(t *testing.T, args ...string) *rundoc.Run {
	t.Helper()
	_, stdout, stderr := execute(t, append(args, "--json", "--no-save")...)
	doc, err := rundoc.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return doc
}

// prometheusPeer is a Prometheus.
type prometheusPeer struct{ peertest.Prometheus }

// ask asks a query that has one number for its answer. What was scraped last may not be there at once.
func (p prometheusPeer) ask(t *testing.T, query string) float64 {
	t.Helper()
	answers := 0
	for late := time.Now().Add(runtest.Patience); time.Now().Before(late); {
		all := p.Query(t, query)
		if answers = len(all); answers != 1 {
			continue
		}
		return number(t, all[0].Value[1])
	}
	t.Fatalf("%s: %d answers", query, answers)
	return 0
}

// lastScrape is when a run was scraped last.
func (p prometheusPeer) lastScrape(t *testing.T, of string) float64 {
	t.Helper()
	all := p.Query(t, "plimsoll_window_seconds"+of+"[5m]")
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	at, _ := all[0].Values[len(all[0].Values)-1][0].(float64)
	return at
}
