package hdfs

import (
	"context"
	"errors"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/colinmarc/hdfs/v2"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// Store is an HDFS.
type Store struct {
	config      *config
	block       int64 // bytes of a Write
	replication int
	blockSize   int64

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// layout finds out with how many copies and in which blocks files are written.
func (s *Store) layout(ctx context.Context, settings *hadoop.Settings) error {
	size, sized, err := settings.Size("dfs.blocksize")
	if err == nil && sized && (size < 512 || size%512 != 0) {
		err = store.Fail(store.Other, "dfs.blocksize is %d, which is not a multiple of 512", size)
	}
	if err != nil {
		return store.Fail(store.Other, "%w", err).WithHint("set it to a multiple of 1m, such as 128m")
	}
	copies, counted, err := settings.Int("dfs.replication")
	if err == nil && counted && (copies < 1 || copies > 512) {
		err = store.Fail(store.Other, "dfs.replication is %d, which is out of range", copies)
	}
	if err != nil {
		return store.Fail(store.Other, "%w", err).WithHint("set it to a number from 1 to 512")
	}
	return s.runInSession(ctx, "asking the namenode for its defaults", func(x *session) error {
		d, err := x.client.ServerDefaults()
		if err != nil {
			return err
		}
		s.blockSize, s.replication = size, int(copies)
		if !sized {
			s.blockSize = d.BlockSize
		}
		if !counted {
			s.replication = d.Replication
		}
		if s.blockSize < 1 || s.replication < 1 {
			return store.Fail(store.Protocol, "the namenode's defaults are invalid: block size %d bytes, replication %d",
				s.blockSize, s.replication)
		}
		return nil
	})
}

// take gives a session, a used one if there is one.
func (s *Store) take(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	for {
		s.mu.Lock()
		n := len(s.idle)
		if n == 0 {
			s.mu.Unlock()
			return connect(ctx, s.config)
		}
		x := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		if x.whole() {
			x.reset()
			return x, nil
		}
		x.close()
	}
}

// give takes a session back, if it can be used again.
func (s *Store) give(x *session) {
	s.mu.Lock()
	keep := !s.closed && x.whole()
	if keep {
		s.idle = append(s.idle, x)
	}
	s.mu.Unlock()
	if !keep {
		x.close()
	}
}

// beginInSession runs an operation in a session, and gives the session when there was no error.
func (s *Store) beginInSession(ctx context.Context, doing string, run func(*session) error) (*session, error) {
	for again := len(s.config.addresses) > 1; ; again = false {
		x, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		release := x.bind(ctx)
		err = x.explain(x.guard(func() error { return run(x) }), doing)
		release()
		if err == nil {
			return x, nil
		}
		// The library does not go back to a namenode that was standby a moment ago; a new session
		// asks all of them.
		retry := again && store.CauseOf(err) == standby
		if retry {
			x.noteFault(err, true)
		}
		s.give(x)
		if !retry {
			return nil, err
		}
	}
}

// runInSession runs one operation in a session.
func (s *Store) runInSession(ctx context.Context, doing string, run func(*session) error) error {
	x, err := s.beginInSession(ctx, doing, run)
	if err == nil {
		s.give(x)
	}
	return err
}

// Close ends the sessions.
func (s *Store) Close() error {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, x := range idle {
		x.close()
	}
	if krb := s.config.options.KerberosClient; krb != nil {
		krb.Destroy()
	}
	return nil
}

// Describe tells what is in use.
func (s *Store) Describe() store.Description {
	notes := []string{
		"Files are written in blocks of " + strconv.FormatInt(s.blockSize, 10) + " bytes (dfs.blocksize), each to " +
			strconv.Itoa(s.replication) + " datanodes (dfs.replication); at the end of each block the " +
			"client waits for all of them.",
		"The user is " + s.config.options.User + ".",
		"A range read requests the rest of the block and closes the connection when it has the range.",
		"Requests are not retried; reads continue from another datanode or over a new connection.",
	}
	return store.Description{
		Client:    "github.com/colinmarc/hdfs/v2",
		Endpoint:  "hdfs://" + strings.Join(s.config.addresses, ","),
		Integrity: "CRC-32C of every 512 bytes, verified by the datanodes and by the client",
		Notes:     append(notes, s.config.notes...),
	}
}

// clean is a path as the namenode takes it.
func clean(p string) string { return path.Clean("/" + p) }

// Check makes sure that the directory is there and has space. Whether the user may write to
// it only Create finds out: the library cannot ask.
func (s *Store) Check(ctx context.Context, p string, size int64) error {
	p = clean(p)
	dir := path.Dir(p)
	return s.runInSession(ctx, "checking "+p, func(x *session) error {
		info, err := x.client.Stat(dir)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return store.Fail(store.NoBucket, "%s: directory %s does not exist", p, dir).
				WithHint("run 'hdfs dfs -mkdir -p %s'", dir)
		case err != nil:
			return err
		case !info.IsDir():
			return store.Fail(store.NoBucket, "%s: %s is not a directory", p, dir).
				WithHint("use a file in an existing directory")
		}
		if err := plain(dir, info); err != nil {
			return err
		}
		if _, err := stat(x, p); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		fs, err := x.client.StatFs()
		if err != nil {
			return err
		}
		if need := float64(size) * float64(s.replication); need > float64(fs.Remaining) {
			return store.Fail(store.DiskFull, "%s: %d bytes in %d copies exceed the %d bytes free",
				p, size, s.replication, fs.Remaining).
				WithHint("use a smaller size, or set dfs.replication=1")
		}
		return nil
	})
}

// plain refuses what the library would read and write wrongly: the bytes of an encryption
// zone, and files that are spread over datanodes by erasure coding.
func plain(p string, info os.FileInfo) error {
	const encrypted, erasure = 2, 4 // of HdfsFileStatusProto.Flags
	status, ok := info.Sys().(*hdfs.FileStatus)
	switch {
	case !ok:
		return nil
	case status.GetFlags()&encrypted != 0 || status.GetFileEncryptionInfo() != nil:
		return store.Fail(store.Unsupported, "%s is in an encryption zone", p).
			WithHint("use a directory outside the encryption zone")
	case status.GetFlags()&erasure != 0 || status.GetEcPolicy() != nil:
		return store.Fail(store.Unsupported, "%s is erasure-coded", p).WithHint("use a replicated directory")
	}
	return nil
}

// stat is the size of a file.
func stat(x *session, p string) (int64, error) {
	info, err := x.client.Stat(p)
	if err != nil {
		return 0, err
	}
	if info.IsDir() {
		return 0, store.Fail("is-a-directory", "%s is a directory", p).WithHint("add a file name to the path")
	}
	return info.Size(), nil
}

// Exists reports whether there is a file. A directory is an error.
func (s *Store) Exists(ctx context.Context, p string) (there bool, err error) {
	p = clean(p)
	err = s.runInSession(ctx, "checking "+p, func(x *session) error {
		_, err := stat(x, p)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		there = err == nil
		return err
	})
	return there, err
}

// Rename renames a file, and replaces one that has the new name.
func (s *Store) Rename(ctx context.Context, from, to string) error {
	from, to = clean(from), clean(to)
	return s.runInSession(ctx, "renaming "+from+" to "+to, func(x *session) error { return x.client.Rename(from, to) })
}

// Delete removes a file.
func (s *Store) Delete(ctx context.Context, p string) error {
	p = clean(p)
	return s.runInSession(ctx, "deleting "+p, func(x *session) error { return remove(x, p) })
}

// remove removes a file, and nothing if there is none. The library would remove an empty
// directory, too.
func remove(x *session, p string) error {
	_, err := stat(x, p)
	if err == nil {
		err = x.client.Remove(p)
	}
	if errors.Is(err, os.ErrNotExist) {
		x.answered(nil)
		return nil
	}
	return err
}
