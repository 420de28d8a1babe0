package s3

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// settings are what flags, Hadoop's properties and defaults come to, in this order.
type settings struct {
	bucket   string
	block    int64
	partSize int64
	partFlag bool  // the part size was given as such
	files    int   // that are written at the same time
	whole    int64 // a file of less than this is sent in one request; 0: one of a part at most
	active   int
	threads  int // of this many requests with parts or ranges at the same time, of all files; 0: no bound
	checksum string
	signing  bool // of payloads

	endpoint  *url.URL      // nil for AWS's own
	plain     bool          // no TLS with AWS's own endpoints
	region    string        // "" when it was not given
	pathStyle *bool         // nil: as the endpoint wants it
	retries   int           // negative: the SDK's default
	backoff   time.Duration // between attempts, at most; 0 for the SDK's default
	timeout   time.Duration

	connect time.Duration // to establish a connection; 0 for the default
	silence time.Duration // that may pass before an answer begins; 0 for any
	proxy   *url.URL
	expect  *bool // of 100 Continue
	sockets int   // connections at most; 0: no bound

	agent     string
	payer     bool
	acl       types.ObjectCannedACL
	storage   types.StorageClass
	encrypt   types.ServerSideEncryption
	kmsKey    string
	providers []string
}

const (
	defaultPart   = 8 << 20
	defaultActive = 8
)

// properties are Hadoop's for one bucket.
type properties struct {
	all    *hadoop.Settings
	bucket string
	err    error // the first
}

// keys are the names of a property: that of the bucket stands before the one of all.
func (p *properties) keys(name string) []string {
	return []string{"fs.s3a.bucket." + p.bucket + "." + name, "fs.s3a." + name}
}

func (p *properties) text(name string) string {
	v, _ := p.all.Lookup(p.keys(name)...)
	return strings.TrimSpace(v)
}

func (p *properties) secret(name string) string {
	v, _ := p.all.Secret(p.keys(name)...)
	return strings.TrimSpace(v)
}

func (p *properties) size(name string) int64 {
	v, _, err := p.all.Size(p.keys(name)...)
	return keepError(p, v, err)
}

func (p *properties) integer(name string) (int, bool) {
	v, ok, err := p.all.Int(p.keys(name)...)
	return int(keepError(p, v, err)), ok
}

// atLeastOne is a number of something that there has to be one of; 0 when it was not given.
func (p *properties) atLeastOne(name string) int {
	n, given := p.integer(name)
	if given && n < 1 {
		p.fail(name, fmt.Sprint(n), "1 or more")
	}
	return n
}

func (p *properties) duration(name string) time.Duration {
	v, _, err := p.all.Duration(time.Millisecond, p.keys(name)...)
	return keepError(p, v, err)
}

func (p *properties) flag(name string) *bool {
	v, ok, err := p.all.Bool(p.keys(name)...)
	if v = keepError(p, v, err); ok {
		return &v
	}
	return nil
}

// keepError remembers the first error.
func keepError[T any](p *properties, v T, err error) T {
	if err != nil && p.err == nil {
		p.err = err
	}
	return v
}

// fail remembers that a property is wrong.
func (p *properties) fail(name, value, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("fs.s3a.%s is %q, not %s", name, value, want)
	}
}

// settle makes the settings of a configuration.
func settle(c *store.Config) (*settings, error) {
	s := &settings{bucket: c.URL.Host, block: c.Block, signing: c.PayloadSigning, retries: c.Retries,
		timeout: c.Timeout}
	p := &properties{all: c.Settings, bucket: s.bucket}
	s.parts(c, p)
	s.server(c, p)
	s.objects(p)
	s.connection(p)
	if p.err != nil {
		return nil, store.Fail(store.Other, "%w", p.err).WithHint("correct the setting or remove it")
	}
	return s, s.validate()
}

// parts settles how a file is cut, and what protects its parts.
func (s *settings) parts(c *store.Config, p *properties) {
	if s.partSize = c.PartSize; s.partSize == 0 {
		s.partSize = p.size("multipart.size")
		s.whole, s.files = p.size("multipart.threshold"), max(1, c.Files)
	}
	s.threads = p.atLeastOne("threads.max")
	if s.partFlag = s.partSize != 0; !s.partFlag {
		s.partSize = max(defaultPart, c.Block)
	}
	if s.active = c.ActiveParts; s.active == 0 {
		var given bool
		if s.active, given = p.integer("fast.upload.active.blocks"); !given {
			s.active = defaultActive
		}
	}
	if s.checksum = c.Checksum; s.checksum == "" {
		s.checksum = checksumCRC32C
	}
}

// server settles where the requests go.
func (s *settings) server(c *store.Config, p *properties) {
	s.region = c.Region
	if s.region == "" {
		if s.region = p.text("endpoint.region"); s.region == "sdk" {
			s.region = "" // Hadoop's word for: as the SDK finds it
		}
	}
	scheme := "https"
	if ssl := p.flag("connection.ssl.enabled"); ssl != nil && !*ssl {
		scheme, s.plain = "http", true
	}
	where := c.Endpoint
	if where == "" {
		where = p.text("endpoint")
	}
	if where != "" {
		u, err := parseEndpoint(where, scheme)
		s.endpoint = keepError(p, u, err)
	}
	if c.PathStyle {
		s.pathStyle = &c.PathStyle
	} else {
		s.pathStyle = p.flag("path.style.access")
	}
}

