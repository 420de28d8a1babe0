package az

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc64"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/plimsoll/plimsoll/internal/store"
)

// mark is the metadata that tells a blob of ours from one that was there before, when it is
// not known whether an upload came to its end.
const mark = "plimsollupload"

// polynomial is that of Azure's CRC-64, of which the SDK shows nothing. Its own way to compute
// one copies the body.
const polynomial = 0x9A6C9329AC4BC9B5

// upload writes one blob.
type upload struct {
	s     *az
	key   string
	id    string // of this upload
	table *crc64.Table
	blob  *blockblob.Client
}

// Create begins a blob.
func (s *az) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	key, err := s.keyOf(path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	u := &upload{s, key, rand.Text()[:16], crc64.MakeTable(polynomial), s.container.NewBlockBlobClient(key)}
	return store.NewPartWriter(ctx, u, s.slabs, size, s.part, s.config.Block, s.active), nil
}

// MakeAhead fills the memory that blobs are written from.
func (s *az) MakeAhead(a store.Ahead) { s.slabs.MakeAhead(a, s.part, s.config.Block, s.active) }

// validation is the checksum of a part, for the server to check.
func (u *upload) validation(p *store.Part) blob.TransferValidationType {
	if u.s.config.Checksum == "none" || u.s.unchecked.Load() {
		return nil
	}
	return blob.TransferValidationTypeCRC64(crc64.Checksum(p.Bytes(), u.table))
}

// checked sends a part with its checksum, or without where the server refuses the one and takes the other.
func (u *upload) checked(p *store.Part, request string, send func(blob.TransferValidationType) error) error {
	sum := u.validation(p)
	err := send(sum)
	if sum == nil || !bloberror.HasCode(err, notSupported) {
		return err
	}
	u.s.config.Requests.Retry(request, store.Unsupported)
	if err = send(nil); !bloberror.HasCode(err, notSupported) {
		u.s.unchecked.Store(true)
	}
	return err
}

func (u *upload) metadata() map[string]*string { return map[string]*string{mark: &u.id} }

// PutWhole writes the blob in one request.
func (u *upload) PutWhole(ctx context.Context, p *store.Part) error {
	err := u.checked(p, "PutBlob", func(sum blob.TransferValidationType) error {
		_, err := u.blob.Upload(u.s.call(store.WithPart(ctx, p), "PutBlob"), streaming.NopCloser(p.Body()),
			&blockblob.UploadOptions{Metadata: u.metadata(), TransactionalValidation: sum})
		return err
	})
	return u.unless(ctx, err)
}

// unless gives the error of what would have made the blob. The blob may be there in spite of
// it, and is deleted then.
func (u *upload) unless(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	failed := u.s.fail(ctx, err, u.key)
	var answer *azcore.ResponseError
	if errors.As(err, &answer) && (answer.StatusCode < 500 || answer.ErrorCode == notSupported) {
		return failed
	}
	if undone := u.undo(context.WithoutCancel(ctx)); undone != nil {
		return fmt.Errorf("%w; the partial file could not be deleted: %w", failed, undone)
	}
	return failed
}

// undo deletes the blob, if it is there and of this upload.
func (u *upload) undo(ctx context.Context) error {
	return store.Undo(ctx, func(ctx context.Context) (func(context.Context) error, error) {
		p, err := u.s.properties(ctx, u.key)
		if err != nil {
			return nil, err
		}
		for name, value := range p.Metadata { // names come in letters of any case
			if strings.EqualFold(name, mark) && value != nil && *value == u.id {
				return func(ctx context.Context) error { return u.s.remove(ctx, u.key, p.ETag) }, nil
			}
		}
		return nil, nil
	})
}

// Begin has nothing to do: blocks need no blob.
func (u *upload) Begin(context.Context) error { return nil }

// block is the name of a part. All of a blob have the same length, as Azure wants it.
func (u *upload) block(number int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s-%06d", u.id, number))
}

// PutPart writes a block.
func (u *upload) PutPart(ctx context.Context, p *store.Part) error {
	err := u.checked(p, "PutBlock", func(sum blob.TransferValidationType) error {
		_, err := u.blob.StageBlock(u.s.call(store.WithPart(ctx, p), "PutBlock"), u.block(p.Number),
			streaming.NopCloser(p.Body()), &blockblob.StageBlockOptions{TransactionalValidation: sum})
		return err
	})
	return u.s.fail(ctx, err, u.key)
}

// Complete makes the blob of its blocks.
func (u *upload) Complete(ctx context.Context, parts int) error {
	blocks := make([]string, parts)
	for i := range blocks {
		blocks[i] = u.block(i + 1)
	}
	_, err := u.blob.CommitBlockList(u.s.call(ctx, "PutBlockList"), blocks,
		&blockblob.CommitBlockListOptions{Metadata: u.metadata()})
	return u.unless(ctx, err)
}

// Abort discards the blocks, if there is no blob of that name: a blob of no blocks does it,
// which is deleted at once. A block that was given up may reach the service after that: Azure
// discards it within a week.
func (u *upload) Abort(ctx context.Context) error {
	anything := azcore.ETagAny
	made, err := u.blob.CommitBlockList(u.s.call(ctx, "PutBlockList"), nil, &blockblob.CommitBlockListOptions{
		Metadata: u.metadata(),
		AccessConditions: &blob.AccessConditions{
			ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: &anything},
		},
	})
	if err == nil {
		return u.s.remove(ctx, u.key, made.ETag)
	}
	var answer *azcore.ResponseError
	if errors.As(err, &answer) && answer.StatusCode < 500 {
		return nil // there is a blob, or no right to write one
	}
	return u.s.fail(ctx, err, u.key)
}
