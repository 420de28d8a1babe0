//go:build unix

package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// countingServer gives and takes a file, and counts what it did.
type countingServer struct {
	*httptest.Server
	file      atomic.Value // []byte
	got, gave atomic.Int64 // bytes of bodies
	gets      atomic.Int64
	serving   sync.RWMutex // held for reading by each request
}

// done waits until what is served has been counted, too: whoever has got it may be gone before.
func (s *countingServer) done() {
	s.serving.Lock()
	defer s.serving.Unlock()
}

func newCountingServer(t *testing.T) *countingServer {
	s := &countingServer{}
	s.file.Store([]byte(nil))
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *countingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serving.RLock()
	defer s.serving.RUnlock()
	switch file := s.file.Load().([]byte); {
	case r.Method == http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		s.got.Add(int64(len(body)))
		s.file.Store(body)
	case r.Method == http.MethodDelete:
		s.file.Store([]byte(nil))
	case file == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		if r.Method == http.MethodGet {
			s.gets.Add(1)
		}
		http.ServeContent(counted{w, &s.gave}, r, "", time.Time{}, strings.NewReader(string(file)))
	}
}

type counted struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// courseSum is what the course has: blocks, and what was counted at the sockets.
func courseSum(d *rundoc.BandwidthDetail, t *rundoc.Transfer) (client, network int64) {
	for _, p := range t.Course {
		client += p.Client
	}
	bins := d.Flow.Received
	if t == d.Upload {
		bins = d.Flow.Sent
	}
	for _, bytes := range bins {
		network += bytes
	}
	return client, network
}

// headers is how much more than the file the sockets may carry: the headers of a few requests and answers.
const headers = 4096

// TestBandwidthAgreesWithTheServer compares the figures of whole runs with what the server
// counted, and looks for the secrets of the URL in the document.
func TestBandwidthAgreesWithTheServer(t *testing.T) {
	t.Parallel()
	const size = 3 << 20
	s := newCountingServer(t)
	url := s.URL + "/file?sig=HIDDEN"
	up, d := bandwidthDocument(t, "3m", url, "--only", "upload", "--keep", "--block", "512k")
	client, network := courseSum(d, d.Upload)
	if s.got.Load() != size || d.Upload.Bytes != size || client != size || network < size || network > size+headers {
		t.Errorf("the server got %d bytes; the document has %d, its course %d and %d", s.got.Load(), d.Upload.Bytes, client, network)
	}

	var inspected, inspectedGets int64
	for _, checksum := range []string{"crc32c", "none"} {
		s.gave.Store(0)
		s.gets.Store(0)
		down, d := bandwidthDocument(t, url, "--only", "download", "--checksum", checksum)
		if inspected = 0; checksum != "none" {
			inspected, inspectedGets = 4096, 1 // the look at the file's beginning, which is not the run's
		} else {
			inspectedGets = 0
		}
		s.done()
		client, network := courseSum(d, d.Download)
		if want := s.gave.Load() - inspected; want != size || d.Download.Bytes != size || client != size || network < size || network > size+headers {
			t.Errorf("the server gave %d bytes; the document has %d, its course %d and %d", want, d.Download.Bytes, client, network)
		}
		var attempts, received int64
		for _, r := range d.Requests {
			if r.BytesReceived > 0 {
				attempts, received = attempts+r.Attempts, received+r.BytesReceived
			}
		}
		if attempts != s.gets.Load()-inspectedGets || received != size {
			t.Errorf("%s: %d requests gave %d bytes, the server had %d besides the inspection's", checksum, attempts, received, s.gets.Load()-inspectedGets)
		}
		if c := d.Checksum; (c.Verdict == rundoc.ChecksumOK) != (checksum != "none") || (c.Bytes == size) != (checksum != "none") {
			t.Errorf("--checksum %s: %+v", checksum, c)
		}
		for _, doc := range []*rundoc.Run{up, down} {
			detail, err := json.Marshal(doc.Detail)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(doc.Plan) + string(detail) + doc.Target.URL; strings.Contains(text, "HIDDEN") {
				t.Errorf("the secret of the URL is in the document: %s", text)
			}
		}
	}
}
