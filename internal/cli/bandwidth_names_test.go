package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// objects is an S3 server that keeps whole objects in memory, by what stands in the request line.
type objects struct {
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
	case strings.TrimSuffix(r.URL.Path, "/") == "/b":
	case !found:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("ETag", `"e"`)
		_, _ = w.Write(body)
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
