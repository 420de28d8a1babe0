package gs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/gs"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

const (
	inOrder   = "fs.gs.client.upload.type=CHUNK_UPLOAD"
	composite = "fs.gs.client.upload.type=PARALLEL_COMPOSITE_UPLOAD"
)

// write writes a file in blocks and aborts it after an error.
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

// listed returns the server's JSON list of the objects in the bucket, or "" if it is empty. It bypasses the proxy,
// whose faults must remain for requests that were abandoned and still arrive.
func listed(t *testing.T, proxy *storetest.Proxy) string {
	t.Helper()
	resp, err := http.Get(proxy.Target(t) + "/storage/v1/b/" + bucket + "/o?fields=items(name)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if bytes.Contains(b, []byte(`"name"`)) {
		return string(b)
	}
	return ""
}

func upload(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/upload/") && r.Method != http.MethodDelete
}
func chunk(r *http.Request) bool { return upload(r) && r.Header.Get("Content-Range") != "" }
func object(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == "/"+bucket+"/dir/file"
}
func any(*http.Request) bool { return true }

// retries returns the number of retries by request name and cause.
func retries(r *store.Requests) map[string]int64 {
	all := map[string]int64{}
	for _, f := range r.Figures() {
		for cause, n := range f.Retries {
			all[f.Name+" "+cause] = n
		}
	}
	return all
}

// A request that fails for a passing reason is repeated and counted by cause.
func TestRetries(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	data := content(1_000_001)
	for _, c := range []struct {
		name, how string
		fault     storetest.Fault
		want      map[string]int64
	}{
		{"503 for the session", inOrder, storetest.When(1, upload, storetest.Answer(503, "text/html", "<html>busy")),
			map[string]int64{"StartUpload slow-down": 1}},
		{"503 for chunks", inOrder, storetest.When(2, chunk, storetest.Answer(503, "text/plain", "")),
			map[string]int64{"UploadChunk slow-down": 2}},
		{"cut in a chunk", inOrder, storetest.When(1, chunk, storetest.CutRequest(70_000)),
			map[string]int64{"UploadChunk reset": 1}},
		{"500 for parts", composite, storetest.When(2, upload, storetest.Answer(500, "text/plain", "")),
			map[string]int64{"InsertPart status-500": 2}},
		{"cut in a part", composite, storetest.When(1, upload, storetest.CutRequest(70_000)),
			map[string]int64{"InsertPart reset": 1}},
		{"429 for a download", inOrder, storetest.When(1, object, storetest.Answer(429, "text/plain", "")),
			map[string]int64{"GetObject slow-down": 1}},
		{"cut in a download", inOrder, storetest.When(2, object, proxy.CutAnswer(300_000)),
			map[string]int64{"GetObject reset": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := config(t, proxy, c.how)
			s := open(t, conf)
			proxy.Break(c.fault)
			if err := write(t.Context(), s, "/dir/file", data); err != nil {
				t.Fatal(err)
			}
			got, err := read(t.Context(), s, "/dir/file")
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("read %d bytes of %d, or other bytes; error %v", len(got), len(data), err)
			}
			if diff := cmp.Diff(c.want, retries(conf.Requests)); diff != "" {
				t.Errorf("retries (-want +got):\n%s", diff)
			}
			if err := s.Delete(t.Context(), "/dir/file"); err != nil {
				t.Fatal(err)
			}
			if left := listed(t, proxy); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// A download resumes where its connection was cut.
func TestDownloadResumes(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	c := config(t, proxy)
	c.Retries = 3
	d := storetest.Downloads{Cause: store.Reset, Store: open(t, c), Requests: c.Requests, Proxy: proxy, Tries: 3, Path: "/dir/file", Get: object}
	d.TestResumed(t)
}

// An upload that fails for good ends with one error and leaves nothing behind.
func TestFailedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	last := func(r *http.Request) bool { return strings.HasSuffix(r.Header.Get("Content-Range"), "/1000001") }
	// The upload succeeds, but its response is lost.
	unheard := proxy.Unheard()
	for _, c := range []struct {
		name, how string
		fault     storetest.Fault
		cause     string
	}{
		{"denied", inOrder,
			storetest.When(-1, upload,
				storetest.Answer(403, "application/json",
					`{"error":{"code":403,"message":"x does not have storage.objects.create access"}}`)),
			store.AccessDenied},
		{"chunks", inOrder, storetest.When(-1, chunk, storetest.Answer(503, "text/plain", "")), store.SlowDown},
		{"the last chunk", inOrder, storetest.When(-1, last, storetest.CutRequest(10)), store.Reset},
		{"the last response lost", inOrder, storetest.When(-1, last, unheard), store.Reset},
		{"HTML", inOrder, storetest.When(-1, upload, storetest.Answer(200, "text/html", "<html>")), ""},
		{"a part", composite,
			storetest.When(-1, func(r *http.Request) bool { return strings.Contains(r.URL.RawQuery, "-000003") },
				storetest.Answer(400, "text/plain", "")), "status-400"},
		{"composing", composite,
			storetest.When(-1, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/compose") },
				storetest.Answer(403, "text/plain", "")), store.AccessDenied},
		{"composing, response lost", composite,
			storetest.When(-1, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/compose") },
				unheard), store.Reset},
		{"checksum", inOrder,
			storetest.When(-1, last,
				storetest.Answer(400, "application/json",
					`{"error":{"code":400,"message":"Provided CRC32C \"a\" doesn't match calculated CRC32C \"b\"."}}`)),
			store.Corrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := config(t, proxy, c.how)
			conf.Retries = 1
			s := open(t, conf)
			proxy.Break(c.fault)
			err := write(t.Context(), s, "/dir/file", content(1_000_001))
			check(t, err, c.cause)
			if left := listed(t, proxy); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// check fails unless err is a store.Error of one line with this cause; "" allows any cause.
func check(t *testing.T, err error, cause string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) || (cause != "" && known.Cause != cause) {
		t.Fatalf("the error %v has the cause %q, want %q", err, store.CauseOf(err), cause)
	}
	if strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "upload_id") || len(err.Error()) > 400 {
		t.Errorf("the error is too long, has line breaks or shows the upload ID: %q", err)
	}
}

// Invalid responses are reported with their cause.
func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	c := config(t, proxy)
	s := open(t, c)
	if err := write(t.Context(), s, "/dir/file", content(500_000)); err != nil {
		t.Fatal(err)
	}
	flip := func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("X-Goog-Hash", "crc32c=AAAAAA==")
		w.Header().Set("Content-Length", "500000")
		_, _ = w.Write(content(500_000))
		return true
	}
	for _, c := range []struct {
		name  string
		fault storetest.Fault
		cause string
	}{
		{"metadata in HTML", storetest.When(-1, any, storetest.Answer(200, "text/html", "<html>")), store.Protocol},
		{"a wrong kind of JSON", storetest.When(-1, any, storetest.Answer(200, "application/json", `{"size":[1]}`)),
			store.Protocol},
		{"short", storetest.When(-1, object, storetest.Answer(200, "text/plain", "short")), store.Truncated},
		{"long", storetest.When(-1, object, storetest.Answer(200, "text/plain", strings.Repeat("long", 200_000))),
			store.Corrupt},
		{"always cut at once", storetest.When(-1, object, proxy.CutAnswer(0)), store.Reset},
		{"always cut after a byte", storetest.When(-1, object, proxy.CutAnswer(1)), store.Reset},
		{"corrupt", storetest.When(-1, object, flip), store.Corrupt},
		{"gone", storetest.When(-1, any, storetest.Answer(404, "text/html", "gone")), store.NoFile},
		{"redirected", storetest.When(-1, any, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://127.0.0.2:1/", http.StatusTemporaryRedirect)
			return true
		}), store.Protocol},
		{"unauthorized", storetest.When(-1, any, storetest.Answer(401, "text/plain", "")), store.NoCredentials},
	} {
		t.Run(c.name, func(t *testing.T) {
			proxy.Break(c.fault)
			_, err := read(t.Context(), s, "/dir/file")
			check(t, err, c.cause)
		})
	}
}

func TestCheckRejectsWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	c := config(t, proxy)
	s := open(t, c)
	if err := s.Check(t.Context(), "/dir/file", 5<<40); err != nil {
		t.Errorf("5 TiB: %v", err)
	}
	check(t, s.Check(t.Context(), "/dir/file", 5<<40+1), store.TooLarge)
	for _, path := range []string{"/", "/" + strings.Repeat("a", 1025), "/a\nb", "/\xff"} {
		check(t, s.Check(t.Context(), path, 1), store.Other)
	}
	// Without permission to read the bucket, writing may still be permitted.
	proxy.Break(storetest.When(-1, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/b/"+bucket) },
		storetest.Answer(403, "text/plain", "")))
	if err := s.Check(t.Context(), "/dir/file", 1); err != nil {
		t.Error(err)
	}
	proxy.Break()
	c.URL = &url.URL{Scheme: "gs", Host: "nobody-made-this"}
	check(t, open(t, c).Check(t.Context(), "/dir/file", 1), store.NoBucket)
}

// A file of more parts than one compose request takes is composed in levels, and its parts are deleted.
func TestManyPartsAreComposedInLevels(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	c := config(t, proxy, composite)
	s := open(t, c)
	data := content(33*(1<<18) + 5)
	if err := write(t.Context(), s, "/dir/file", data); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t.Context(), s, "/dir/file"); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("read %d bytes of %d, or other bytes; error %v", len(got), len(data), err)
	}
	if err := s.Delete(t.Context(), "/dir/file"); err != nil {
		t.Fatal(err)
	}
	if left := listed(t, proxy); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// Open rejects wrong settings without showing secrets.
