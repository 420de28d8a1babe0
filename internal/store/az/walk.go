package az

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Walk lists the blobs whose name begins with a prefix.
func (s *az) Walk(ctx context.Context, path string, each func(store.Object) bool) error {
	prefix := strings.TrimPrefix(path, "/")
	pages := s.container.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &prefix})
	for pages.More() {
		page, err := pages.NextPage(s.call(ctx, "ListBlobs"))
		if err != nil {
			return s.fail(ctx, err, prefix)
		}
		if page.Segment == nil {
			return store.Fail(store.Protocol, "az://%s/%s: the response is not a list of blobs", s.account.container, prefix)
		}
		for _, b := range page.Segment.BlobItems {
			if b.Name == nil || b.Properties == nil || b.Properties.ContentLength == nil {
				continue
			}
			if !each(store.Object{Path: "/" + *b.Name, Size: *b.Properties.ContentLength}) {
				return nil
			}
		}
	}
	return nil
}
