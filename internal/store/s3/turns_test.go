package s3

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// slow answers as a server of S3 does that takes a second for each part, and counts how many it has at a time.
type slow struct {
	mu        sync.Mutex
	now, most int
}

func (s *slow) RoundTrip(req *http.Request) (*http.Response, error) {
	query, body := req.URL.Query(), ""
	switch {
	case query.Has("uploads"):
		body = "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>"
	case req.Method == http.MethodPost:
		body = "<CompleteMultipartUploadResult><ETag>tag</ETag></CompleteMultipartUploadResult>"
	case query.Has("partNumber"):
		s.part()
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: req, Header: http.Header{"Etag": {`"tag"`}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

func (s *slow) part() {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	time.Sleep(time.Second) // of the bubble
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
}

// TestThreads has fs.s3a.threads.max bound the parts of all files together.
func TestThreads(t *testing.T) {
	for threads, want := range map[string]int{"": 8, "3": 3, "100": 8} {
		isolate(t)
		server := &slow{}
		synctest.Test(t, func(t *testing.T) {
			b := open(t, conf(t, "http://127.0.0.1:1", with("fs.s3a.threads.max", threads), func(c *store.Config) {
				c.PartSize, c.ActiveParts = 1000, 4
			}))
			b.http.Transport = server
			if told := b.Describe().AtOnce; strconv.Itoa(told) != cmp.Or(threads, "0") {
				t.Errorf("threads.max %q: the store tells of %d", threads, told)
			}
			var files sync.WaitGroup
			for i := range 2 {
				files.Go(func() {
					if err := write(t.Context(), b, fmt.Sprint("/key", i), make([]byte, 8000)); err != nil {
						t.Error(err)
					}
				})
			}
			files.Wait()
		})
		if server.most != want {
			t.Errorf("threads.max %q: %d parts at the same time, want %d", threads, server.most, want)
		}
	}
}

// counting puts a server before the target that counts requests by what they ask for, and how many it had at a time.
func counting(t *testing.T) (address string, requests func() map[string]int, most func() int) {
	t.Helper()
	to, err := url.Parse(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	counts, now, peak := map[string]int{}, 0, 0
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { // the signature is about the Host
		r.SetURL(to)
		r.Out.Host = r.In.Host
		mu.Lock()
		defer mu.Unlock()
		counts[fmt.Sprint(r.In.Method, " part ", r.In.URL.Query().Has("partNumber"))]++
	}}
	change := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		now += by
		peak = max(peak, now)
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		change(1)
		proxy.ServeHTTP(w, r)
		change(-1) // before the end of the answer is sent
	}))
	t.Cleanup(front.Close)
	return front.URL, func() map[string]int {
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(counts)
		}, func() int {
			mu.Lock()
			defer mu.Unlock()
			return peak
		}
}

// TestConnectionMaximum has never more than one request at the server. Connections are not counted: net/http takes
// another one when the goroutine that wrote a request is not back in 50 ms.
func TestConnectionMaximum(t *testing.T) {
	isolate(t)
	address, requests, most := counting(t)
	b := open(t, conf(t, address, with("fs.s3a.connection.maximum", "1"), func(c *store.Config) {
		c.PartSize, c.ActiveParts = 100_000, 4
	}))
	if err := write(t.Context(), b, "/key", make([]byte, 1_600_000)); err != nil {
		t.Fatal(err)
	}
	if parts, n := requests()["PUT part true"], most(); parts != 16 || n != 1 {
		t.Errorf("%d parts, %d requests at a time; want 16, and 1", parts, n)
	}
}

func TestMultipartThreshold(t *testing.T) {
	isolate(t)
	for _, test := range []struct {
		threshold string
		flag      int64
		want      [2]int // requests with parts, and with the whole
	}{
		{"", 0, [2]int{3, 0}}, {"250000", 0, [2]int{3, 0}}, {"250001", 0, [2]int{0, 1}}, {"250001", 100_000, [2]int{3, 0}},
	} {
		address, requests, _ := counting(t)
		b := open(t, conf(t, address, with("fs.s3a.multipart.size", "100000"), with("fs.s3a.multipart.threshold", test.threshold),
			func(c *store.Config) { c.PartSize = test.flag }))
		if err := write(t.Context(), b, "/key", make([]byte, 250_000)); err != nil {
			t.Fatal(err)
		}
		counts := requests()
		if got := [2]int{counts["PUT part true"], counts["PUT part false"]}; got != test.want {
			t.Errorf("threshold %q, --part-size %d: %d requests with parts and with the whole, want %d",
				test.threshold, test.flag, got, test.want)
		}
	}
}

// Files that are sent in one request are held in memory: so many of a size that would fill it are refused before that.
func TestMemoryOfWholeFiles(t *testing.T) {
	isolate(t)
	for _, test := range []struct {
		threshold string
		files     int
		size      int64
		want      bool
	}{
		{"5g", 1, 4 << 30, true}, {"5g", 1, 4<<30 + 1, false}, {"5g", 0, 4<<30 + 1, false}, {"5g", 8, 512 << 20, true},
		{"5g", 8, 513 << 20, false}, {"513m", 8, 513 << 20, true}, {"5g", 10_000, 8 << 20, true}, {"", 8, 513 << 20, true},
	} {
		b := open(t, conf(t, "http://127.0.0.1:1", with("fs.s3a.multipart.threshold", test.threshold),
			func(c *store.Config) { c.Files = test.files }))
		err := b.fits("/key", test.size)
		if (err == nil) != test.want || err != nil && store.CauseOf(err) != store.TooLarge {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// What a server that says nothing, or refuses a HEAD, leaves to be tried is said.
func TestHintsOfSilence(t *testing.T) {
	isolate(t)
	if got := open(t, conf(t, "http://127.0.0.1:1")).hint(store.Timeout, nil); !strings.Contains(got, "--timeout") {
		t.Errorf("no answer in time: %q", got)
	}
	if got := accessHint("Forbidden"); !strings.Contains(got, "secret") {
		t.Errorf("a HEAD was refused: %q", got)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for key, value := range map[string]string{
		"fs.s3a.threads.max": "0", "fs.s3a.connection.maximum": "-1", "fs.s3a.multipart.threshold": "6g",
	} {
		c := conf(t, "http://127.0.0.1:1", with(key, value))
		if _, err := settle(&c); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}
}
