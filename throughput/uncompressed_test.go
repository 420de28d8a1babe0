package throughput

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strconv"
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
	if got.ResponseBytes != 2_000_000 || !got.Uncompressed || got.ReadQuality() != Unseen || len(got.Rates()) > 0 {
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

// unpacker decompresses as transports do that net/http does not know of.
type unpacker struct{ http.RoundTripper }

func (u unpacker) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := u.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		return nil, errors.Join(err, resp.Body.Close())
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{z, resp.Body}
	return resp, nil
}

// What a transport below decompresses without a word has no rate either, and what it leaves alone has one.
func TestDecompressedBelow(t *testing.T) {
	for _, length := range []bool{true, false} {
		for _, packed := range []bool{true, false} {
			if !length && runtime.GOOS != "linux" {
				continue // nobody counts what comes
			}
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				var b bytes.Buffer
				z, _ := gzip.NewWriterLevel(&b, map[bool]int{true: gzip.BestSpeed, false: gzip.NoCompression}[packed])
				_, _ = z.Write(make([]byte, 2_000_000))
				_ = z.Close()
				if length && packed {
					w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
				}
				_ = http.NewResponseController(w).Flush()
				_, _ = w.Write(b.Bytes())
			}))
			base := &http.Transport{DisableCompression: true}
			t.Cleanup(base.CloseIdleConnections)
			k := newKept()
			c := &http.Client{Transport: Wrap(unpacker{base}, k)}
			send(t, c, request(t, "GET", s.URL, nil))
			got := k.wait(t, 1)[0]
			if got.ResponseBytes != 2_000_000 || got.Uncompressed != packed || packed && len(got.Rates()) > 0 {
				t.Errorf("declared %v, packed %v: %s, %v, %+v", length, packed, got.ReadQuality(), got.Rates(), got)
			}
		}
	}
}
