package sftp

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Check looks at everything that could keep a file of this size from being written, but for
// permissions, which a client cannot know.
func (s *sftpStore) Check(ctx context.Context, path string, size int64) error {
	return s.withConnection(ctx, "checking", path, func(c *connection) error {
		there, err := s.inTheWay(c, path)
		if err != nil {
			return err
		}
		if free, ok := c.free(dirOf(path)); ok && size > free+there {
			return store.Fail(store.DiskFull, "%s: %d bytes do not fit: the server has %d bytes free",
				s.show(path), size, free+there).
				WithHint("use a smaller size, or a directory on a larger file system")
		}
		return nil
	})
}

func dirOf(name string) string { return path.Dir(name) }

// inTheWay makes sure that a file can be made at path, and gives the size of the one that is
// there.
func (s *sftpStore) inTheWay(c *connection, path string) (int64, error) {
	info, err := c.sftp.Lstat(path)
	if err == nil {
		return info.Size(), s.regular(info, path)
	}
	if !errors.Is(err, fs.ErrNotExist) && !isFailure(err) { // ENOTDIR is a failure
		return 0, err
	}
	dir := dirOf(path)
	parent, err := c.sftp.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), isFailure(err):
		return 0, store.Fail(store.NoBucket, "%s: directory %s does not exist on the server", s.show(path), dir).
			WithHint("create it there: mkdir -p %s", dir)
	case err != nil:
		return 0, err
	case !parent.IsDir():
		return 0, store.Fail(store.NoBucket, "%s: %s is not a directory", s.show(path), dir).
			WithHint("use a file in an existing directory")
	}
	return 0, nil
}

// regular refuses what is no file that can be written, read back and deleted.
func (s *sftpStore) regular(info fs.FileInfo, path string) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return store.Fail("is-a-directory", "%s is a directory", s.show(path)).WithHint("add a file name to the path")
	case mode&fs.ModeSymlink != 0:
		return store.Fail("not-a-file", "%s is a symbolic link, which is never written to", s.show(path)).
			WithHint("use the path that it points to")
	}
	return store.Fail("not-a-file", "%s is not a regular file", s.show(path)).WithHint("use a regular file")
}

// Exists reports whether anything is there. A directory is an error: it is in the way.
func (s *sftpStore) Exists(ctx context.Context, path string) (bool, error) {
	var there bool
	err := s.withConnection(ctx, "checking", path, func(c *connection) error {
		info, err := c.sftp.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || isFailure(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.IsDir() {
			return s.regular(info, path)
		}
		there = true
		return nil
	})
	return there && err == nil, err
}

// Rename replaces a file that is there, where the server knows posix-rename@openssh.com.
func (s *sftpStore) Rename(ctx context.Context, from, to string) error {
	return s.withConnection(ctx, "renaming", from, func(c *connection) error {
		if _, ok := c.sftp.HasExtension("posix-rename@openssh.com"); ok {
			return c.sftp.PosixRename(from, to)
		}
		return c.sftp.Rename(from, to)
	})
}

// Delete removes a file, and nothing else.
func (s *sftpStore) Delete(ctx context.Context, path string) error {
	return s.withConnection(ctx, "deleting", path, func(c *connection) error {
		info, err := c.sftp.Lstat(path)
		if err == nil {
			if err := s.regular(info, path); err != nil {
				return err
			}
			err = c.sftp.Remove(path) // which would also remove a directory
		}
		if errors.Is(err, fs.ErrNotExist) || isFailure(err) && info == nil {
			return nil
		}
		return err
	})
}
