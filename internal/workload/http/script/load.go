package script

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// Bounds on files of requests.
const (
	looked     = 4 << 10   // bytes that tell what a file is
	maxLine    = 1 << 20   // of an access log
	maxLog     = 4 << 30   // of which the requests are kept
	maxArchive = 256 << 20 // a HAR file is in memory as a whole
)

// Load reads a file of requests of any sort: YAML or JSON (Read), a HAR file (ReadArchive) or an access log (ReadLog),
// by the ending of its name, or else by what it begins with. It reads no more than the sort can have.
func Load(name string, from io.Reader, o Options) (*Script, error) {
	in := bufio.NewReaderSize(from, maxLine)
	begins, _ := in.Peek(looked)
	switch {
	case bytes.HasPrefix(begins, []byte("\ufeff")):
		_, _ = in.Discard(len("\ufeff"))
		begins = begins[len("\ufeff"):]
	case bytes.HasPrefix(begins, []byte{0xff, 0xfe}), bytes.HasPrefix(begins, []byte{0xfe, 0xff}):
		return nil, fault.New(fault.Usage, "%s is encoded in UTF-16", name).Hint("convert it to UTF-8")
	}
	sort := sortOf(name, begins)
	if sort == "log" {
		return ReadLog(name, in, o)
	}
	read, most := Read, int64(yamltree.MaxSize)
	if sort == "har" {
		read, most = ReadArchive, maxArchive
		if text := bytes.TrimSpace(begins); len(text) > 0 && text[0] != '{' {
			most = looked // it is no HAR file, which ReadArchive says
		}
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fault.New(fault.Usage, "%s: %w", name, err).Hint("check the name and the permissions of the file")
	case sort == "har" && len(data) > maxArchive:
		return nil, infile.TooLarge(name, maxArchive)
	}
	return read(name, data, o) // which refuses YAML that is too large
}

// sortOf is yaml, har or log; begins is what the file begins with, or all of it.
func sortOf(name string, begins []byte) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return "yaml"
	case ".har":
		return "har"
	case ".log", ".jsonl", ".ndjson":
		return "log"
	}
	begins = bytes.TrimSpace(begins[:min(len(begins), looked)])
	first, _, _ := bytes.Cut(begins, []byte{'\n'})
	switch {
	case bytes.HasPrefix(begins, []byte{'{'}) && bytes.Contains(begins, []byte(`"log"`)):
		return "har"
	case bytes.HasPrefix(first, []byte{'{'}) && bytes.HasSuffix(bytes.TrimSpace(first), []byte{'}'}):
		if _, err := readLine(bytes.TrimSpace(first)); err == nil {
			return "log"
		}
	case bytes.Contains(first, []byte{'['}):
		if _, err := readLine(first); err == nil {
			return "log"
		}
	}
	return "yaml"
}
