package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// fileStore is the files of this machine.
type fileStore struct {
	block int64
	flow  *flow.Counter

	mu      sync.Mutex
	settled map[string]bool // files that Settle settled, and nobody opened since
	seen    seen
}

// seen is what the store's notes are made of.
type seen struct {
	filesystem string // that a file lies on, where it has a meaning for the figures
	outside    int    // files that were dropped from the page cache by Settle
	inside     int    // by Open
	kept       int    // that stayed in the page cache in part or in full
}

// OpenFile opens the store of file: URLs.
func OpenFile(ctx context.Context, c store.Config) (store.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.URL.Opaque != "" {
		return nil, store.Fail(store.Other, "%s: the path of a file URL must begin with a slash",
			redact.URL(c.URL.String())).
			WithHint("write file:/PATH")
	}
	if c.URL.Host != "" && c.URL.Host != "localhost" {
		return nil, store.Fail(store.Other, "%s: %q is not this machine",
			redact.URL(c.URL.String()), c.URL.Host).
			WithHint("write file:///PATH for a local file, or sftp://HOST/PATH for a remote one")
	}
	return &fileStore{block: c.Block, flow: c.Flow, settled: map[string]bool{}}, nil
}

// Describe tells what the figures are figures of.
func (s *fileStore) Describe() store.Description {
	s.mu.Lock()
	defer s.mu.Unlock()
	return store.Description{Client: "os", Integrity: "none beyond the file system's own", Notes: s.seen.notes()}
}

func (n seen) notes() []string {
	notes := []string{
		"A write returns when the kernel has the block in its page cache. Without --hflush (fsync), the upload measures " +
			"memory bandwidth as long as free memory lasts.",
	}
	switch n.filesystem {
	case "":
	case "tmpfs", "ramfs":
		notes = append(notes, "The directory is on "+n.filesystem+", which is in memory.")
	default:
		notes = append(notes, "The directory is on "+n.filesystem+", a file system served by another machine or process.")
	}
	if n.outside > 0 {
		notes = append(notes, "Before each download, the file was written to disk and dropped from the page cache; this "+
			"time is not measured.")
	}
	if n.inside > 0 {
		notes = append(notes, "The file was written to disk and dropped from the page cache when it was opened for "+
			"download; this time is part of open-for-download.")
	}
	if n.kept > 0 {
		notes = append(notes,
			"A file could not be dropped from the page cache: part of the download measures memory bandwidth.")
	}
	return notes
}

// Check looks at everything that could keep a file of this size from being written.
func (s *fileStore) Check(ctx context.Context, path string, size int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	there, err := target(path)
	if err != nil {
		return err
	}
	if limit, ok := fileLimit(); ok && size > limit {
		return store.Fail(store.TooLarge, "%s: a file of %d bytes exceeds this process's limit of %d bytes",
			path, size, limit).
			WithHint("raise the limit with 'ulimit -f', or use a smaller size")
	}
	dir := filepath.Dir(filepath.FromSlash(path))
	if err := writable(dir, true); err != nil {
		return explain("creating files in", dir, err)
	}
	if there != nil {
		if err := writable(filepath.FromSlash(path), false); err != nil {
			return explain("writing to", path, err)
		}
	}
	s.look(dir)
	free, ok := freeSpace(dir)
	if there != nil {
		free += there.Size() // which will be replaced
	}
	if ok && size > free {
		return store.Fail(store.DiskFull, "%s: %d bytes do not fit: %d bytes are free", path, size, free).
			WithHint("use a smaller size, or a directory on a larger file system")
	}
	return nil
}

// look notes which filesystem the directory lies on.
func (s *fileStore) look(dir string) {
	name := filesystem(dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.filesystem = name
}

// target makes sure that a file can be made at path, and gives the one that is there.
func target(path string) (fs.FileInfo, error) {
	name := filepath.FromSlash(path)
	info, err := os.Lstat(name)
	switch {
	case err == nil:
		return info, regular(info, path)
	case errors.Is(err, fs.ErrNotExist), isNotDirectory(err):
	default:
		return nil, explain("checking", path, err)
	}
	dir := filepath.Dir(name)
	parent, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, store.Fail(store.NoBucket, "%s: directory %s does not exist", path, dir).WithHint("mkdir -p %s", dir)
	}
	if err != nil || !parent.IsDir() { // what else there can be was found on the way to the file
		return nil, store.Fail(store.NoBucket, "%s: %s is not a directory", path, dir).
			WithHint("use a file in an existing directory")
	}
	return nil, nil
}

// regular refuses what is no file that can be written, read back and deleted.
func regular(info fs.FileInfo, path string) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return store.Fail("is-a-directory", "%s is a directory", path).WithHint("add a file name to the path")
	case mode&fs.ModeSymlink != 0:
		return store.Fail("not-a-file", "%s is a symbolic link, which is never written to", path).
			WithHint("use the path that it points to")
	default:
		return store.Fail("not-a-file", "%s is not a regular file but a %s", path, kind(mode)).
			WithHint("use a regular file; mem: measures the limit of Plimsoll itself")
	}
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "special file"
}

// Exists reports whether anything is there, broken links included. A directory is an error:
// it is in the way.
func (s *fileStore) Exists(ctx context.Context, path string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	info, err := os.Lstat(filepath.FromSlash(path))
	if errors.Is(err, fs.ErrNotExist) || isNotDirectory(err) {
		return false, nil
	}
	if err != nil {
		return false, explain("checking", path, err)
	}
	if info.IsDir() {
		return false, regular(info, path)
	}
	return true, nil
}

// Rename renames within a filesystem.
func (s *fileStore) Rename(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return explain("renaming to "+to+":", from, err)
	}
	return nil
}

// Delete removes a file, and nothing else.
func (s *fileStore) Delete(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := filepath.FromSlash(path)
	info, err := os.Lstat(name)
	if err == nil {
		if err := regular(info, path); err != nil {
			return err
		}
		err = os.Remove(name)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) || isNotDirectory(err) {
		return nil
	}
	return explain("deleting", path, err)
}

// Close has nothing to release.
func (s *fileStore) Close() error { return nil }
