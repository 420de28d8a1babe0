package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
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

// A wrong region is corrected when the server names the right one.
func TestWrongRegionIsCorrected(t *testing.T) {
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
	if want := "The bucket is in region eu-north-1, not us-west-2"; !bytes.Contains([]byte(notes), []byte(want)) {
		t.Errorf("%q is not in %s", want, notes)
	}
}

// A failed attempt is repeated from the start of the part and counted by cause.
func TestRetriesAreCounted(t *testing.T) {
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

// A download resumes where its connection was cut.
func TestDownloadResumes(t *testing.T) {
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
