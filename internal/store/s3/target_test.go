package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
	"github.com/plimsoll/plimsoll/throughput"
)

// serve starts the embedded target and gives its URL.
func serve(t *testing.T, change ...func(*target.Config)) string {
	t.Helper()
	c := target.Default()
	c.Listen, c.Bucket, c.AccessKey, c.SecretKey = "127.0.0.1:0", "bucket", testKey, testSecret
	for _, f := range change {
		f(&c)
	}
	s, err := target.New(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	if err := s.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return s.URL()
}

func TestTarget(t *testing.T) {
	isolate(t)
	url := serve(t)
	for i, change := range []func(*store.Config){
		func(*store.Config) {},
		func(c *store.Config) { c.Checksum, c.PayloadSigning, c.PathStyle = checksumSHA256, true, true },
		with("fs.s3a.connection.expect.continue", "true"),
	} {
		b := open(t, conf(t, url, change, func(c *store.Config) { c.PartSize = 100_000 }))
		storetest.Run(t, b, fmt.Sprintf("/dir-%d", i), b.settings.block)
		testCopyParts(t, b)
		if n := uploads(t, b); n != 0 {
			t.Errorf("%d uploads were left behind", n)
		}
	}
}

// The parts go out without being copied, and every attempt is counted under its operation.
func TestSentFromMemory(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, serve(t), func(c *store.Config) { c.PartSize = 1 << 20 }))
	content := random(3<<20 + 5)
	pieces := make(chan int64, 10)
	ctx := throughput.WithObserver(t.Context(), throughput.ObserverFunc(func(_ context.Context, l *throughput.Timeline) {
		if l.Method == http.MethodPut {
			pieces <- l.RequestReads
		}
	}))
	if err := write(ctx, b, "/parts", content); err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, b, "/single", content[:1<<20]); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if n := <-pieces; n > 6 {
			t.Errorf("a part of 1 MiB was read in %d pieces: it was copied", n)
		}
	}
	for name, attempts := range map[string]int64{"UploadPart": 4, "PutObject": 1, "CreateMultipartUpload": 1,
		"CompleteMultipartUpload": 1} {
		if f := figures(t, b, name, attempts); f.Attempts != attempts || f.Failed != 0 {
			t.Errorf("%+v", f)
		}
	}
	got, err := read(t.Context(), b, "/parts")
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestTargetRefuses(t *testing.T) {
	isolate(t)
	content := random(300_000)
	small := func(c *store.Config) { c.PartSize, c.ActiveParts, c.Retries = 100_000, 2, 1 }
	for _, c := range []struct {
		name   string
		server func(*target.Config)
		client func(*store.Config)
		cause  string
		says   []string
		check  bool // Check says it already
	}{
		{"wrong secret", func(c *target.Config) { c.SecretKey = "another" }, nil,
			store.AccessDenied, []string{"s3://bucket", "403 SignatureDoesNotMatch", "check the secret key"}, true},
		{"unknown key", func(c *target.Config) { c.AccessKey = "another" }, nil,
			store.AccessDenied, []string{"InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"}, true},
		{"no bucket", func(c *target.Config) { c.Bucket = "another" }, nil,
			store.NoBucket, []string{"s3://bucket", "404", "make the bucket"}, true},
		{"a part for good", func(c *target.Config) { c.FailPart = 2 }, nil,
			"status-500", []string{"part 2: UploadPart s3://bucket/x: 500 InternalError"}, false},
		{"always too fast", func(c *target.Config) { c.ErrorRate = 1 }, nil,
			store.SlowDown, []string{"503", "--active-blocks"}, true},
		{"disk full", func(c *target.Config) { c.Full = 150_000 }, nil,
			store.DiskFull, []string{"UploadPart", "make room"}, false},
		{"nobody there", nil, func(c *store.Config) { c.Endpoint = "http://127.0.0.1:1" },
			store.Refused, []string{"connection refused", "--endpoint"}, true},
		// No name has an empty part, so no resolver is asked.
		{"no such host", nil, func(c *store.Config) { c.Endpoint = "http://nobody..invalid" },
			store.Unresolvable, []string{"nobody..invalid"}, true},
		{"TLS with plain HTTP", nil, func(c *store.Config) { c.Endpoint = "https" + c.Endpoint[len("http"):] },
			store.TLS, []string{"http or https"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, client := c.server, c.client
			if server == nil {
				server = func(*target.Config) {}
			}
			if client == nil {
				client = func(*store.Config) {}
			}
			b := open(t, conf(t, serve(t, server), small, client))
			if err := b.Check(t.Context(), "/x", 1); c.check {
				mustFail(t, err, c.cause, c.says...)
			} else if err != nil {
				t.Fatal(err)
			}
			mustFail(t, write(t.Context(), b, "/x", content), c.cause)
			if c.check {
				return
			}
			mustFail(t, write(t.Context(), b, "/x", content), c.cause, c.says...)
			if n := uploads(t, b); n != 0 {
				t.Errorf("%d uploads were left behind", n)
			}
		})
	}
}

