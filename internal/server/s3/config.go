package s3

import "time"

// What a client needs to use a server with the default settings. The credentials are no
// secret: they keep mistakes out, not people.
const (
	DefaultAccessKey = "plimsoll"
	DefaultSecretKey = "plimsoll-is-not-a-secret"
	DefaultBucket    = "plimsoll"
	DefaultRegion    = "us-east-1"
)

// Config holds the settings of a server. Settings declares the flag of each field.
type Config struct {
	Listen string // host:port; port 0 takes a free one

	Dir     string // keeps the data in this directory; "": in memory
	Discard bool   // keeps nothing of the data but its size and checksums
	Memory  int64  // bytes of data and metadata in memory; 0: a quarter of the machine's

	Bucket string // exists from the start
	Region string // what clients must sign for
	Domain string // BUCKET.DOMAIN addresses a bucket, besides a path that begins with it

	AccessKey    string
	SecretKey    string
	SessionToken string // wanted with every signed request; "": none is accepted
	Anonymous    bool   // takes requests without a signature, too

	MD5ETags       bool // ETags are MD5 sums, as those of S3 often are
	StrictPartSize bool // refuses parts below 5 MiB, as S3 does

	MaxRequests     int           // in flight; more get 503 SlowDown
	HeaderTimeout   time.Duration // from accepting a connection to having its request's headers
	IdleTimeout     time.Duration // of connections, and of bodies that do not come or go on
	ShutdownTimeout time.Duration // bounds the graceful end

	Faults
}

// Faults are how the server is slowed down, and what it does wrong on purpose. The zero
// value is a server that does neither.
//
// The rates are shares of the requests, between 0 and 1. Which request suffers what is a pure
// function of Seed and the request's number, counted over all connections.
type Faults struct {
	Bandwidth int64         // bytes of bodies a second, in each direction, over all connections; 0: no limit
	Latency   time.Duration // between having a request and answering it

	ErrorRate   float64 // answered with 503 SlowDown
	ResetRate   float64 // the connection is cut in the middle of the body, or before the answer
	CorruptRate float64 // of the answers to GetObject; one byte is flipped

	StallPart int           // which PutObject or UploadPart, counted from 1, stands still in the middle of its body
	StallFor  time.Duration // for how long
	FailPart  int           // the part with this number is always answered with 500 InternalError

	Full      int64         // data beyond this many bytes is refused as if the disk were full; 0: no limit
	ClockSkew time.Duration // how much the server's clock is ahead

	Seed uint64
}

// Default is a server on 127.0.0.1:9000 that keeps its data in memory, without faults.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:9000",
		Bucket: DefaultBucket, Region: DefaultRegion, Domain: "localhost",
		AccessKey: DefaultAccessKey, SecretKey: DefaultSecretKey,
		MaxRequests:   1000,
		HeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute, ShutdownTimeout: 5 * time.Second,
		Faults: Faults{Seed: 1},
	}
}

// Validate says what is wrong with the settings, naming the flag.
func (c *Config) Validate() error { return c.Settings().Check() }
