package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/store"
)

// file is a file that is read.
type file struct {
	s    *webStore
	path string
	size int64
}

// version is what a server says of which file it gave: two that are alike are of the same bytes.
type version struct{ tag, modified string }

func versionOf(h http.Header) version { return version{h.Get("ETag"), h.Get("Last-Modified")} }

// condition is what If-Range may have: a tag that is true to the byte, or a date.
func (v version) condition() string {
	if v.tag != "" && !strings.HasPrefix(v.tag, "W/") {
		return v.tag
	}
	return v.modified
}

// other reports whether the other one is surely of another file.
func (v version) other(o version) bool {
	return v.tag != "" && o.tag != "" && v.tag != o.tag || v.modified != "" && o.modified != "" && v.modified != o.modified
}

// Open asks for the size.
func (s *webStore) Open(ctx context.Context, path string) (store.File, error) {
	size, err := s.sizeOf(ctx, path)
	if err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, store.Fail(store.Protocol, "%s: the response does not contain the file's size", s.show(path)).
			WithHint("use a server that responds to HEAD with a Content-Length")
	}
	return &file{s: s, path: path, size: size}, nil
}

// sizeOf is the size of a file, or -1 when the server does not say it.
func (s *webStore) sizeOf(ctx context.Context, path string) (int64, error) {
	resp, err := s.send(ctx, request{method: http.MethodHead, path: path})
	if err == nil {
		store.Discard(resp)
		if resp.ContentLength >= 0 {
			return resp.ContentLength, nil
		}
	} else if code := statusOf(err); code != http.StatusMethodNotAllowed && code != http.StatusNotImplemented {
		return 0, err
	}
	// There is no HEAD, or it says nothing.
	resp, err = s.send(ctx, request{method: http.MethodGet, path: path, header: rangeOf(0, 1)})
	if statusOf(err) == http.StatusRequestedRangeNotSatisfiable {
		return 0, nil // not one byte
	}
	if err != nil {
		return 0, err
	}
	_ = resp.Body.Close() // without reading: it may be the whole file
	if resp.StatusCode != http.StatusPartialContent {
		return resp.ContentLength, nil
	}
	_, _, total, ok := contentRange(resp.Header.Get("Content-Range"))
	if !ok {
		return -1, nil
	}
	return total, nil
}

func rangeOf(offset, n int64) map[string]string {
	return map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", offset, offset+n-1)}
}

// contentRange reads "bytes FIRST-LAST/TOTAL"; total is -1 when it is not known.
func contentRange(header string) (first, last, total int64, ok bool) {
	rest, ok := strings.CutPrefix(header, "bytes ")
	if !ok {
		return 0, 0, 0, false
	}
	span, all, ok1 := strings.Cut(rest, "/")
	from, to, ok2 := strings.Cut(span, "-")
	if !ok1 || !ok2 {
		return 0, 0, 0, false
	}
	total = -1
	for _, n := range []struct {
		text string
		to   *int64
	}{{from, &first}, {to, &last}, {all, &total}} {
		if n.text == "*" && n.to == &total {
			continue
		}
		v, err := strconv.ParseUint(n.text, 10, 63)
		if err != nil {
			return 0, 0, 0, false
		}
		*n.to = int64(v)
	}
	return first, last, total, first <= last && (total < 0 || last < total)
}

// Size is what the server said when the file was opened.
func (f *file) Size() int64 { return f.size }

// Close has nothing to release.
func (f *file) Close() error { return nil }

// Stream is one GET of the whole file, and another one of the rest where the answer to that breaks off.
func (f *file) Stream(ctx context.Context) (io.ReadCloser, error) {
	var first version
	return store.Resume{
		Size: f.size, Tries: f.s.retries, Requests: f.s.requests, Lost: lost, Persistent: true,
		From: func(ctx context.Context, at int64) (io.ReadCloser, error) { return f.from(ctx, at, &first) },
		Rest: func(ctx context.Context, n int, err error) error { return f.s.rest(ctx, http.MethodGet, n, err) },
	}.Stream(ctx)
}

// lost reports whether an answer ended early because of its connection.
func lost(err error) bool { return store.CauseOf(err) == store.Reset || errors.Is(err, errBrokeOff) }

