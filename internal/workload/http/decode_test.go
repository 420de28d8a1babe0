package http_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// TestCompressedResponses: checks see what was compressed, and bytes are counted as they came.
func TestCompressedResponses(t *testing.T) {
	const text = `{"text":"` + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" + `"}`
	packs := map[string]func(w io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zlib": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"raw":  func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 6); return z },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	}
	pack := func(name, text string) []byte {
		var b bytes.Buffer
		z := packs[name](&b)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
		return b.Bytes()
	}
	bomb := pack("gzip", strings.Repeat("a", 17<<20))
	// As Google's encoder writes the text, and 17 MiB of "a".
	const br, brBomb = "G3IA+I3UYs0Z7pQiYXul01eShFYIiGAHhA==", "y///P/glwuKxQCD3/o///3/wSwDEYRGA7v1f/f8/fgmAOCwA0L1/AA=="
	unbase := func(text string) []byte {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for name, c := range map[string]struct {
		coding string
		body   []byte
		cause  string
	}{
		"gzip": {"gzip", pack("gzip", text), ""}, "zlib": {"deflate", pack("zlib", text), ""},
		"raw": {"deflate", pack("raw", text), ""}, "zstd": {"zstd", pack("zstd", text), ""},
		"plain": {"", []byte(text), ""}, "unknown": {"compress", []byte("?"), "bad-encoding"},
		"broken": {"gzip", pack("gzip", text)[:40], "bad-encoding"}, "none": {"gzip", []byte(text), "bad-encoding"},
		"brotli": {"br", unbase(br), ""}, "brotli in capitals": {"BR", unbase(br), ""}, "cut brotli": {"br", unbase(br)[:20], "bad-encoding"},
		"no brotli": {"br", []byte(text), "bad-encoding"}, "a bomb of brotli": {"br", unbase(brBomb), "too-large"},
		"bomb": {"gzip", bomb, "too-large"}, "a bomb of zstd": {"zstd", pack("zstd", strings.Repeat("a", 17<<20)), "too-large"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept-Encoding") != "gzip, deflate, br, zstd" {
					t.Errorf("accepted: %s", r.Header.Get("Accept-Encoding"))
				}
				if c.coding != "" {
					w.Header().Set("Content-Encoding", c.coding)
				}
				_, _ = w.Write(c.body)
			}))
			defer server.Close()
			request := script.Request{URL: server.URL + "/", Checks: []string{
				fmt.Sprintf("size = %d", len(text)), "json text ~ aaa", fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(text)))}}
			doc, total := run(t, flow(t, nil, request), 6, func(p *room.Plan) { p.Request.Compressed = true })
			if c.cause != "" {
				if total.Failed != 6 || total.Causes[0].Cause != c.cause {
					t.Errorf("%d failed: %+v", total.Failed, total.Causes)
				}
			} else if total.OK != 6 {
				t.Errorf("%d ok: %+v, %+v", total.OK, total.Causes, doc.HTTP().Failures)
			}
			if got := doc.HTTP().ReceivedBytes; got != int64(6*len(c.body)) {
				t.Errorf("%d bytes were counted of %d", got, 6*len(c.body))
			}
		})
	}
}
