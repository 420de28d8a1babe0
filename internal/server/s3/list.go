package s3

import (
	"encoding/base64"
	"encoding/xml"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

// listing is what a list asks for.
type listing struct {
	prefix    string
	delimiter string
	after     string // keys up to this, or the keys with this common prefix, were given before
	max       int
	encode    bool
}

// listed is what a list gives.
type listed struct {
	objects   []*object
	prefixes  []string
	truncated bool
	last      string // the last key or common prefix
}

// list gives a page of a bucket's keys.
func (c *catalog) list(bucketName string, q *listing) (*listed, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b := c.buckets[bucketName]
	if b == nil {
		return nil, refusal.NoSuchBucket(bucketName)
	}
	var out listed
	i, _ := slices.BinarySearch(b.keys, max(q.prefix, q.after))
	for i < len(b.keys) && strings.HasPrefix(b.keys[i], q.prefix) {
		key := b.keys[i]
		group := q.group(key)
		if group == "" && key <= q.after || group != "" && group == q.after {
			// Given before. A name in the middle of a group leaves the rest of it to give.
			i = b.beyond(i, key, group)
			continue
		}
		if len(out.objects)+len(out.prefixes) == q.max {
			out.truncated = q.max > 0
			break
		}
		if group != "" {
			out.prefixes, out.last = append(out.prefixes, group), group
		} else {
			out.objects, out.last = append(out.objects, b.objects[key]), key
		}
		i = b.beyond(i, key, group)
	}
	return &out, nil
}

// group is the common prefix that a key falls into, or "".
func (q *listing) group(key string) string {
	if q.delimiter == "" {
		return ""
	}
	if at := strings.Index(key[len(q.prefix):], q.delimiter); at >= 0 {
		return key[:len(q.prefix)+at+len(q.delimiter)]
	}
	return ""
}

// beyond is the index of the first key that is neither this one nor in the group.
func (b *bucket) beyond(i int, key, group string) int {
	if group == "" {
		return i + 1
	}
	return i + sort.Search(len(b.keys)-i, func(n int) bool { return !strings.HasPrefix(b.keys[i+n], group) })
}

// maxList is how many entries a page has at most.
const maxList = 1000

// listing reads the parameters that both versions have.
func (x *request) listing(after string) (*listing, *refusal.Error) {
	q := &listing{prefix: x.param("prefix"), delimiter: x.param("delimiter"), after: after, max: maxList}
	var err *refusal.Error
	if q.max, err = x.pageSize("max-keys"); err != nil {
		return nil, err
	}
	switch x.param("encoding-type") {
	case "":
	case "url":
		q.encode = true
	default:
		return nil, refusal.BadRequest("InvalidArgument", "Invalid Encoding Method specified in Request").
			With("ArgumentName", "encoding-type").With("ArgumentValue", x.param("encoding-type"))
	}
	return q, nil
}

// pageSize reads the parameter that bounds a page.
func (x *request) pageSize(name string) (int, *refusal.Error) {
	text := x.param(name)
	if text == "" {
		return maxList, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, refusal.BadRequest("InvalidArgument", "Argument %s must be an integer between 0 and 2147483647",
			name).
			With("ArgumentName", name).With("ArgumentValue", text)
	}
	return int(min(n, maxList)), nil
}

// text is a name as the client wants it.
func (q *listing) text(s string) string {
	if q.encode {
		return sigv4.Escape(s, true)
	}
	return s
}

type contentXML struct {
	Key               string
	LastModified      string
	ETag              string
	ChecksumAlgorithm string `xml:",omitempty"`
	ChecksumType      string `xml:",omitempty"`
	Size              int64
	StorageClass      string
	Owner             *owner
}

type prefixXML struct{ Prefix string }

type listXML struct {
	XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name                  string
	Prefix                string
	Marker                *string
	NextMarker            string `xml:",omitempty"`
	StartAfter            string `xml:",omitempty"`
	ContinuationToken     string `xml:",omitempty"`
	NextContinuationToken string `xml:",omitempty"`
	KeyCount              *int
	MaxKeys               int
	Delimiter             string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	IsTruncated           bool
	Contents              []contentXML
	CommonPrefixes        []prefixXML
}

// page is the document that both versions have in common.
func (x *request) page(q *listing, withOwner bool) (*listXML, *listed, error) {
	got, err := x.s.catalog.list(x.bucket, q)
	if err != nil {
		return nil, nil, err
	}
	d := &listXML{
		Name: x.bucket, Prefix: q.text(q.prefix), MaxKeys: q.max, Delimiter: q.text(q.delimiter),
		IsTruncated: got.truncated,
	}
	if q.encode {
		d.EncodingType = "url"
	}
	for _, o := range got.objects {
		entry := contentXML{
			Key: q.text(o.key), LastModified: xmlTime(o.modified), ETag: o.etag, Size: o.size, StorageClass: o.class(),
		}
		if o.checksum.kind != nil {
			entry.ChecksumAlgorithm, entry.ChecksumType = o.checksum.kind.name, o.checksum.kindOfWhole()
		}
		if withOwner {
			entry.Owner = theOwner()
		}
		d.Contents = append(d.Contents, entry)
	}
	for _, p := range got.prefixes {
		d.CommonPrefixes = append(d.CommonPrefixes, prefixXML{q.text(p)})
	}
	return d, got, nil
}

func (x *request) listObjectsV1() error {
	marker := x.param("marker")
	q, bad := x.listing(marker)
	if bad != nil {
		return bad
	}
	d, got, err := x.page(q, true)
	if err != nil {
		return err
	}
	shown := q.text(marker)
	d.Marker = &shown
	if got.truncated && q.delimiter != "" { // otherwise clients take the last key
		d.NextMarker = q.text(got.last)
	}
	return x.answerXML(d)
}

func (x *request) listObjectsV2() error {
	if x.param("list-type") != "2" {
		return refusal.BadRequest("InvalidArgument", "Invalid List Type specified in Request")
	}
	after, token := x.param("start-after"), x.param("continuation-token")
	if x.query.Has("continuation-token") {
		decoded, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || token == "" {
			return refusal.BadRequest("InvalidArgument", "The continuation token provided is incorrect").
				With("ArgumentName", "continuation-token")
		}
		after = string(decoded)
	}
	q, bad := x.listing(after)
	if bad != nil {
		return bad
	}
	d, got, err := x.page(q, x.param("fetch-owner") == "true")
	if err != nil {
		return err
	}
	count := len(d.Contents) + len(d.CommonPrefixes)
	d.KeyCount, d.StartAfter, d.ContinuationToken = &count, q.text(x.param("start-after")), token
	if got.truncated {
		d.NextContinuationToken = base64.RawURLEncoding.EncodeToString([]byte(got.last))
	}
	return x.answerXML(d)
}
