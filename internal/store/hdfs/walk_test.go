package hdfs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plimsoll/plimsoll/internal/store"
)

// entry is a file (kind 2), a directory (1) or a symbolic link (3).
func entry(kind int, name string, size int) []byte {
	return message(kind, name, size, message(0o644), "alice", "users", 1, 1)
}

// Walk lists the files of all directories, from lists that come in parts, and leaves out links.
func TestWalkListsFilesBelow(t *testing.T) {
	listing := func(remaining int, entries ...[]byte) []byte {
		var list []byte
		for _, e := range entries {
			list = appendBytes(list, 1, e)
		}
		return message(appendVarint(list, 2, uint64(remaining)))
	}
	namenode := fakeNamenodeFunc(t, func(method string, request []byte) []byte {
		src, after := "", ""
		_ = eachField(request, func(field protowire.Number, _ uint64, value []byte) {
			switch field {
			case 1:
				src = string(value)
			case 2:
				after = string(value)
			}
		})
		switch method + " " + src + " " + after {
		case "getListing /d ":
			return listing(2, entry(2, "a", 10), entry(1, "b", 0))
		case "getListing /d b":
			return listing(0, entry(3, "link", 0), entry(2, "z", 30))
		case "getListing /d/b ":
			return listing(0, entry(2, "y", 20))
		}
		switch method {
		case "getServerDefaults":
			return message(message(1<<20, 512, 65536, 1, 4096))
		case "getFileInfo":
			return message(entry(1, "", 0))
		case "getListing":
			return listing(0)
		}
		return nil
	})
	s, err := openAt(t.Context(), t, namenode, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	err = s.(store.Walker).Walk(t.Context(), "/d/", func(o store.Object) bool {
		got[o.Path] = o.Size
		return true
	})
	want := map[string]int64{"/d/a": 10, "/d/z": 30, "/d/b/y": 20}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	calls := 0
	err = s.(store.Walker).Walk(t.Context(), "/d/", func(store.Object) bool { calls++; return false })
	if calls != 1 || err != nil {
		t.Errorf("stopped at the first: %d calls, %v", calls, err)
	}
}
