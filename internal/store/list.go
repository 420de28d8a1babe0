package store

import "context"

// Lister is a Store that can tell which files there are.
type Lister interface {
	// List gives the files directly below a path, which is that of a directory, in the order of
	// their names.
	List(ctx context.Context, path string) ([]Entry, error)
}

// Entry is a file of a list.
type Entry struct {
	Name    string // behind the path
	Size    int64
	Version string // another one when the content is another
}
