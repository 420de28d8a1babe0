package aws

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/server/peer"
)

// What clients may sign with and for. Signatures are not checked: any others do, too.
const (
	DefaultAccessKey = "plimsoll"
	DefaultSecretKey = "plimsoll-is-not-a-secret"
	DefaultRegion    = "us-west-2"
)

// Config holds the settings of a server. Settings declares the flag of each field but the last.
type Config struct {
	Listen         string        // host:port; port 0 takes a free one
	Latency        time.Duration // between having a request in full and answering it
	TLS            bool          // with a certificate of its own making, and HTTP/2 for clients that offer it
	Certificate    string        // the file to write the certificate to; "": a temporary one, removed at the end
	MaxConnections int           // one more has the place of another that is silent, or is closed

	HeaderTimeout time.Duration // from accepting a connection, or a request's first bytes, to having its headers
	// A connection on which no request ends, and nothing of a body comes, for up to twice this long is closed.
	IdleTimeout     time.Duration
	ShutdownTimeout time.Duration // bounds the graceful end

	// Trace is the file for a line of each request; "" for none. Whoever runs the server writes it, by
	// way of Observe.
	Trace string

	// Observe, if not nil, is told of each answer after it has been written: on a goroutine of
	// the connection, one call at a time for each connection, and at the same time for several.
	// What it takes is time of the connection.
	Observe func(Exchange)
}

// Exchange is one request and its answer, as the server saw them.
type Exchange struct {
	Service   string // one of the Service constants, such as DynamoDB; "" if it was not recognized
	Operation string // such as "GetItem"; "" for what the server has no answer for
	Conn      uint64 // the connection's number, counted from 1

	// Received is when the request's first bytes came in, Answering when the answer began to be
	// written, Sent when the last of it was. All have a reading of the monotonic clock. The
	// client may have the answer at any time after Answering: the write may have done its work
	// long before this process runs again and looks at the clock.
	//
	// ReceivedKernel says that the kernel stamped the bytes when they arrived; else Received is
	// when they were read. What the first read took came in one or more segments, and the stamp
	// is the last one's: it is later than the first byte if the client wrote its request in
	// pieces and the server was not yet there to read the first.
	Received, Answering, Sent time.Time
	ReceivedKernel            bool
	// SentKernel says that Sent is the kernel's stamp of the last byte, from which on the client may have
	// it; else it is when the write had returned.
	SentKernel bool

	// Peer is the process that made the request, as it was between the request and its answer; without a
	// number where it is not on this machine, or cannot be seen.
	Peer peer.Reading

	Status       int   // of HTTP
	RequestBytes int64 // headers and body, as sent; without TLS's own

	Protocol string // HTTP11 or another of the versions below, whether over TLS or not
	// Agent is how the client names itself, the header User-Agent, in plain characters and no
	// longer than 512 bytes; "" without one.
	Agent string
}

// The versions of HTTP, as net/http names them.
const (
	HTTP10 = "HTTP/1.0"
	HTTP11 = "HTTP/1.1"
	HTTP2  = "HTTP/2.0"
)

// Default is a server on 127.0.0.1:9100 that answers at once, without TLS.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:9100", MaxConnections: 4096,
		HeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute, ShutdownTimeout: 5 * time.Second,
	}
}

// Validate says what is wrong with the settings, naming the flag.
func (c *Config) Validate() error { return c.Settings().Check() }
