package web

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Check asks for the file, so that the server is known to be there and to accept the
// credentials, and asks a WebDAV server for the directory and what it has room for. Plain HTTP
// cannot be asked that.
func (s *webStore) Check(ctx context.Context, path string, size int64) error {
	if strings.HasSuffix(path, "/") {
		return store.Fail(store.Other, "%s: the URL of a file must not end with a slash", s.show(path)).
			WithHint("add a file name to the URL")
	}
	if _, err := s.Exists(ctx, path); err != nil {
		return err
	}
	dav, err := s.speaksWebDAV(ctx, path)
	if err != nil || !dav {
		return err
	}
	return s.checkDirectory(ctx, path, size)
}

// speaksWebDAV asks for the file's place; servers that know nothing there are asked for more.
func (s *webStore) speaksWebDAV(ctx context.Context, name string) (bool, error) {
	for _, place := range []string{name, "/"} {
		resp, err := s.send(ctx, request{method: http.MethodOptions, path: place})
		if err != nil && statusOf(err) == 0 {
			return false, err
		}
		if err == nil {
			store.Discard(resp)
			return resp.Header.Get("DAV") != "", nil
		}
	}
	return false, nil
}

// checkDirectory asks for the directory that a file would be in.
func (s *webStore) checkDirectory(ctx context.Context, name string, size int64) error {
	dir := strings.TrimSuffix(path.Dir(name), "/") + "/"
	resp, err := s.send(ctx, request{
		method: "PROPFIND", path: dir, header: map[string]string{"Depth": "0", "Content-Type": "application/xml"},
		text: askQuota,
	})
	if statusOf(err) == http.StatusNotFound {
		return store.Fail(store.NoBucket, "%s: the directory does not exist on the server", s.show(dir)).
			WithHint("create it first: curl -X MKCOL URL")
	}
	if err != nil {
		return soft(err)
	}
	free, ok := quota(io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
	if ok && free < size {
		return store.Fail(store.DiskFull, "%s: %d bytes do not fit: the server has %d bytes free", s.show(dir), size, free).
			WithHint("free disk space on the server, or use a smaller size")
	}
	return nil
}

const askQuota = `<?xml version="1.0" encoding="utf-8"?>` +
	`<propfind xmlns="DAV:"><prop><quota-available-bytes/></prop></propfind>`

// quota finds the number of free bytes (RFC 4331) in the answer to a PROPFIND.
func quota(answer io.Reader) (int64, bool) {
	d := xml.NewDecoder(answer)
	for {
		token, err := d.Token()
		if err != nil {
			return 0, false
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name != (xml.Name{Space: "DAV:", Local: "quota-available-bytes"}) {
			continue
		}
		var text string
		if d.DecodeElement(&text, &start) != nil {
			return 0, false
		}
		n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 63)
		return int64(n), err == nil
	}
}

// soft lets answers pass that only mean that the server does not like the question.
func soft(err error) error {
	if statusOf(err) != 0 {
		return nil
	}
	return err
}

// Exists asks by HEAD.
func (s *webStore) Exists(ctx context.Context, path string) (bool, error) {
	_, err := s.sizeOf(ctx, path)
	switch statusOf(err) {
	case http.StatusNotFound, http.StatusGone:
		return false, nil
	}
	return err == nil, err
}

// Rename is WebDAV's MOVE.
func (s *webStore) Rename(ctx context.Context, from, to string) error {
	destination := s.at(to)
	resp, err := s.send(ctx, request{
		method: "MOVE", path: from, once: true,
		header: map[string]string{"Destination": destination.String(), "Overwrite": "T"},
	})
	if err != nil {
		var known *store.Error
		switch code := statusOf(err); {
		case (code == http.StatusMethodNotAllowed || code == http.StatusNotImplemented ||
			code == http.StatusBadRequest) && errors.As(err, &known):
			return store.Fail(store.Unsupported, "%w", known.Err).
				WithHint("the server does not support renaming (WebDAV MOVE); remove --rename")
		}
		return err
	}
	store.Discard(resp)
	if resp.StatusCode == http.StatusMultiStatus {
		return store.Fail(store.Other, "MOVE %s: the server could not move everything", s.show(from)).
			WithHint("see the server's log")
	}
	return nil
}

// Delete deletes a file, if the server does that.
func (s *webStore) Delete(ctx context.Context, path string) error {
	_, err := s.remove(ctx, path)
	return err
}

// remove also reports whether there was something.
func (s *webStore) remove(ctx context.Context, path string) (bool, error) {
	resp, err := s.send(ctx, request{method: http.MethodDelete, path: path})
	switch statusOf(err) {
	case http.StatusNotFound, http.StatusGone:
		return false, nil
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return false, store.Fail(store.Unsupported, "DELETE %s: the server does not support deleting, so the file remains",
			s.show(path)).
			WithHint("delete it on the server")
	}
	if err != nil {
		return false, err
	}
	store.Discard(resp)
	return true, nil
}