// from reads the file from an offset on. The answer to the first request says which file it is.
func (f *file) from(ctx context.Context, at int64, first *version) (io.ReadCloser, error) {
	r := request{method: http.MethodGet, path: f.path, patient: true}
	if at > 0 {
		r.header = rangeOf(at, f.size-at)
		if is := first.condition(); is != "" {
			r.header["If-Range"] = is
		}
	}
	resp, err := f.s.send(ctx, r)
	if err != nil {
		return nil, err
	}
	if at == 0 {
		*first = versionOf(resp.Header)
		err = f.checkAnswer(resp, f.size)
	} else {
		err = f.checkRest(resp, at, first)
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return &streamReader{f: f, over: ctx.Err, body: resp.Body, at: at}, nil
}

// checkRest makes sure that an answer brings the rest of the file that was read before.
func (f *file) checkRest(resp *http.Response, at int64, first *version) error {
	_, _, total, known := contentRange(resp.Header.Get("Content-Range"))
	switch {
	case first.other(versionOf(resp.Header)), known && total >= 0 && total != f.size,
		resp.StatusCode == http.StatusOK && resp.ContentLength >= 0 && resp.ContentLength != f.size:
		return store.Fail(store.Changed, "GET %s: the file changed since it was opened", f.s.show(f.path)).
			WithHint("something else replaced the file; use a path that nothing else uses")
	case resp.StatusCode == http.StatusOK:
		return store.Fail(store.Unsupported, "GET %s: the server ignores Range, so an interrupted download cannot be resumed",
			f.s.show(f.path)).
			WithHint("the connection to this server must last for the whole file; its log may show why it was closed")
	}
	return f.checkRange(resp, at, f.size-at)
}

// checkAnswer makes sure that an answer brings so many bytes of the file itself.
func (f *file) checkAnswer(resp *http.Response, want int64) error {
	where := "GET " + f.s.show(f.path)
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return store.Fail(store.Protocol, "%s: the server compressed the file (%.20q), although the request did not allow it",
			where, e).
			WithHint("disable compression for this path on the server")
	}
	if resp.ContentLength >= 0 && resp.ContentLength < want {
		return store.Fail(store.Truncated, "%s: the server has %d bytes instead of %d", where, resp.ContentLength, want).
			WithHint("something else replaced the file, or the server stored only part of it")
	}
	if resp.ContentLength > want {
		return store.Fail(store.Corrupt, "%s: the server has %d bytes instead of %d", where, resp.ContentLength, want).
			WithHint("something else replaced the file")
	}
	return nil
}

// streamReader reads an answer.
type streamReader struct {
	f    *file
	over func() error // why the caller's context is over
	body io.ReadCloser
	at   int64
}

// Read reads what comes next. A file that ends too early is an error.
func (r *streamReader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.at += int64(n)
	if err == nil && r.at <= r.f.size {
		return n, nil
	}
	return n, r.f.explainEnd(r.over(), r.at, r.f.size, err)
}

// Close gives the rest up.
func (r *streamReader) Close() error { return r.body.Close() }

var errBrokeOff = errors.New("the response ends")

// explainEnd explains the end of an answer's body, after so many bytes of those that were due.
func (f *file) explainEnd(over error, got, due int64, err error) error {
	where := "GET " + f.s.show(f.path)
	switch {
	case over != nil:
		return over
	case got > due:
		return store.Fail(store.Corrupt, "%s: the response is longer than %d bytes", where, due).
			WithHint("something else replaced the file")
	case err == io.EOF && got == due:
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return store.Fail(store.Truncated, "%s: %w after %d of %d bytes", where, errBrokeOff, got, due).
			WithHint("the server or a proxy closed the connection; see the server's log")
	}
	cause := store.CauseOf(err)
	if cause == store.Timeout {
		return store.Fail(cause, "%s: after %d of %d bytes: %w", where, got, due, err).
			WithHint("%s", store.LimitHint(err))
	}
	return store.Fail(cause, "%s: after %d of %d bytes: %w", where, got, due, err)
}

// ReadRange is a GET with a Range. It is sent again if its connection is lost on the way.
func (f *file) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if len(p) == 0 {
		return ctx.Err()
	}
	if offset > f.size || int64(len(p)) > f.size-offset {
		return store.Fail(store.Truncated, "GET %s: the response ends after %d bytes", f.s.show(f.path), f.size)
	}
	for attempt := 0; ; attempt++ {
		err := f.readRange(ctx, p, offset)
		if !lost(err) || attempt >= f.s.retries || ctx.Err() != nil {
			return err
		}
		if f.s.rest(ctx, http.MethodGet, attempt, err) != nil {
			return err
		}
	}
}

func (f *file) readRange(ctx context.Context, p []byte, offset int64) error {
	resp, err := f.s.send(ctx, request{method: http.MethodGet, path: f.path, header: rangeOf(offset, int64(len(p)))})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := f.checkRange(resp, offset, int64(len(p))); err != nil {
		return err
	}
	n, err := io.ReadFull(resp.Body, p)
	if err != nil {
		return f.explainEnd(ctx.Err(), int64(n), int64(len(p)), err)
	}
	if store.More(resp.Body) {
		return f.explainEnd(ctx.Err(), int64(n)+1, int64(len(p)), nil)
	}
	return nil
}

// checkRange makes sure that an answer brings the range that was asked for.
func (f *file) checkRange(resp *http.Response, offset, n int64) error {
	where := "GET " + f.s.show(f.path)
	if resp.StatusCode == http.StatusOK {
		if offset == 0 && n == f.size { // all of it is the whole range
			return f.checkAnswer(resp, n)
		}
		return store.Fail(store.Unsupported, "%s: the server ignores Range, and sends the whole file for each block",
			where).
			WithHint("use --policy whole-file")
	}
	first, last, total, ok := contentRange(resp.Header.Get("Content-Range"))
	switch {
	case ok && total > f.size:
		return store.Fail(store.Corrupt, "%s: the server has %d bytes instead of %d", where, total, f.size).
			WithHint("something else replaced the file")
	case resp.StatusCode != http.StatusPartialContent, !ok, first != offset, last >= offset+n:
		return store.Fail(store.Protocol,
			"%s: the server responded with %d and the range %.60q instead of %d–%d",
			where, resp.StatusCode, resp.Header.Get("Content-Range"), offset, offset+n-1).
			WithHint("use --policy whole-file")
	case last < offset+n-1:
		return store.Fail(store.Truncated, "%s: the response ends after %d bytes", where, last+1)
	}
	return f.checkAnswer(resp, n)
}
