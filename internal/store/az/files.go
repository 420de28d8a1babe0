package az

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// keyOf is the blob's name for a path.
func (s *az) keyOf(path string) (string, error) {
	key := strings.TrimPrefix(path, "/")
	switch {
	case key == "":
		return "", store.Fail(store.Other, "az://%s names a container but no file", s.account.container).
			WithHint("write az://%s/FILE", s.account.container)
	case utf8.RuneCountInString(key) > 1024:
		return "", store.Fail(store.Other, "the name has %d characters", utf8.RuneCountInString(key)).
			WithHint("Azure allows at most 1,024 characters in a name")
	case !utf8.ValidString(key), strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }),
		strings.HasSuffix(key, "/"), strings.HasSuffix(key, "."), store.Dotted(key):
		return "", store.Fail(store.Other, "Azure does not allow the name %q", key).
			WithHint("use a name without control characters, without . or .. between slashes, and without a dot or slash at " +
				"the end")
	}
	return key, nil
}

func (s *az) properties(ctx context.Context, key string) (blob.GetPropertiesResponse, error) {
	p, err := s.container.NewBlobClient(key).GetProperties(s.call(ctx, "GetBlobProperties"), nil)
	return p, s.fail(ctx, err, key)
}

// Check makes sure that a file of this size can be written.
func (s *az) Check(ctx context.Context, path string, size int64) error {
	key, err := s.keyOf(path)
	if err != nil {
		return err
	}
	if size > largestBlocks*largestPart {
		return store.Fail(store.TooLarge, "%d bytes exceed Azure's limit of %d bytes for a blob",
			size, int64(largestBlocks*largestPart)).
			WithHint("use --streams to write several files")
	}
	if parts := (size + s.part - 1) / s.part; parts > largestBlocks {
		const mib = 1 << 20
		enough := ((size+largestBlocks-1)/largestBlocks + mib - 1) / mib
		return store.Fail(store.TooLarge, "%d bytes in parts of %d bytes are %d parts; Azure allows %d",
			size, s.part, parts, largestBlocks).
			WithHint("use --part-size %dMiB", enough)
	}
	_, err = s.properties(ctx, key)
	return store.Gone(err)
}

// Exists reports whether there is a blob.
func (s *az) Exists(ctx context.Context, path string) (bool, error) {
	key, err := s.keyOf(path)
	if err != nil {
		return false, err
	}
	_, err = s.properties(ctx, key)
	return store.Found(err)
}

// Delete removes a blob.
func (s *az) Delete(ctx context.Context, path string) error {
	key, err := s.keyOf(path)
	if err != nil {
		return err
	}
	return s.remove(ctx, key, nil)
}

// remove removes a blob, or that version of it.
func (s *az) remove(ctx context.Context, key string, only *azcore.ETag) error {
	_, err := s.container.NewBlobClient(key).Delete(s.call(ctx, "DeleteBlob"),
		&blob.DeleteOptions{AccessConditions: matching(only)})
	return store.Gone(s.fail(ctx, err, key))
}

// matching is the condition that a blob has this tag; nil for none.
func matching(tag *azcore.ETag) *blob.AccessConditions {
	if tag == nil {
		return nil
	}
	return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: tag}}
}

// Rename copies a blob within the account, which the service does by itself, and deletes the
// old one.
func (s *az) Rename(ctx context.Context, from, to string) error {
	source, err := s.keyOf(from)
	if err != nil {
		return err
	}
	target, err := s.keyOf(to)
	if err != nil {
		return err
	}
	copied := s.container.NewBlobClient(target)
	started, err := copied.StartCopyFromURL(s.call(ctx, "CopyBlob"), s.container.NewBlobClient(source).URL(), nil)
	if err != nil {
		return s.fail(ctx, err, source)
	}
	if err := s.awaitCopy(ctx, copied, target, started); err != nil {
		return err
	}
	return s.remove(ctx, source, nil)
}

// awaitCopy waits until a copy is complete. Copies within an account mostly are at once.
func (s *az) awaitCopy(ctx context.Context, copied *blob.Client, target string,
	started blob.StartCopyFromURLResponse) error {
	status := started.CopyStatus
	pauses := backoff.Between{First: 50 * time.Millisecond, Last: 2 * time.Second}
	for n := 0; status != nil && *status == blob.CopyStatusTypePending; n++ {
		if !pauses.Wait(ctx, n) {
			if started.CopyID != nil {
				_, _ = copied.AbortCopyFromURL(s.call(context.WithoutCancel(ctx), "AbortCopyBlob"),
					*started.CopyID, nil)
			}
			return ctx.Err()
		}
		p, err := s.properties(ctx, target)
		if err != nil {
			return err
		}
		status = p.CopyStatus
	}
	if status == nil || *status != blob.CopyStatusTypeSuccess {
		return store.Fail(store.Other, "az://%s/%s: the copy did not complete", s.account.container, target).
			WithHint("delete the file, or measure without --rename")
	}
	return nil
}

