package s3

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// serve runs a server with these settings until the test ends.
func serve(t testing.TB, change func(*Config)) *Server {
	t.Helper()
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.ShutdownTimeout, cfg.HeaderTimeout = time.Minute, time.Minute
	cfg.Memory = 1 << 30
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// httpClient is a client of its own, without connections that outlive the test.
func httpClient(t testing.TB) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// sdk is the AWS client for the server.
func sdk(t testing.TB, s *Server, change ...func(*awss3.Options)) *awss3.Client {
	t.Helper()
	return awss3.New(awss3.Options{
		BaseEndpoint: aws.String(s.URL()), Region: s.cfg.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(s.cfg.AccessKey, s.cfg.SecretKey, s.cfg.SessionToken),
		HTTPClient:  httpClient(t), Retryer: aws.NopRetryer{},
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported, // as programs have it
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	}, change...)
}

// noise is data that is the same every time and compresses badly.
func noise(n int) []byte {
	out := make([]byte, n+8)
	r := rand.New(rand.NewPCG(uint64(n), 0))
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(out[i:], r.Uint64())
	}
	return out[:n]
}

func fetch(t testing.TB, c *awss3.Client, key string) []byte {
	t.Helper()
	out, err := c.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: aws.String(DefaultBucket), Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPutAndGet(t *testing.T) {
	s := serve(t, nil)
	c := sdk(t, s)
	for _, size := range []int{0, 1, 32<<10 - 1, 32 << 10, 1<<20 + 17, 3 << 20} {
		data := noise(size)
		put, err := c.PutObject(t.Context(), &awss3.PutObjectInput{
			Bucket: aws.String(DefaultBucket), Key: aws.String("a/b c+ü"), Body: bytes.NewReader(data),
			Metadata: map[string]string{"Colour": "blue  green"}, ContentType: aws.String("text/plain"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := fetch(t, c, "a/b c+ü"); !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d others", size, len(got))
		}
		head, err := c.HeadObject(t.Context(),
			&awss3.HeadObjectInput{Bucket: aws.String(DefaultBucket), Key: aws.String("a/b c+ü")})
		if err != nil {
			t.Fatal(err)
		}
		if *head.ContentLength != int64(size) || *head.ETag != *put.ETag || *head.ContentType != "text/plain" ||
			head.Metadata["colour"] == "" {
			t.Errorf("%+v", head)
		}
	}
}
