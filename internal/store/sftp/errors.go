package sftp

import (
	"errors"
	"io"
	"io/fs"
	"path"

	"github.com/pkg/sftp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// failure is SFTP's error for everything that has no code of its own, a full disk included.
const (
	failure          = 4
	connectionLost   = 7
	operationMissing = 8
)

// explain makes a store's error of one of the library.
func (s *sftpStore) explain(c *connection, doing, at string, err error) *store.Error {
	var known *store.Error
	if errors.As(err, &known) {
		return known
	}
	where := doing + " " + s.show(at)
	var status *sftp.StatusError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return store.Fail(store.NoFile, "%s: no such file or directory", where)
	case errors.Is(err, fs.ErrPermission):
		return store.Fail(store.AccessDenied, "%s: permission denied", where).
			WithHint("use a directory and a file that %s can read and write", s.login.user)
	case !c.alive(), errors.Is(err, sftp.ErrSSHFxConnectionLost), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &status) && status.Code == connectionLost:
		return store.Fail(store.Reset, "%s: the connection was lost", where).WithHint("see the server's log")
	case errors.As(err, &status) && status.Code == operationMissing:
		return store.Fail(store.Unsupported, "%s: the server does not support this operation", where)
	case errors.As(err, &status) && status.Code == failure:
		if free, ok := c.free(path.Dir(at)); ok && free < s.block {
			return store.Fail(store.DiskFull, "%s: the server's disk is full", where).
				WithHint("free disk space there, or use a smaller size")
		}
		return store.Fail("failure", "%s: the server reported a failure without a reason", where).
			WithHint("see the server's log")
	}
	return store.Fail(store.CauseOf(err), "%s: %w", where, err)
}

// free is what is free on the filesystem of a directory, if the server can say it.
func (c *connection) free(dir string) (int64, bool) {
	if _, ok := c.sftp.HasExtension("statvfs@openssh.com"); !ok {
		return 0, false
	}
	v, err := c.sftp.StatVFS(dir)
	if err != nil || v.Blocks == 0 {
		return 0, false
	}
	free := v.Frsize * v.Bavail
	if v.Bavail != 0 && free/v.Bavail != v.Frsize || free > 1<<62 {
		return 1 << 62, true
	}
	return int64(free), true
}
