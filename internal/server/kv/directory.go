package kv

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"

	"github.com/plimsoll/plimsoll/internal/delta/files"
)

// Directory is a directory with delta files.
type Directory string

// Name is its path.
func (d Directory) Name() string { return string(d) }

// List gives the files in the directory, and not those below it.
func (d Directory) List(context.Context) ([]File, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var all []File
	for _, e := range entries {
		if _, ok := files.ParseName(e.Name()); !ok {
			continue // whatever it is, it is nothing to look at
		}
		info, err := os.Stat(filepath.Join(string(d), e.Name())) // of what a link leads to
		switch {
		case err == nil && info.Mode().IsRegular():
			all = append(all, File{e.Name(), version(info)})
		case os.IsNotExist(err) && e.Type()&fs.ModeSymlink == 0: // it has gone since
		case err != nil:
			// The other files are no worse for it: opening this one tells what is wrong.
			all = append(all, File{e.Name(), err.Error()})
		}
	}
	return all, nil
}

func version(info fs.FileInfo) string { return fmt.Sprint(info.Size(), info.ModTime().UnixNano()) }

// Open opens a file.
func (d Directory) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(d), name))
}

// Watch tells of changes as the system does.
func (d Directory) Watch(ctx context.Context, changed chan<- struct{}) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Add(string(d)); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-w.Events:
			if !ok {
				return nil
			}
		case _, ok := <-w.Errors: // events were lost: something has changed
			if !ok {
				return nil
			}
		}
		select {
		case changed <- struct{}{}:
		default: // a scan is to come already
		}
	}
}
