//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// bandwidthDocument runs plimsoll bandwidth and gives its document and its detail.
func bandwidthDocument(tb testing.TB, args ...string) (*rundoc.Run, *rundoc.BandwidthDetail) {
	tb.Helper()
	cmd := exec.Command("plimsoll", append([]string{"bandwidth", "--json", "--no-save", "--quiet"}, args...)...)
	cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=plimsoll", "AWS_SECRET_ACCESS_KEY=plimsoll-is-not-a-secret")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if !runtest.Completed(err) {
		tb.Fatalf("plimsoll bandwidth %v: %v\n%s", args, err, &stderr)
	}
	doc, err := rundoc.Read(bytes.NewReader(out))
	if err != nil {
		tb.Fatal(err)
	}
	return doc, doc.Bandwidth()
}

const (
	gib        = 1 << 30
	rawPartMiB = 8
	rawActive  = 8
)

// BenchmarkBandwidthAgainstRaw runs plimsoll bandwidth, without and with checksums, and a raw
// loop over net/http that makes the same requests, in turn against the same embedded server,
// each in a process of its own, and reports how they compare by the medians. Each turn takes
// about 10 s: use -benchtime 5x.
func BenchmarkBandwidthAgainstRaw(b *testing.B) {
	target, stop := serveTarget(b, "s3", "--anonymous")
	defer stop()
	var raw, plain, checked []moved
	for b.Loop() {
		raw = append(raw, runRaw(b, target+"/plimsoll"))
		plain = append(plain, runBandwidth(b, target, "--checksum", "none"))
		checked = append(checked, runBandwidth(b, target))
	}
	b.ReportMetric(0, "ns/op") // the time of a turn says nothing
	for _, f := range []struct {
		unit  string
		scale float64
		get   func(moved) float64
	}{
		{"put-MB/s", 1e6, func(m moved) float64 { return m.Upload }},
		{"get-MB/s", 1e6, func(m moved) float64 { return m.Download }},
		{"user-s/GiB", 1e9, func(m moved) float64 { return m.UserNS }},
		{"system-s/GiB", 1e9, func(m moved) float64 { return m.SystemNS }},
	} {
		x, y, z := medianOf(raw, f.get), medianOf(plain, f.get), medianOf(checked, f.get)
		b.ReportMetric(x/f.scale, "raw-"+f.unit)
		b.ReportMetric(y/f.scale, "plimsoll-"+f.unit)
		b.ReportMetric(z/f.scale, "checked-"+f.unit)
		b.ReportMetric(y/x, "ratio-"+f.unit)
		b.ReportMetric(z/x, "checked-ratio-"+f.unit)
	}
}

func medianOf(all []moved, get func(moved) float64) float64 {
	var values []float64
	for _, m := range all {
		values = append(values, get(m))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func runRaw(tb testing.TB, bucket string) (m moved) {
	tb.Helper()
	out, err := exec.Command("rawtransfer", bucket, fmt.Sprint(gib), fmt.Sprint(rawPartMiB<<20), fmt.Sprint(rawActive)).Output()
	if err != nil {
		tb.Fatalf("the raw loop: %v", err)
	}
	if err := json.Unmarshal(out, &m); err != nil {
		tb.Fatal(err)
	}
	return m
}

func runBandwidth(tb testing.TB, target string, args ...string) moved {
	tb.Helper()
	doc, d := bandwidthDocument(tb, append([]string{"1g", "s3://plimsoll/bench/", "--endpoint", target, "--path-style",
		"--block", fmt.Sprint(rawPartMiB), "--active-blocks", fmt.Sprint(rawActive)}, args...)...)
	moved := moved{
		Upload: d.Upload.BytesPerS, Download: d.Download.BytesPerS,
		UserNS: float64(doc.Generator.CPUUserNS) / 2, SystemNS: float64(doc.Generator.CPUSystemNS) / 2,
	}
	return moved
}

// BenchmarkBandwidthShaped measures a server that lets 20 MB pass a second, each way, and
// reports how far the bandwidth that is found is from that. A machine that is busy with other
// things makes the server slower than it means to be, and so the worst figure too.
func BenchmarkBandwidthShaped(b *testing.B) {
	var off []float64
	for b.Loop() {
		_, d := bandwidthDocument(b, "100MB", "--target-flag", "bandwidth=20MB")
		for _, t := range []*rundoc.Transfer{d.Upload, d.Download} {
			off = append(off, 100*math.Abs(t.BytesPerS/20e6-1))
		}
	}
	slices.Sort(off)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(off[len(off)/2], "median-error-%")
	b.ReportMetric(off[len(off)-1], "worst-error-%")
}

// BenchmarkBandwidthMemory moves 10 GiB each way and reports what the process held at most.
func BenchmarkBandwidthMemory(b *testing.B) {
	var most int64
	for b.Loop() {
		doc, _ := bandwidthDocument(b, "10g", "--target-flag", "bandwidth=0")
		most = max(most, doc.Generator.MaxRSSBytes)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(most)/(1<<20), "max-MiB")
}

// BenchmarkBandwidthSmallFiles writes and reads files of 4 KiB, one after the other, and compares with a bare loop over
// net/http that makes the same requests (PUT; HEAD and GET; DELETE) against the same server, in turn. Plimsoll's go
// through the AWS SDK, are observed, and have their bytes made and compared.
func BenchmarkBandwidthSmallFiles(b *testing.B) {
	const files, size = 1000, 4 << 10
	target, stop := serveTarget(b, "s3", "--anonymous")
	defer stop()
	var raw, ours []moved
	for b.Loop() {
		raw = append(raw, rawSmall(b, target+"/plimsoll/raw", files, size))
		doc, d := bandwidthDocument(b, fmt.Sprint(size), "s3://plimsoll/bench/", "--endpoint", target, "--path-style",
			"--repeat", fmt.Sprint(files))
		ours = append(ours, moved{
			Upload: files / (float64(d.Upload.DurationNS) / 1e9), Download: files / (float64(d.Download.DurationNS) / 1e9),
			UserNS: float64(doc.Generator.CPUUserNS+doc.Generator.CPUSystemNS) / files,
		})
	}
	b.ReportMetric(0, "ns/op")
	for unit, get := range map[string]func(moved) float64{
		"put-files/s": func(m moved) float64 { return m.Upload },
		"get-files/s": func(m moved) float64 { return m.Download },
	} {
		x, y := medianOf(raw, get), medianOf(ours, get)
		b.ReportMetric(x, "raw-"+unit)
		b.ReportMetric(y, "plimsoll-"+unit)
		b.ReportMetric(y/x, "ratio-"+unit)
	}
	b.ReportMetric(medianOf(ours, func(m moved) float64 { return m.UserNS / 1e3 }), "plimsoll-cpu-us/file")
}

// rawSmall is the bare loop; its rates are files a second.
func rawSmall(tb testing.TB, address string, files, size int) moved {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	body := make([]byte, size)
	do := func(method string, body []byte) {
		if _, err := rawDo(client, method, address, body); err != nil {
			tb.Fatal(err)
		}
	}
	var up, down time.Duration
	for range files {
		began := time.Now()
		do(http.MethodPut, body)
		written := time.Now()
		do(http.MethodHead, nil)
		do(http.MethodGet, nil)
		down += time.Since(written)
		up += written.Sub(began)
		do(http.MethodDelete, nil)
	}
	return moved{Upload: float64(files) / up.Seconds(), Download: float64(files) / down.Seconds()}
}
