package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/plimsoll/plimsoll/internal/store"
)

// explain makes a store's error of one of the system.
func explain(doing, path string, err error) *store.Error {
	var known *store.Error
	if errors.As(err, &known) {
		return known
	}
	bare := withoutPath(err)
	fail := func(cause string) *store.Error { return store.Fail(cause, "%s %s: %w", doing, path, bare) }
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fail(store.DiskFull).WithHint("use a smaller size, or a directory on a larger filesystem")
	case errors.Is(err, syscall.EDQUOT):
		return fail(store.DiskFull).WithHint("your quota on this filesystem is used up; use a smaller size")
	case errors.Is(err, syscall.EFBIG):
		return fail(store.TooLarge).WithHint("the filesystem or 'ulimit -f' allows no larger file; use a smaller size")
	case errors.Is(err, syscall.EROFS):
		return fail(store.AccessDenied).WithHint("the filesystem is read-only; use a directory on another")
	case errors.Is(err, fs.ErrPermission):
		return fail(store.AccessDenied).WithHint("use a directory and a file that this user may write and read")
	case errors.Is(err, syscall.EXDEV):
		return fail(store.Unsupported).WithHint("a file cannot be renamed onto another filesystem; name both on one")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fail("name-too-long").WithHint("use a shorter name")
	case errors.Is(err, syscall.EISDIR):
		return fail("is-a-directory").WithHint("name a file in it")
	case errors.Is(err, fs.ErrNotExist):
		return fail(store.NoFile)
	case errors.Is(err, syscall.EIO):
		return fail("input-output").WithHint("the disk failed; see the kernel's log")
	}
	return fail(store.CauseOf(err))
}

// withoutPath takes the system's error out of one that repeats the call and the path.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func isNotDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
