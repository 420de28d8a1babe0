package throughputtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/plimsoll/plimsoll/throughput"
)

// A library that retries below the wrapper, and above it. What the server got is its own count.
func TestRetryableHTTP(t *testing.T) {
	for _, below := range []bool{true, false} {
		var mu sync.Mutex
		var got []int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			mu.Lock()
			defer mu.Unlock()
			if got = append(got, n); len(got) <= 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		over := make(chan *throughput.Timeline, 16)
		observer := throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t })
		base := &http.Transport{}
		retries := retryablehttp.NewClient()
		retries.Logger = nil
		retries.Backoff = func(time.Duration, time.Duration, int, *http.Response) time.Duration { return 0 }
		transport := http.RoundTripper(&retryablehttp.RoundTripper{Client: retries})
		if below {
			retries.HTTPClient.Transport = base
			transport = throughput.Wrap(transport, observer)
		} else {
			retries.HTTPClient.Transport = throughput.Wrap(base, observer)
		}
		client := &http.Client{Transport: transport}
		req, err := http.NewRequest(http.MethodPut, server.URL, bytes.NewReader(make([]byte, 600_000)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		all := []*throughput.Timeline{<-over, <-over, <-over}
		slices.SortFunc(all, func(a, b *throughput.Timeline) int { return a.Started.Compare(b.Started) })
		for i, each := range all {
			late := below && !each.RequestWritten.Happened() // what net/http says when RoundTrip is over
			if each.RequestBytes != got[i] && !late || each.WriteQuality() == throughput.Aborted || !each.FirstResponseByte.Happened() {
				t.Errorf("below %v, the server had %d bytes: %s %+v", below, got[i], each.WriteQuality(), each)
			}
			if below {
				repeated := errors.Is(each.Err, throughput.ErrRetried)
				if !each.Copied || each.WriteQuality() != throughput.Unseen || each.Attempt != i+1 || repeated != (i < 2) {
					t.Errorf("attempt %d below: %s %+v", i+1, each.WriteQuality(), each)
				}
			} else if want := []int{503, 503, 200}[i]; each.Status != want || each.Err != nil || each.Copied {
				t.Errorf("attempt %d above: %+v", i+1, each)
			}
		}
		base.CloseIdleConnections()
		server.Close()
	}
}
