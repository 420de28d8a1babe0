package gs

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/store"
)

const (
	defaultEndpoint = "https://storage.googleapis.com"
	defaultChunk    = 16 << 20  // what the library takes
	chunkUnit       = 256 << 10 // the service takes multiples of it, and the library rounds up to them
	largestChunk    = 1 << 30   // each writer holds one in memory
	defaultActive   = 4
	// The library's own policy is to try for ever.
	defaultRetries = 5
	maxObject      = 5 << 40
)

// gs is an opened bucket.
type gs struct {
	config   store.Config
	bucket   string
	endpoint *url.URL
	chunk    int64
	active   int
	retries  int
	parallel bool   // parts are objects of their own, composed in the end
	key      []byte // the customer's own, for encryption
	payer    string // the project that pays for the requests; "" for the bucket's
	notes    []string
	pauses   backoff.Between // between attempts

	base    *http.Client // of store.NewClient
	client  *http.Client // with labels and credentials on it
	library *storage.Client
	blocks  sync.Pool    // of *[]byte, for writers in order
	slabs   *store.Slabs // for parallel writers
}

// Open opens a bucket: gs://bucket/key. It does no request, but for those that finding the
// credentials takes.
func Open(ctx context.Context, c store.Config) (store.Store, error) {
	return openWith(ctx, c, backoff.Between{First: firstPause, Last: longestPause})
}

// openWith opens a bucket with these pauses between the attempts of a request.
func openWith(ctx context.Context, c store.Config, pauses backoff.Between) (store.Store, error) {
	s := &gs{config: c, bucket: c.URL.Host, pauses: pauses}
	if s.bucket == "" {
		return nil, store.Fail(store.Other, "the URL %s does not name a bucket", redact.URL(c.URL.String())).
			WithHint("write gs://BUCKET/FILE")
	}
	if c.Checksum == "sha256" {
		return nil, store.Fail(store.Unsupported, "Google Cloud Storage does not verify SHA-256").
			WithHint("use --checksum crc32c, or none")
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	s.slabs = store.NewSlabs(s.chunk)
	credentials, err := s.credentials()
	if err != nil {
		return nil, err
	}
	s.base = store.NewClient(&c)
	if s.client, err = s.newClient(ctx, credentials); err != nil {
		return nil, err
	}
	s.library, err = storage.NewClient(ctx, option.WithHTTPClient(s.client), option.WithoutAuthentication(),
		option.WithEndpoint(s.endpoint.JoinPath("storage/v1").String()+"/"))
	if err != nil {
		return nil, store.Fail(store.Other, "cannot create the client: %w", err)
	}
	return s, nil
}

// settle takes from the configuration and the settings what does not concern credentials.
func (s *gs) settle() error {
	c := &s.config
	var err error
	if s.endpoint, err = findEndpoint(c); err != nil {
		return err
	}
	s.chunk = c.PartSize
	if s.chunk <= 0 {
		n, ok, err := c.Settings.Size("fs.gs.outputstream.upload.chunk.size")
		if err != nil {
			return store.Fail(store.Other, "%w", err)
		}
		s.chunk = defaultChunk
		if ok && n > 0 {
			s.chunk = n
		}
	}
	s.chunk = (s.chunk + chunkUnit - 1) / chunkUnit * chunkUnit
	if s.chunk > largestChunk {
		return store.Fail(store.Unsupported,
			"parts of %d bytes are too large: each open file keeps one part in memory", s.chunk).
			WithHint("use a part size of at most %d", int64(largestChunk))
	}
	s.active = c.ActiveParts
	if s.active <= 0 {
		s.active = defaultActive
	}
	s.retries = c.Retries
	if s.retries < 0 {
		n, ok, err := c.Settings.Int("fs.gs.http.max.retry")
		if err != nil {
			return store.Fail(store.Other, "%w", err)
		}
		s.retries = defaultRetries
		if ok {
			s.retries = int(min(max(n, 0), 1<<20))
		}
	}
	switch kind, _ := c.Settings.Lookup("fs.gs.client.upload.type"); kind {
	case "", "CHUNK_UPLOAD":
	case "PARALLEL_COMPOSITE_UPLOAD":
		s.parallel = true
	default:
		return store.Fail(store.Unsupported, "fs.gs.client.upload.type is %q, which is not supported", kind).
			WithHint("use CHUNK_UPLOAD or PARALLEL_COMPOSITE_UPLOAD")
	}
	if s.key, err = encryptionKey(c.Settings); err != nil {
		return err
	}
	if s.key != nil && s.inTheClear() {
		return store.Fail(store.Unsupported, "the encryption key would be sent to %s unencrypted", s.endpoint).
			WithHint("use an https endpoint")
	}
	s.payer, err = payer(c.Settings, s.bucket)
	return err
}

// findEndpoint is where the requests go.
func findEndpoint(c *store.Config) (*url.URL, error) {
	address, from := c.Endpoint, "the endpoint"
	if address == "" {
		address, _ = c.Settings.Lookup("fs.gs.storage.root.url")
		from = "fs.gs.storage.root.url"
	}
	if address == "" {
		address, from = os.Getenv("STORAGE_EMULATOR_HOST"), "STORAGE_EMULATOR_HOST"
		if address != "" && !strings.Contains(address, "://") {
			address = "http://" + address
		}
	}
	if address == "" {
		address = defaultEndpoint
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, store.Fail(store.Other, "%s is not a valid server URL", from).
			WithHint("write it as https://HOST, without credentials")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}, nil
}

// inTheClear reports whether others could read what goes to the server.
func (s *gs) inTheClear() bool {
	host := s.endpoint.Hostname()
	ip := net.ParseIP(host)
	return s.endpoint.Scheme != "https" && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// Describe tells what is in use.
func (s *gs) Describe() store.Description {
	d := store.Description{
		Client: "cloud.google.com/go/storage", Endpoint: s.endpoint.String(),
		PartBytes: s.chunk, ActiveParts: s.active,
		Integrity: "CRC-32C of each file, verified by the server on upload and by the client when a whole file is downloaded",
	}
	if s.parallel {
		d.Integrity = "CRC-32C of each part, verified by the server on upload, and of each file, verified by the client " +
			"when a whole file is downloaded"
	}
	if s.config.Checksum == "none" {
		d.Integrity = "none"
	}
	how := fmt.Sprintf("A file is uploaded in chunks of %d bytes, one request after another; up to %d blocks wait in "+
		"a queue.", s.chunk, s.active)
	if s.parallel {
		how = fmt.Sprintf("A file is uploaded as objects of %d bytes under %s, up to %d at a time, which are then "+
			"composed and deleted.",
			s.chunk, partPrefix, s.active)
	}
	d.Notes = append([]string{
		how,
		"Renaming moves the object in one request, or copies and deletes it if the server does not support moves.",
		"If the bucket has soft delete (the default for new buckets), deleted files are kept, and billed, for the " +
			"retention period.",
	}, s.notes...)
	return d
}

// Close ends the connections and gives the memory back.
func (s *gs) Close() error {
	err := s.library.Close()
	s.base.CloseIdleConnections()
	s.slabs.Close()
	return err
}
