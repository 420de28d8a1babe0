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

// A countingServer stores a file, and counts bytes and requests.
type countingServer struct {
	*httptest.Server
	file      atomic.Value // []byte
	got, gave atomic.Int64 // bytes of bodies
	gets      atomic.Int64
	serving   sync.RWMutex // held for reading by each request
}

// done waits until what is served has been counted.
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

// courseSum returns the sums of the course: of the blocks, and of what was counted at the sockets.
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

// headers bounds what the sockets carry besides the file: the headers of a few requests and responses.
const headers = 4096

// TestBandwidthAgreesWithTheServer compares the counts of runs with the server's, and looks for the secret of the URL in
// the documents.
func TestBandwidthAgreesWithTheServer(t *testing.T) {
	t.Parallel()
	const size = 3 << 20
	s := newCountingServer(t)
	url := s.URL + "/file?sig=HIDDEN"
	up, d := bandwidthDocument(t, "3m", url, "--only", "upload", "--keep", "--block", "512k")
	client, network := courseSum(d, d.Upload)
	if s.got.Load() != size || d.Upload.Bytes != size || client != size || network < size || network > size+headers {
		t.Errorf("the server received %d bytes; the document has %d, its course %d and %d", s.got.Load(), d.Upload.Bytes, client, network)
	}
	down, d := bandwidthDocument(t, url, "--only", "download", "--checksum", "none")
	s.done()
	client, network = courseSum(d, d.Download)
	if s.gave.Load() != size || d.Download.Bytes != size || client != size || network < size || network > size+headers {
		t.Errorf("the server sent %d bytes; the document has %d, its course %d and %d", s.gave.Load(), d.Download.Bytes, client, network)
	}
	var attempts, received int64
	for _, r := range d.Requests {
		if r.BytesReceived > 0 {
			attempts, received = attempts+r.Attempts, received+r.BytesReceived
		}
	}
	if attempts != s.gets.Load() || received != size {
		t.Errorf("%d requests received %d bytes, and the server had %d", attempts, received, s.gets.Load())
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
