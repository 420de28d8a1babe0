package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// Exists reports whether there is an object.
func (b *bucket) Exists(ctx context.Context, path string) (bool, error) {
	_, err := b.head(ctx, keyOf(path))
	var known *store.Error
	switch {
	case store.CauseOf(err) == store.NoFile:
		return false, nil
	case errors.As(err, &known) && known.Cause == store.AccessDenied:
		return false, known.WithHint("%s", known.Hint+"; with --overwrite, Plimsoll does not check whether an object exists")
	}
	return err == nil, err
}

// head asks for what is known of an object.
func (b *bucket) head(ctx context.Context, key string) (head *s3.HeadObjectOutput, err error) {
	err = b.do(ctx, "HeadObject", key, func(ctx context.Context, c *client) (err error) {
		head, err = c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.settings.bucket, Key: &key})
		if err == nil && head.ContentLength == nil {
			return answerError("the response does not contain the object's size")
		}
		return err
	})
	return head, err
}

// Open opens an object for reading.
func (b *bucket) Open(ctx context.Context, path string) (store.File, error) {
	key := keyOf(path)
	head, err := b.head(ctx, key)
	if err != nil {
		return nil, err
	}
	return &object{bucket: b, key: key, size: *head.ContentLength, etag: head.ETag}, nil
}

// OpenStream opens an object by the request that reads it. The answer says how long it is, and which one.
func (b *bucket) OpenStream(ctx context.Context, path string) (store.File, error) {
	o := &object{bucket: b, key: keyOf(path)}
	out, err := o.get(store.WithPatience(ctx), nil)
	if err != nil {
		return nil, err
	}
	if out.ContentLength == nil || *out.ContentLength < 0 {
		_ = out.Body.Close() // a server that does not say how much it sends may say how much it has
		return b.Open(ctx, path)
	}
	o.size, o.etag = *out.ContentLength, out.ETag
	o.begun = &stream{ctx: ctx, object: o, from: out.Body}
	return o, nil
}

// object is an object as it was when it was opened: reading another one in its place fails.
type object struct {
	*bucket
	key  string
	size int64
	etag *string // nil where the server gives none

	begun *stream // the answer that the object was opened by, until it is read

	pattern atomic.Pointer[pattern]
	spoilt  atomic.Bool // there will be none
}

// Size is the object's length.
func (o *object) Size() int64 { return o.size }

// Close ends the request that the object was opened by. Each other read has one of its own.
func (o *object) Close() error {
	if s := o.begun; s != nil {
		o.begun = nil
		return s.Close()
	}
	return nil
}

// get asks for the object, or for a range of it.
func (o *object) get(ctx context.Context, span *string) (out *s3.GetObjectOutput, err error) {
	err = o.do(withObject(ctx), "GetObject", o.key, func(ctx context.Context, c *client) (err error) {
		out, err = c.GetObject(ctx, &s3.GetObjectInput{
			Bucket: &o.settings.bucket, Key: &o.key, Range: span, IfMatch: o.etag,
		})
		return err
	})
	return out, err
}

// Stream reads the object in one request, and in another one for the rest where the answer to that breaks off.
func (o *object) Stream(ctx context.Context) (io.ReadCloser, error) {
	return store.Resume{
		Size: o.size, Tries: o.retryer.MaxAttempts() - 1, Requests: o.requests, From: o.from, Lost: lost,
		Persistent: true, // the SDK is
		Rest: func(ctx context.Context, n int, err error) error {
			o.requests.Retry("GetObject", store.CauseOf(err))
			return o.backOff(ctx, n+1, err)
		},
	}.Stream(ctx)
}

// lost reports whether an answer ended early because of its connection.
func lost(err error) bool {
	switch store.CauseOf(err) {
	case store.Reset, store.Truncated, store.Timeout, store.Refused:
		return true
	}
	return false
}

// from reads the object from an offset on.
func (o *object) from(ctx context.Context, at int64) (io.ReadCloser, error) {
	if s := o.begun; s != nil && at == 0 {
		o.begun = nil
		return s, nil
	}
	var span *string
	if at > 0 {
		span = aws.String(spanOf(at, o.size-at))
	}
	out, err := o.get(store.WithPatience(ctx), span)
	if err != nil {
		return nil, err
	}
	if span != nil {
		err = o.checkSpan(*span, aws.ToString(out.ContentRange))
	}
	if err == nil && out.ContentLength != nil && *out.ContentLength != o.size-at {
		err = store.Fail(store.Corrupt, "GetObject %s: the response has %d bytes of an object of %d, from byte %d on",
			o.name(o.key), *out.ContentLength, o.size, at)
	}
	if err != nil {
		_ = out.Body.Close()
		return nil, err
	}
	return &stream{ctx: ctx, object: o, from: out.Body, read: at}, nil
}

// spanOf is the header that asks for a range.
func spanOf(offset, length int64) string { return fmt.Sprintf("bytes=%d-%d", offset, offset+length-1) }

