package throughput

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
	"time"
)

// What net/http decompressed is more than what moved: it has no rate of the network.
func TestDecompressed(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 20 {
			_, _ = z.Write(make([]byte, 100_000))
		}
		_ = z.Close()
	}))
	c, k := client(t, nil)
	send(t, c, request(t, "GET", s.URL, nil))
	got := k.wait(t, 1)[0]
	if got.ResponseBytes != 2_000_000 || !got.Uncompressed || got.ReadQuality() != Unseen || got.ReadLimit() == LimitNetwork {
		t.Errorf("%s, limited by %q: %+v", got.ReadQuality(), got.ReadLimit(), got)
	}
}

// A body that the server refused before anybody asked for it was not sent, whatever its length.
func TestRefusedToContinue(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusExpectationFailed)
	}))
	c, k := client(t, &http.Transport{ExpectContinueTimeout: time.Hour})
	for _, length := range []int64{1000, -1} {
		req := request(t, "PUT", s.URL, strings.NewReader(strings.Repeat("x", 1000)))
		req.ContentLength = length
		req.Header.Set("Expect", "100-continue")
		send(t, c, req)
		if got := k.wait(t, 1)[0]; got.RequestBytes != 0 || got.WriteQuality() != Aborted {
			t.Errorf("length %d: %s %+v", length, got.WriteQuality(), got)
		}
	}
}
