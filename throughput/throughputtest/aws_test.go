package throughputtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/throughput"
	"github.com/plimsoll/plimsoll/throughput/awsthroughput"
)

// The SDK's own retries have its numbers, and the next operation begins anew. The server says in
// which of its requests it was what, which is not ours.
func TestSDKAttempts(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Connection", "close")
		if requests.Add(1) <= 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	type attempt struct {
		call   awsthroughput.Call
		status int
	}
	seen := make(chan attempt, 16)
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := s3.NewFromConfig(aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(server.URL),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", ""),
		HTTPClient: &http.Client{Transport: throughput.Wrap(base,
			throughput.ObserverFunc(func(ctx context.Context, t *throughput.Timeline) {
				call, _ := awsthroughput.From(ctx)
				seen <- attempt{call, t.Status}
			}))},
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}, func(o *s3.Options) {
		o.UsePathStyle = true
		o.APIOptions = append(o.APIOptions, awsthroughput.Middleware, awsthroughput.Middleware)
	})
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("b"), Key: aws.String("k"),
		Body: bytes.NewReader(make([]byte, 1000))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: aws.String("b")}); err != nil {
		t.Fatal(err)
	}
	var got []attempt
	for range 4 {
		got = append(got, <-seen)
	}
	slices.SortFunc(got, func(a, b attempt) int { // one can be told after the next has begun
		if a.call.Operation != b.call.Operation {
			return -bytes.Compare([]byte(a.call.Operation), []byte(b.call.Operation))
		}
		return a.call.Attempt - b.call.Attempt
	})
	put := func(n int) awsthroughput.Call {
		return awsthroughput.Call{Service: "S3", Operation: "PutObject", Attempt: n}
	}
	want := []attempt{{put(1), 503}, {put(2), 503}, {put(3), 200},
		{awsthroughput.Call{Service: "S3", Operation: "HeadBucket", Attempt: 1}, 200}}
	if !slices.Equal(want, got) {
		t.Errorf("want %v\ngot  %v", want, got)
	}
}
