package web

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/store"
)

const (
	// maxDirectories limits how many directories a Walk remembers.
	maxDirectories = 100_000
	// maxListing limits the bytes of the list of one directory.
	maxListing = 256 << 20
)

// askList asks for what a Walk needs (RFC 4918, section 9.1).
const askList = `<?xml version="1.0" encoding="utf-8"?>` +
	`<propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/></prop></propfind>`

// davEntry is a response element of a multistatus document (RFC 4918, section 14.24).
type davEntry struct {
	Href      string `xml:"DAV: href"`
	Propstats []struct {
		Status string `xml:"DAV: status"`
		Prop   struct {
			Length string `xml:"DAV: getcontentlength"`
			Type   struct {
				Collection *struct{} `xml:"DAV: collection"`
			} `xml:"DAV: resourcetype"`
		} `xml:"DAV: prop"`
	} `xml:"DAV: propstat"`
}

// Walk lists the files in a directory of a WebDAV server and below it, with one PROPFIND for each directory. Files of
// unknown length are left out.
func (s *webStore) Walk(ctx context.Context, prefix string, each func(store.Object) bool) error {
	pending := []string{prefix}
	for len(pending) > 0 {
		dir := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		more, err := s.list(ctx, dir, func(path string, e *davEntry) bool {
			size, directory := e.properties()
			if directory {
				pending = append(pending, strings.TrimSuffix(path, "/")+"/")
				return true
			}
			return size < 0 || each(store.Object{Path: path, Size: size})
		})
		if err != nil || !more {
			return err
		}
		if len(pending) > maxDirectories {
			return store.Fail(store.TooLarge, "%s: more than %d directories", s.show(prefix), maxDirectories).
				WithHint("use a subdirectory")
		}
	}
	return nil
}

// list calls each with the escaped path of every entry of a directory until it returns false. list then returns false.
func (s *webStore) list(ctx context.Context, dir string, each func(path string, e *davEntry) bool) (bool, error) {
	resp, err := s.send(ctx, request{
		method: "PROPFIND", path: dir, header: map[string]string{"Depth": "1", "Content-Type": "application/xml"},
		text: askList,
	})
	switch code := statusOf(err); {
	case code == http.StatusNotFound:
		return false, store.Fail(store.NoFile, "%s: the directory does not exist on the server", s.show(dir))
	case code == http.StatusMethodNotAllowed, code == http.StatusNotImplemented, code == http.StatusBadRequest:
		return false, s.cannotList(dir)
	case err != nil:
		return false, err
	}
	defer func() { _ = resp.Body.Close() }() // the rest of it is not needed
	if resp.StatusCode != http.StatusMultiStatus {
		return false, s.cannotList(dir)
	}
	here := s.at(dir)
	body := &io.LimitedReader{R: resp.Body, N: maxListing}
	inside, outside := 0, ""
	decoder := xml.NewDecoder(body)
	for {
		e, err := nextEntry(decoder)
		switch {
		case errors.Is(err, io.EOF) && inside == 0 && outside != "":
			return false, store.Fail(store.Protocol, "PROPFIND %s: the response lists unrelated paths, such as %q",
				s.show(dir), outside)
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil && body.N <= 0:
			return false, store.Fail(store.TooLarge, "PROPFIND %s: the list exceeds %d bytes", s.show(dir), maxListing).
				WithHint("use a subdirectory")
		case err != nil && ctx.Err() != nil:
			return false, context.Cause(ctx)
		case err != nil:
			return false, store.Fail(store.Protocol, "PROPFIND %s: cannot parse the list: %w", s.show(dir), err)
		}
		path, ok := below(&here, e.Href)
		if !ok {
			outside = e.Href
			continue
		}
		inside++
		if path != "" && !each(path, e) {
			return false, nil
		}
	}
}

func (s *webStore) cannotList(dir string) error {
	return store.Fail(store.Unsupported, "PROPFIND %s: the server does not support directory listings (WebDAV)",
		s.show(dir)).
		WithHint("use the URL of an existing file")
}

// nextEntry reads the next response element. It returns io.EOF at the end of a complete document.
func nextEntry(d *xml.Decoder) (*davEntry, error) {
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name != (xml.Name{Space: "DAV:", Local: "response"}) {
			continue
		}
		e := &davEntry{}
		return e, d.DecodeElement(e, &start)
	}
}

// below returns the escaped path of an entry directly in a directory, or "" for the directory itself. It returns false
// for an entry that is elsewhere. The host of the reference is ignored: behind a proxy a server may not know its own.
func below(dir *url.URL, href string) (string, bool) {
	u, err := dir.Parse(strings.TrimSpace(href))
	if err != nil {
		return "", false
	}
	at := strings.TrimSuffix(dir.Path, "/") + "/"
	if u.Path+"/" == at {
		return "", true
	}
	name, found := strings.CutPrefix(u.Path, at)
	if !found || strings.Contains(strings.TrimSuffix(name, "/"), "/") {
		return "", false
	}
	if name == "" {
		return "", true
	}
	return u.EscapedPath(), true
}

// properties returns the size of a file, -1 if it is unknown, and whether the entry is a directory.
func (e *davEntry) properties() (size int64, directory bool) {
	size = -1
	for _, p := range e.Propstats {
		if fields := strings.Fields(p.Status); len(fields) < 2 || fields[1] != "200" {
			continue
		}
		directory = directory || p.Prop.Type.Collection != nil
		if n, err := strconv.ParseUint(strings.TrimSpace(p.Prop.Length), 10, 63); err == nil {
			size = int64(n)
		}
	}
	return size, directory
}
