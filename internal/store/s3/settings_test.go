package s3

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// A flag stands before a property of the bucket, that before one of all, and that before the
// default. What was looked up in vain is not called applied.
func TestPrecedence(t *testing.T) {
	type result struct {
		Part, Block     int64
		Active, Retries int
		Region          string
		Endpoint        string
		Timeout         time.Duration
	}
	all := func(c *store.Config) {
		for key, value := range map[string]string{
			"fs.s3a.multipart.size": "32M", "fs.s3a.fast.upload.active.blocks": "2", "fs.s3a.attempts.maximum": "7",
			"fs.s3a.endpoint.region": "eu-west-1", "fs.s3a.endpoint": "storage.example.org:9000",
			"fs.s3a.connection.request.timeout":    "5s",
			"fs.s3a.bucket.another.multipart.size": "1G", "fs.s3a.prefetch.enabled": "true",
		} {
			with(key, value)(c)
		}
	}
	own := func(c *store.Config) {
		with("fs.s3a.bucket.bucket.multipart.size", "64M")(c)
		with("fs.s3a.bucket.bucket.endpoint.region", "sdk")(c)
	}
	flags := func(c *store.Config) {
		c.PartSize, c.ActiveParts, c.Retries, c.Region, c.Endpoint, c.Timeout = 5<<20, 3, 0, "here",
			"http://[::1]:80", time.Minute
	}
	for _, c := range []struct {
		name   string
		change []func(*store.Config)
		want   result
	}{
		{"defaults", nil, result{8 << 20, 1 << 20, 8, -1, "", "", 0}},
		{"large blocks", []func(*store.Config){func(c *store.Config) { c.Block = 9 << 20 }},
			result{9 << 20, 9 << 20, 8, -1, "", "", 0}},
		{"properties", []func(*store.Config){all},
			result{32 << 20, 1 << 20, 2, 7, "eu-west-1", "https://storage.example.org:9000", 5 * time.Second}},
		{"without TLS", []func(*store.Config){all, with("fs.s3a.connection.ssl.enabled", "false")},
			result{32 << 20, 1 << 20, 2, 7, "eu-west-1", "http://storage.example.org:9000", 5 * time.Second}},
		{"of the bucket", []func(*store.Config){all, own},
			result{64 << 20, 1 << 20, 2, 7, "", "https://storage.example.org:9000", 5 * time.Second}},
		{"flags", []func(*store.Config){all, own, flags},
			result{5 << 20, 1 << 20, 3, 0, "here", "http://[::1]:80", time.Minute}},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration := conf(t, "",
				append([]func(*store.Config){func(c *store.Config) { c.Block = 1 << 20 }}, c.change...)...)
			s, err := settle(&configuration)
			if err != nil {
				t.Fatal(err)
			}
			got := result{s.partSize, s.block, s.active, s.retries, s.region, "", s.timeout}
			if s.endpoint != nil {
				got.Endpoint = s.endpoint.String()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	configuration := conf(t, "", all, own)
	if _, err := settle(&configuration); err != nil {
		t.Fatal(err)
	}
	ignored := configuration.Settings.Ignored()
	want := []string{"fs.s3a.bucket.another.multipart.size", "fs.s3a.endpoint.region", "fs.s3a.multipart.size",
		"fs.s3a.prefetch.enabled"}
	if diff := cmp.Diff(want, ignored); diff != "" {
		t.Error(diff)
	}
}

func TestBadSettings(t *testing.T) {
	isolate(t)
	for _, c := range []struct {
		name   string
		change func(*store.Config)
		says   string
	}{
		{"size", with("fs.s3a.multipart.size", "much"), "fs.s3a.multipart.size"},
		{"number", with("fs.s3a.fast.upload.active.blocks", "few"), "fs.s3a.fast.upload.active.blocks"},
		{"duration", with("fs.s3a.connection.timeout", "5 days"), "fs.s3a.connection.timeout"},
		{"flag", with("fs.s3a.path.style.access", "perhaps"), "fs.s3a.path.style.access"},
		{"negative size", with("fs.s3a.multipart.size", "-1"), "the part size is -1"},
		{"no parts", with("fs.s3a.fast.upload.active.blocks", "0"), "--active-blocks"},
		{"too many parts", func(c *store.Config) { c.ActiveParts = 1 << 30 }, "the maximum is"},
		{"ACL", with("fs.s3a.acl.default", "Everybody"), "fs.s3a.acl.default"},
		{"class", with("fs.s3a.create.storage.class", "cheap"), "fs.s3a.create.storage.class"},
		{"encryption", with("fs.s3a.encryption.algorithm", "SSE-C"), "client-side keys are not supported"},
		{"checksum", func(c *store.Config) { c.Checksum = "md5" }, "--checksum"},
		{"endpoint", func(c *store.Config) { c.Endpoint = "ftp://" + testKey + ":" + testSecret + "@host" },
			"not an http or https URL"},
		{"endpoint with a user", func(c *store.Config) { c.Endpoint = "http://" + testKey + ":" + testToken + "@host" },
			"contains a user"},
		{"endpoint with a query", func(c *store.Config) { c.Endpoint = "http://host/?X-Amz-Signature=" + testSecret },
			"query"},
		{"no bucket", func(c *store.Config) { c.URL = &url.URL{Scheme: "s3", Path: "/x"} }, "s3://bucket/path"},
		{"bucket with a port", func(c *store.Config) { c.URL = &url.URL{Scheme: "s3", Host: "host:9000", Path: "/x"} },
			"--endpoint"},
		{"half a key", with("fs.s3a.access.key", testKey), "only one of"},
		{"no credentials", with("fs.s3a.aws.credentials.provider",
			"org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"), "no provider in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(t.Context(), conf(t, "http://127.0.0.1:1", c.change))
			mustFail(t, err, store.CauseOf(err), c.says)
		})
	}
}

func TestNoCredentials(t *testing.T) {
	isolate(t)
	_ = os.Unsetenv("AWS_ACCESS_KEY_ID")
	_, err := Open(t.Context(), conf(t, "http://127.0.0.1:1"))
	mustFail(t, err, store.NoCredentials, "no AWS credentials found", "set AWS_ACCESS_KEY_ID")
	t.Setenv("AWS_PROFILE", "nobody")
	_, err = Open(t.Context(), conf(t, "http://127.0.0.1:1"))
	mustFail(t, err, store.NoCredentials, `AWS profile "nobody" does not exist`)
}

// Who signs is chosen as Hadoop chooses.
func TestCredentials(t *testing.T) {
	isolate(t)
	profile := "[default]\naws_access_key_id = OFPROFILE\naws_secret_access_key = x\n"
	if err := os.WriteFile(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := hadoop.ReadTokens(filepath.Join("..", "..", "hadoop", "testdata", "credentials.writable"))
	if err != nil {
		t.Fatal(err)
	}
	keys := func(c *store.Config) {
		with("fs.s3a.access.key", "OFALL")(c)
		with("fs.s3a.secret.key", testSecret)(c)
	}
	somebody := func(c *store.Config) { c.KeysOf = "the embedded target" }
	provider := func(names string) func(*store.Config) { return with("fs.s3a.aws.credentials.provider", names) }
	bucket := func(name string) func(*store.Config) {
		return func(c *store.Config) { c.URL.Host, c.Tokens = name, tokens }
	}
	for _, c := range []struct {
		name   string
		change []func(*store.Config)
		want   string // the access key
		token  string
		note   string
	}{
		{"environment", nil, testKey, "", "the AWS default credential chain"},
		{"properties", []func(*store.Config){keys}, "OFALL", "", "from fs.s3a.access.key."},
		{"properties with a token", []func(*store.Config){keys, with("fs.s3a.session.token", testToken)}, "OFALL",
			testToken, ""},
		{"of the bucket", []func(*store.Config){keys, with("fs.s3a.bucket.bucket.access.key", "OFBUCKET")}, "OFBUCKET",
			"", "from fs.s3a.bucket.bucket.access.key."},
		{"of somebody", []func(*store.Config){keys, somebody}, "OFALL", "",
			"with credentials from the embedded target."},
		{"of the bucket, not of somebody",
			[]func(*store.Config){keys, somebody, with("fs.s3a.bucket.bucket.access.key", "OFBUCKET")}, "OFBUCKET", "",
			"from fs.s3a.bucket.bucket.access.key."},
		{"temporary without a token",
			[]func(*store.Config){keys, provider("a.TemporaryAWSCredentialsProvider, a.SimpleAWSCredentialsProvider")},
			"OFALL", "", "SimpleAWSCredentialsProvider"},
		{"temporary", []func(*store.Config){keys, with("fs.s3a.session.token", testToken),
			provider("a.TemporaryAWSCredentialsProvider")}, "OFALL", testToken, ""},
		{"environment by name",
			[]func(*store.Config){keys, provider("com.amazonaws.auth.EnvironmentVariableCredentialsProvider")},
			testKey, "", ""},
		{"profile",
			[]func(*store.Config){keys, provider("software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider")},
			"OFPROFILE", "", ""},
		{"chain",
			[]func(*store.Config){keys, provider("software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider")},
			testKey, "", ""},
		{"unknown", []func(*store.Config){provider("org.example.Mine")}, testKey, "",
			"The credentials provider org.example.Mine is not supported"},
		{"session token", []func(*store.Config){keys, bucket("session-bucket")}, "ASIASESSION", "session-token",
			"the credentials file"},
		{"full token", []func(*store.Config){keys, bucket("full-bucket")}, "AKIAFULL", "", ""},
		{"role token", []func(*store.Config){bucket("role-bucket")}, "ASIAROLE", "role-token", ""},
		{"token for another", []func(*store.Config){keys, bucket("bucket")}, "OFALL", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, conf(t, "http://127.0.0.1:1", c.change...))
			got, err := b.identity.provider.Retrieve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.AccessKeyID != c.want || got.SessionToken != c.token {
				t.Errorf("the key is %s, with the token %q", got.AccessKeyID, got.SessionToken)
			}
			notes := strings.Join(b.Describe().Notes, " ")
			if !strings.Contains(notes, c.note) {
				t.Errorf("%q is not in %s", c.note, notes)
			}
			for _, secret := range []string{got.AccessKeyID, got.SecretAccessKey, got.SessionToken} {
				if len(secret) > 1 && strings.Contains(notes, secret) {
					t.Errorf("%s is in %s", secret, notes)
				}
			}
		})
	}
}

