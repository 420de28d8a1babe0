package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/runtest"
)

// ranged is a server with a file of 1 MiB, as S3 has it; asked has the ranges in their order, "" for all of the file.
func ranged(t *testing.T) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var ranges []string
	data := strings.Repeat("x", 1<<20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			mu.Lock()
			ranges = append(ranges, r.Header.Get("Range"))
			mu.Unlock()
		}
		w.Header().Set("ETag", `"tag"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(data))
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return ranges
	}
}

// TestHadoopSettingsOfReading checks at the server how Hadoop's settings have a file read.
func TestHadoopSettingsOfReading(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args   string
		ranges int // requests for a range of a block; 0: one for all of the file
		order  bool
	}{
		{"", 0, true},
		{"-D fs.s3a.experimental.input.fadvise=sequential", 0, true},
		{"-D fs.s3a.experimental.input.fadvise=random", 8, false},
		{"-D fs.s3a.bucket.other.experimental.input.fadvise=random", 0, true},
		{"-D fs.s3a.prefetch.enabled=true -policy whole-file", 8, true}, // as the reference's second experiment
	} {
		url, asked := ranged(t)
		args := "bandwidth s3://b/k --only download --block 128k --no-save -D fs.s3a.access.key=k -D fs.s3a.secret.key=s " +
			"-D fs.s3a.prefetch.block.count=1 --endpoint " + url + " " + test.args
		code, out, errs := execute(t, strings.Fields(args)...)
		if !runtest.CompletedStatus(code) {
			t.Fatalf("%q: %d: %s%s", test.args, code, out, errs)
		}
		got := asked()[1:] // the first shows what the file holds, before the run
		inOrder := true
		for i, r := range got {
			inOrder = inOrder && (r == "" || r == fmt.Sprintf("bytes=%d-%d", i<<17, (i+1)<<17-1))
		}
		switch {
		case test.ranges == 0 && (len(got) != 1 || got[0] != ""), test.ranges > 0 && len(got) != test.ranges:
			t.Errorf("%q: %q were asked for", test.args, got)
		case test.order && !inOrder:
			t.Errorf("%q: %q is not the order of the file", test.args, got)
		}
	}
}

func TestHadoopSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"fs.s3a.experimental.input.fadvise=fast": "fs.s3a.experimental.input.fadvise: ",
		"fs.s3a.prefetch.enabled=perhaps":        "fs.s3a.prefetch.enabled",
	} {
		code, _, errs := execute(t, "bandwidth", "1m", "s3://b/k", "--endpoint", "http://127.0.0.1:1", "-D", setting,
			"-D", "fs.s3a.access.key=k", "-D", "fs.s3a.secret.key=s")
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", setting, code, errs)
		}
	}
}
