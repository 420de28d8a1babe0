package hadoop

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a configuration file, those that it includes counted in.
const (
	maxFile  = 16 << 20
	maxDepth = 8
)

// ReadXML adds the properties of a Hadoop configuration file. A property that an earlier file
// called final, or that was given by -D, is not changed. Files that it includes are read at
// that place; they must be local. Errors have the form file:line: message.
func (s *Settings) ReadXML(path string) error {
	left := int64(maxFile)
	return (&reader{settings: s, left: &left}).file(path)
}

// reader reads one file.
type reader struct {
	settings *Settings
	path     string
	open     []string // the files that are being read, the first one first
	left     *int64   // bytes that may still be read
	source   *xml.Decoder
	xml      *xml.Decoder // of the tokens of source that matter, see Token
}

func (r *reader) file(path string) error {
	if strings.Contains(path, "://") {
		return fmt.Errorf("%s: only local files can be read", withoutUser(path))
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if slices.Contains(r.open, whole) {
		return fmt.Errorf("%s: the file includes itself", path)
	}
	if len(r.open) >= maxDepth {
		return fmt.Errorf("%s: includes are nested more than %d levels deep", path, maxDepth)
	}
	text, err := r.read(path)
	if err != nil {
		return err
	}
	next := &reader{settings: r.settings, path: path, open: append(slices.Clip(r.open), whole), left: r.left}
	return next.document(text)
}

func (r *reader) read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name a file, for example core-site.xml", path)
	} else if err == nil && len(r.open) > 0 && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path) // its reading might never end
	}
	text, err := io.ReadAll(io.LimitReader(f, *r.left+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	if *r.left -= int64(len(text)); *r.left < 0 {
		return nil, fmt.Errorf("%s: the file and its includes exceed %d MiB", path, maxFile>>20)
	}
	return text, nil
}

// bare is an error of the system without the path, which the message already has.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (r *reader) fail(format string, args ...any) error {
	line, _ := r.source.InputPos()
	return fmt.Errorf("%s:%d: %w", r.path, line, fmt.Errorf(format, args...))
}

// Token is the next token that matters; io.EOF at the end. Its errors have file and line, so that
// those of the decoder of these tokens have them, too.
func (r *reader) Token() (xml.Token, error) {
	for {
		token, err := r.source.Token()
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("%s:%d: %s", r.path, syntax.Line, syntax.Msg)
		case err != nil:
			return nil, r.fail("%w", err)
		}
		switch token.(type) {
		case xml.Directive:
			return nil, r.fail("document type declarations are not accepted; remove it")
		case xml.StartElement, xml.EndElement, xml.CharData:
			return token, nil
		}
	}
}

// document reads a file from its start to its end.
func (r *reader) document(text []byte) error {
	r.source = xml.NewDecoder(bytes.NewReader(text))
	r.source.CharsetReader = charset
	r.xml = xml.NewTokenDecoder(r)
	for {
		token, err := r.xml.Token()
		if errors.Is(err, io.EOF) {
			return r.fail("no <configuration> element found")
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "configuration" {
			return r.fail("the root element is <%.40s>, not <configuration>", start.Name.Local)
		}
		if err := r.configuration(); err != nil {
			return err
		}
		break
	}
	for { // what stands behind is read for errors alone
		if _, err := r.xml.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// configuration reads up to the end of the element that was begun.
func (r *reader) configuration() error {
	for {
		token, err := r.xml.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			switch t.Name.Local {
			case "property":
				err = r.property(t)
			case "include":
				err = r.include(t)
			case "configuration":
				err = r.nested()
			default:
				err = r.xml.Skip()
			}
			if err != nil {
				return err
			}
		}
	}
}

// nested is a configuration in a configuration, which Hadoop accepts, or a fallback in one.
// It counts as deep as an include.
func (r *reader) nested() error {
	if len(r.open) >= maxDepth {
		return r.fail("configurations are nested more than %d levels deep", maxDepth)
	}
	r.open = append(r.open, "")
	defer func() { r.open = r.open[:len(r.open)-1] }()
	return r.configuration()
}

// element is a <property> as it stands in a file. Its parts are elements, or attributes; others,
// such as a description, a source or a tag, mean nothing here.
type element struct {
	Attributes []xml.Attr `xml:",any,attr"`
	Name       *part      `xml:"name"`
	Value      *part      `xml:"value"`
	Final      *part      `xml:"final"`
}

// textOf is the text of a part, and whether it is there.
func (e *element) textOf(name string, p *part) (string, bool) {
	if p != nil {
		return p.text, true
	}
	text, found := "", false
	for _, a := range e.Attributes {
		if a.Name.Local == name {
			text, found = a.Value, true
		}
	}
	return text, found
}

// part is an element without other elements.
type part struct{ text string }

// insideError is an element in the text of another one, by its name.
type insideError string

func (e insideError) Error() string {
	return fmt.Sprintf("unexpected <%.40s> inside the text of a property", string(e))
}

// UnmarshalXML reads the text.
func (p *part) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			return insideError(t.Name.Local)
		case xml.EndElement:
			p.text = b.String()
			return nil
		}
	}
}

