package az_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

// write writes a file in blocks; it aborts when that fails.
func write(ctx context.Context, s store.Store, path string, content []byte) error {
	w, err := s.Create(ctx, path, int64(len(content)))
	if err != nil {
		return err
	}
	for len(content) > 0 {
		n := min(len(content), 100_000)
		pieces, err := w.Reserve(ctx, n)
		if err != nil {
			return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
		for _, p := range pieces {
			content = content[copy(p, content):]
		}
		if err := w.Write(ctx, n); err != nil {
			return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
	}
	return w.Close(ctx)
}

func read(ctx context.Context, s store.Store, path string) ([]byte, error) {
	f, err := s.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := f.Stream(ctx)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}

func content(n int) []byte { return bytes.Repeat([]byte("plimsoll "), n/9+1)[:n] }

// left lists what is in the container, blocks that belong to no blob included.
func left(t *testing.T, name string) []string {
	t.Helper()
	var names []string
	c := client(t, name)
	pages := c.NewListBlobsFlatPager(
		&container.ListBlobsFlatOptions{Include: container.ListBlobsInclude{UncommittedBlobs: true}})
	for pages.More() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range page.Segment.BlobItems {
			names = append(names, *b.Name)
		}
	}
	return names
}

func comp(value string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == http.MethodPut && r.URL.Query().Get("comp") == value }
}
func get(r *http.Request) bool { return r.Method == http.MethodGet }
func any(*http.Request) bool   { return true }

// answer is a fault that answers as Azure does.
func answer(status int, code string) storetest.Fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("x-ms-error-code", code)
		return storetest.Answer(status, "application/xml",
			"<Error><Code>"+code+"</Code><Message>long\nmessage</Message></Error>")(w, r)
	}
}

func retries(r *store.Requests) map[string]int64 {
	all := map[string]int64{}
	for _, f := range r.Figures() {
		for cause, n := range f.Retries {
			all[f.Name+" "+cause] = n
		}
	}
	return all
}

// check fails unless the error has this cause and is one line without secrets.
func check(t *testing.T, err error, cause string, secrets ...string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) || known.Cause != cause {
		t.Fatalf("%v has the cause %q, want %q", err, store.CauseOf(err), cause)
	}
	if strings.ContainsAny(err.Error()+known.Hint, "\n") || len(err.Error()) > 400 {
		t.Errorf("not fit for a reader: %q", err)
	}
	for _, secret := range append(secrets, accountKey, "sig=") {
		if strings.Contains(err.Error()+known.Hint, secret) {
			t.Errorf("it tells a secret: %q", err)
		}
	}
}

// TestRetries has one attempt fail and the next succeed.
func TestRetries(t *testing.T) {
	proxy, c := peer(t)
	data := content(1_000_001)
	for _, f := range []struct {
		name  string
		fault storetest.Fault
		want  map[string]int64
	}{
		{"503 for blocks", storetest.When(2, comp("block"), answer(503, "ServerBusy")),
			map[string]int64{"PutBlock slow-down": 2}},
		{"cut in a block", storetest.When(1, comp("block"), storetest.CutRequest(70_000)),
			map[string]int64{"PutBlock reset": 1}},
		{"500 for the list", storetest.When(1, comp("blocklist"), answer(500, "OperationTimedOut")),
			map[string]int64{"PutBlockList timeout": 1}},
		{"the list unheard", storetest.When(1, comp("blocklist"), proxy.Unheard()), nil},
		{"429 for a download", storetest.When(1, get, storetest.Answer(429, "text/html", "<html>")),
			map[string]int64{"GetBlob slow-down": 1}},
		{"cut in a download", storetest.When(2, get, proxy.CutAnswer(300_000)), map[string]int64{"GetBlob reset": 2}},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := c
			c.Requests = &store.Requests{}
			s := open(t, c)
			proxy.Break(f.fault)
			if err := write(t.Context(), s, "/dir/file", data); err != nil {
				t.Fatal(err)
			}
			got, err := read(t.Context(), s, "/dir/file")
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes of %d, %v", len(got), len(data), err)
			}
			if f.want != nil {
				if diff := cmp.Diff(f.want, retries(c.Requests)); diff != "" {
					t.Errorf("retries (-want +got):\n%s", diff)
				}
			}
			if err := s.Delete(t.Context(), "/dir/file"); err != nil {
				t.Fatal(err)
			}
			if names := left(t, c.URL.Host); names != nil {
				t.Errorf("left behind: %q", names)
			}
		})
	}
}

