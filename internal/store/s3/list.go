package s3

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/internal/store"
)

// maxListed bounds the memory of a list.
const maxListed = 1_000_000

// List gives the objects whose key is the path, a slash, and a name without one.
func (b *bucket) List(ctx context.Context, path string) ([]store.Entry, error) {
	prefix := strings.Trim(path, "/")
	if prefix != "" {
		prefix += "/"
	}
	var all []store.Entry
	err := b.pages(ctx, prefix, "/", func(page *s3.ListObjectsV2Output) bool {
		for _, o := range page.Contents {
			name := strings.TrimPrefix(aws.ToString(o.Key), prefix)
			if name == "" || strings.Contains(name, "/") {
				continue // the directory's own marker; or a server that does not know delimiters
			}
			version := fmt.Sprint(aws.ToString(o.ETag), " ", aws.ToInt64(o.Size), " ",
				aws.ToTime(o.LastModified).UnixNano())
			all = append(all, store.Entry{Name: name, Size: aws.ToInt64(o.Size), Version: version})
		}
		return len(all) <= maxListed
	})
	switch {
	case err != nil:
		return nil, err
	case len(all) > maxListed:
		return nil, store.Fail(store.Unsupported, "ListObjectsV2 %s: more than %d objects",
			b.name(prefix), maxListed)
	}
	return all, nil
}

func (b *bucket) list(
	ctx context.Context, prefix, delimiter string, next *string,
) (page *s3.ListObjectsV2Output, err error) {
	err = b.do(ctx, "ListObjectsV2", prefix, func(ctx context.Context, c *client) (err error) {
		page, err = c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
			Bucket: &b.settings.bucket, Prefix: &prefix, Delimiter: optional(delimiter), ContinuationToken: next,
		})
		return err
	})
	return page, err
}
