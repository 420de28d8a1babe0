package web

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

// content is a file's.
func content() []byte { return bytes.Repeat([]byte("0123456789"), 10) }

// reading is a server whose GET is handled by get, and a file that is open on it.
func reading(t *testing.T, get func(w http.ResponseWriter, r *http.Request), change ...func(*store.Config)) (*webStore,
	store.File, string) {
	t.Helper()
	_, base := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch r.Method {
		case http.MethodHead:
			w.Header().Set("Content-Length", "100")
		case http.MethodGet:
			get(w, r)
		}
		return true
	})
	s := openURL(t, base, change...)
	f, err := s.Open(t.Context(), "/x")
	if err != nil {
		t.Fatal(err)
	}
	return s, f, base
}

func TestServerIgnoresRange(t *testing.T) {
	_, f, base := reading(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content()) })
	const message = "GET BASE/x: the server ignores Range, and sends the whole file for each block"
	for _, offset := range []int64{0, 1} {
		mustFail(t, base, f.ReadRange(t.Context(), make([]byte, 10), offset), store.Unsupported, message,
			"use --policy whole-file")
	}
	p := make([]byte, 100) // all of it is what was asked for
	if err := f.ReadRange(t.Context(), p, 0); err != nil || !bytes.Equal(p, content()) {
		t.Errorf("%v, %q", err, p)
	}
	mustFail(t, base, f.ReadRange(t.Context(), make([]byte, 2), 99), store.Truncated,
		"GET BASE/x: the response ends after 100 bytes", "")
}

// broken promises bytes and breaks off after some.
func broken(t *testing.T, times int) func(http.ResponseWriter, *http.Request) {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		n++
		if n > times {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content()))
			return
		}
		c := hijack(t, w)
		defer c.Close()
		if r.Header.Get("Range") == "" {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
			return
		}
		_, _ = io.WriteString(c,
			"HTTP/1.1 206 OK\r\nContent-Range: bytes 0-49/100\r\nContent-Length: 50\r\n\r\n0123456789")
	}
}

func TestTruncatedResponse(t *testing.T) {
	const hint = "the server or a proxy closed the connection; see the server's log"
	_, f, base := reading(t, broken(t, 100))
	r, err := f.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	mustFail(t, base, err, store.Truncated, "GET BASE/x: the response ends after 10 of 100 bytes", hint)
	if err := r.Close(); err != nil || string(got) != "0123456789" {
		t.Errorf("%q, %v", got, err)
	}
	mustFail(t, base, f.ReadRange(t.Context(), make([]byte, 50), 0), store.Truncated,
		"GET BASE/x: the response ends after 10 of 50 bytes", hint)

	s, f, _ := reading(t, broken(t, 2), retries(2))
	p := make([]byte, 50)
	if err := f.ReadRange(t.Context(), p, 0); err != nil || !bytes.Equal(p, content()[:50]) {
		t.Errorf("%v, %q", err, p)
	}
	if got := retried(s, "GET")[store.Truncated]; got != 2 {
		t.Errorf("%d retries were counted", got)
	}
}

// A download resumes where its connection was cut, whether the server sends a tag or a date.
func TestDownloadResumes(t *testing.T) {
	for name, tag := range map[string]string{"a tag": `"%x"`, "a weak tag": `W/"%x"`, "a date": ""} {
		t.Run(name, func(t *testing.T) {
			var files *shelf
			files, base := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet && r.Method != http.MethodHead {
					return false
				}
				files.mu.Lock()
				b, there := files.files[r.URL.Path]
				files.mu.Unlock()
				if !there {
					return false
				}
				modified := time.Time{}
				if tag == "" {
					modified = time.Unix(int64(b[0])<<20, 0)
				} else {
					w.Header().Set("ETag", fmt.Sprintf(tag, sha256.Sum256(b)))
				}
				http.ServeContent(w, r, "", modified, bytes.NewReader(b))
				return true
			})
			p := storetest.NewProxy(t)
			p.To(t, base)
			s := openURL(t, p.URL, retries(3))
			d := storetest.Downloads{Cause: store.Truncated, Store: s, Requests: s.requests, Proxy: p, Tries: 3, Path: "/x",
				Get: func(r *http.Request) bool { return r.Method == http.MethodGet }}
			d.TestResumed(t)
		})
	}
}

func TestWrongLength(t *testing.T) {
	for _, c := range []struct {
		name           string
		get            func(http.ResponseWriter, *http.Request)
		cause, message string
		hint           string
	}{
		{"shorter", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content()[:9]) },
			store.Truncated, "GET BASE/x: the server has 9 bytes instead of 100",
			"something else replaced the file, or the server stored only part of it"},
		{"longer", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(append(content(), 'x')) },
			store.Corrupt, "GET BASE/x: the server has 101 bytes instead of 100", "something else replaced the file"},
		{"longer, in chunks", func(w http.ResponseWriter, _ *http.Request) { chunks(w, append(content(), 'x')) },
			store.Corrupt, "GET BASE/x: the response is longer than 100 bytes", "something else replaced the file"},
		{"shorter, in chunks", func(w http.ResponseWriter, _ *http.Request) { chunks(w, content()[:9]) },
			store.Truncated, "GET BASE/x: the response ends after 9 of 100 bytes",
			"the server or a proxy closed the connection; see the server's log"},
		{"encoded", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "gzip") },
			store.Protocol, `GET BASE/x: the server compressed the file ("gzip"), although the request did not allow it`,
			"disable compression for this path on the server"},
		{"gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
			store.NoFile, "GET BASE/x: the server responded with 404 Not Found", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, f, base := reading(t, c.get)
			r, err := f.Stream(t.Context())
			if err == nil {
				_, err = io.ReadAll(r)
				_ = r.Close()
			}
			mustFail(t, base, err, c.cause, c.message, c.hint)
		})
	}
	// In chunks, and as long as it should be.
	_, f, _ := reading(t, func(w http.ResponseWriter, _ *http.Request) { chunks(w, content()) })
	r, err := f.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content()) {
		t.Errorf("%v, %q", err, got)
	}
}

// chunks writes an answer whose length is not said.
func chunks(w http.ResponseWriter, b []byte) {
	w.(http.Flusher).Flush()
	_, _ = w.Write(b)
}

// If the server does not support HEAD, Open requests one byte.
func TestOpenWithoutHead(t *testing.T) {
	for name, c := range map[string]struct {
		get  http.HandlerFunc
		want string
	}{
		"ranges": {func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content()))
		}, "100 <nil>"},
		"empty": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(416) }, "0 <nil>"},
		"whole": {func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(content()) }, "100 <nil>"},
		"unknown": {func(w http.ResponseWriter, r *http.Request) { chunks(w, content()) },
			"0 BASE/x: the response does not contain the file's size"},
		"unknown range": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(206) },
			"0 BASE/x: the response does not contain the file's size"},
	} {
		_, base := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodHead {
				w.WriteHeader(http.StatusNotImplemented)
			} else {
				c.get(w, r)
			}
			return true
		})
		var size int64
		f, err := openURL(t, base).Open(t.Context(), "/x")
		if err == nil {
			size = f.Size()
		}
		if got := strings.ReplaceAll(fmt.Sprint(size, " ", err), base, "BASE"); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