// checkSpan makes sure that the answer to a request for a range is that range.
func (o *object) checkSpan(span, answered string) error {
	total, ok := strings.CutPrefix(answered, "bytes "+span[len("bytes="):]+"/")
	switch {
	case ok && total != "*" && total != strconv.FormatInt(o.size, 10):
		return store.Fail(store.Corrupt, "GetObject %s: the server reports a size of %s bytes, previously %d",
			o.name(o.key), cause.Line(total), o.size)
	case ok:
		return nil
	}
	return store.Fail(store.Protocol, "GetObject %s: requested %s, but the server sent %q",
		o.name(o.key), span, cause.Line(answered)).
		WithHint("if the server does not support range requests, use --policy whole-file")
}

// stream is the body of an answer.
type stream struct {
	ctx    context.Context // stored context: of the request that the body belongs to; a Reader has none
	object *object
	from   io.ReadCloser
	read   int64 // of the object, from its start
}

// Read reads straight from the connection.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.read += int64(n)
	switch {
	case err == nil:
	case err == io.EOF && s.read < s.object.size:
		err = s.object.truncated(s.read, s.object.size)
	case err != io.EOF:
		err = s.object.brokenOff(s.ctx, s.read, err)
	}
	return n, err
}

// Close ends the request, also before its end.
func (s *stream) Close() error { return s.from.Close() }

// truncated says that an answer ended early, in good order.
func (o *object) truncated(got, want int64) error {
	return store.Fail(store.Truncated, "GetObject %s: the response ended after %d of %d bytes", o.name(o.key), got, want)
}

// brokenOff says that the connection ended in the middle of an answer.
func (o *object) brokenOff(ctx context.Context, at int64, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &store.Error{
		Cause: causeOf(err), Err: fmt.Errorf("GetObject %s: after %d bytes: %w", o.name(o.key), at, plain(err)),
		Hint: store.LimitHint(err),
	}
}

// ReadRange fills p from the offset. What fails on the way is asked for again as a whole.
func (o *object) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if len(p) == 0 {
		return nil
	}
	if offset < 0 || offset+int64(len(p)) > o.size {
		return store.Fail(store.Truncated, "%s: %d bytes from offset %d are out of range for an object of %d bytes",
			o.name(o.key), len(p), offset, o.size)
	}
	if err := o.turns.take(ctx); err != nil {
		return err
	}
	defer o.turns.give()
	for attempt := 1; ; attempt++ {
		again, err := o.readOnce(ctx, p, offset)
		if err == nil || !again || attempt >= o.retryer.MaxAttempts() || ctx.Err() != nil {
			return err
		}
		o.requests.Retry("GetObject", store.CauseOf(err))
		if err := o.backOff(ctx, attempt, err); err != nil {
			return err
		}
	}
}

// backOff waits before the attempt after this one.
func (b *bucket) backOff(ctx context.Context, attempt int, cause error) error {
	delay, err := b.retryer.RetryDelay(attempt, cause)
	if err != nil {
		return cause
	}
	if !backoff.Sleep(ctx, delay) {
		return ctx.Err()
	}
	b.requests.Paused("GetObject", delay)
	return nil
}

// rangeAnswer is what a request for a range is answered with.
type rangeAnswer struct {
	body   io.ReadCloser
	span   string // that the answer says it is
	length int64  // -1 when it does not say
}

// requestRange asks for a range.
func (o *object) requestRange(ctx context.Context, span string) (rangeAnswer, error) {
	if resp := o.repeat(ctx, span); resp != nil {
		return rangeAnswer{resp.Body, resp.Header.Get("Content-Range"), resp.ContentLength}, nil
	}
	var request captured
	region := o.current.Load().region
	out, err := o.get(withCapture(ctx, &request), &span)
	if err != nil {
		return rangeAnswer{}, err
	}
	if region == o.current.Load().region {
		o.learn(&request, region)
	}
	length := int64(-1)
	if out.ContentLength != nil {
		length = *out.ContentLength
	}
	return rangeAnswer{out.Body, aws.ToString(out.ContentRange), length}, nil
}

// readOnce reads a range, and tells whether another attempt can do better. Those that fail
// before the body were tried again by the SDK.
func (o *object) readOnce(ctx context.Context, p []byte, offset int64) (again bool, err error) {
	span := spanOf(offset, int64(len(p)))
	got, err := o.requestRange(ctx, span)
	if err != nil {
		return false, err
	}
	defer func() { _ = got.body.Close() }()
	// A server that knows no ranges sends it all.
	whole := offset == 0 && int64(len(p)) == o.size
	if !whole {
		if err := o.checkSpan(span, got.span); err != nil {
			return false, err
		}
	}
	n, err := io.ReadFull(got.body, p)
	switch {
	case err == nil && store.More(got.body):
		return false, store.Fail(store.Corrupt, "GetObject %s: the response is longer than the %d bytes requested",
			o.name(o.key), n)
	case err == nil:
		return false, nil
	case got.length == int64(n):
		return true, o.truncated(int64(n), int64(len(p)))
	case errors.Is(err, io.EOF): // not one byte
		err = io.ErrUnexpectedEOF
	}
	return true, o.brokenOff(ctx, int64(n), err)
}