// parseEndpoint reads a URL, or a host that may have a port.
func parseEndpoint(text, scheme string) (*url.URL, error) {
	full := text
	if !strings.Contains(full, "://") {
		full = scheme + "://" + full
	}
	u, err := url.Parse(full)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		// What cannot be read may hold a password.
		return nil, fmt.Errorf("the endpoint is not an http or https URL")
	case u.User != nil:
		return nil, fmt.Errorf("the endpoint %s contains a user: pass credentials in environment variables or a profile",
			u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the endpoint %s contains a query or a fragment", u.Host)
	}
	return u, nil
}

// objects settles what objects are made with.
func (s *settings) objects(p *properties) {
	if text := p.text("acl.default"); text != "" {
		s.acl = types.ObjectCannedACL(cannedACL(text))
		if !slices.Contains(s.acl.Values(), s.acl) {
			p.fail("acl.default", text, "one of Private, PublicRead, BucketOwnerFullControl, …")
		}
	}
	if text := p.text("create.storage.class"); text != "" {
		s.storage = types.StorageClass(strings.ToUpper(text))
		if !slices.Contains(s.storage.Values(), s.storage) {
			p.fail("create.storage.class", text, "a storage class, such as standard_ia")
		}
	}
	switch text := p.text("encryption.algorithm"); strings.ToUpper(text) {
	case "":
	case "AES256", "SSE-S3":
		s.encrypt = types.ServerSideEncryptionAes256
	case "SSE-KMS":
		s.encrypt, s.kmsKey = types.ServerSideEncryptionAwsKms, p.secret("encryption.key")
	case "DSSE-KMS":
		s.encrypt, s.kmsKey = types.ServerSideEncryptionAwsKmsDsse, p.secret("encryption.key")
	default:
		p.fail("encryption.algorithm", text,
			"one of AES256, SSE-KMS and DSSE-KMS (client-side keys are not supported)")
	}
	payer := p.flag("requester.pays.enabled")
	s.payer = payer != nil && *payer
}

// cannedACL is the service's word for Hadoop's: PublicRead is public-read.
func cannedACL(text string) string {
	var b strings.Builder
	for i, r := range text {
		if 'A' <= r && r <= 'Z' && i > 0 && text[i-1] != '-' {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// connection settles how the server is spoken to.
func (s *settings) connection(p *properties) {
	if attempts, given := p.integer("attempts.maximum"); given && s.retries < 0 {
		s.retries = max(attempts, 0) // Hadoop's SDK counts those after the first
	}
	if s.timeout == 0 {
		s.timeout = p.duration("connection.request.timeout")
	}
	s.connect = p.duration("connection.establish.timeout")
	s.silence = p.duration("connection.timeout")
	s.expect = p.flag("connection.expect.continue")
	s.sockets = p.atLeastOne("connection.maximum")
	s.agent = p.text("user.agent.prefix")
	if host := p.text("proxy.host"); host != "" {
		s.proxy = &url.URL{Scheme: "http", Host: host}
		if port, given := p.integer("proxy.port"); given {
			s.proxy.Host = fmt.Sprintf("%s:%d", host, port)
		}
		if user := p.text("proxy.username"); user != "" {
			s.proxy.User = url.UserPassword(user, p.secret("proxy.password"))
		}
	}
	text := p.text("aws.credentials.provider")
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.providers = append(s.providers, name)
		}
	}
}

// validate says what cannot be.
func (s *settings) validate() error {
	switch {
	case s.bucket == "":
		return store.Fail(store.NoBucket, "the URL does not name a bucket").WithHint("write s3://bucket/path")
	case strings.ContainsAny(s.bucket, ":%@"):
		return store.Fail(store.NoBucket, "%q is not a valid bucket name", s.bucket).
			WithHint("write s3://bucket/path; set the server with --endpoint")
	case s.partSize < 1:
		return store.Fail(store.Other, "the part size is %d bytes, but must be positive", s.partSize).
			WithHint("use a part size such as --part-size 8MiB")
	case s.whole > maxPart:
		return store.Fail(store.TooLarge, "fs.s3a.multipart.threshold is %d bytes; one request takes %d at most",
			s.whole, int64(maxPart)).WithHint("correct the setting or remove it")
	case s.active < 1:
		return store.Fail(store.Other, "the number of active parts is %d, but must be positive", s.active).
			WithHint("use a value such as --active-blocks 8")
	case s.active > maxActive:
		return store.Fail(store.Other, "the number of active parts is %d; the maximum is %d", s.active, maxActive)
	case s.checksum != checksumCRC32C && s.checksum != checksumSHA256 && s.checksum != checksumNone:
		return store.Fail(store.Other, "%q is not a supported checksum", s.checksum).
			WithHint("use --checksum crc32c, sha256 or none")
	}
	return nil
}

// maxActive keeps a slip of the keyboard from using up the ports.
const maxActive = 10000
