package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// tool is a load generator: how it is called, and how what it prints is read.
type tool struct {
	command func(b *bench, a asked) ([]string, error)
	read    func(out string, f *figures) error
}

func tools() map[string]tool {
	return map[string]tool{
		"plimsoll": {plimsoll, readPlimsoll},
		"wrk":      {wrk, readWrk},
		"net/http": {bare, readBare},
		"fortio":   {fortio, readFortio},
		"h2load":   {h2load, readH2load},
		"hey":      {hey, readHey},
		"k6":       {k6, readK6},
		"vegeta":   {vegeta, readVegeta},
		"oha":      {oha, readOha},
	}
}

var errOpen = errors.New("it knows no rate")

func plimsoll(b *bench, a asked) ([]string, error) {
	args := []string{b.binary, "http", a.url, "--clients", fmt.Sprint(a.clients), "--duration", a.window.String(),
		"--warmup-time", "0s", "--no-save", "--json"}
	if a.rate > 0 {
		args = append(args, "--rate", fmt.Sprint(a.rate), "--arrivals", "constant")
	}
	if a.ca != "" {
		args = append(args, "--ca", a.ca)
	}
	if a.http2 {
		args = append(args, "--http2")
	}
	return args, nil
}

func readPlimsoll(out string, f *figures) error {
	var doc struct {
		Operations []struct {
			OK           int64 `json:"ok"`
			Unsent       int64 `json:"unsent"`
			ResponseTime struct {
				P50 time.Duration `json:"p50_ns"`
				P99 time.Duration `json:"p99_ns"`
				Max time.Duration `json:"max_ns"`
			} `json:"response_time"`
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		return err
	}
	if len(doc.Operations) != 1 {
		return fmt.Errorf("%d operations are in the document", len(doc.Operations))
	}
	o := &doc.Operations[0]
	f.requests, f.unsent = o.OK, o.Unsent
	f.median, f.p99, f.most = o.ResponseTime.P50, o.ResponseTime.P99, o.ResponseTime.Max
	return nil
}

func wrk(_ *bench, a asked) ([]string, error) {
	if a.rate > 0 {
		return nil, errOpen
	}
	return []string{"wrk", "-t", "1", "-c", fmt.Sprint(a.clients), "-d", seconds(a.window), "--latency",
		"--timeout", "10s", a.url}, nil // what takes longer than that is in no figure of wrk
}

// seconds is a time as those tools take it that know only whole seconds, of which a half is rounded up.
func seconds(d time.Duration) string { return fmt.Sprintf("%.0fs", d.Round(time.Second).Seconds()) }

func readWrk(out string, f *figures) error {
	found := regexp.MustCompile(`(\d+) requests in ([\d.]+\w+),`).FindStringSubmatch(out)
	if found == nil {
		return errors.New("what it prints is not known")
	}
	f.requests, _ = strconv.ParseInt(found[1], 10, 64)
	f.took, _ = time.ParseDuration(found[2])
	f.median = found1(out, `50%\s+([\d.]+\w+)`)
	f.p99 = found1(out, `99%\s+([\d.]+\w+)`)
	f.most = found1(out, `Latency\s+\S+\s+\S+\s+([\d.]+\w+)`)
	return nil
}

// found1 is a time in a text.
func found1(out, pattern string) time.Duration {
	found := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if found == nil {
		return 0
	}
	d, _ := time.ParseDuration(found[1])
	return d
}

func fortio(_ *bench, a asked) ([]string, error) {
	return []string{"fortio", "load", "-quiet", "-c", fmt.Sprint(a.clients), "-qps", fmt.Sprint(a.rate),
		"-t", a.window.String(), "-p", "50,99", "-r", "0.00001", "-json", "-", a.url}, nil
}

func readFortio(out string, f *figures) error {
	var got struct {
		ActualDuration    time.Duration
		RetCodes          map[string]int64
		DurationHistogram struct {
			Max         float64
			Percentiles []struct{ Percentile, Value float64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	f.requests, f.took = got.RetCodes["200"], got.ActualDuration
	f.most = time.Duration(got.DurationHistogram.Max * 1e9)
	for _, p := range got.DurationHistogram.Percentiles {
		switch d := time.Duration(p.Value * 1e9); p.Percentile {
		case 50:
			f.median = d
		case 99:
			f.p99 = d
		}
	}
	return nil
}

func h2load(_ *bench, a asked) ([]string, error) {
	if a.rate > 0 {
		return nil, errOpen
	}
	args := []string{"h2load", "-t", "1", "-c", fmt.Sprint(a.clients), "-m", "1", "-D", seconds(a.window)}
	if !a.http2 {
		args = append(args, "--h1")
	}
	return append(args, a.url), nil
}

func readH2load(out string, f *figures) error {
	found := regexp.MustCompile(`finished in ([\d.]+\w+),[\s\S]* (\d+) succeeded`).FindStringSubmatch(out)
	if found == nil {
		return errors.New("what it prints is not known")
	}
	f.took, _ = time.ParseDuration(found[1])
	f.requests, _ = strconv.ParseInt(found[2], 10, 64)
	return nil
}

func hey(_ *bench, a asked) ([]string, error) {
	args := []string{"hey", "-z", a.window.String(), "-c", fmt.Sprint(a.clients)}
	if a.rate > 0 { // each of its workers has a rate
		args = append(args, "-q", fmt.Sprint(float64(a.rate)/float64(a.clients)))
	}
	return append(args, a.url), nil
}

func readHey(out string, f *figures) error {
	found := regexp.MustCompile(`\[200\]\s+(\d+) responses`).FindStringSubmatch(out)
	if found == nil {
		return errors.New("what it prints is not known")
	}
	f.requests, _ = strconv.ParseInt(found[1], 10, 64)
	inSeconds := func(pattern string) time.Duration {
		found := regexp.MustCompile(pattern).FindStringSubmatch(out)
		if found == nil {
			return 0
		}
		s, _ := strconv.ParseFloat(found[1], 64)
		return time.Duration(s * 1e9)
	}
	f.took = inSeconds(`Total:\s+([\d.]+) secs`)
	f.median, f.p99 = inSeconds(`50%+ in ([\d.]+) secs`), inSeconds(`99%+ in ([\d.]+) secs`)
	f.most = inSeconds(`Slowest:\s+([\d.]+) secs`)
	return nil
}

// script is k6's. It has the summary printed as JSON.
const script = `import http from 'k6/http';
export const options = {
  insecureSkipTLSVerify: true, summaryTrendStats: ['med', 'p(99)', 'max'],
  scenarios: { one: %s },
};
export default function () { http.get(%q); }
export function handleSummary(data) { return { stdout: JSON.stringify(data) }; }
`

func k6(b *bench, a asked) ([]string, error) {
	way := fmt.Sprintf(`{ executor: 'constant-vus', vus: %d, duration: '%v' }`, a.clients, a.window)
	if a.rate > 0 {
		way = fmt.Sprintf(`{ executor: 'constant-arrival-rate', rate: %d, timeUnit: '1s', duration: '%v', `+
			`preAllocatedVUs: %d, maxVUs: %d }`, a.rate, a.window, a.clients, a.clients)
	}
	path := filepath.Join(b.dir, "k6.js")
	if err := os.WriteFile(path, fmt.Appendf(nil, script, way, a.url), 0o644); err != nil {
		return nil, err
	}
	return []string{"k6", "run", "--quiet", path}, nil
}

func readK6(out string, f *figures) error {
	var got struct {
		Metrics map[string]struct{ Values map[string]float64 }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	took := got.Metrics["http_req_duration"].Values
	millis := func(name string) time.Duration { return time.Duration(took[name] * 1e6) }
	requests := got.Metrics["http_reqs"].Values
	f.requests = int64(requests["count"])
	f.took = time.Duration(requests["count"] / requests["rate"] * 1e9)
	f.median, f.p99, f.most = millis("med"), millis("p(99)"), millis("max")
	f.unsent = int64(got.Metrics["dropped_iterations"].Values["count"])
	return nil
}

// vegeta adds workers when all are busy, without a limit unless it is told one.
func vegeta(b *bench, a asked) ([]string, error) {
	program, err := b.find("vegeta")
	if err != nil {
		return nil, err
	}
	return []string{"/bin/sh", "-c", `echo "GET $1" | "$0" attack -rate=$2 -duration=$3 | "$0" report -type=json`,
		program, a.url, fmt.Sprint(a.rate), a.window.String()}, nil
}

func readVegeta(out string, f *figures) error {
	var got struct {
		Latencies struct {
			P50 time.Duration `json:"50th"`
			P99 time.Duration `json:"99th"`
			Max time.Duration `json:"max"`
		} `json:"latencies"`
		StatusCodes map[string]int64 `json:"status_codes"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	f.requests = got.StatusCodes["200"]
	f.median, f.p99, f.most = got.Latencies.P50, got.Latencies.P99, got.Latencies.Max
	return nil
}

// oha corrects latencies for coordinated omission only with --latency-correction.
func oha(_ *bench, a asked) ([]string, error) {
	args := []string{"oha", "-z", a.window.String(), "-c", fmt.Sprint(a.clients), "--no-tui", "--output-format", "json"}
	if a.rate > 0 {
		args = append(args, "-q", fmt.Sprint(a.rate))
	}
	return append(args, a.url), nil
}

func readOha(out string, f *figures) error {
	var got struct {
		Summary struct {
			Slowest float64 `json:"slowest"`
			Total   float64 `json:"total"`
		} `json:"summary"`
		Percentiles map[string]*float64 `json:"latencyPercentiles"`
		StatusCodes map[string]int64    `json:"statusCodeDistribution"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	seconds := func(s *float64) time.Duration {
		if s == nil {
			return 0
		}
		return time.Duration(*s * 1e9)
	}
	f.requests, f.took = got.StatusCodes["200"], seconds(&got.Summary.Total)
	f.median, f.p99 = seconds(got.Percentiles["p50"]), seconds(got.Percentiles["p99"])
	f.most = seconds(&got.Summary.Slowest)
	return nil
}
