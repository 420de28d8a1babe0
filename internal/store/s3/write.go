package s3

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Create begins an object. Nothing is sent before its first part is full.
func (b *bucket) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	if err := b.fits(path, size); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	u := &upload{bucket: b, key: keyOf(path), size: size}
	return store.NewPartWriter(ctx, u, b.slabs, size, b.settings.partOf(size), b.settings.block,
		b.settings.active), nil
}

// MakeAhead fills the memory that objects are written from.
func (b *bucket) MakeAhead(a store.Ahead) {
	b.slabs.MakeAhead(a, b.settings.partSize, b.settings.block, b.settings.active)
}

// upload is one object that is written: a PartStore.
type upload struct {
	*bucket
	key  string
	size int64
	id   *string // of the upload of several parts

	mu    sync.Mutex
	parts []types.CompletedPart
}

// PutWhole writes the object in one request.
func (u *upload) PutWhole(ctx context.Context, p *store.Part) error {
	if err := u.turns.take(ctx); err != nil {
		return err
	}
	defer u.turns.give()
	ctx = store.WithPart(ctx, p)
	made := u.settings.sum(p)
	return u.do(ctx, "PutObject", u.key, func(ctx context.Context, c *client) error {
		out, err := c.PutObject(ctx, &s3.PutObjectInput{
			Bucket: &u.settings.bucket, Key: &u.key, Body: p.Body(), ContentLength: aws.Int64(int64(len(p.Bytes()))),
			ChecksumCRC32C: made.crc32c, ChecksumSHA256: made.sha256,
			ACL: u.settings.acl, StorageClass: u.settings.storage,
			ServerSideEncryption: u.settings.encrypt, SSEKMSKeyId: optional(u.settings.kmsKey),
		}, made.option)
		if err == nil && aws.ToString(out.ETag) == "" {
			return errNoETag
		}
		return err
	})
}

// Begin begins an upload of several parts.
func (u *upload) Begin(ctx context.Context) error {
	err := u.do(ctx, "CreateMultipartUpload", u.key, func(ctx context.Context, c *client) error {
		id, err := u.createUpload(ctx, c, u.settings.algorithm())
		u.id = id
		return err
	})
	var known *store.Error
	if errors.As(err, &known) && !u.own {
		switch known.Cause {
		case store.Unsupported: // of parts, or of checksums
			return known.WithHint("%s; %s", u.inOne(), cmp.Or(known.Hint, "see the server's log"))
		case store.Protocol, store.NoFile:
			return known.WithHint("%s", u.inOne())
		}
	}
	return err
}

// inOne says how an object is sent to a server that may not know uploads of several parts.
func (u *upload) inOne() string {
	if u.size > maxPart {
		return "if the server does not support multipart uploads, it accepts at most 5 GiB in one request: --part-size 5GiB"
	}
	const mib = 1 << 20
	return fmt.Sprintf("if the server does not support multipart uploads, send the object in a single request, which "+
		"holds it in memory: --part-size %dMiB", (u.size+mib-1)/mib)
}

// createUpload gives the identifier of a new upload.
func (u *upload) createUpload(ctx context.Context, c *client, sum types.ChecksumAlgorithm) (*string, error) {
	out, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &u.settings.bucket, Key: &u.key, ChecksumAlgorithm: sum,
		ACL: u.settings.acl, StorageClass: u.settings.storage,
		ServerSideEncryption: u.settings.encrypt, SSEKMSKeyId: optional(u.settings.kmsKey),
	})
	switch {
	case err != nil:
		return nil, err
	case aws.ToString(out.UploadId) == "":
		return nil, answerError("the response to the new upload has no upload ID")
	}
	return out.UploadId, nil
}

// PutPart uploads a part.
func (u *upload) PutPart(ctx context.Context, p *store.Part) error {
	if err := u.turns.take(ctx); err != nil {
		return err
	}
	defer u.turns.give()
	ctx = store.WithPart(ctx, p)
	made := u.settings.sum(p)
	return u.do(ctx, "UploadPart", u.key, func(ctx context.Context, c *client) error {
		out, err := c.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &u.settings.bucket, Key: &u.key, UploadId: u.id, PartNumber: aws.Int32(int32(p.Number)),
			Body: p.Body(), ContentLength: aws.Int64(int64(len(p.Bytes()))),
			ChecksumCRC32C: made.crc32c, ChecksumSHA256: made.sha256,
		}, made.option)
		switch {
		case err != nil:
			return err
		case aws.ToString(out.ETag) == "":
			return errNoETag
		}
		u.add(types.CompletedPart{
			PartNumber: aws.Int32(int32(p.Number)), ETag: out.ETag,
			ChecksumCRC32C: made.crc32c, ChecksumSHA256: made.sha256,
		})
		return nil
	})
}

// errNoETag is what a server says that knows PUT and does not know S3.
const errNoETag = answerError("the response has no ETag")

// add keeps what the server said to a part.
func (u *upload) add(p types.CompletedPart) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for int(*p.PartNumber) > len(u.parts) {
		u.parts = append(u.parts, types.CompletedPart{})
	}
	u.parts[*p.PartNumber-1] = p
}

// Complete makes the object.
func (u *upload) Complete(ctx context.Context, parts int) error {
	if len(u.parts) != parts {
		return store.Fail(store.Other, "wrote %d of %d parts", len(u.parts), parts)
	}
	return u.do(ctx, "CompleteMultipartUpload", u.key, func(ctx context.Context, c *client) error {
		out, err := c.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &u.settings.bucket, Key: &u.key, UploadId: u.id,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: u.parts},
		})
		switch {
		// The answer to an attempt can be lost on its way: the next one finds no upload.
		case codeOf(err) == "NoSuchUpload" && u.completed(ctx, c):
			return nil
		case err == nil && aws.ToString(out.ETag) == "":
			return errNoETag
		}
		return err
	})
}

// completed tells whether the object there is made of exactly these parts, as far as its
// ETag says that: it is not always a hash.
func (u *upload) completed(ctx context.Context, c *client) bool {
	want, ok := u.etag()
	if !ok {
		return false
	}
	head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &u.settings.bucket, Key: &u.key})
	return err == nil && aws.ToInt64(head.ContentLength) == u.size && strings.Trim(aws.ToString(head.ETag), `"`) == want
}

// etag is the ETag of an object of these parts: the MD5 of their MD5s, and how many they are.
func (u *upload) etag() (string, bool) {
	hash := md5.New()
	for _, p := range u.parts {
		sum, err := hex.DecodeString(strings.Trim(aws.ToString(p.ETag), `"`))
		if err != nil || len(sum) != md5.Size {
			return "", false
		}
		_, _ = hash.Write(sum)
	}
	return fmt.Sprintf("%x-%d", hash.Sum(nil), len(u.parts)), true
}

// abortTime bounds the end of an upload that failed: its own context may have ended.
const abortTime = 30 * time.Second

// Abort removes the parts.
func (u *upload) Abort(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	err := u.do(ctx, "AbortMultipartUpload", u.key, func(ctx context.Context, c *client) error {
		_, err := c.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
			Bucket: &u.settings.bucket, Key: &u.key, UploadId: u.id,
		})
		if codeOf(err) == "NoSuchUpload" {
			return nil
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return store.Fail(store.Timeout, "AbortMultipartUpload %s: no response within %v", u.name(u.key), abortTime)
	}
	return err
}

// optional is nil for what is not set.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