// A download resumes where its connection was cut.
func TestDownloadResumes(t *testing.T) {
	proxy, c := peer(t)
	c.Requests, c.Retries = &store.Requests{}, 3
	d := storetest.Downloads{Cause: store.Reset, Store: open(t, c), Requests: c.Requests, Proxy: proxy, Tries: 3, Path: "/dir/file", Get: get}
	d.TestResumed(t)
}

// TestFailedUploadLeavesNothing has an upload fail for good: it ends with an error, and leaves nothing. Each has
// a container of its own: requests of one before that were given up may come late.
func TestFailedUploadLeavesNothing(t *testing.T) {
	proxy, _ := peer(t)
	whole := func(r *http.Request) bool { return comp("")(r) && r.ContentLength > 0 }
	for _, f := range []struct {
		name  string
		size  int
		fault storetest.Fault
		cause string
	}{
		{"denied", 1_000_001, storetest.When(-1, comp("block"), answer(403, "AuthorizationPermissionMismatch")),
			store.AccessDenied},
		{"busy", 1_000_001, storetest.When(-1, comp("block"), answer(503, "ServerBusy")), store.SlowDown},
		{"cut", 1_000_001, storetest.When(-1, comp("block"), storetest.CutRequest(10)), store.Reset},
		{"the list", 1_000_001, storetest.When(1, comp("blocklist"), answer(400, "InvalidBlockList")),
			"invalid-block-list"},
		{"the list unheard", 1_000_001, storetest.When(1, comp("blocklist"), proxy.Unheard()), store.Reset},
		{"whole", 1000, storetest.When(-1, whole, answer(413, "RequestBodyTooLarge")), store.TooLarge},
		{"whole unheard", 1000, storetest.When(-1, whole, proxy.Unheard()), store.Reset},
		{"corrupt", 1_000_001, storetest.When(-1, comp("block"), func(_ http.ResponseWriter, r *http.Request) bool {
			b, _ := io.ReadAll(r.Body)
			b[len(b)/2] ^= 1
			r.Body = io.NopCloser(bytes.NewReader(b))
			return false
		}), store.Corrupt},
		{"container gone", 1_000_001, storetest.When(-1, any, answer(404, "ContainerNotFound")), store.NoBucket},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := newContainer(t, proxy)
			c.Retries, c.Requests = 0, &store.Requests{}
			s := open(t, c)
			proxy.Break(f.fault)
			check(t, write(t.Context(), s, "/dir/file", content(f.size)), f.cause)
			if len(retries(c.Requests)) > 0 {
				t.Errorf("retries: %v", retries(c.Requests))
			}
			if names := left(t, c.URL.Host); names != nil {
				t.Errorf("left behind: %q", names)
			}
		})
	}
}

// TestHostile reads from servers that answer nonsense.
func TestHostile(t *testing.T) {
	proxy, c := peer(t)
	s := open(t, c)
	if err := write(t.Context(), s, "/dir/file", content(500_000)); err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name  string
		fault storetest.Fault
		cause string
	}{
		{"short", storetest.When(-1, get, storetest.Answer(200, "text/plain", "short")), store.Truncated},
		{"long", storetest.When(-1, get, storetest.Answer(200, "text/plain", strings.Repeat("long", 200_000))),
			store.Truncated},
		{"nothing, again and again", storetest.When(-1, get, proxy.CutAnswer(0)), store.Reset},
		{"cut, again and again", storetest.When(-1, get, proxy.CutAnswer(1)), store.Reset},
		{"gone", storetest.When(-1, any, storetest.Answer(404, "text/html", "gone")), store.NoFile},
		{"redirected", storetest.When(-1, any, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://127.0.0.2:1/", http.StatusTemporaryRedirect)
			return true
		}), "status-307"},
		{"teapot", storetest.When(-1, any, answer(418, "<script>alert(1)</script>")), "status-418"},
		{"no numbers", storetest.When(-1, any, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("x-ms-blob-sequence-number", "many")
			return true
		}), store.Protocol},
		{"unauthorized", storetest.When(-1, any, answer(401, "NoAuthenticationInformation")), store.NoCredentials},
		{"clock", storetest.When(-1, any, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
			return answer(403, "AuthenticationFailed")(w, r)
		}), store.ClockSkew},
	} {
		t.Run(f.name, func(t *testing.T) {
			proxy.Break(f.fault)
			_, err := read(t.Context(), s, "/dir/file")
			check(t, err, f.cause)
		})
	}
	t.Run("replaced", func(t *testing.T) {
		proxy.Break()
		f, err := s.Open(t.Context(), "/dir/file")
		if err != nil {
			t.Fatal(err)
		}
		if err := write(t.Context(), s, "/dir/file", content(500_000)); err != nil {
			t.Fatal(err)
		}
		check(t, f.ReadRange(t.Context(), make([]byte, 5), 0), store.Changed)
	})
}

