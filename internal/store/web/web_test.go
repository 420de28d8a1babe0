package web

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
)

// TestMain makes the certificate of httptest's servers one that is trusted.
func TestMain(m *testing.M) {
	server := httptest.NewTLSServer(nil)
	file := filepath.Join(os.TempDir(), fmt.Sprintf("plimsoll-web-test-%d.pem", os.Getpid()))
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	server.Close()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"SSL_CERT_FILE": file, "NETRC": file + ".none",
		"PLIMSOLL_BEARER_TOKEN": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	leaktest.Main(m, goleak.Cleanup(func(code int) {
		_ = os.Remove(file)
		os.Exit(code)
	}))
}

const block = 128 << 10

// put writes a file of this size.
func put(ctx context.Context, s store.Store, path string, size int64) error {
	w, err := s.Create(ctx, path, size)
	if err != nil {
		return err
	}
	for left := size; left > 0; {
		n := int(min(left, block))
		pieces, err := w.Reserve(ctx, n)
		if err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
		for _, p := range pieces {
			for i := range p {
				p[i] = byte(size - left + int64(i))
			}
		}
		if err := w.Write(ctx, n); err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
		left -= int64(n)
	}
	return w.Close(ctx)
}

// mustFail checks an error, with BASE for the server's URL.
func mustFail(t *testing.T, base string, err error, cause, message, hint string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) {
		t.Errorf("%v is no store.Error", err)
		return
	}
	in := func(s string) string { return strings.ReplaceAll(s, base, "BASE") }
	if diff := cmp.Diff([]string{cause, message, hint},
		[]string{known.Cause, in(err.Error()), in(known.Hint)}); diff != "" {
		t.Error(diff)
	}
}

func TestNetrc(t *testing.T) {
	const text = `
# a comment machine nobody
machine other login no password none
macdef init
machine host login trap password trap

machine host
	login someone
	password a#b
machine host login second password second
default login anonymous password guest
`
	for host, want := range map[string]string{
		"host": "someone a#b true", "other": "no none true", "unknown": "anonymous guest true",
	} {
		if got := fmt.Sprintln(lookUp(text, host)); strings.TrimSpace(got) != want {
			t.Errorf("%s: %s", host, got)
		}
	}
	for _, text := range []string{"", "machine", "machine host", "login", "machine x login y",
		"macdef x\nmachine host login x", "# x"} {
		if _, _, ok := lookUp(text, "host"); ok {
			t.Errorf("%q has a login", text)
		}
	}
}

func FuzzNetrc(f *testing.F) {
	f.Add("machine host login a password b")
	f.Add("default\nlogin x")
	f.Fuzz(func(t *testing.T, text string) { lookUp(text, "host") })
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 0-0/1")
	f.Fuzz(func(t *testing.T, header string) {
		first, last, total, ok := contentRange(header)
		if ok && (first < 0 || last < first || total >= 0 && last >= total) {
			t.Errorf("%q: %d %d %d", header, first, last, total)
		}
	})
}