func TestOpenRejectsWrongSettings(t *testing.T) {
	t.Parallel()
	const secret = "c2VjcmV0"
	key := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(key, []byte(`{"type":"authorized_user","client_secret":"`+secret+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		change   func(*store.Config)
		settings []string
		cause    string
	}{
		{"sha256", func(c *store.Config) { c.Checksum = "sha256" }, nil, store.Unsupported},
		{"no bucket", func(c *store.Config) { c.URL = &url.URL{Scheme: "gs", Path: "/x"} }, nil, store.Other},
		{"endpoint", func(c *store.Config) { c.Endpoint = "http://user:" + secret + "@host" }, nil, store.Other},
		{"chunk", func(c *store.Config) { c.PartSize = 0 }, []string{"fs.gs.outputstream.upload.chunk.size=many"},
			store.Other},
		{"large chunk", func(c *store.Config) { c.PartSize = 2 << 30 }, nil, store.Unsupported},
		{"retries", func(c *store.Config) { c.Retries = -1 }, []string{"fs.gs.http.max.retry=some"}, store.Other},
		{"upload type", nil, []string{"fs.gs.client.upload.type=JOURNALING"}, store.Unsupported},
		{"auth type", nil, []string{"fs.gs.auth.type=ACCESS_TOKEN_PROVIDER"}, store.Unsupported},
		{"no key file", nil, []string{"fs.gs.auth.type=SERVICE_ACCOUNT_JSON_KEYFILE"}, store.NoCredentials},
		{"missing key file", nil, []string{"fs.gs.auth.service.account.json.keyfile=/nobody/made/this"},
			store.NoCredentials},
		{"key file of another type", nil, []string{"google.cloud.auth.service.account.json.keyfile=" + key},
			store.NoCredentials},
		{"no client", nil, []string{"fs.gs.auth.type=USER_CREDENTIALS", "fs.gs.auth.client.secret=" + secret},
			store.NoCredentials},
		{"credentials without TLS", func(c *store.Config) { c.Endpoint = "http://192.0.2.1" },
			[]string{"fs.gs.auth.type=APPLICATION_DEFAULT"}, store.NoCredentials},
		{"encryption key without TLS", func(c *store.Config) { c.Endpoint = "http://192.0.2.1" },
			[]string{"fs.gs.encryption.key=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}, store.Unsupported},
		{"encryption key", nil, []string{"fs.gs.encryption.key=" + secret}, store.Other},
		{"encryption algorithm", nil, []string{"fs.gs.encryption.key=" + secret, "fs.gs.encryption.algorithm=ROT13"},
			store.Unsupported},
		{"payer", nil, []string{"fs.gs.requester.pays.mode=AUTO"}, store.Unsupported},
		{"no payer", nil, []string{"fs.gs.requester.pays.mode=ENABLED"}, store.Other},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := config(t, nil, c.settings...)
			conf.Endpoint = "http://127.0.0.1:1"
			if c.change != nil {
				c.change(&conf)
			}
			s, err := gs.Open(t.Context(), conf)
			if err == nil {
				_ = s.Close()
			}
			check(t, err, c.cause)
			if strings.Contains(fmt.Sprintf("%v %+v", err, err), secret) {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

// Requests carry the encryption key and the project that pays.
func TestHeadersOfSettings(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	s := open(t, config(t, proxy, "fs.gs.encryption.key=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
		"fs.gs.requester.pays.mode=CUSTOM", "fs.gs.requester.pays.buckets=other, "+bucket,
		"fs.gs.requester.pays.project.id=payer"))
	var wrong []string
	proxy.Break(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Goog-Encryption-Algorithm") != "AES256" && r.Method != http.MethodDelete &&
			r.Header.Get("Content-Range") == "" ||
			r.URL.Query().Get("userProject") != "payer" && r.Header.Get("X-Goog-User-Project") != "payer" &&
				r.Header.Get("Content-Range") == "" {
			wrong = append(wrong, fmt.Sprint(r.Method, " ", r.URL, r.Header))
		}
		return false
	})
	if err := write(t.Context(), s, "/dir/file", content(10)); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), s, "/dir/file"); err != nil {
		t.Fatal(err)
	}
	if len(wrong) > 0 {
		t.Errorf("requests without the key or the paying project: %q", wrong)
	}
}

// Describe reports the settings in use.
func TestDescribe(t *testing.T) {
	conf := config(t, nil, "fs.gs.outputstream.upload.chunk.size=1m", "fs.gs.storage.root.url=http://127.0.0.1:1/",
		"fs.gs.auth.type=UNAUTHENTICATED")
	conf.PartSize = 0
	d := open(t, conf).Describe()
	if d.PartBytes != 1<<20 || d.Endpoint != "http://127.0.0.1:1" || d.ActiveParts != 3 ||
		!strings.Contains(d.Integrity, "CRC-32C") {
		t.Errorf("the description is %+v", d)
	}
	conf.Checksum = "none"
	if d := open(t, conf).Describe(); d.Integrity != "none" {
		t.Errorf("the description is %+v", d)
	}
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:2")
	conf.Settings = nil
	if d := open(t, conf).Describe(); d.Endpoint != "http://127.0.0.1:2" || d.PartBytes != 16<<20 {
		t.Errorf("the description is %+v", d)
	}
}
