package sftp

import (
	"context"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Walk lists the files in a directory and below it. Directories that cannot be read are an error.
func (s *sftpStore) Walk(ctx context.Context, path string, each func(store.Object) bool) error {
	c, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer s.give(c)
	for walker := c.sftp.Walk(path); ; {
		more := false
		err := s.call(ctx, c, "listing", path, func() error {
			more = walker.Step()
			return walker.Err()
		})
		if err != nil || !more {
			return err
		}
		if info := walker.Stat(); info.Mode().IsRegular() && !each(store.Object{Path: walker.Path(), Size: info.Size()}) {
			return nil
		}
	}
}