// A token that is of no use is told.
func TestUnusableTokens(t *testing.T) {
	isolate(t)
	tokens := &hadoop.Tokens{Tokens: []hadoop.Token{{
		Kind: hadoop.KindS3ASession, Service: "s3a://bucket", Identifier: []byte("\x07" + testSecret),
	}}}
	b := open(t, conf(t, "http://127.0.0.1:1", func(c *store.Config) { c.Tokens = tokens }))
	notes := strings.Join(b.Describe().Notes, " ")
	if !strings.Contains(notes, "is not valid and was skipped") || strings.Contains(notes, testSecret) {
		t.Error(notes)
	}
}

// Secrets are not shown by what lists the settings.
func TestSecretsOfSettings(t *testing.T) {
	isolate(t)
	c := conf(t, "http://127.0.0.1:1", with("fs.s3a.access.key", testKey), with("fs.s3a.secret.key", testSecret),
		with("fs.s3a.session.token", testToken), with("fs.s3a.proxy.host", "proxy"),
		with("fs.s3a.proxy.username", "me"),
		with("fs.s3a.proxy.password", testSecret), with("fs.s3a.encryption.algorithm", "SSE-KMS"),
		with("fs.s3a.encryption.key", testSecret))
	b := open(t, c)
	if password, _ := b.settings.proxy.User.Password(); password != testSecret || b.settings.proxy.Host != "proxy" {
		t.Error("the proxy is not used")
	}
	for _, a := range c.Settings.Applied() {
		if slices.Contains([]string{testKey, testSecret, testToken}, a.Value) {
			t.Errorf("%+v", a)
		}
	}
	if len(c.Settings.Ignored()) > 0 {
		t.Errorf("ignored: %v", c.Settings.Ignored())
	}
}

