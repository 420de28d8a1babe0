package s3

import (
	"net"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// What a client needs to use a server with the default settings. The credentials are no
// secret: they keep mistakes out, not people.
const (
	DefaultAccessKey = "plimsoll"
	DefaultSecretKey = "plimsoll-is-not-a-secret"
	DefaultBucket    = "plimsoll"
	DefaultRegion    = "us-east-1"
)

// Config holds the settings of a server. Each field is one flag of `plimsoll serve s3`.
type Config struct {
	Listen string // --listen: host:port; port 0 takes a free one

	Dir     string // --dir: keeps the data in this directory; "": in memory
	Discard bool   // --discard: keeps nothing of the data but its size and checksums
	Memory  int64  // --memory: bytes of data and metadata in memory; 0: a quarter of the machine's

	Bucket string // --bucket: exists from the start
	Region string // --region: what clients must sign for
	Domain string // --domain: BUCKET.DOMAIN addresses a bucket, besides a path that begins with it

	AccessKey    string // --access-key
	SecretKey    string // --secret-key
	SessionToken string // --session-token: wanted with every signed request; "": none is accepted
	Anonymous    bool   // --anonymous: takes requests without a signature, too

	MD5ETags       bool // --md5-etags: ETags are MD5 sums, as those of S3 often are
	StrictPartSize bool // --strict-part-size: refuses parts below 5 MiB, as S3 does

	MaxRequests     int           // --max-requests: in flight; more get 503 SlowDown
	HeaderTimeout   time.Duration // --header-timeout: from accepting a connection to having its request's headers
	IdleTimeout     time.Duration // --idle-timeout: of connections, and of bodies that do not come or go on
	ShutdownTimeout time.Duration // --shutdown-timeout: bounds the graceful end

	Faults
}

// Faults are how the server is slowed down, and what it does wrong on purpose. The zero
// value is a server that does neither.
//
// The rates are shares of the requests, between 0 and 1. Which request suffers what is a pure
// function of Seed and the request's number, counted over all connections.
type Faults struct {
	// --bandwidth: bytes of bodies a second, in each direction, over all connections; 0: no limit
	Bandwidth int64
	Latency   time.Duration // --latency: between having a request and answering it

	ErrorRate   float64 // --error-rate: answered with 503 SlowDown
	ResetRate   float64 // --reset-rate: the connection is cut in the middle of the body, or before the answer
	CorruptRate float64 // --corrupt-rate: of the answers to GetObject; one byte is flipped

	// --stall-part: which PutObject or UploadPart, counted from 1, stands still in the middle of its body
	StallPart int
	StallFor  time.Duration // --stall-for: for how long
	FailPart  int           // --fail-part: the part with this number is always answered with 500 InternalError

	Full      int64         // --full: data beyond this many bytes is refused as if the disk were full; 0: no limit
	ClockSkew time.Duration // --clock-skew: how much the server's clock is ahead

	Seed uint64 // --seed
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
func (c *Config) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fault.New(fault.Usage, "--listen %q is not an address: %w", c.Listen, err).
			Hint("give host:port, such as 127.0.0.1:9000; port 0 takes a free one")
	}
	if c.Dir != "" && c.Discard {
		return fault.New(fault.Usage, "--dir and --discard contradict each other").
			Hint("give --dir to keep the data, or --discard to keep none of it")
	}
	if why := badBucketName(c.Bucket); why != "" {
		return fault.New(fault.Usage, "--bucket %q is not a bucket's name: %s", c.Bucket, why).
			Hint("give 3 to 63 lower-case letters, digits, dots or hyphens")
	}
	if c.AccessKey == "" || c.SecretKey == "" || c.Region == "" {
		return fault.New(fault.Usage, "--access-key, --secret-key and --region must not be empty").
			Hint("leave them out for the defaults, or give --anonymous to do without signatures")
	}
	if c.MaxRequests < 1 {
		return fault.New(fault.Usage, "--max-requests %d is not positive", c.MaxRequests).
			Hint("give a number such as 1000")
	}
	if err := positive(duration{"--header-timeout", c.HeaderTimeout}, duration{"--idle-timeout", c.IdleTimeout},
		duration{"--shutdown-timeout", c.ShutdownTimeout}); err != nil {
		return err
	}
	if c.Memory < 0 {
		return negative("--memory", c.Memory)
	}
	return c.Faults.validate()
}

// minBandwidth keeps the wait for the smallest piece of a body below a second.
const minBandwidth = 1 << 10

func (f *Faults) validate() error {
	if f.Bandwidth != 0 && f.Bandwidth < minBandwidth {
		return fault.New(fault.Usage, "--bandwidth %d is too little", f.Bandwidth).
			Hint("give at least %d bytes a second, such as 20MB; 0 for no limit", minBandwidth)
	}
	if f.Full < 0 {
		return negative("--full", f.Full)
	}
	for _, d := range []duration{{"--latency", f.Latency}, {"--stall-for", f.StallFor}} {
		if d.value < 0 {
			return fault.New(fault.Usage, "%s %v is negative", d.flag, d.value).Hint("give a time such as 20ms")
		}
	}
	if f.StallPart < 0 || f.FailPart < 0 {
		return fault.New(fault.Usage, "--stall-part and --fail-part count from 1").Hint("leave them out for none")
	}
	if (f.StallPart > 0) != (f.StallFor > 0) {
		return fault.New(fault.Usage, "--stall-part and --stall-for need each other").
			Hint("say which part stands still and for how long, such as --stall-part 3 --stall-for 2s")
	}
	for _, k := range kinds {
		if rate := k.rate(f); !(rate >= 0 && rate <= 1) { // NaN fails too
			return fault.New(fault.Usage, "%s %v is not a share", k.flag, rate).
				Hint("give a number from 0 to 1; 0.01 is one request in a hundred")
		}
	}
	if f.ErrorRate+f.ResetRate > 1+1e-9 {
		return fault.New(fault.Usage, "--error-rate and --reset-rate sum to %v", f.ErrorRate+f.ResetRate).
			Hint("a request suffers at most one of them: lower them until they sum to 1 or less")
	}
	return nil
}

type duration struct {
	flag  string
	value time.Duration
}

func positive(ds ...duration) error {
	for _, d := range ds {
		if d.value <= 0 {
			return fault.New(fault.Usage, "%s %v is not a positive time", d.flag, d.value).
				Hint("give a time such as 5s")
		}
	}
	return nil
}

func negative(flag string, n int64) error {
	return fault.New(fault.Usage, "%s %d is negative", flag, n).Hint("give a size such as 1GiB")
}
