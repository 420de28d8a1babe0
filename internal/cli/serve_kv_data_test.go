package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta/files"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
)

// TestServeKVLoadsABucket: files in a bucket are there from the start, and a new one when the
// bucket is looked through again.
func TestServeKVLoadsABucket(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": s3target.DefaultAccessKey, "AWS_SECRET_ACCESS_KEY": s3target.DefaultSecretKey,
		"AWS_REGION": s3target.DefaultRegion, "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		t.Setenv(name, value)
	}
	endpoint := served(t, "s3")
	place := "s3://" + s3target.DefaultBucket + "/deltas"
	b, err := openDataBucket(t.Context(), place, endpoint, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.store.Close() })
	put := func(number uint64, key string) {
		text := "key,mutation_type,logical_commit_time,value,value_type\n" + fmt.Sprintf("%s,UPDATE,1,a|b,string_set\n", key)
		w, err := b.store.Create(t.Context(), b.path+"/"+files.Name(number, files.CSV), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := w.Reserve(t.Context(), len(text))
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, p := range pieces {
			rest = rest[copy(p, rest):]
		}
		if err := w.Write(t.Context(), len(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	put(1, "first")
	server := startKVProcess(t, "--data", place, "--data-endpoint", endpoint, "--data-scan", "1s")
	defer server.end(t)
	ask := func(key string) string {
		r, err := http.Get(server.url + "/v1/getvalues?keys=" + key)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(body))
	}
	if got := ask("first"); got != `{"keys":{"first":{"value":["a","b"]}}}` {
		t.Errorf("%s", got)
	}
	put(2, "second")
	for !strings.Contains(ask("second"), `"value"`) {
		if t.Context().Err() != nil {
			t.Fatal("the second file was not loaded")
		}
	}
}
