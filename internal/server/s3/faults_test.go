package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// metric reads one of the server's counters.
func metric(t testing.TB, s *Server, name string) string {
	t.Helper()
	settle(s) // what was sent last is counted behind the client's back
	for line := range strings.SplitSeq(raw(t, s, "GET", "/_plimsoll/metrics", "", "Authorization", keys).body, "\n") {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return value
		}
	}
	return "absent"
}

// keys are those of the default settings, as user and password.
const keys = "Basic cGxpbXNvbGw6cGxpbXNvbGwtaXMtbm90LWEtc2VjcmV0"

// settle waits for the requests whose clients have what they get.
func settle(s *Server) {
	for s.admitted.Inside() > 0 {
		runtime.Gosched()
	}
}

func open(c *Config) { c.Anonymous = true }

// try sends a request that may fail, and gives its status or "cut".
func try(t testing.TB, s *Server, method, target string, body []byte) (string, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := httpClient(t).Do(req)
	if err != nil {
		return "cut", nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return "cut", data
	}
	return fmt.Sprint(resp.StatusCode), data
}

func TestRates(t *testing.T) {
	f := Faults{ErrorRate: 0.1, ResetRate: 0.05, Seed: 7}
	s := serve(t, func(c *Config) { open(c); c.Faults = f })
	want, got := map[string]int{}, map[string]int{}
	for n := range uint64(400) {
		switch d := f.decide(n + 1); {
		case d.fail:
			want["503"]++
		case d.reset:
			want["cut"]++
		default:
			want["200"]++
		}
		// Requests with a body and without; net/http repeats those without when they are cut.
		status, _ := try(t, s, "PUT", "/plimsoll/k", noise(100_000))
		got[status]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want["503"] < 20 || want["503"] > 70 || want["cut"] < 5 || want["cut"] > 45 {
		t.Errorf("the rates are not kept: %v", want)
	}
	settle(s)
	for name, n := range map[string]int{
		`plimsoll_s3_requests_total{operation="PutObject",status="200"}`:   want["200"],
		`plimsoll_s3_requests_total{operation="PutObject",status="503"}`:   want["503"],
		`plimsoll_s3_requests_total{operation="PutObject",status="reset"}`: want["cut"],
		`plimsoll_s3_faults_injected_total{kind="error"}`:                  want["503"],
		`plimsoll_s3_faults_injected_total{kind="reset"}`:                  want["cut"],
		`plimsoll_s3_data_bytes`:                                           100_000,
	} {
		if v := metric(t, s, name); v != fmt.Sprint(n) {
			t.Errorf("%s is %s, want %d", name, v, n)
		}
	}
}

func TestCorrupt(t *testing.T) {
	data := noise(200_000)
	s := serve(t, open)
	c := sdk(t, s)
	put(t, c, "k", data)
	s.cfg.CorruptRate = 1 // no request is in flight
	_, got := try(t, s, "GET", "/plimsoll/k", nil)
	flipped := 0
	for i := range got {
		flipped += bits.OnesCount8(got[i] ^ data[i])
	}
	if flipped != 1 || len(got) != len(data) {
		t.Errorf("%d bits of %d bytes differ", flipped, len(got))
	}
	out, err := c.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: aws.String(DefaultBucket), Key: aws.String("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	if _, err := io.ReadAll(out.Body); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("the AWS client did not notice: %v", err)
	}
	if v := metric(t, s, `plimsoll_s3_faults_injected_total{kind="corrupt"}`); v != "2" {
		t.Errorf("%s corrupt answers", v)
	}
}

func TestStallFailAndLatency(t *testing.T) {
	const stall, latency = 200 * time.Millisecond, 30 * time.Millisecond
	s := serve(t, func(c *Config) { open(c); c.StallPart, c.StallFor, c.FailPart, c.Latency = 3, stall, 2, latency })
	c := sdk(t, s)
	id := begin(t, c, "k", awss3.CreateMultipartUploadInput{})
	part := func(n int32) (time.Duration, error) {
		begun := time.Now()
		_, err := c.UploadPart(t.Context(), &awss3.UploadPartInput{
			Bucket: aws.String(DefaultBucket), Key: aws.String("k"), UploadId: id, PartNumber: &n,
			Body: bytes.NewReader(noise(100_000)),
		})
		return time.Since(begun), err
	}
	for i := range 2 {
		if took, err := part(1); err != nil || took < latency {
			t.Errorf("part %d: %v after %v", i+1, err, took)
		}
	}
	if took, err := part(3); err != nil || took < stall+latency {
		t.Errorf("the third: %v after %v", err, took)
	}
	_, err := part(2)
	wantCode(t, err, "InternalError")
	for kind, want := range map[string]string{"stall": "1", "fail-part": "1"} {
		if v := metric(t, s, `plimsoll_s3_faults_injected_total{kind="`+kind+`"}`); v != want {
			t.Errorf("%s: %s", kind, v)
		}
	}
}

func TestFull(t *testing.T) {
	for name, test := range map[string]func(*Config){
		"full":    func(c *Config) { c.Full = 100_000 },
		"memory":  func(c *Config) { c.Memory = 100_000 },
		"discard": func(c *Config) { c.Discard, c.Full = true, 100_000 },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test)
			c := sdk(t, s)
			put(t, c, "one", noise(60_000))
			_, err := c.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(DefaultBucket),
				Key: aws.String("two"), Body: bytes.NewReader(noise(60_000))})
			wantCode(t, err, "InsufficientStorage")
			// What takes the place of something needs room beside it until it has.
			_, err = c.DeleteObject(t.Context(),
				&awss3.DeleteObjectInput{Bucket: aws.String(DefaultBucket), Key: aws.String("one")})
			wantCode(t, err, "")
			put(t, c, "two", noise(60_000))
			if name != "memory" && metric(t, s, `plimsoll_s3_faults_injected_total{kind="full"}`) != "1" {
				t.Error("it is not counted")
			}
		})
	}
}

