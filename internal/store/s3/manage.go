package s3

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/plimsoll/plimsoll/internal/store"
)

// The limits of S3. Those of other servers are mostly the same.
const (
	maxParts  = 10_000
	maxObject = 5 << 40
	maxPart   = 5 << 30
	minPart   = 5 << 20 // but for the last one
)

// maxWhole bounds the memory of files that are sent in one request each, which are held in it until their answer.
const maxWhole = 4 << 30

// Check makes sure that an object of this size can be written, as far as that can be known.
func (b *bucket) Check(ctx context.Context, path string, size int64) error {
	if err := b.fits(path, size); err != nil {
		return err
	}
	err := b.do(ctx, "HeadBucket", "", func(ctx context.Context, c *client) error {
		_, err := c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.settings.bucket})
		return err
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	status, ok := statusOf(err)
	if !ok || status == http.StatusNotFound || status >= http.StatusInternalServerError {
		return err
	}
	// The answer to a HEAD has no room for a reason.
	return b.why(ctx, keyOf(path))
}

// why asks again in a way that is answered with a reason. Who may not list the bucket may
// still write to it: then there is none, and writing says the rest.
func (b *bucket) why(ctx context.Context, key string) error {
	err := b.do(ctx, "ListObjectsV2", "", func(ctx context.Context, c *client) error {
		_, err := c.ListObjectsV2(ctx,
			&s3.ListObjectsV2Input{Bucket: &b.settings.bucket, Prefix: &key, MaxKeys: aws.Int32(1)})
		return err
	})
	if codeOf(err) == "AccessDenied" {
		return nil
	}
	return err
}

// fits says what is wrong with a path, or with a size and the part size in use.
func (b *bucket) fits(path string, size int64) error {
	part := b.settings.partOf(size)
	key := keyOf(path)
	switch {
	case key == "":
		return store.Fail(store.NoFile, "the URL names no object in bucket %s", b.settings.bucket).
			WithHint("write s3://%s/some/path", b.settings.bucket)
	case store.Dotted(key):
		return store.Fail(store.Other, "the name %q contains . or .. between slashes, which some servers interpret as a path",
			key).WithHint("use a name without . and .. between slashes")
	case len(key) > 1024:
		return store.Fail(store.Other, "the object name has %d bytes; S3 allows 1,024", len(key))
	case size > maxObject:
		return store.Fail(store.TooLarge, "%d bytes exceed S3's limit of %d bytes (5 TiB) for an object",
			size, int64(maxObject)).
			WithHint("use a size of at most 5TiB")
	case size < b.settings.whole && size > b.settings.partSize && size > maxWhole/int64(b.settings.files):
		return store.Fail(store.TooLarge, "%d bytes are below fs.s3a.multipart.threshold, so each file is held in memory "+
			"for a single request: %d such files exceed the limit of %d bytes (4 GiB)", size, b.settings.files,
			int64(maxWhole)).WithHint("lower fs.s3a.multipart.threshold, or use fewer --streams")
	case part > maxPart && size > maxPart:
		return store.Fail(store.TooLarge, "a part size of %d bytes exceeds S3's limit of %d bytes (5 GiB)",
			part, int64(maxPart)).
			WithHint("%s", b.enough(size))
	case size > part && (size+part-1)/part > maxParts:
		return store.Fail(store.TooLarge, "%d bytes are %d parts of %d bytes; S3 allows %d",
			size, (size+part-1)/part, part, maxParts).
			WithHint("%s", b.enough(size))
	case size > part && part < minPart && b.own:
		return store.Fail(store.Other, "a part size of %d bytes is below S3's minimum of %d bytes (5 MiB)",
			part, int64(minPart)).
			WithHint("%s", b.enough(size))
	}
	return nil
}

// enough names the smallest part size that does, in whole MiB.
func (b *bucket) enough(size int64) string {
	need := max((size+maxParts-1)/maxParts, minPart)
	mib := (need + 1<<20 - 1) >> 20
	if !b.settings.partFlag {
		return fmt.Sprintf("use --block %dMiB or more, or --part-size %dMiB", mib, mib)
	}
	return fmt.Sprintf("use --part-size %dMiB", mib)
}

