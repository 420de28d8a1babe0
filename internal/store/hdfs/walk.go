package hdfs

import (
	"context"
	"errors"
	"io"
	"os"
	"path"

	"github.com/colinmarc/hdfs/v2"

	"github.com/plimsoll/plimsoll/internal/store"
)

// maxDirectories limits how many directories a Walk remembers.
const maxDirectories = 100_000

// batch is the number of directory entries that are held in memory at once.
const batch = 1000

// Walk lists the files in a directory and below it. Symbolic links are left out. A directory that cannot be read is an
// error.
func (s *Store) Walk(ctx context.Context, prefix string, each func(store.Object) bool) error {
	return s.runInSession(ctx, "listing "+clean(prefix), func(x *session) error {
		pending := []string{clean(prefix)}
		for len(pending) > 0 {
			dir := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			more, err := x.list(dir, func(name string, info os.FileInfo) bool {
				if info.IsDir() {
					pending = append(pending, name)
					return true
				}
				return !regular(info) || each(store.Object{Path: name, Size: info.Size()})
			})
			if err != nil || !more {
				return err
			}
			if len(pending) > maxDirectories {
				return store.Fail(store.TooLarge, "%s: more than %d directories", clean(prefix), maxDirectories).
					WithHint("use a subdirectory")
			}
		}
		return nil
	})
}

// list calls each for the entries of a directory until it returns false, which list then returns.
func (x *session) list(dir string, each func(name string, info os.FileInfo) bool) (bool, error) {
	d, err := x.client.Open(dir)
	if err != nil {
		return false, err
	}
	defer func() { _ = d.Close() }() // a reader of a directory holds nothing
	for {
		entries, err := d.Readdir(batch)
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		for _, info := range entries {
			if !each(path.Join(dir, info.Name()), info) {
				return false, nil
			}
		}
	}
}

// regular reports whether a directory entry is a file.
func regular(info os.FileInfo) bool {
	status, ok := info.Sys().(*hdfs.FileStatus)
	const file = 2 // HdfsFileStatusProto.FileType: IS_FILE
	return ok && int(status.GetFileType()) == file
}
