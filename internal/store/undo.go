package store

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
)

// lateness is how long a service may take to complete an object whose request was given up with
// all of its bytes sent.
const lateness = 500 * time.Millisecond

// Undo removes an object of whose upload it is not known whether it came to its end. It looks for
// it twice; look gives what removes it, or nil when what is there is not of that upload.
func Undo(ctx context.Context, look func(context.Context) (remove func(context.Context) error, err error)) error {
	for again := range 2 {
		if again > 0 && !backoff.Sleep(ctx, lateness) {
			return ctx.Err()
		}
		remove, err := look(ctx)
		switch CauseOf(err) {
		case "":
			if remove != nil {
				return remove(ctx)
			}
		case NoFile:
		case NoBucket, AccessDenied, NoCredentials: // who may not look could not make it either
			return nil
		default:
			return err
		}
	}
	return nil
}
