package web

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

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
	left, err := os.ReadDir(dir + "/sub dir")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	const size = 2*block + 1
	mustFail(t, base, s.Check(t.Context(), "/none/x", size), store.NoBucket,
		"BASE/none/: there is no such directory on the server", "make it first: curl -X MKCOL URL")
	if err := s.Check(t.Context(), "/sub dir/x", 1<<60); store.CauseOf(err) != store.DiskFull {
		t.Errorf("an exabyte: %v", err)
	}
	mustFail(t, base, put(t.Context(), s, "/none/x", size), store.NoBucket,
		"PUT BASE/none/x: the server answers 409 Conflict",
		"make the directory on the server first; with WebDAV, by 'curl -X MKCOL URL'")
	if err := s.Check(t.Context(), "/sub dir/x", size); err != nil {
		t.Error(err)
	}
}
