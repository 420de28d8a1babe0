package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Uploads lists the uploads of several parts that were begun and are not over.
func (b *bucket) Uploads(ctx context.Context, prefix string) ([]store.Upload, error) {
	key := keyOf(prefix)
	var all []store.Upload
	in := &s3.ListMultipartUploadsInput{Bucket: &b.settings.bucket, Prefix: &key}
	for {
		var page *s3.ListMultipartUploadsOutput
		err := b.do(ctx, "ListMultipartUploads", key, func(ctx context.Context, c *client) (err error) {
			page, err = c.ListMultipartUploads(ctx, in)
			return err
		})
		if err != nil {
			return nil, err
		}
		if page.Bucket == nil && page.IsTruncated == nil { // the SDK takes any answer for a list without entries
			return nil, store.Fail(store.Protocol,
				"ListMultipartUploads %s: the response is not a list of uploads", b.name(key))
		}
		for _, u := range page.Uploads {
			all = append(all, store.Upload{
				Path: "/" + aws.ToString(u.Key), ID: aws.ToString(u.UploadId), Begun: aws.ToTime(u.Initiated),
			})
		}
		switch next, id := aws.ToString(page.NextKeyMarker), aws.ToString(page.NextUploadIdMarker); {
		case len(all) > maxListed:
			return nil, store.Fail(store.Unsupported, "ListMultipartUploads %s: more than %d uploads", b.name(key), maxListed)
		case !aws.ToBool(page.IsTruncated):
			return all, nil
		case next == "" || next == aws.ToString(in.KeyMarker) && id == aws.ToString(in.UploadIdMarker):
			return nil, store.Fail(store.Protocol,
				"ListMultipartUploads %s: the list is truncated, but the response has no continuation marker", b.name(key))
		default:
			in.KeyMarker, in.UploadIdMarker = page.NextKeyMarker, page.NextUploadIdMarker
		}
	}
}

// GiveUp discards the parts of an upload.
func (b *bucket) GiveUp(ctx context.Context, u store.Upload) error {
	return (&upload{bucket: b, key: keyOf(u.Path), id: &u.ID}).Abort(ctx)
}
