package store

import (
	"context"
	"time"
)

// Upload is one that was begun and neither completed nor given up: its parts are there, cost money, and are in no list
// of files.
type Upload struct {
	Path  string // of the file that it was to be
	ID    string // the store's
	Begun time.Time
}

// UploadKeeper is a Store that keeps such uploads for as long as nobody gives them up.
type UploadKeeper interface {
	// Uploads lists those of files whose path begins so, in the order of the store.
	Uploads(ctx context.Context, prefix string) ([]Upload, error)
	// GiveUp discards one. One that is not there is no error.
	GiveUp(ctx context.Context, u Upload) error
}