// file is a blob open for reading.
type file struct {
	s    *az
	key  string
	size int64
	tag  *azcore.ETag // of the version that was there when it was opened
}

// Open opens a blob for reading.
func (s *az) Open(ctx context.Context, path string) (store.File, error) {
	key, err := s.keyOf(path)
	if err != nil {
		return nil, err
	}
	p, err := s.properties(ctx, key)
	if err != nil {
		return nil, err
	}
	if p.ContentLength == nil || *p.ContentLength < 0 {
		return nil, store.Fail(store.Protocol, "az://%s/%s: the response does not contain the file's size",
			s.account.container, key)
	}
	return &file{s, key, *p.ContentLength, p.ETag}, nil
}

// Size is that of the blob.
func (f *file) Size() int64 { return f.size }

// Close has nothing to release.
func (f *file) Close() error { return nil }

// Stream reads the whole blob in one request, and in another one for the rest where the answer to that breaks off.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	return f.openRange(store.WithPatience(ctx), 0, f.size)
}

// ReadRange reads a piece of the blob in a request of its own.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if offset+int64(len(p)) > f.size {
		return store.Fail(store.Truncated, "az://%s/%s has %d bytes; %d bytes from offset %d were requested",
			f.s.account.container, f.key, f.size, len(p), offset)
	}
	if len(p) == 0 {
		return nil
	}
	b, err := f.openRange(ctx, offset, offset+int64(len(p)))
	if err != nil {
		return err
	}
	_, err = io.ReadFull(b, p)
	_ = b.Close() // what went wrong was said when it was read
	return err
}

// openRange reads a piece of the blob, and goes on where an answer ended early.
func (f *file) openRange(ctx context.Context, start, end int64) (io.ReadCloser, error) {
	pauses := backoff.Between{
		First: cmp.Or(f.s.retry.RetryDelay, firstPause), Last: cmp.Or(f.s.retry.MaxRetryDelay, longestPause),
	}
	return store.Resume{
		Size: end - start, Tries: int(f.s.retry.MaxRetries), Requests: f.s.config.Requests, Lost: lost,
		Persistent: true, // the SDK is
		From:       func(ctx context.Context, at int64) (io.ReadCloser, error) { return f.from(ctx, start+at, end) },
		Rest: func(ctx context.Context, n int, err error) error {
			f.s.config.Requests.Retry(nameGet, causeOf(err))
			if !pauses.Wait(ctx, n) {
				return ctx.Err()
			}
			return nil
		},
	}.Stream(ctx)
}

// The pauses before the rest of a blob is asked for, where nobody set them: the SDK's own between its attempts.
const (
	firstPause   = 800 * time.Millisecond
	longestPause = time.Minute
)

// lost reports whether an answer ended early because of its connection.
func lost(err error) bool {
	switch store.CauseOf(err) {
	case store.Reset, store.Timeout, store.Refused:
		return true
	}
	return false
}

// from reads the blob between two offsets.
func (f *file) from(ctx context.Context, at, end int64) (io.ReadCloser, error) {
	options := &blob.DownloadStreamOptions{AccessConditions: matching(f.tag)}
	part := at > 0 || end < f.size
	if part {
		options.Range = blob.HTTPRange{Offset: at, Count: end - at}
	}
	resp, err := f.s.container.NewBlobClient(f.key).DownloadStream(f.s.call(ctx, nameGet), options)
	if err != nil {
		return nil, f.s.fail(ctx, err, f.key)
	}
	switch {
	case resp.Body != nil && resp.ContentLength != nil && *resp.ContentLength > end-at:
		err = &store.Error{Cause: store.Corrupt, Err: fmt.Errorf("the response is longer than the %d bytes requested",
			end-at)}
	case resp.Body == nil || resp.ContentLength == nil || *resp.ContentLength != end-at:
		err = &store.Error{Cause: store.Truncated,
			Err: fmt.Errorf("the response is shorter than the %d bytes requested", end-at)}
	case part && (resp.ContentRange == nil ||
		!strings.HasPrefix(*resp.ContentRange, fmt.Sprintf("bytes %d-%d/", at, end-1))):
		err = &store.Error{Cause: store.Protocol, Err: fmt.Errorf("the response is not the requested range %d–%d",
			at, end-1)}
	default:
		return &body{f: f, ctx: ctx, answer: resp.Body, at: at, end: end}, nil
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	return nil, f.s.fail(ctx, err, f.key)
}

// body is an answer with a piece of a blob, whose errors are ours.
type body struct {
	f       *file
	ctx     context.Context // stored context: of the request that the answer belongs to; a Reader has none
	answer  io.ReadCloser
	at, end int64
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	if b.at >= b.end {
		return 0, io.EOF
	}
	n, err := b.answer.Read(p[:min(int64(len(p)), b.end-b.at)])
	b.at += int64(n)
	switch {
	case b.at >= b.end:
		return n, nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, b.f.s.fail(b.ctx, err, b.f.key)
}

// Close ends the request.
func (b *body) Close() error {
	_ = b.answer.Close() // what went wrong was said when it was read
	b.at = b.end
	return nil
}
