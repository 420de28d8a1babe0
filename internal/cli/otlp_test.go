//go:build linux

package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestOTLPToACollector has a run pushed to an OpenTelemetry collector, which writes down what it was sent: the last
// metrics have what the run's document has, and the spans are as long as the server is known to take.
func TestOTLPToACollector(t *testing.T) {
	program := os.Getenv("PLIMSOLL_OTELCOL")
	if _, err := os.Stat(program); program == "" || err != nil {
		t.Skip("there is no OpenTelemetry collector; run 'make test'")
	}
	url, out := collector(t, program)
	const delay = 20 * time.Millisecond
	r := start(t, "--target-flag", "delay="+delay.String(), "--label", "night", "--otlp", url, "--otlp-every", "1s",
		"--otlp-sample", "100%")
	await(t, "pushes while it goes on", func() bool {
		text, _ := os.ReadFile(out)
		return strings.Count(string(text), `"resourceMetrics"`) >= 3
	})
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait() // the status is that of an interrupt
	doc, err := rundoc.Read(&r.stdout)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.stderr.String())
	}
	seen := readPushed(t, out)
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if n := seen.last["plimsoll.operations|ok"]; n != float64(total.OK) || total.OK == 0 {
		t.Errorf("%v ok, and the document has %d", n, total.OK)
	}
	if n := seen.last["plimsoll.attempts|"]; n != float64(total.Attempts) {
		t.Errorf("%v attempts, and the document has %d", n, total.Attempts)
	}
	for name, of := range map[string]rundoc.Summary{
		"plimsoll.response_time": total.ResponseTime, "plimsoll.service_time": total.ServiceTime,
	} {
		h := seen.histograms[name]
		if h.count != of.Count || h.buckets != of.Count || math.Abs(h.sum/float64(h.count)*1e9-float64(of.MeanNS)) > 1 {
			t.Errorf("%s: %+v of %+v", name, h, of)
		}
	}
	if seen.pushes < 4 {
		t.Errorf("%d pushes, of which three came before the end", seen.pushes)
	}
	if int64(len(seen.spans)) != total.OK {
		t.Errorf("%d spans of %d operations", len(seen.spans), total.OK)
	}
	for _, s := range seen.spans {
		if s < delay || s > time.Duration(total.ResponseTime.MaxNS)+time.Microsecond {
			t.Errorf("a span of %v, and the server takes %v", s, delay)
		}
	}
	if !strings.Contains(seen.text, `"night"`) || !strings.Contains(seen.text, doc.ID) {
		t.Error("the resource does not say which run it was")
	}
}

// collector starts one, and gives where it listens and the file that it writes what it got to.
func collector(t *testing.T, program string) (url, out string) {
	t.Helper()
	dir, address := t.TempDir(), peertest.Addresses(t, 1)[0]
	config := filepath.Join(dir, "config.yaml")
	out = filepath.Join(dir, "out.jsonl")
	text := fmt.Sprintf("receivers: {otlp: {protocols: {http: {endpoint: %q}}}}\nexporters: {lines: {path: %q}}\n"+
		"service: {pipelines: {metrics: {receivers: [otlp], exporters: [lines]}, traces: {receivers: [otlp], exporters: [lines]}}}\n",
		address, out)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	peertest.Start(t, exec.Command(program, "--config", config), "Everything is ready")
	return "http://" + address, out
}

// pushed is what a collector got of one run.
type pushed struct {
	last       map[string]float64 // sums over operations by name and outcome, of the last push
	histograms map[string]histogram
	spans      []time.Duration
	pushes     int
	text       string
}

// histogram is one over all operations.
type histogram struct {
	count, buckets int64
	sum            float64
}

// point is of a sum or a histogram, as OTLP's JSON has it: numbers of 64 bits are texts.
type point struct {
	Attributes []struct {
		Key   string
		Value struct{ StringValue string }
	}
	AsInt, Count, ZeroCount string
	Sum                     float64
	Positive                struct{ BucketCounts []string }
}

func readPushed(t *testing.T, path string) (p pushed) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.text = string(text)
	lines := bufio.NewScanner(strings.NewReader(p.text))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var line struct {
			ResourceMetrics []struct {
				ScopeMetrics []struct {
					Metrics []struct {
						Name                 string
						Sum                  struct{ DataPoints []point }
						ExponentialHistogram struct{ DataPoints []point }
					}
				}
			}
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct{ StartTimeUnixNano, EndTimeUnixNano string }
				}
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		for _, r := range line.ResourceMetrics {
			p.pushes++
			p.last, p.histograms = map[string]float64{}, map[string]histogram{}
			for _, m := range r.ScopeMetrics[0].Metrics {
				for _, d := range m.Sum.DataPoints {
					outcome := ""
					for _, a := range d.Attributes {
						if a.Key == "plimsoll.outcome" {
							outcome = a.Value.StringValue
						}
					}
					p.last[m.Name+"|"+outcome] += float64(whole(d.AsInt))
				}
				for _, d := range m.ExponentialHistogram.DataPoints {
					p.histograms[m.Name] = p.histograms[m.Name].plus(&d)
				}
			}
		}
		for _, r := range line.ResourceSpans {
			for _, s := range r.ScopeSpans[0].Spans {
				p.spans = append(p.spans, time.Duration(whole(s.EndTimeUnixNano)-whole(s.StartTimeUnixNano)))
			}
		}
	}
	return p
}

// plus adds the histogram of another operation.
func (h histogram) plus(d *point) histogram {
	h.count += whole(d.Count)
	h.buckets += whole(d.ZeroCount)
	h.sum += d.Sum
	for _, n := range d.Positive.BucketCounts {
		h.buckets += whole(n)
	}
	return h
}

func whole(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
