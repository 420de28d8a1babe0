package s3

import (
	"bufio"
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.uber.org/goleak"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

func TestMain(m *testing.M) {
	if os.Getenv(nullVariable) != "" {
		serveNull()
		return
	}
	goleak.VerifyTestMain(m)
}

// The credentials of the tests, which nothing may show.
const (
	testKey    = "AKIATESTTESTTEST1234"
	testSecret = "verySecretSecretOfTheTests+/0123456789ab"
	testToken  = "sessionTokenOfTheTests0123456789"
)

// isolate keeps the environment and the files of whoever runs the tests out of them.
func isolate(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			_ = os.Unsetenv(name)
		}
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ACCESS_KEY_ID", testKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", testSecret)
}

// conf is a configuration for a server.
func conf(t testing.TB, endpoint string, change ...func(*store.Config)) store.Config {
	t.Helper()
	u, err := url.Parse("s3://bucket/dir")
	if err != nil {
		t.Fatal(err)
	}
	c := store.Config{URL: u, Block: 64 << 10, Endpoint: endpoint, Retries: -1, Requests: &store.Requests{}}
	for _, f := range change {
		f(&c)
	}
	return c
}

// with sets a Hadoop property.
func with(key, value string) func(*store.Config) {
	return func(c *store.Config) {
		if c.Settings == nil {
			c.Settings = &hadoop.Settings{}
		}
		c.Settings.Set(key, value, "-D")
	}
}

// open opens a store that is closed when the test ends.
func open(t *testing.T, c store.Config) *bucket {
	t.Helper()
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*bucket)
}

// moto starts moto's server and gives its URL.
func moto(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a Python server")
	}
	python := os.Getenv("PLIMSOLL_PYTHON")
	if python == "" {
		t.Skip("PLIMSOLL_PYTHON is not set; run 'make test'")
	}
	cmd := exec.Command(python, append([]string{filepath.Join("testdata", "python", "server.py")}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // the server ends with its input
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("moto did not start: %v\n%s", err, &stderr)
	}
	return strings.TrimSpace(line)
}

// makeBucket makes the store's bucket.
func makeBucket(t *testing.T, b *bucket) {
	t.Helper()
	if _, err := b.current.Load().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &b.settings.bucket}); err != nil {
		t.Fatal(err)
	}
}

// uploads counts the uploads that were begun and neither completed nor given up.
func uploads(t *testing.T, b *bucket) int {
	t.Helper()
	out, err := b.current.Load().ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: &b.settings.bucket})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Uploads)
}
