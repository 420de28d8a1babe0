package s3

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// benchServer names the environment variable that makes the test binary a server. Its value
// is the configuration.
const benchServer = "PLIMSOLL_S3_BENCH_SERVER"

// runBenchServer serves until its input ends.
func runBenchServer() {
	var cfg Config
	if err := json.Unmarshal([]byte(os.Getenv(benchServer)), &cfg); err != nil {
		panic(err)
	}
	s, err := New(cfg, nil)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Listen(ctx); err != nil {
		panic(err)
	}
	fmt.Println(s.URL())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := s.Serve(ctx); err != nil {
		panic(err)
	}
}

// benchPeer is a server in a process of its own.
type benchPeer struct {
	url string
	pid int
}

func startBenchServer(b *testing.B, change func(*Config)) *benchPeer {
	b.Helper()
	cfg := Default()
	cfg.Listen, cfg.Anonymous = "127.0.0.1:0", true
	cfg.Memory = 4 << 30
	change(&cfg)
	text, err := json.Marshal(cfg)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), benchServer+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return &benchPeer{url: strings.TrimSpace(line), pid: cmd.Process.Pid}
}

// cpu is the processor time of the server so far, in seconds (proc(5): in hundredths).
func (p *benchPeer) cpu(b *testing.B) (user, system float64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		b.Skip("the processor time of another process is not known here")
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	u, _ := strconv.ParseFloat(fields[11], 64)
	s, _ := strconv.ParseFloat(fields[12], 64)
	return u / 100, s / 100
}

// What is moved: 1 GiB in parts of 8 MiB, 8 of them in flight.
const (
	benchParts    = 128
	benchPartSize = 8 << 20
	benchFlight   = 8
)

// inFlight performs all parts, some of them at the same time.
func inFlight(b *testing.B, do func(number int) error) {
	b.Helper()
	numbers := make(chan int)
	var all sync.WaitGroup
	for range benchFlight {
		all.Go(func() {
			for n := range numbers {
				if err := do(n); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for n := 1; n <= benchParts; n++ {
		numbers <- n
	}
	close(numbers)
	all.Wait()
}

func perform(c *http.Client, method, url string, body []byte, headers ...string) ([]byte, http.Header, error) {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		text, _ := io.ReadAll(resp.Body)
		return nil, nil, fmt.Errorf("%s %s: %s\n%s", method, url, resp.Status, text)
	}
	if method == http.MethodGet {
		buffer := make([]byte, 1<<20)
		var n int64
		for {
			got, err := resp.Body.Read(buffer)
			n += int64(got)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, nil, err
			}
		}
		return strconv.AppendInt(nil, n, 10), resp.Header, nil
	}
	text, err := io.ReadAll(resp.Body)
	return text, resp.Header, err
}

// upload puts one object in parts and gives the time that the parts took.
func benchUpload(b *testing.B, c *http.Client, url string, data []byte, headers ...string) time.Duration {
	b.Helper()
	text, _, err := perform(c, http.MethodPost, url+"?uploads", nil)
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<UploadId>")
	id, _, _ := strings.Cut(rest, "</UploadId>")
	etags := make([]string, benchParts+1)
	begin := time.Now()
	inFlight(b, func(n int) error {
		_, h, err := perform(c, http.MethodPut, fmt.Sprintf("%s?partNumber=%d&uploadId=%s", url, n, id), data,
			headers...)
		etags[n] = h.Get("Etag")
		return err
	})
	took := time.Since(begin)
	var d strings.Builder
	d.WriteString("<CompleteMultipartUpload>")
	for n := 1; n <= benchParts; n++ {
		fmt.Fprintf(&d, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", n, etags[n])
	}
	d.WriteString("</CompleteMultipartUpload>")
	if _, _, err := perform(c, http.MethodPost, url+"?uploadId="+id, []byte(d.String())); err != nil {
		b.Fatal(err)
	}
	return took
}

// BenchmarkTransfer puts and gets 1 GiB with a bare net/http client in this process, against a
// server in another.
func BenchmarkTransfer(b *testing.B) {
	media := []struct {
		name   string
		change func(*Config)
	}{
		{"memory", func(*Config) {}},
		{"discard", func(c *Config) { c.Discard = true }},
		{"dir", func(c *Config) { c.Dir = b.TempDir() }},
	}
	data := noise(benchPartSize)
	digest := sha256.Sum256(data)
	for _, m := range media {
		for _, signed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/sha256=%t", m.name, signed), func(b *testing.B) {
				peer := startBenchServer(b, m.change)
				var headers []string
				if signed {
					headers = []string{"X-Amz-Content-Sha256", hex.EncodeToString(digest[:])}
				}
				benchTransfer(b, peer, data, headers)
			})
		}
	}
}

func benchTransfer(b *testing.B, peer *benchPeer, data []byte, headers []string) {
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchFlight, WriteBufferSize: 64 << 10,
		ReadBufferSize: 64 << 10}}
	defer c.CloseIdleConnections()
	url := peer.url + "/" + DefaultBucket + "/bench"
	var put, get time.Duration
	var putUser, putSystem, getUser, getSystem float64
	for b.Loop() {
		u0, s0 := peer.cpu(b)
		put += benchUpload(b, c, url, data, headers...)
		u1, s1 := peer.cpu(b)
		begin := time.Now()
		inFlight(b, func(n int) error {
			from := int64(n-1) * benchPartSize
			got, _, err := perform(c, http.MethodGet, url, nil, "Range",
				fmt.Sprintf("bytes=%d-%d", from, from+benchPartSize-1))
			if err == nil && string(got) != strconv.Itoa(benchPartSize) {
				err = fmt.Errorf("part %d has %s bytes", n, got)
			}
			return err
		})
		get += time.Since(begin)
		u2, s2 := peer.cpu(b)
		putUser, putSystem, getUser, getSystem = putUser+u1-u0, putSystem+s1-s0, getUser+u2-u1, getSystem+s2-s1
	}
	gib := float64(b.N)
	total := gib * benchParts * benchPartSize / 1e6
	b.ReportMetric(total/put.Seconds(), "put-MB/s")
	b.ReportMetric(total/get.Seconds(), "get-MB/s")
	b.ReportMetric(putUser/gib, "put-user-s/GiB")
	b.ReportMetric(putSystem/gib, "put-sys-s/GiB")
	b.ReportMetric(getUser/gib, "get-user-s/GiB")
	b.ReportMetric(getSystem/gib, "get-sys-s/GiB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPaced has real clients upload and download at the same time from a server that lets
// 20 MB pass a second each way, and reports how far they are from that. A busy machine makes
// them slower; they must never be faster.
func BenchmarkPaced(b *testing.B) {
	const rate, streams, each = 20_000_000, 8, 5_000_000
	s := serve(b, func(c *Config) { open(c); c.Bandwidth = rate })
	data := noise(each)
	c := httpClient(b)
	// many performs the same request several times at once and gives how far the rate is off.
	many := func(method string, data []byte) float64 {
		begun := time.Now()
		var all sync.WaitGroup
		for n := range streams {
			all.Go(func() {
				if _, _, err := perform(c, method, fmt.Sprintf("%s/plimsoll/%d", s.URL(), n), data); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
		return streams*each/time.Since(begun).Seconds()/rate - 1
	}
	many(http.MethodPut, data) // so that there is something to read
	var up, down float64
	for b.Loop() {
		other := make(chan float64)
		go func() { other <- many(http.MethodPut, data) }()
		down = many(http.MethodGet, nil)
		up = <-other
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*up, "up-error-%")
	b.ReportMetric(100*down, "down-error-%")
}
