package disk

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Walk lists the files in a directory and below it. Directories that cannot be read are an error.
func (s *fileStore) Walk(ctx context.Context, path string, each func(store.Object) bool) error {
	return filepath.WalkDir(filepath.FromSlash(path), func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !d.Type().IsRegular() {
			return explained("listing", name, err)
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return explained("listing", name, err)
		case !each(store.Object{Path: filepath.ToSlash(name), Size: info.Size()}):
			return fs.SkipAll
		}
		return nil
	})
}

func explained(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	return explain(doing, path, err)
}
