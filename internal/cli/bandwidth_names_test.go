package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// objects is an S3 server and a plain HTTP server that keeps whole objects in memory, keyed by the request target.
type objects struct {
	extra string // follows each answer with the content of an object

	mu      sync.Mutex
	content map[string][]byte
}

func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name, _, _ := strings.Cut(strings.TrimPrefix(r.RequestURI, "/b/"), "?")
	switch body, found := o.content[name]; {
	case r.Method == http.MethodPut:
		body = make([]byte, r.ContentLength)
		_, _ = io.ReadFull(r.Body, body)
		o.content[name] = body
		w.Header().Set("ETag", `"e"`)
	case r.Method == http.MethodDelete:
		delete(o.content, name)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodOptions:
	case strings.TrimSuffix(r.URL.Path, "/") == "/b":
	case !found:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("ETag", `"e"`)
		from, to := 0, len(body)-1
		if span := r.Header.Get("Range"); span != "" {
			_, _ = fmt.Sscanf(span, "bytes=%d-%d", &from, &to)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(body)))
		}
		if r.Method == http.MethodHead || o.extra == "" {
			w.Header().Set("Content-Length", strconv.Itoa(to-from+1))
		}
		if w.Header().Get("Content-Range") != "" {
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = io.WriteString(w, string(body[from:to+1])+o.extra)
	}
}

// A run replaces and deletes the object that its URL names, to the last character, and says so; no other one.
func TestBandwidthTouchesTheNamedObjectAlone(t *testing.T) {
	t.Parallel()
	for name, escaped := range map[string]string{
		"q?v=1#frag": "q%3Fv%3D1%23frag", "q#": "q%23", "q%20x": "q%2520x", "/q//x": "/q//x",
	} {
		store := &objects{content: map[string][]byte{"q": []byte("mine"), escaped: []byte("old")}}
		server := httptest.NewServer(store)
		t.Cleanup(server.Close)
		code, out, errs := execute(t, "bandwidth", "1k", "s3://b/"+name, "--only", "upload", "--overwrite", "--keep",
			"--json", "--no-save", "--endpoint", server.URL, "-D", "fs.s3a.access.key=k", "-D", "fs.s3a.secret.key=s")
		doc, err := rundoc.Read(strings.NewReader(out))
		if err != nil || !runtest.CompletedStatus(code) {
			t.Fatalf("%s: exit %d, %v\n%s", name, code, err, errs)
		}
		if got := doc.Target.URL; got != "s3://b/"+name {
			t.Errorf("%s is reported as %s", name, got)
		}
		var left []string
		for key, body := range store.content {
			left = append(left, key)
			if replaced := len(body) == 1024; replaced != (key == escaped) {
				t.Errorf("%s: %s has %d bytes", name, key, len(body))
			}
		}
		if slices.Sort(left); !slices.Equal(left, []string{"q", escaped}) && !slices.Equal(left, []string{escaped, "q"}) {
			t.Errorf("%s: the server has %q", name, left)
		}
	}
}

// What a store sends beyond what was written is no part of a good object, however it is read.
func TestLongerObjectIsCorrupt(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&objects{content: map[string][]byte{}, extra: "more"})
	t.Cleanup(server.Close)
	for _, policy := range []string{"whole-file", "random", "vector", "prefetch"} {
		for _, url := range []string{"s3://b/k", server.URL + "/b/k"} {
			args := []string{"bandwidth", "10k", url, "--block", "4000b", "--policy", policy, "--json", "--no-save"}
			if url == "s3://b/k" {
				args = append(args, "--endpoint", server.URL, "-D", "fs.s3a.access.key=k", "-D", "fs.s3a.secret.key=s")
			}
			code, out, errs := execute(t, args...)
			doc, err := rundoc.Read(strings.NewReader(out))
			if err != nil {
				t.Fatalf("%s of %s: exit %d, %v\n%s", policy, url, code, err, errs)
			}
			if got := doc.Bandwidth().Checksum; got.Verdict != rundoc.ChecksumMismatch || code != 1 {
				t.Errorf("%s of %s: exit %d, %+v\n%s", policy, url, code, got, errs)
			}
		}
	}
}

// With --only download, a directory is read as a sample of its files, and no file changes.
func TestBandwidthOfADirectoryThatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/below", 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		for _, name := range []string{"/x", "/below/y"} {
			if err := os.WriteFile(fmt.Sprint(dir, name, i), make([]byte, 1000*i), 0o400); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, out, errs := execute(t, "bandwidth", "50000b", "file:"+dir, "--only", "download", "--json", "--no-save")
	doc, err := rundoc.Read(strings.NewReader(out))
	if err != nil || !runtest.CompletedStatus(code) {
		t.Fatalf("exit %d, %v\n%s", code, err, errs)
	}
	d := doc.Bandwidth()
	o := d.Objects
	if o == nil || o.Listed != 20 || o.Empty != 2 || o.ListedBytes != 90_000 || o.ReadBytes > 50_000 || o.Read < 5 ||
		o.Sizes != (rundoc.Sizes{Min: 1000, Median: 5000, Max: 9000}) {
		t.Fatalf("%+v", o)
	}
	if d.Download.Files != o.Read || d.Download.Bytes != o.ReadBytes || d.Checksum.Verdict != rundoc.ChecksumNone {
		t.Errorf("%+v, %+v", d.Download, d.Checksum)
	}
	if left, err := filepath.Glob(dir + "/*"); len(left) != 11 || err != nil {
		t.Errorf("%q, %v", left, err)
	}
}
