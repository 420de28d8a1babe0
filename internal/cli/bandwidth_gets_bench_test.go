//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What all sides of the comparison do: read an object of 8 MiB again and again, eight times at once. Each counts what
// it got in the last nine tenths of the time, as plimsoll does.
const (
	getBytes  = 8 << 20
	getAtOnce = 8
	getTime   = 4 * time.Second
	getRamp   = getTime / 10
)

// rawGets is the main of a bare loop of ranged GETs over net/http. Its argument is the URL of an object of getBytes;
// it prints a moved as JSON.
func rawGets() {
	m, err := measureGets(os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rawgets:", err)
		os.Exit(1)
	}
}

func measureGets(address string) (m moved, err error) {
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: getAtOnce, DisableCompression: true, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10,
	}}
	before, began := cpuTime(), time.Now()
	var all, counted, failed atomic.Int64
	var workers sync.WaitGroup
	for range getAtOnce {
		memory := make([]byte, getBytes)
		workers.Go(func() {
			for time.Since(began) < getTime {
				from := time.Since(began)
				if err := rawGet(client, address, memory); err != nil {
					failed.Add(1)
					return
				}
				to := time.Since(began)
				all.Add(getBytes)
				if inside := min(to, getTime) - max(from, getRamp); inside > 0 {
					counted.Add(int64(getBytes * float64(inside) / float64(to-from)))
				}
			}
		})
	}
	workers.Wait()
	if failed.Load() > 0 {
		return m, fmt.Errorf("%d workers failed", failed.Load())
	}
	used, moved := cpuTime(), float64(all.Load())/gib
	m.Download = float64(counted.Load()) / (getTime - getRamp).Seconds()
	m.UserNS, m.SystemNS = float64(used[0]-before[0])/moved, float64(used[1]-before[1])/moved
	return m, nil
}

func rawGet(client *http.Client, address string, memory []byte) error {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", len(memory)-1))
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPartialContent {
		return fmt.Errorf("GET: %s", resp.Status)
	}
	_, err = io.ReadFull(resp.Body, memory)
	return err
}

// BenchmarkBandwidthGets reads objects of 8 MiB, eight at once, by plimsoll bandwidth, with and without comparing every
// byte, by a bare loop of ranged GETs, and, where it is installed, by warp, in turn from the same embedded server, and
// reports how they compare by the medians. A turn takes about 15 s: use -benchtime 7x.
func BenchmarkBandwidthGets(b *testing.B) {
	target, stop := serveTarget(b, "s3", "--anonymous", "--bucket", "plimsoll")
	defer stop()
	bandwidthDocument(b, "8m", "s3://plimsoll/gets", "--endpoint", target, "--path-style", "--only", "upload", "--keep")
	ours := func(args ...string) moved {
		doc, d := bandwidthDocument(b, append([]string{"8m", "s3://plimsoll/gets", "--endpoint", target, "--path-style",
			"--only", "download", "--streams", strconv.Itoa(getAtOnce), "--duration", getTime.String()}, args...)...)
		gibs := float64(d.Download.Bytes) / gib
		return moved{
			Download: d.Download.BytesPerS,
			UserNS:   float64(doc.Generator.CPUUserNS) / gibs, SystemNS: float64(doc.Generator.CPUSystemNS) / gibs,
		}
	}
	sides := []struct {
		name string
		run  func() moved
		got  []moved
	}{
		{"bare", func() moved { return runGets(b, target+"/plimsoll/gets") }, nil},
		{"checked", func() moved { return ours() }, nil},
		{"plain", func() moved { return ours("--checksum", "none") }, nil},
		{"warp", func() moved { return runWarp(b, target) }, nil},
	}
	if _, err := exec.LookPath("warp"); err != nil {
		sides = sides[:3]
	}
	for b.Loop() {
		for i := range sides {
			sides[i].got = append(sides[i].got, sides[i].run())
		}
	}
	b.ReportMetric(0, "ns/op") // the time of a turn says nothing
	rate := func(m moved) float64 { return m.Download }
	user := func(m moved) float64 { return m.UserNS }
	both := func(m moved) float64 { return m.UserNS + m.SystemNS }
	for _, s := range sides {
		b.ReportMetric(medianOf(s.got, rate)/1e6, s.name+"-MB/s")
		b.ReportMetric(medianOf(s.got, user)/1e9, s.name+"-user-s/GiB")
		b.ReportMetric(medianOf(s.got, both)/1e9, s.name+"-cpu-s/GiB")
		// Of each turn, so that what the machine does besides is in both.
		ratio := func(figure func(moved) float64) float64 {
			turns := make([]moved, len(s.got))
			for i := range turns {
				turns[i].Download = figure(s.got[i]) / figure(sides[0].got[i])
			}
			return medianOf(turns, rate)
		}
		b.ReportMetric(ratio(rate), s.name+"/bare-rate")
		b.ReportMetric(ratio(both), s.name+"/bare-cpu")
	}
}

func runGets(tb testing.TB, address string) (m moved) {
	tb.Helper()
	out, err := exec.Command("rawgets", address).Output()
	if err != nil {
		tb.Fatalf("the bare loop: %v", err)
	}
	if err := json.Unmarshal(out, &m); err != nil {
		tb.Fatal(err)
	}
	return m
}

// warpAverage is warp's line on the rate of all its downloads.
var warpAverage = regexp.MustCompile(`\* Average: ([0-9.]+) MiB/s`)

// runWarp measures with MinIO's warp, which writes its objects first and does not compare what it reads: that is in its
// processor time.
func runWarp(tb testing.TB, target string) moved {
	tb.Helper()
	cmd := exec.Command("warp", "get", "--no-color", "--host", strings.TrimPrefix(target, "http://"), "--bucket", "warp",
		"--access-key", "plimsoll", "--secret-key", "plimsoll-is-not-a-secret", "--obj.size", "8MiB",
		"--objects", strconv.Itoa(getAtOnce), "--concurrent", strconv.Itoa(getAtOnce), "--duration", getTime.String())
	cmd.Dir = tb.TempDir() // it saves its data where it runs
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("warp: %v\n%s", err, out)
	}
	found := warpAverage.FindAllSubmatch(bytes.TrimSpace(out), -1)
	if len(found) == 0 {
		tb.Fatalf("warp says no average:\n%s", out)
	}
	rate, err := strconv.ParseFloat(string(found[len(found)-1][1]), 64)
	if err != nil {
		tb.Fatal(err)
	}
	use := cmd.ProcessState
	gibs := rate / 1024 * getTime.Seconds()
	return moved{rate * (1 << 20), rate * (1 << 20), float64(use.UserTime()) / gibs, float64(use.SystemTime()) / gibs}
}
