package s3

import (
	"crypto/md5" //nolint:gosec // what the protocol has
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// object is what a key stands for. It does not change; a new one takes its place.
type object struct {
	key      string
	size     int64
	etag     string // with quotes
	modified time.Time
	headers  map[string]string // that came with the data and go with it
	pieces   []blob.Piece
	parts    []partInfo // of a multipart object
	checksum checksum
}

// partInfo is what is remembered of a part of a completed upload.
type partInfo struct {
	number   int
	size     int64
	checksum checksum
}

// cost is about how much memory the object takes beside its data.
func (o *object) cost() int64 {
	n := 512 + len(o.key) + 64*len(o.pieces) + 64*len(o.parts)
	for name, value := range o.headers {
		n += 32 + len(name) + len(value)
	}
	return int64(n)
}

// upload is a multipart upload under way.
type upload struct {
	id        string
	bucket    string
	key       string
	initiated time.Time
	headers   map[string]string
	kind      *checksumKind // nil: none is wanted
	whole     string        // composite or fullObject
	parts     map[int]*part
}

// part is a part of an upload.
type part struct {
	number   int
	size     int64
	etag     string
	modified time.Time
	checksum checksum
	pieces   []blob.Piece
}

// opaqueETag is an ETag that is not the MD5 sum of anything, and does not look like one: the
// hyphen is what clients know that by.
func opaqueETag() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return `"` + hex.EncodeToString(id[:]) + `-1"`
}

// etagOf is the ETag of data that was received.
func etagOf(p *payload) string {
	if p.md5 == nil {
		return opaqueETag()
	}
	return `"` + hex.EncodeToString(p.md5.Sum(nil)) + `"`
}

// etagOfParts is the ETag of an object of parts, as S3 makes it of MD5 sums.
func etagOfParts(parts []*part) string {
	h := md5.New()
	for _, p := range parts {
		text := strings.Trim(p.etag, `"`)
		if sum, err := hex.DecodeString(text); err == nil {
			h.Write(sum)
		} else {
			h.Write([]byte(text))
		}
	}
	return `"` + hex.EncodeToString(h.Sum(nil)) + "-" + formatInt(len(parts)) + `"`
}

// maxKey is how many bytes a key can have.
const maxKey = 1024

func checkKey(key string) *refusal.Error {
	switch {
	case len(key) > maxKey:
		return refusal.BadRequest("KeyTooLongError", "Your key is too long")
	case !utf8.ValidString(key):
		return refusal.BadRequest("InvalidURI", "The key is not valid UTF-8.")
	}
	return nil
}

// badBucketName says what is wrong with a bucket's name, or nothing.
func badBucketName(name string) string {
	switch {
	case len(name) < 3 || len(name) > 63:
		return "it must have 3 to 63 characters"
	case strings.Contains(name, ".."):
		return "it must not have two dots in a row"
	}
	for i := range len(name) {
		c := name[i]
		alphanumeric := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !alphanumeric && (c != '-' && c != '.' || i == 0 || i == len(name)-1) {
			return "it must have lower-case letters, digits, dots and hyphens only, and begin and end with a letter " +
				"or digit"
		}
	}
	return ""
}

// maxUserMetadata bounds the names and values of x-amz-meta-*.
const maxUserMetadata = 2 << 10

const metaPrefix = "X-Amz-Meta-"

// keptHeaders are kept with an object, beside its metadata.
var keptHeaders = [...]string{"Content-Type", "Cache-Control", "Content-Disposition", "Content-Language", "Expires"}

// objectHeaders are the headers of a request that are kept.
func objectHeaders(h http.Header) (map[string]string, *refusal.Error) {
	kept := map[string]string{}
	for _, name := range keptHeaders {
		if v := h.Get(name); v != "" {
			kept[name] = v
		}
	}
	class, err := storageClass(h.Get(classHeader))
	if err != nil {
		return nil, err
	}
	if class != standard {
		kept[classHeader] = class
	}
	if v := contentEncoding(h); v != "" {
		kept["Content-Encoding"] = v
	}
	size := 0
	for name, values := range h {
		if strings.HasPrefix(name, metaPrefix) {
			v := strings.Join(values, ",")
			kept[strings.ToLower(name)] = v // clients get it back in lower case
			size += len(name) - len(metaPrefix) + len(v)
		}
	}
	if size > maxUserMetadata {
		return nil, refusal.BadRequest("MetadataTooLarge",
			"Your metadata headers exceed the maximum allowed metadata size")
	}
	return kept, nil
}

const (
	classHeader = "X-Amz-Storage-Class"
	standard    = "STANDARD"
)

// storageClass checks the class that an object is to have. It is a label here: the classes
// whose objects cannot be read at once are refused.
func storageClass(name string) (string, *refusal.Error) {
	switch name {
	case "", standard:
		return standard, nil
	case "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR":
		return name, nil
	case "GLACIER", "DEEP_ARCHIVE", "OUTPOSTS", "SNOW", "EXPRESS_ONEZONE":
		return "", refusal.NotImplemented("the storage class " + name)
	}
	return "", refusal.BadRequest("InvalidStorageClass", "The storage class you specified is not valid")
}

// class is the object's storage class.
func (o *object) class() string {
	if c := o.headers[classHeader]; c != "" {
		return c
	}
	return standard
}

// contentEncoding is the header without aws-chunked, which belongs to the request.
func contentEncoding(h http.Header) string {
	var kept []string
	for _, line := range h.Values("Content-Encoding") {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" && !strings.EqualFold(name, "aws-chunked") {
				kept = append(kept, name)
			}
		}
	}
	return strings.Join(kept, ", ")
}
