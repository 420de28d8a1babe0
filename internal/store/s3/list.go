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
	var next *string
	for {
		page, err := b.list(ctx, prefix, next)
		if err != nil {
			return nil, err
		}
		if page.Name == nil && page.IsTruncated == nil { // the SDK takes any answer for a list without entries
			return nil, answerError("the answer is not a list of objects")
		}
		for _, o := range page.Contents {
			name := strings.TrimPrefix(aws.ToString(o.Key), prefix)
			if name == "" || strings.Contains(name, "/") {
				continue // the directory's own marker; or a server that does not know delimiters
			}
			version := fmt.Sprint(aws.ToString(o.ETag), " ", aws.ToInt64(o.Size), " ",
				aws.ToTime(o.LastModified).UnixNano())
			all = append(all, store.Entry{Name: name, Size: aws.ToInt64(o.Size), Version: version})
		}
		if len(all) > maxListed {
			return nil, store.Fail(store.Unsupported, "ListObjectsV2 %s: more than %d objects",
				b.name(prefix), maxListed)
		}
		if !aws.ToBool(page.IsTruncated) {
			return all, nil
		}
		if on := aws.ToString(page.NextContinuationToken); on == "" || on == aws.ToString(next) {
			return nil, answerError("the list goes on, and the answer does not say where")
		}
		next = page.NextContinuationToken
	}
}

func (b *bucket) list(ctx context.Context, prefix string, next *string) (page *s3.ListObjectsV2Output, err error) {
	err = b.do(ctx, "ListObjectsV2", prefix, func(ctx context.Context, c *client) (err error) {
		page, err = c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
			Bucket: &b.settings.bucket, Prefix: &prefix, Delimiter: aws.String("/"), ContinuationToken: next,
		})
		return err
	})
	return page, err
}
