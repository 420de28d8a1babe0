package aws

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// objectSize is the length of every object.
const objectSize = 1024

// far is the end of credentials that are given out: clients do not come for new ones.
const far = "2099-12-31T23:59:59Z"

const s3Namespace = `xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`

func (r *router) addS3() {
	object := bytes.Repeat([]byte("plimsoll canned object.........\n"), objectSize/32)
	sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(object)))
	etag := field{"etag", `"706c696d736f6c6c63616e6e65643030"`}
	about := []field{
		etag, {"last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"}, {"content-type", "application/octet-stream"},
		{"accept-ranges", "bytes"}, {"content-length", strconv.Itoa(objectSize)},
	}
	checked := append([]field{{"x-amz-checksum-crc32", sum}, {"x-amz-checksum-type", "FULL_OBJECT"}}, about...)
	for _, service := range []string{S3, S3Express} {
		into := r.s3
		if service == S3Express {
			into = r.express
		}
		add := func(how, name string, a *response) { into[how] = &operation{service: service, name: name, fixed: a} }
		add("HEAD object", "HeadObject", s3Answer(200, nil, about...))
		add("GET object", "GetObject", s3Answer(200, object, checked...))
		add("PUT object", "PutObject", s3Answer(200, nil, etag))
		add("DELETE object", "DeleteObject", s3Answer(204, nil))
		into["PUT bucket"] = &operation{service: service, name: "CreateBucket", made: r.createBucket}
		into["HEAD bucket"] = &operation{service: service, name: "HeadBucket", made: r.headBucket}
		into["DELETE bucket"] = &operation{service: service, name: "DeleteBucket", made: r.deleteBucket}
	}
	r.express["GET session"] = &operation{service: S3Express, name: "CreateSession", fixed: s3Answer(200,
		[]byte(`<?xml version="1.0" encoding="UTF-8"?>`+"\n<CreateSessionResult "+s3Namespace+
			"><Credentials><SessionToken>canned</SessionToken>"+
			"<SecretAccessKey>canned</SecretAccessKey><AccessKeyId>ASIAPLIMSOLLCANNED00</AccessKeyId><Expiration>"+far+
			"</Expiration></Credentials></CreateSessionResult>"), field{"content-type", "application/xml"})}
}

func (r *router) createBucket(q *request) *response {
	bucket, _ := q.bucketAndKey()
	r.gone.remove("bucket " + plain(bucket))
	return s3Answer(200, nil, field{"location", "/" + plain(bucket)})
}

func (r *router) headBucket(q *request) *response {
	bucket, _ := q.bucketAndKey()
	if r.gone.has("bucket " + plain(bucket)) {
		return s3Answer(404, nil)
	}
	return s3Answer(200, nil, field{"x-amz-bucket-region", DefaultRegion})
}

func (r *router) deleteBucket(q *request) *response {
	bucket, _ := q.bucketAndKey()
	r.gone.add("bucket " + plain(bucket))
	return s3Answer(204, nil)
}