func TestEndpoints(t *testing.T) {
	isolate(t)
	t.Setenv("AWS_REGION", "")
	for _, c := range []struct {
		endpoint     string
		base, region string
		path, ofAWS  bool
	}{
		{"", "", "us-east-1", false, true},
		{"s3.amazonaws.com", "", "us-east-1", false, true},
		{"s3.eu-west-1.amazonaws.com", "", "eu-west-1", false, true},
		{"https://s3-eu-west-1.amazonaws.com/", "", "eu-west-1", false, true},
		{"s3.cn-north-1.amazonaws.com.cn", "", "cn-north-1", false, true},
		{"bucket.vpce-1.s3.eu-west-1.vpce.amazonaws.com", "https://bucket.vpce-1.s3.eu-west-1.vpce.amazonaws.com",
			"us-east-1", false, true},
		{"s3-accelerate.amazonaws.com", "https://s3-accelerate.amazonaws.com", "us-east-1", false, true},
		{"http://127.0.0.1:9000/", "http://127.0.0.1:9000", "us-east-1", true, false},
		{"minio.example.org", "https://minio.example.org", "us-east-1", true, false},
		{"amazonaws.com.example.org", "https://amazonaws.com.example.org", "us-east-1", true, false},
	} {
		b := open(t, conf(t, c.endpoint))
		o := b.current.Load().Options()
		base := ""
		if o.BaseEndpoint != nil {
			base = *o.BaseEndpoint
		}
		if base != c.base || o.Region != c.region || o.UsePathStyle != c.path || b.own != c.ofAWS ||
			b.Describe().Endpoint != c.base {
			t.Errorf("%q: endpoint %q, region %s, path style %t, of AWS %t",
				c.endpoint, base, o.Region, o.UsePathStyle, b.own)
		}
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1234")
	if b := open(t, conf(t, "")); b.own || !b.current.Load().Options().UsePathStyle ||
		b.Describe().Endpoint != "http://127.0.0.1:1234" {
		t.Errorf("the endpoint of the environment: %+v", b.Describe())
	}
}

// What cannot be is refused before the first byte, with what would do.
func TestLimits(t *testing.T) {
	isolate(t)
	const gib = int64(1) << 30
	for _, c := range []struct {
		name        string
		path        string
		size        int64
		block, part int64
		endpoint    string
		says        []string // none: it is taken
	}{
		{"5 TiB", "/x", 5 << 40, 8 << 20, 600 << 20, "", nil},
		{"a byte more", "/x", 5<<40 + 1, 8 << 20, 600 << 20, "", []string{"5 TiB", "5TiB"}},
		{"too many parts", "/x", 100 * gib, 8 << 20, 0, "",
			[]string{"12800 parts of 8388608 bytes; S3 allows 10000", "--block 11MiB", "--part-size 11MiB"}},
		{"too many given parts", "/x", 100 * gib, 8 << 20, 10 << 20, "",
			[]string{"10240 parts", "use --part-size 11MiB"}},
		{"what the hint says", "/x", 100 * gib, 8 << 20, 11 << 20, "", nil},
		{"what the hint says for 5 TiB", "/x", 5 << 40, 525 << 20, 0, "", nil},
		{"10,000 parts", "/x", 10_000 * (8 << 20), 8 << 20, 0, "", nil},
		{"and a byte", "/x", 10_000*(8<<20) + 1, 8 << 20, 0, "", []string{"10001 parts"}},
		{"large parts", "/x", 6 * gib, 8 << 20, 5*gib + 1, "", []string{"5 GiB", "--part-size 5MiB"}},
		{"small parts of AWS", "/x", 10 << 20, 1 << 20, 5<<20 - 1, "", []string{"5 MiB", "--part-size 5MiB"}},
		{"small parts of others", "/x", 10 << 20, 1 << 20, 5<<20 - 1, "http://127.0.0.1:1", nil},
		{"a small part alone", "/x", 1 << 20, 1 << 20, 1 << 20, "", nil},
		{"no key", "/", 1, 1, 0, "", []string{"names no object", "s3://bucket/some/path"}},
		{"a long key", "/" + strings.Repeat("x", 1025), 1, 1, 0, "", []string{"1025 bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, conf(t, c.endpoint, func(s *store.Config) { s.Block, s.PartSize = c.block, c.part }))
			w, err := b.Create(t.Context(), c.path, c.size)
			if len(c.says) > 0 {
				mustFail(t, err, store.CauseOf(err), c.says...)
				// Nothing is listening, so it is refused before anything is sent.
				mustFail(t, b.Check(t.Context(), c.path, c.size), store.CauseOf(err), c.says...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Abort(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