// Delete removes an object.
func (b *bucket) Delete(ctx context.Context, path string) error {
	key := keyOf(path)
	err := b.do(ctx, "DeleteObject", key, func(ctx context.Context, c *client) error {
		_, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.settings.bucket, Key: &key})
		return err
	})
	if store.CauseOf(err) == store.NoFile {
		return nil
	}
	return err
}

// Rename copies an object and deletes it.
func (b *bucket) Rename(ctx context.Context, from, to string) error {
	head, err := b.head(ctx, keyOf(from))
	if err != nil {
		return err
	}
	copied := &upload{bucket: b, key: keyOf(to), size: *head.ContentLength}
	source := b.settings.bucket + "/" + escape(keyOf(from))
	if copied.size <= maxPart {
		err = copied.copyWhole(ctx, source, head.ETag)
	} else {
		err = copied.copyParts(ctx, source, head.ETag, copyPart)
	}
	if err != nil {
		return err
	}
	return b.Delete(ctx, from)
}

// escape writes a key as the header of a copy's source wants it.
func escape(key string) string {
	parts := strings.Split(key, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(p), "+", "%20")
	}
	return strings.Join(parts, "/")
}

// copyWhole copies an object in one request.
func (u *upload) copyWhole(ctx context.Context, source string, etag *string) error {
	return u.do(ctx, "CopyObject", u.key, func(ctx context.Context, c *client) error {
		out, err := c.CopyObject(ctx, &s3.CopyObjectInput{
			Bucket: &u.settings.bucket, Key: &u.key, CopySource: &source, CopySourceIfMatch: etag,
			ACL: u.settings.acl, StorageClass: u.settings.storage,
			ServerSideEncryption: u.settings.encrypt, SSEKMSKeyId: optional(u.settings.kmsKey),
		})
		if err == nil && out.CopyObjectResult == nil {
			return answerError("the response does not confirm that the object was copied")
		}
		return err
	})
}

// copyPart is the size of the parts that a large object is copied in. They move inside of the
// server; larger ones take longer than some timeouts.
const copyPart = 1 << 30

// copyParts copies an object that is too large for one request.
func (u *upload) copyParts(ctx context.Context, source string, etag *string, part int64) error {
	err := u.do(ctx, "CreateMultipartUpload", u.key, func(ctx context.Context, c *client) error {
		id, err := u.createUpload(ctx, c, "")
		u.id = id
		return err
	})
	if err != nil {
		return err
	}
	n, err := u.copyAll(ctx, source, etag, part)
	if err == nil {
		err = u.Complete(ctx, n)
	}
	if err != nil {
		if left := u.Abort(ctx); left != nil {
			return fmt.Errorf("%w; the copy could not be removed: %w", err, left)
		}
	}
	return err
}

// copyAll copies the parts, as many at the same time as are uploaded at the same time. The
// first error ends the others.
func (u *upload) copyAll(ctx context.Context, source string, etag *string, part int64) (parts int, _ error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var flying sync.WaitGroup
	places := make(chan struct{}, u.settings.active)
	for at := int64(0); at < u.size; at += part {
		parts++
		number, last := int32(parts), min(at+part, u.size)-1
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			flying.Wait()
			return parts, context.Cause(ctx)
		}
		flying.Go(func() {
			defer func() { <-places }()
			if err := u.copyOne(ctx, source, etag, number, fmt.Sprintf("bytes=%d-%d", at, last)); err != nil {
				cancel(err)
			}
		})
	}
	flying.Wait()
	return parts, context.Cause(ctx)
}

func (u *upload) copyOne(ctx context.Context, source string, etag *string, number int32, span string) error {
	return u.do(ctx, "UploadPartCopy", u.key, func(ctx context.Context, c *client) error {
		out, err := c.UploadPartCopy(ctx, &s3.UploadPartCopyInput{
			Bucket: &u.settings.bucket, Key: &u.key, UploadId: u.id, PartNumber: &number,
			CopySource: &source, CopySourceIfMatch: etag, CopySourceRange: &span,
		})
		switch {
		case err != nil:
			return err
		case out.CopyPartResult == nil || aws.ToString(out.CopyPartResult.ETag) == "":
			return errNoETag
		}
		u.add(types.CompletedPart{PartNumber: &number, ETag: out.CopyPartResult.ETag})
		return nil
	})
}
