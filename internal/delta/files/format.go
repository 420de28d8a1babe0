package files

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

// Format is a format of files.
type Format uint8

// The formats. Auto finds out which one a file has.
const (
	Auto Format = iota
	CSV
	JSONLines
	Avro
	Compact
)

// Formats are all formats that can be written.
func Formats() []Format { return []Format{CSV, JSONLines, Avro, Compact} }

// String is the format's name, as ParseFormat reads it; it is the extension of file names too.
func (f Format) String() string {
	switch f {
	case CSV:
		return "csv"
	case JSONLines:
		return "jsonl"
	case Avro:
		return "avro"
	case Compact:
		return "compact"
	}
	return "auto"
}

// ParseFormat reads the name of a format that can be written.
func ParseFormat(name string) (Format, error) {
	for _, f := range Formats() {
		if f.String() == name {
			return f, nil
		}
	}
	return Auto, fmt.Errorf("%q is not a format: use csv, jsonl, avro or compact", name)
}

// The bounds of what is read. A row that is longer is a bad one; a block of an Avro file or a
// message that is longer ends the reading.
const (
	MaxRow   = 16 << 20
	MaxBlock = 64 << 20
)

const (
	namePrefix = "DELTA_"
	nameDigits = 16
)

// MaxNumber is the largest number that the name of a delta file can have.
const MaxNumber = 1e16 - 1

// Name is the name of the delta file with this number.
func Name(number uint64, f Format) string {
	return fmt.Sprintf("%s%0*d.%v", namePrefix, nameDigits, number, f)
}

// ParseName reads the name of a delta file: DELTA_ and 16 digits, and any extension or none.
// The names of files that are still being written are none.
func ParseName(name string) (number uint64, ok bool) {
	digits, found := strings.CutPrefix(filepath.Base(name), namePrefix)
	if !found || len(digits) < nameDigits {
		return 0, false
	}
	digits, extension := digits[:nameDigits], digits[nameDigits:]
	if extension != "" && extension[0] != '.' || strings.HasSuffix(extension, outfile.Temporary) {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64) // takes no sign
	return number, err == nil
}

// FormatOf is the format that a file's extension names, or Auto.
func FormatOf(name string) Format {
	extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if f, err := ParseFormat(extension); err == nil {
		return f
	}
	switch extension {
	case "ndjson", "json":
		return JSONLines
	}
	return Auto
}

const (
	avroMagic    = "Obj\x01"
	compactMagic = "PLMF\x01\x00\x00\x00"
	utf8Mark     = "\xef\xbb\xbf"
)

// detect finds the format in the beginning of a file. It is Auto for an empty one.
func detect(begin []byte) Format {
	switch {
	case bytes.HasPrefix(begin, []byte(avroMagic)):
		return Avro
	case bytes.HasPrefix(begin, []byte(compactMagic[:4])):
		return Compact
	case len(begin) == 0:
		return Auto
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(begin, []byte(utf8Mark)), " \t\r\n")
	if len(text) > 0 && text[0] == '{' {
		return JSONLines
	}
	return CSV
}

// unsupported knows what people mistake for a delta file, and says what to do with it.
func unsupported(begin []byte) error {
	for _, known := range []struct{ magic, why string }{
		{"\x1f\x8b", "the file is compressed with gzip: decompress it first, as in gzip -dc FILE | plimsoll deltas " +
			"convert - …"},
		{"\x28\xb5\x2f\xfd",
			"the file is compressed with zstd: decompress it first, as in zstd -dc FILE | plimsoll deltas convert - …"},
		{"PK\x03\x04", "the file is a zip archive: unpack it first"},
		{"PAR1", "the file is Parquet, which is not supported: use CSV, JSON lines or Avro"},
		{"\xff\xfe", "the file is UTF-16 text: convert it to UTF-8 first, as in iconv -f utf-16 -t utf-8 FILE"},
		{"\xfe\xff", "the file is UTF-16 text: convert it to UTF-8 first, as in iconv -f utf-16 -t utf-8 FILE"},
		{"[", "the file is a JSON array: write one object per line, as in jq -c '.[]' FILE"},
	} {
		if bytes.HasPrefix(begin, []byte(known.magic)) {
			return errors.New(known.why)
		}
	}
	return nil
}
