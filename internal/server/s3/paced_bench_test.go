package s3

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

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
