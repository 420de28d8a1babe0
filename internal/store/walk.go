package store

import "context"

// Walker is a Store that can list the files below a place.
type Walker interface {
	// Walk calls each for every file whose path begins with prefix, which ends with a slash, those in directories below it
	// too, until each returns false. What is no file with a content, such as a symbolic link, is left out.
	Walk(ctx context.Context, prefix string, each func(Object) bool) error
}

// Object is a file of a Walk.
type Object struct {
	Path string // as the store takes it
	Size int64
}
