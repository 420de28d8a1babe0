package script

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Load reads a file of requests of any sort: YAML or JSON (Read), a HAR file (ReadArchive) or an access log (ReadLog),
// by the ending of its name, or else by what it begins with.
func Load(name string, data []byte, o Options) (*Script, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, fault.New(fault.Usage, "%s is text in UTF-16", name).Hint("save it as UTF-8")
	}
	switch sortOf(name, data) {
	case "har":
		return ReadArchive(name, data, o)
	case "log":
		return ReadLog(name, data, o)
	}
	return Read(name, data, o)
}

// sortOf is yaml, har or log.
func sortOf(name string, data []byte) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return "yaml"
	case ".har":
		return "har"
	case ".log", ".jsonl", ".ndjson":
		return "log"
	}
	const looked = 4 << 10
	begins := bytes.TrimSpace(data[:min(len(data), looked)])
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
