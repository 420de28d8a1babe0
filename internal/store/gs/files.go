package gs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"

	"github.com/plimsoll/plimsoll/internal/store"
)

// keyOf is the object's name for a path.
func (s *gs) keyOf(path string) (string, error) {
	key := strings.TrimPrefix(path, "/")
	switch {
	case key == "":
		return "", store.Fail(store.Other, "gs://%s names a bucket but no file", s.bucket).
			WithHint("write gs://%s/FILE", s.bucket)
	case len(key) > 1024:
		return "", store.Fail(store.Other, "the name has %d bytes", len(key)).
			WithHint("Google Cloud Storage allows at most 1,024 bytes in a name")
	case !utf8.ValidString(key), strings.ContainsAny(key, "\r\n"), store.Dotted(key):
		return "", store.Fail(store.Other, "Google Cloud Storage does not allow the name %q", key).
			WithHint("use a name without line breaks, and without . or .. between slashes")
	}
	return key, nil
}

// bucketOf is the bucket, charged to who pays.
func (s *gs) bucketOf(retry storage.RetryOption) *storage.BucketHandle {
	b := s.library.Bucket(s.bucket).Retryer(retry, storage.WithPolicy(storage.RetryAlways),
		storage.WithBackoff(gax.Backoff{Initial: s.pauses.First, Max: s.pauses.Last, Multiplier: 2}))
	if s.payer != "" {
		b = b.UserProject(s.payer)
	}
	return b
}

// object is a handle of an object.
func (s *gs) object(key string, retry storage.RetryOption) *storage.ObjectHandle {
	o := s.bucketOf(retry).Object(key)
	if s.key != nil {
		o = o.Key(s.key)
	}
	return o
}

// attributes asks for what the service knows of an object.
func (s *gs) attributes(ctx context.Context, key string) (*storage.ObjectAttrs, error) {
	callCtx, _, retry := s.call(ctx, "GetMetadata")
	a, err := s.object(key, retry).Attrs(callCtx)
	return a, s.fail(ctx, err, key)
}

// Check makes sure that a file of this size can be written.
func (s *gs) Check(ctx context.Context, path string, size int64) error {
	key, err := s.keyOf(path)
	if err != nil {
		return err
	}
	if size > maxObject {
		return store.Fail(store.TooLarge,
			"%d bytes exceed Google Cloud Storage's limit of %d bytes for an object", size, int64(maxObject)).
			WithHint("use --streams to write several files of at most 5 TiB each")
	}
	_, err = s.attributes(ctx, key)
	if err == nil || store.CauseOf(err) != store.NoFile {
		return err
	}
	// The same answer can mean that the bucket is not there. Who may write objects need not
	// have the right to ask for the bucket, so a refusal says nothing.
	callCtx, _, retry := s.call(ctx, "GetBucket")
	_, err = s.bucketOf(retry).Attrs(callCtx)
	if errors.Is(err, storage.ErrBucketNotExist) {
		return s.noBucket()
	}
	if err = s.fail(ctx, err, key); store.CauseOf(err) == store.AccessDenied {
		return nil
	}
	return err
}

// Exists reports whether there is an object.
func (s *gs) Exists(ctx context.Context, path string) (bool, error) {
	key, err := s.keyOf(path)
	if err != nil {
		return false, err
	}
	_, err = s.attributes(ctx, key)
	return store.Found(err)
}

// Delete removes an object.
func (s *gs) Delete(ctx context.Context, path string) error {
	key, err := s.keyOf(path)
	if err != nil {
		return err
	}
	return s.remove(ctx, key, storage.Conditions{})
}

func (s *gs) remove(ctx context.Context, key string, only storage.Conditions) error {
	callCtx, _, retry := s.call(ctx, "DeleteObject")
	o := s.object(key, retry)
	if only != (storage.Conditions{}) {
		o = o.If(only)
	}
	return store.Gone(s.fail(ctx, o.Delete(callCtx), key))
}

// Rename moves an object within the bucket.
func (s *gs) Rename(ctx context.Context, from, to string) error {
	source, err := s.keyOf(from)
	if err != nil {
		return err
	}
	target, err := s.keyOf(to)
	if err != nil {
		return err
	}
	callCtx, _, retry := s.call(ctx, "MoveObject")
	_, err = s.object(source, retry).Move(callCtx, storage.MoveObjectDestination{Object: target})
	var answer *googleapi.Error
	if err == nil || !errors.As(err, &answer) || !cannotMove(answer.Code) {
		return s.fail(ctx, err, source)
	}
	callCtx, _, retry = s.call(ctx, "RewriteObject")
	if _, err := s.object(target, retry).CopierFrom(s.object(source, retry)).Run(callCtx); err != nil {
		return s.fail(ctx, err, source)
	}
	return s.remove(ctx, source, storage.Conditions{})
}

