package web

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

// webdav starts WsgiDAV on a directory and returns its URL.
func webdav(t *testing.T, dir, user, password string) string {
	t.Helper()
	return peertest.Start(t, exec.Command(peertest.Python(t), filepath.Join("testdata", "python", "webdav.py"), dir,
		user, password), peertest.URL)
}

// openURL opens a store that does not wait long before a retry.
func openURL(t *testing.T, address string, change ...func(*store.Config)) *webStore {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c := store.Config{URL: u, Block: block, Requests: &store.Requests{}}
	for _, f := range change {
		f(&c)
	}
	opened, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*webStore)
	s.pause = time.Millisecond
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestWebDAV(t *testing.T) {
	dir := t.TempDir()
	base := webdav(t, dir, "", "")
	if err := os.Mkdir(dir+"/sub dir", 0o777); err != nil {
		t.Fatal(err)
	}
	s := openURL(t, base)
	s.pause = firstPause // an aborted PUT may leave something behind for as long as a client is given
	storetest.Run(t, s, "/sub dir", block)
	testWalkBelow(t, s, dir)
	left, err := os.ReadDir(dir + "/sub dir")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	const size = 2*block + 1
	mustFail(t, base, s.Check(t.Context(), "/none/x", size), store.NoBucket,
		"BASE/none/: the directory does not exist on the server", "create it first: curl -X MKCOL URL")
	if err := s.Check(t.Context(), "/sub dir/x", 1<<60); store.CauseOf(err) != store.DiskFull {
		t.Errorf("an exabyte: %v", err)
	}
	mustFail(t, base, put(t.Context(), s, "/none/x", size), store.NoBucket,
		"PUT BASE/none/x: the server responded with 409 Conflict",
		"create the directory on the server first; with WebDAV: curl -X MKCOL URL")
	if err := s.Check(t.Context(), "/sub dir/x", size); err != nil {
		t.Error(err)
	}
}

// testWalkBelow lists files of directories below the one that was asked for, and none beside it.
func testWalkBelow(t *testing.T, s *webStore, dir string) {
	for path, size := range map[string]int{"/a b/x": 1, "/a b/ü/1%/y": 2, "/a b/ü/z": 3, "/a bc/other": 4} {
		if err := os.MkdirAll(filepath.Dir(dir+path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+path, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, prefix := range []string{"/a b/", "/a%20b/"} {
		got := map[string]int64{}
		if err := s.Walk(t.Context(), prefix, func(o store.Object) bool { got[o.Path] = o.Size; return true }); err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{"/a%20b/x": 1, "/a%20b/%C3%BC/1%25/y": 2, "/a%20b/%C3%BC/z": 3}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", prefix, diff)
		}
	}
	mustFail(t, bare(&s.base), s.Walk(t.Context(), "/none/", nil), store.NoFile,
		"BASE/none/: the directory does not exist on the server", "")
}