// A clock that is wrong is put right by the SDK, which learns the server's; when it may not
// try again, both clocks are shown.
func TestClockSkew(t *testing.T) {
	isolate(t)
	url := serve(t, func(c *target.Config) { c.ClockSkew = time.Hour })
	b := open(t, conf(t, url, func(c *store.Config) { c.Retries = 0 }))
	mustFail(t, write(t.Context(), b, "/x", random(100)), store.ClockSkew,
		"PutObject s3://bucket/x: the clock here says 20", "and that of the server 20", "set the clock")
	b = open(t, conf(t, url, func(c *store.Config) { c.Retries = 2 }))
	if err := b.Check(t.Context(), "/x", 1); err != nil { // which has learned it then
		t.Fatal(err)
	}
	b = open(t, conf(t, url, func(c *store.Config) { c.Retries = 2 }))
	if err := write(t.Context(), b, "/x", random(100)); err != nil {
		t.Fatal(err)
	}
	if f := figures(t, b, "PutObject", 2); f.Retries[store.ClockSkew] != 1 {
		t.Errorf("%+v", f)
	}
}

// A region that is wrong is put right when the server says which one it is.
func TestTargetRegion(t *testing.T) {
	isolate(t)
	url := serve(t, func(c *target.Config) { c.Region = "eu-north-1" })
	b := open(t, conf(t, url, func(c *store.Config) { c.Region = "us-west-2" }))
	if err := b.Check(t.Context(), "/x", 1); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), b, "/x", random(100)); err != nil {
		t.Fatal(err)
	}
	notes := fmt.Sprint(b.Describe().Notes)
	if want := "The bucket is in eu-north-1, and not in us-west-2"; !bytes.Contains([]byte(notes), []byte(want)) {
		t.Errorf("%q is not in %s", want, notes)
	}
}

// What fails once is tried again, from the part's start, and counted with its cause.
func TestRetries(t *testing.T) {
	isolate(t)
	for name, c := range map[string]struct {
		faults func(*target.Config)
		cause  string
	}{
		"slow down": {func(c *target.Config) { c.ErrorRate = 0.3 }, store.SlowDown},
		"cut":       {func(c *target.Config) { c.ResetRate = 0.3 }, store.Reset},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, conf(t, serve(t, c.faults), func(c *store.Config) { c.PartSize, c.Retries = 200_000, 20 }))
			content := random(4_000_000)
			if err := write(t.Context(), b, "/x", content); err != nil {
				t.Fatal(err)
			}
			got, err := read(t.Context(), b, "/x")
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			f, err := b.Open(t.Context(), "/x")
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 100_000)
			for at := 0; at < len(content); at += len(p) {
				if err := f.ReadRange(t.Context(), p, int64(at)); err != nil || !bytes.Equal(p, content[at:at+len(p)]) {
					t.Fatalf("the range from %d: %v", at, err)
				}
			}
			parts, ranges := figures(t, b, "UploadPart", 21), figures(t, b, "GetObject", 41)
			if parts.Retries[c.cause] == 0 || ranges.Retries[c.cause] == 0 {
				t.Errorf("no retry was counted as %s: %v and %v", c.cause, parts.Retries, ranges.Retries)
			}
		})
	}
}

// An object that is replaced while it is read is not read as if it were one.
func TestReplaced(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, serve(t)))
	if err := write(t.Context(), b, "/x", random(1000)); err != nil {
		t.Fatal(err)
	}
	f, err := b.Open(t.Context(), "/x")
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), b, "/x", random(2000)[1000:]); err != nil {
		t.Fatal(err)
	}
	mustFail(t, f.ReadRange(t.Context(), make([]byte, 10), 0), store.Changed, "412 PreconditionFailed",
		"something else wrote")
	_, err = f.Stream(t.Context())
	mustFail(t, err, store.Changed)
}

// A download goes on where its connection was cut.
func TestResumed(t *testing.T) {
	isolate(t)
	testResumed(t, serve(t), "bucket")
}

// testResumed has downloads from a server cut.
func testResumed(t *testing.T, server, name string) {
	t.Helper()
	p := storetest.NewProxy(t)
	p.To(t, server)
	b := open(t, conf(t, p.URL, func(c *store.Config) { c.Block, c.URL.Host, c.Retries = 50_000, name, 3 }))
	d := storetest.Downloads{Cause: store.Reset, Store: b, Requests: b.requests, Proxy: p, Tries: 3, Path: "/x", Get: func(r *http.Request) bool {
		return r.Method == http.MethodGet && r.URL.Path == "/"+name+"/x"
	}}
	if name != "bucket" {
		makeBucket(t, b)
	}
	d.TestResumed(t)
}