// cannotMove are the answers of servers that do not know how to move. A missing object is
// found again when it is copied.
func cannotMove(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusNotFound ||
		status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// file is an object open for reading.
type file struct {
	s          *gs
	key        string
	size       int64
	generation int64 // the version that was there when it was opened
}

// Open opens an object for reading.
func (s *gs) Open(ctx context.Context, path string) (store.File, error) {
	key, err := s.keyOf(path)
	if err != nil {
		return nil, err
	}
	a, err := s.attributes(ctx, key)
	if err != nil {
		return nil, err
	}
	return &file{s: s, key: key, size: a.Size, generation: a.Generation}, nil
}

// Size is that of the object.
func (f *file) Size() int64 { return f.size }

// Close has nothing to release.
func (f *file) Close() error { return nil }

// read begins to read from the offset; a negative length is all of it.
func (f *file) read(ctx context.Context, offset, length int64) (*storage.Reader, error) {
	ctx, _, retry := f.s.call(ctx, nameGet)
	var options []storage.ReaderOption
	if f.s.config.Checksum == "none" {
		options = append(options, storage.WithDisableReaderChecksum())
	}
	// As it is stored: what the service would decompress has neither this size nor this checksum.
	return f.s.object(f.key, retry).Generation(f.generation).ReadCompressed(true).
		NewRangeReader(ctx, offset, length, options...)
}

// Stream reads the whole object in one request.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	r, err := f.read(store.WithPatience(ctx), 0, -1)
	if err != nil {
		return nil, f.fail(ctx, err)
	}
	return &stream{r, f, f.size, func(err error) error { return f.fail(ctx, err) }}, nil
}

// stream is a reader of a whole object, whose errors are ours.
type stream struct {
	reader *storage.Reader
	file   *file
	left   int64
	fail   func(error) error
}

// Read reads from the object.
func (r *stream) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	r.left -= int64(n)
	switch {
	case r.left < 0:
		return n, store.Fail(store.Corrupt, "gs://%s/%s: the object had %d bytes when it was opened, but the response "+
			"has more",
			r.file.s.bucket, r.file.key, r.file.size)
	case errors.Is(err, io.EOF) && r.left != 0:
		return n,
			store.Fail(store.Truncated, "gs://%s/%s: the object had %d bytes when it was opened, but the response has %d",
				r.file.s.bucket, r.file.key, r.file.size, r.file.size-r.left)
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	}
	return n, r.fail(err)
}

// Close ends the request. What went wrong was said when it was read.
func (r *stream) Close() error {
	_ = r.reader.Close()
	return nil
}

// ReadRange reads a piece of the object in a request of its own.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if offset+int64(len(p)) > f.size {
		return store.Fail(store.Truncated, "gs://%s/%s has %d bytes; %d bytes from offset %d were requested",
			f.s.bucket, f.key, f.size, len(p), offset)
	}
	if len(p) == 0 {
		return nil
	}
	r, err := f.read(ctx, offset, int64(len(p)))
	if err != nil {
		return f.fail(ctx, err)
	}
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = &store.Error{Cause: store.Truncated, Err: fmt.Errorf("the response has %d bytes instead of %d", n, len(p))}
	} else if err == nil && (r.Attrs.Size != f.size || store.More(r)) {
		err = &store.Error{Cause: store.Corrupt,
			Err: fmt.Errorf("the response is not %d bytes of an object of %d bytes", n, f.size)}
	}
	_ = r.Close() // what went wrong was said when it was read
	return f.fail(ctx, err)
}

// fail is the error of reading the version that was opened, which was there.
func (f *file) fail(ctx context.Context, err error) error {
	err = f.s.fail(ctx, err, f.key)
	if store.CauseOf(err) != store.NoFile {
		return err
	}
	return store.Fail(store.Changed,
		"gs://%s/%s: the object changed since it was opened (generation %d is gone)",
		f.s.bucket, f.key, f.generation).
		WithHint("something else wrote to or deleted the object; use a path that nothing else uses")
}
