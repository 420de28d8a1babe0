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
		return fail(store.DiskFull).WithHint("use a smaller size, or a directory on a larger file system")
	case errors.Is(err, syscall.EDQUOT):
		return fail(store.DiskFull).WithHint("your disk quota is used up; use a smaller size, or another file system")
	case errors.Is(err, syscall.EFBIG):
		return fail(store.TooLarge).WithHint("the file system or 'ulimit -f' limits the file size; use a smaller size")
	case errors.Is(err, syscall.EROFS):
		return fail(store.AccessDenied).WithHint("the file system is read-only; use a directory on another one")
	case errors.Is(err, fs.ErrPermission):
		return fail(store.AccessDenied).WithHint("use a directory and a file that this user can read and write")
	case errors.Is(err, syscall.EXDEV):
		return fail(store.Unsupported).WithHint("a rename cannot cross file systems; use paths on the same one")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fail("name-too-long").WithHint("use a shorter name")
	case errors.Is(err, syscall.EISDIR):
		return fail("is-a-directory").WithHint("add a file name to the path")
	case errors.Is(err, fs.ErrNotExist):
		return fail(store.NoFile)
	case errors.Is(err, syscall.EIO):
		return fail("input-output").WithHint("the disk reported an error; see the kernel log")
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