// A wrong key and a SAS without permissions are refused, without showing secrets.
func TestWrongCredentials(t *testing.T) {
	_, c := peer(t)
	key, err := container.NewSharedKeyCredential(accountName, accountKey)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(p sas.ContainerPermissions) string {
		q, err := sas.BlobSignatureValues{
			Protocol: sas.ProtocolHTTPSandHTTP, ExpiryTime: time.Now().Add(time.Hour).UTC(), ContainerName: c.URL.Host,
			Permissions: p.String(),
		}.SignWithSharedKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return q.Encode()
	}
	all := sign(sas.ContainerPermissions{Read: true, Write: true, Create: true, Delete: true, Add: true, List: true})
	readOnly := sign(sas.ContainerPermissions{Read: true})

	c.Settings = &hadoop.Settings{}
	c.Settings.Set("fs.azure.account.key", "d3Jvbmc=", "-D")
	wrong := open(t, c)
	check(t, wrong.Check(t.Context(), "/dir/file", 1), store.AccessDenied, "d3Jvbmc=")

	c.Settings = &hadoop.Settings{}
	c.Settings.Set("fs.azure.sas.fixed.token."+c.URL.Host+"."+accountName+".dfs.core.windows.net", "?"+all, "-D")
	s := open(t, c)
	if err := write(t.Context(), s, "/dir/file", content(600_000)); err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), "/dir/file", "/dir/other"); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t.Context(), s, "/dir/other"); err != nil || len(got) != 600_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := s.Delete(t.Context(), "/dir/other"); err != nil {
		t.Fatal(err)
	}

	signature := func(token string) string { q, _ := url.ParseQuery(token); return q.Get("sig") }
	c.Settings = &hadoop.Settings{}
	c.Settings.Set("fs.azure.sas.fixed.token", readOnly, "-D")
	s = open(t, c)
	check(t, write(t.Context(), s, "/dir/file", content(600_000)), store.AccessDenied, signature(readOnly),
		url.QueryEscape(signature(readOnly)))
	c.Endpoint, c.Retries = "http://127.0.0.1:1/"+accountName, 0
	_, err = open(t, c).Exists(t.Context(), "/dir/file")
	check(t, err, store.Refused, signature(readOnly), url.QueryEscape(signature(readOnly)))
	for _, note := range s.Describe().Notes {
		if strings.Contains(note, signature(readOnly)) {
			t.Errorf("it tells a secret: %q", note)
		}
	}
	if names := left(t, c.URL.Host); names != nil {
		t.Errorf("left behind: %q", names)
	}
}

func TestCheck(t *testing.T) {
	_, c := peer(t)
	s := open(t, c)
	if err := s.Check(t.Context(), "/dir/file", 50_000<<18); err != nil {
		t.Error(err)
	}
	err := s.Check(t.Context(), "/dir/file", 50_000<<18+1)
	check(t, err, store.TooLarge)
	var known *store.Error
	if errors.As(err, &known) && !strings.Contains(known.Hint, "1MiB") {
		t.Errorf("the hint is %q", known.Hint)
	}
	check(t, s.Check(t.Context(), "/dir/file", 50_000*4000<<20+1), store.TooLarge)
	for _, path := range []string{"/", "/" + strings.Repeat("a", 1025), "/a\nb", "/\xff", "/a/../b", "/a/", "/a."} {
		check(t, s.Check(t.Context(), path, 1), store.Other)
	}
	c.URL = &url.URL{Scheme: "az", Host: "nobody-made-this"}
	check(t, open(t, c).Check(t.Context(), "/dir/file", 1), store.NoBucket)
}
