package s3

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
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

// synctest: called only inside a bubble.
func (s *slow) part() {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	time.Sleep(time.Second)
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
}

// fs.s3a.threads.max bounds the parts in flight of all files together.
func TestThreadsBoundParts(t *testing.T) {
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
