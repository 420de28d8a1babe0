package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Walk lists the objects whose key begins with a prefix.
func (b *bucket) Walk(ctx context.Context, path string, each func(store.Object) bool) error {
	prefix := keyOf(path)
	return b.pages(ctx, prefix, "", func(page *s3.ListObjectsV2Output) bool {
		for _, o := range page.Contents {
			if !each(store.Object{Path: "/" + aws.ToString(o.Key), Size: aws.ToInt64(o.Size)}) {
				return false
			}
		}
		return true
	})
}

// pages asks for the pages of a list, until each returns false. Behind a delimiter, if there is one, nothing is listed.
func (b *bucket) pages(
	ctx context.Context, prefix, delimiter string, each func(*s3.ListObjectsV2Output) bool,
) error {
	var next *string
	for {
		page, err := b.list(ctx, prefix, delimiter, next)
		if err != nil {
			return err
		}
		if page.Name == nil && page.IsTruncated == nil { // the SDK takes any answer for a list without entries
			return answerError("the response is not a list of objects")
		}
		if !each(page) || !aws.ToBool(page.IsTruncated) {
			return nil
		}
		if on := aws.ToString(page.NextContinuationToken); on == "" || on == aws.ToString(next) {
			return answerError("the list is truncated, but the response has no continuation marker")
		}
		next = page.NextContinuationToken
	}
}
