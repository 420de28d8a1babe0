package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// objects is an S3 server, and one of plain HTTP, that keeps whole objects in memory, by what stands in the request line.
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
