package s3

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

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

// open opens a store that is closed when the test ends, and hardly waits between attempts.
func open(t *testing.T, c store.Config) *bucket {
	t.Helper()
	s, err := settle(&c)
	if err != nil {
		t.Fatal(err)
	}
	s.backoff = time.Millisecond
	b, err := openWith(t.Context(), c, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// makeBucket makes the store's bucket.
func makeBucket(t *testing.T, b *bucket) {
	t.Helper()
	if _, err := b.current.Load().CreateBucket(t.Context(),
		&s3.CreateBucketInput{Bucket: &b.settings.bucket}); err != nil {
		t.Fatal(err)
	}
}

// uploads counts the uploads that were begun and neither completed nor given up.
func uploads(t *testing.T, b *bucket) int {
	t.Helper()
	out, err := b.current.Load().ListMultipartUploads(t.Context(),
		&s3.ListMultipartUploadsInput{Bucket: &b.settings.bucket})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Uploads)
}

// write writes an object of this content.
func write(ctx context.Context, b *bucket, path string, content []byte) error {
	w, err := b.Create(ctx, path, int64(len(content)))
	if err != nil {
		return err
	}
	for len(content) > 0 {
		n := min(len(content), int(b.settings.block))
		pieces, err := w.Reserve(ctx, n)
		if err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
		for _, p := range pieces {
			content = content[copy(p, content):]
		}
		if err := w.Write(ctx, n); err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
	}
	return w.Close(ctx)
}

// read reads an object as a stream.
func read(ctx context.Context, b *bucket, path string) ([]byte, error) {
	f, err := b.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := f.Stream(ctx)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

// random are bytes that do not repeat.
func random(size int) []byte {
	p := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(p)
	return p
}

// figures are those of the requests of one name, once so many attempts were seen.
func figures(t *testing.T, b *bucket, name string, attempts int64) store.Figures {
	t.Helper()
	for t.Context().Err() == nil {
		for _, f := range b.requests.Figures() {
			if f.Name == name && f.Attempts >= attempts {
				return f
			}
		}
		runtime.Gosched()
	}
	t.Fatalf("%s was not seen %d times", name, attempts)
	return store.Figures{}
}

// mustFail fails the test unless the error has this cause, says all of this in one line, and
// holds no secrets.
func mustFail(t *testing.T, err error, cause string, says ...string) {
	t.Helper()
	if store.CauseOf(err) != cause {
		t.Fatalf("the cause of %v is %q, want %q", err, store.CauseOf(err), cause)
	}
	text := err.Error()
	var known *store.Error
	if errors.As(err, &known) {
		text += " (" + known.Hint + ")"
	}
	for _, want := range says {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in: %s", want, text)
		}
	}
	if strings.ContainsAny(text, "\n\r\t\x1b") || len(text) > 500 {
		t.Errorf("this is no short line: %q", text)
	}
	for _, secret := range []string{testSecret, testToken, testKey, "RequestID", "https response error"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in: %s", secret, text)
		}
	}
}
