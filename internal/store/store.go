package store

import (
	"context"
	"crypto/tls"
	"io"
	"net/url"
	"time"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// Config is what a store is opened with. A zero field was not given: then the setting of that
// name in Settings counts, and after it the store's default.
type Config struct {
	// URL has scheme, bucket or host, and path. Those of http, https and sftp may also have a
	// user and a password, and those of http and https a query; their stores never show them.
	// It was parsed by Drivers.ParseURL, and the paths of files are those of Driver.PathOf.
	URL *url.URL

	Block          int64  // bytes of a block that Write gets; at least 1
	PartSize       int64  // bytes of a part
	Files          int    // that are written at the same time; 0 for one
	ActiveParts    int    // parts in flight or in the queue, for each Writer
	Checksum       string // "crc32c", "sha256" or "none": what parts are protected with on their way
	PayloadSigning bool   // sign the payloads too (S3)
	Endpoint       string // URL of the server, when it is not the service's own
	Region         string //
	PathStyle      bool   // buckets in the path, not in the name of the host (S3)
	Retries        int    // attempts after the first, of each request; negative: the client's default
	// Timeout of each request, from its start to the end of its answer; when a File is streamed,
	// of each wait for more of it.
	Timeout time.Duration
	// Silence of a connection, either way, while its server is waited for; 0: any.
	Silence time.Duration

	TLS *tls.Config // which certificates of the server are trusted; nil: those of the system
	// Authorities, in PEM form, are trusted beside the system's where credentials are asked for; nil for none.
	Authorities []byte

	Settings *hadoop.Settings // of a Hadoop configuration and of -D; nil for none
	KeysOf   string           // whose the keys among the Settings are, for reports; "" for what the user has set
	Tokens   *hadoop.Tokens   // of a Hadoop credentials file; nil for none
	Requests *Requests        // gathers what became of requests; never nil
	Flow     *flow.Counter    // counts what its connections carry, or its calls of the system; nil for none
}

// Store is an opened store. All errors of its methods are *Error, or those of the context.
type Store interface {
	// Describe tells what is in use. It does no I/O and holds no secrets.
	Describe() Description
	// Check makes sure, before anything is written, that a file of this size can be: that the
	// bucket or directory is there, that the credentials are accepted, and that the size does
	// not exceed what the store takes with the part size in use. It creates nothing.
	Check(ctx context.Context, path string, size int64) error
	// Exists reports whether there is a file at path.
	Exists(ctx context.Context, path string) (bool, error)
	// Create begins a file of exactly size bytes, replacing one that is there.
	Create(ctx context.Context, path string, size int64) (Writer, error)
	// Open opens a file for reading.
	Open(ctx context.Context, path string) (File, error)
	Rename(ctx context.Context, from, to string) error
	// Delete removes a file. One that is not there is no error.
	Delete(ctx context.Context, path string) error
	// Close releases what the store holds: connections, memory, goroutines.
	Close() error
}

// Settler is a Store that keeps what it wrote in a cache of this machine. Its callers settle a
// file before they open it, outside of every operation's time, so that a download measures the
// store and an upload that was not flushed does not burden it. An Open without a Settle before
// it does the same within its own time, and Describe says so.
type Settler interface {
	// Settle writes a closed file out and drops it from the cache.
	Settle(ctx context.Context, path string) error
}

// Streamer is a Store that can open a file and begin to read it by one request, where Open would ask for its size
// first.
type Streamer interface {
	// OpenStream opens a file whose Stream will be called, and nothing else of it but Size and Close. It returns when
	// the request for the file is answered.
	OpenStream(ctx context.Context, path string) (File, error)
}

// Description tells what a store uses, for reports.
type Description struct {
	Client      string   // import path of the library, such as github.com/aws/aws-sdk-go-v2/service/s3
	Endpoint    string   // where the requests go; "" when the URL says all
	PartBytes   int64    // of a part; 0 for a store that knows no parts
	ActiveParts int      // parts in flight or in the queue, for each Writer; 0 likewise
	AtOnce      int      // parts and ranges in flight of all files together; 0: nothing else bounds them
	Integrity   string   // what the store checks itself, such as "CRC-32C of each part, checked by the server"
	Notes       []string // sentences that a reader of the figures must know, such as how it renames
}

// Writer writes one file, from its start to its end.
type Writer interface {
	// Reserve gives memory for the next n bytes, in pieces that are n bytes together. The
	// caller fills it, and the Write of those bytes hands it over. It may run ahead of Write,
	// on another goroutine, by one block at least, and waits when there is no memory.
	Reserve(ctx context.Context, n int) ([][]byte, error)
	// Write hands over the oldest n bytes that were reserved, all of one Reserve, and returns
	// when the store's client has accepted them.
	Write(ctx context.Context, n int) error
	// Flush gives to the store what was written so far; hard also asks it to make that
	// durable. A store that cannot returns an Error with the cause Unsupported.
	Flush(ctx context.Context, hard bool) error
	// Close completes the file. After an error the file is not there: Abort has been done.
	Close(ctx context.Context) error
	// Abort gives the file up and leaves nothing of it behind, parts that were uploaded
	// included. After Close, or when called again, it does nothing. Nobody may fill memory
	// of the Writer any more when Abort or Close is called: others use it again.
	Abort(ctx context.Context) error
}

// Queue is a Writer that goes on with what it has accepted while its caller does something
// else: a caller that is late with the next block holds it up as far as places are empty.
type Queue interface {
	// Vacant is the share of the queue's places that are empty now, 0 to 1.
	Vacant() float64
}

// More reports whether something follows in the answer to a request, after as many bytes as were asked for. An error
// there is none of what was read.
func More(answer io.Reader) bool {
	var one [1]byte
	n, _ := io.ReadFull(answer, one[:])
	return n > 0
}

// File is a file open for reading.
type File interface {
	Size() int64
	// Stream reads the whole file from its start, in one request where there are requests.
	Stream(ctx context.Context) (io.ReadCloser, error)
	// ReadRange fills p from the offset, in a request of its own where there are requests.
	// A file that ends before is an Error with the cause Truncated.
	ReadRange(ctx context.Context, p []byte, offset int64) error
	Close() error
}
