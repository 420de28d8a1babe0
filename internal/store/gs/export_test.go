package gs

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// OpenImpatient opens a bucket with short pauses between attempts.
func OpenImpatient(ctx context.Context, c store.Config) (store.Store, error) {
	return openWith(ctx, c, backoff.Between{First: time.Millisecond, Last: 10 * time.Millisecond})
}
