package aws

import (
	"bytes"
	"compress/gzip"
	"io"
)

// plain is a name as it may stand in any answer without being quoted; it is cut off before it
// becomes long, and what is not plain becomes an underscore. Names of AWS are plain.
func plain(name []byte) string {
	const most = 256
	b := bytes.Clone(name[:min(len(name), most)])
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case bytes.IndexByte([]byte("-_.:/+=@#?"), c) >= 0:
		default:
			b[i] = '_'
		}
	}
	return string(b)
}

// notKnown is what every answer says that is none.
func notKnown(operation string) string {
	return "plimsoll serve aws does not implement " + operation +
		": it returns canned responses for a few operations; see its --help"
}

// unknownJSON answers X-Amz-Target: PREFIX.OPERATION.
func unknownJSON(q *request) *response {
	version := "1.0"
	if bytes.HasSuffix(q.contentType, []byte("1.1")) {
		version = "1.1"
	}
	body := `{"__type":"com.amazon.coral.service#UnknownOperationException","message":"` + notKnown(plain(q.target)) +
		`"}`
	if bytes.HasPrefix(q.target, []byte(dynamoPrefix)) {
		return dynamoAnswer(400, body)
	}
	return jsonAnswer(version, 400, body, field{"x-amzn-errortype", "UnknownOperationException"})
}

// unknownCBOR answers POST /service/SERVICE/operation/OPERATION.
func unknownCBOR(q *request) *response {
	name := q.path
	if at := bytes.Index(name, []byte("/operation/")); at >= 0 {
		name = name[at+len("/operation/"):]
	}
	b := cborMap(nil, 2)
	b = cborText(cborText(b, "__type"), "com.amazon.coral.service#UnknownOperationException")
	b = cborText(cborText(b, "message"), notKnown(plain(name)))
	return cborAnswer(404, b)
}

// unknownQuery answers Action=OPERATION.
func unknownQuery(q *request) *response {
	name := plain(q.action())
	if name == "" {
		name = "a request without an Action"
	}
	return xmlAnswer(400, `<ErrorResponse><Error><Type>Sender</Type><Code>InvalidAction</Code><Message>`+notKnown(name)+
		`</Message></Error><RequestId>`+RequestID+`</RequestId></ErrorResponse>`)
}

// unknownS3 answers a method, a path and a query.
func unknownS3(q *request) *response {
	return s3Answer(501,
		[]byte(`<?xml version="1.0" encoding="UTF-8"?>`+"\n<Error><Code>NotImplemented</Code><Message>"+
			notKnown(s3Name(q))+"</Message><RequestId>PLIMSOLLCANNED00</RequestId><HostId>canned</HostId></Error>"),
		field{"content-type", "application/xml"})
}

// s3Name names an operation of S3 that has no answer. Some clients say it in the parameter
// x-id; the names of the most frequent others are known here.
func s3Name(q *request) string {
	if said := parameter(q.query, "x-id"); len(said) > 0 {
		return plain(said)
	}
	if q.copies {
		return "CopyObject"
	}
	bucket, key := q.bucketAndKey()
	what := "of the service"
	switch {
	case len(key) > 0:
		what = "of an object"
	case len(bucket) > 0:
		what = "of a bucket"
	}
	sub, ordinary := q.subresource()
	switch name := plain(q.method) + " " + what; name + "?" + string(sub) {
	case "GET of the service?":
		return "ListBuckets"
	case "GET of a bucket?":
		return "ListObjects"
	case "GET of a bucket?list-type":
		return "ListObjectsV2"
	case "POST of a bucket?delete":
		return "DeleteObjects"
	case "POST of an object?uploads":
		return "CreateMultipartUpload"
	case "GET of an object?tagging":
		return "GetObjectTagging"
	case "PUT of an object?tagging":
		return "PutObjectTagging"
	default:
		if !ordinary {
			name += " with ?" + plain(sub)
		}
		return name
	}
}

func unknownPinpoint(q *request) *response {
	return restAnswer(404, `{"Message":"`+notKnown(plain(q.method)+" "+plain(q.path))+`","RequestID":"`+RequestID+`"}`,
		field{"x-amzn-errortype", "NotFoundException"})
}

// unknownOther answers a service that is none of ours and says nothing of its protocol.
func unknownOther(q *request) *response {
	return restAnswer(404,
		`{"message":"`+notKnown(plain(q.method)+" "+plain(q.path)+" of the service "+plain(q.service()))+`"}`,
		field{"x-amzn-errortype", "UnknownOperationException"})
}

// inflated is the first part of a compressed form. Clients compress long ones.
func inflated(q *request) []byte {
	if string(q.contentEncoding) != "gzip" {
		return q.body
	}
	z, err := gzip.NewReader(bytes.NewReader(q.body))
	if err != nil {
		return nil
	}
	// What was kept may end in the middle, which is no error here.
	form, _ := io.ReadAll(io.LimitReader(z, maxKept))
	return form
}
