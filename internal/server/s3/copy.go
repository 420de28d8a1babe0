package s3

import (
	"encoding/xml"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// source finds the object that x-amz-copy-source names, and checks the conditions on it.
func (x *request) source() (o *object, release func(), err error) {
	name, query := x.sourceName()
	bucket, key, _ := strings.Cut(name, "/")
	if key == "" || badBucketName(bucket) != "" {
		return nil, nil, refusal.BadRequest("InvalidArgument",
			"Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
	}
	if query != "" && query != "versionId=null" {
		return nil, nil, refusal.NotImplemented("versionId")
	}
	if o, release, err = x.s.catalog.get(bucket, key); err != nil {
		return nil, nil, err
	}
	if err := checkRead(x.r.Header, o, copyHeaders); err != nil {
		release()
		return nil, nil, refusal.PreconditionFailed("x-amz-copy-source-if-…") // 304 is not for copies
	}
	return o, release, nil
}

// copyObject makes an object that uses the data of another: nothing is moved.
func (x *request) copyObject() error {
	from, release, err := x.source()
	if err != nil {
		return err
	}
	o := &object{
		key: x.key, size: from.size, etag: from.etag, modified: x.s.stamp(), headers: from.headers,
		pieces: from.pieces, checksum: from.checksum,
	}
	if strings.EqualFold(x.r.Header.Get("X-Amz-Metadata-Directive"), "REPLACE") {
		var bad *refusal.Error
		if o.headers, bad = objectHeaders(x.r.Header); bad != nil {
			release()
			return bad
		}
	} else if name, _ := x.sourceName(); name == x.bucket+"/"+x.key {
		release()
		return refusal.BadRequest("InvalidRequest",
			"This copy request is illegal because it is trying to copy an object to itself without changing the "+
				"object's metadata.")
	}
	if from.size > maxPut {
		release()
		return refusal.BadRequest("InvalidRequest",
			"The specified copy source is larger than the maximum allowable size for a copy source: %d", int64(maxPut))
	}
	// The use of the data passes over to the new object.
	if err := x.s.catalog.put(x.bucket, o, x.writeCondition()); err != nil {
		return err
	}
	return x.answerXML(x.copyResult("CopyObjectResult", o.etag, o.checksum))
}

// sourceName is BUCKET/KEY of the source, or "" if it cannot be read, and what is asked of it.
func (x *request) sourceName() (name, query string) {
	text, query, _ := strings.Cut(x.r.Header.Get("X-Amz-Copy-Source"), "?")
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return "", ""
	}
	return strings.TrimPrefix(decoded, "/"), query
}

type copyResult struct {
	XMLName      xml.Name
	LastModified string
	ETag         string
	Checksum     *element
}

func (x *request) copyResult(name, etag string, c checksum) *copyResult {
	d := &copyResult{XMLName: xml.Name{Space: namespace, Local: name}, LastModified: xmlTime(x.s.stamp()), ETag: etag}
	if c.kind != nil {
		d.Checksum = &element{xml.Name{Local: c.kind.element}, c.String()}
	}
	return d
}

// uploadPartCopy makes a part of an object's data, without moving it.
func (x *request) uploadPartCopy() error {
	id, number, kind, err := x.partOfUpload()
	if err != nil {
		return err
	}
	if kind != nil {
		return refusal.NotImplemented("UploadPartCopy into an upload with checksums")
	}
	from, release, err := x.source()
	if err != nil {
		return err
	}
	defer release()
	offset, size := int64(0), from.size
	if header := x.r.Header.Get("X-Amz-Copy-Source-Range"); header != "" {
		var v verdict
		if offset, size, v = parseRange(header, from.size); v != rangeValid {
			return refusal.BadRequest("InvalidArgument",
				"The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are "+
					"the zero-based offsets of the first and last bytes to copy")
		}
	}
	if size > maxPut {
		return refusal.BadRequest("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
	}
	made := &part{
		number: number, size: size, etag: opaqueETag(), modified: x.s.stamp(),
		pieces: blob.Cut(from.pieces, offset, size),
	}
	blob.Keep(made.pieces)
	if err := x.s.catalog.addPart(x.bucket, x.key, id, made); err != nil {
		return err
	}
	return x.answerXML(x.copyResult("CopyPartResult", made.etag, checksum{}))
}