// property reads <property>.
func (r *reader) property(start xml.StartElement) error {
	var e element
	err := r.xml.DecodeElement(&e, &start)
	if _, inside := errors.AsType[insideError](err); inside {
		return r.fail("%w", err)
	}
	if err != nil {
		return err
	}
	name, _ := e.textOf("name", e.Name)
	value, valued := e.textOf("value", e.Value)
	final, _ := e.textOf("final", e.Final)
	switch name = strings.TrimSpace(name); {
	case name == "":
		return r.fail("a <property> has no <name>; add one, or remove the property")
	case !valued:
		return nil // Hadoop ignores it, too
	}
	if err := checkProperty(name, value); err != nil {
		return r.fail("%w", err)
	}
	r.settings.setFromFile(name, value, r.path, strings.TrimSpace(final) == "true")
	return nil
}

// include reads the file of <xi:include href="…">, or what its <xi:fallback> says when there
// is no such file.
func (r *reader) include(start xml.StartElement) error {
	var href string
	for _, a := range start.Attr {
		if a.Name.Local == "href" {
			href = a.Value
		}
	}
	path, err := r.local(href)
	if err != nil {
		return err
	}
	_, missing := os.Stat(path)
	if missing == nil {
		line, _ := r.source.InputPos()
		if err := (&reader{settings: r.settings, open: r.open, left: r.left}).file(path); err != nil {
			return fmt.Errorf("%s:%d: included: %w", r.path, line, err)
		}
	}
	fallback := false
	for {
		token, err := r.xml.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if missing != nil && !fallback {
				return r.fail("include of %q: %w", href, bare(missing))
			}
			return nil
		case xml.StartElement:
			use := missing != nil && t.Name.Local == "fallback"
			fallback = fallback || use
			if use {
				err = r.nested()
			} else {
				err = r.xml.Skip()
			}
			if err != nil {
				return err
			}
		}
	}
}

// local is the path of a file to include.
func (r *reader) local(href string) (string, error) {
	if href == "" {
		return "", r.fail("an include has no href")
	}
	if u, err := url.Parse(href); err == nil && u.Scheme != "" {
		if u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
			return "", r.fail("include of %q: only local files can be included; copy the file and name the copy",
				withoutUser(href))
		}
		href = u.Path
	}
	if !filepath.IsAbs(href) {
		href = filepath.Join(filepath.Dir(r.path), href)
	}
	return href, nil
}

// charset reads the encodings of configuration files other than UTF-8.
func charset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf8", "us-ascii", "ascii":
		return in, nil
	case "iso-8859-1", "latin1":
		all, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, c := range all {
			b.WriteRune(rune(c))
		}
		return strings.NewReader(b.String()), nil
	}
	return nil, fmt.Errorf("encoding %.40q is not supported; convert the file to UTF-8", name)
}