func TestDiscard(t *testing.T) {
	s := serve(t, func(c *Config) { c.Discard = true })
	c := sdk(t, s)
	const size = int(3*blob.PatternSize + 12345)
	out := put(t, c, "k", noise(size))
	ctx, bucket, key := t.Context(), aws.String(DefaultBucket), aws.String("k")
	if _, err := c.CopyObject(ctx, &awss3.CopyObjectInput{Bucket: bucket, Key: aws.String("copy"),
		CopySource: aws.String("plimsoll/k")}); err != nil {
		t.Fatal(err)
	}
	got := raw(t, s, "GET", "/plimsoll/copy", "")
	if got.status != http.StatusForbidden {
		t.Errorf("%+v", got)
	}
	head, err := c.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: bucket, Key: key})
	if err != nil || *head.ContentLength != int64(size) || *head.ETag != *out.ETag {
		t.Errorf("%+v, %v", head, err)
	}
	if got := fetch(t, c, "k"); len(got) != size { // the client checks no checksum of it
		t.Errorf("%d bytes", len(got))
	}
	s.identity.Anonymous = true
	got = raw(t, s, "GET", "/plimsoll/k", "")
	if len(got.body) != size || got.header.Get("X-Plimsoll-Discarded") != "true" ||
		!strings.HasPrefix(got.body, blob.PatternLine) {
		t.Errorf("%d bytes, %v", len(got.body), got.header)
	}
	part := raw(t, s, "GET", "/plimsoll/k", "", "Range",
		fmt.Sprintf("bytes=%d-%d", blob.PatternSize-100, blob.PatternSize+99_999))
	if part.body != got.body[blob.PatternSize-100:blob.PatternSize+100_000] {
		t.Error("a range has other bytes than the whole")
	}
}

// Bytes go through at the rate: not faster, and not slower for lateness or pauses.
func TestPacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alarms := wake.NewPortable()
		defer alarms.Close()
		p := newPacer(20e6, alarms)
		p.enter()
		begun := time.Now()
		done := make(chan struct{})
		const each, clients = 15_000_000, 4
		for range clients {
			go func() {
				for left := each; left > 0; {
					n := min(left, p.quantum)
					if err := p.take(t.Context(), n); err != nil {
						t.Error(err)
					}
					left -= n
				}
				done <- struct{}{}
			}()
		}
		for range clients {
			<-done
		}
		if took := time.Since(begun); took != 3*time.Second {
			t.Errorf("60 MB took %v at 20 MB/s", took)
		}
		p.leave()
		time.Sleep(time.Hour) // what was not used in a pause is lost
		p.enter()
		begun = time.Now()
		for range 100 {
			_ = p.take(t.Context(), 20_000)
		}
		if took := time.Since(begun); took != 100*time.Millisecond {
			t.Errorf("2 MB took %v after a pause", took)
		}
		time.Sleep(time.Second) // lateness is made good, within bounds, whoever else begins
		p.enter()
		begun = time.Now()
		for range 100 {
			_ = p.take(t.Context(), 20_000)
		}
		if took := time.Since(begun); took != 100*time.Millisecond-slack {
			t.Errorf("2 MB took %v after a slow client", took)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.take(ended, 10_000_000); err == nil {
			t.Error("it waited for nobody")
		}
	})
}
