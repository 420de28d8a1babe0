package gs

import (
	"context"
	"errors"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Walk lists the objects whose name begins with a prefix.
func (s *gs) Walk(ctx context.Context, path string, each func(store.Object) bool) error {
	prefix := strings.TrimPrefix(path, "/")
	query := &storage.Query{Prefix: prefix, Projection: storage.ProjectionNoACL}
	if err := query.SetAttrSelection([]string{"Name", "Size"}); err != nil {
		return store.Fail(store.Other, "invalid query: %w", err)
	}
	callCtx, _, retry := s.call(ctx, "ListObjects")
	for objects := s.bucketOf(retry).Objects(callCtx, query); ; {
		o, err := objects.Next()
		switch {
		case errors.Is(err, iterator.Done):
			return nil
		case err != nil:
			return s.fail(ctx, err, prefix)
		case !each(store.Object{Path: "/" + o.Name, Size: o.Size}):
			return nil
		}
	}
}
