package aws

import (
	"hash/crc32"
	"strconv"
)

// response is one that is ready but for its date.
type response struct {
	status int
	fields []field
	body   []byte
	http1  []byte // status line and headers, up to the date's value
}

// field is a header, its name in lower case.
type field struct{ name, value string }

// RequestID is the id that every answer gives. There is nothing to look up under it.
const RequestID = "00000000-0000-4000-8000-706c696d736f"

// newResponse makes one. A body of nil is one that has none, and no length.
func newResponse(status int, body []byte, fields ...field) *response {
	a := &response{status: status, body: body}
	a.fields = append(append(a.fields, field{"server", "plimsoll-canned"}), fields...)
	hasLength := false
	for _, f := range a.fields {
		hasLength = hasLength || f.name == "content-length"
	}
	if !hasLength && status != 204 {
		a.fields = append(a.fields, field{"content-length", strconv.Itoa(len(body))})
	}
	a.http1 = append(a.http1, "HTTP/1.1 "+strconv.Itoa(status)+" "+reason(status)+"\r\n"...)
	for _, f := range a.fields {
		a.http1 = append(a.http1, f.name+": "+f.value+"\r\n"...)
	}
	a.http1 = append(a.http1, "date: "...)
	return a
}

// appendHTTP1 appends the answer as HTTP/1.1 has it.
func (a *response) appendHTTP1(to, date []byte, head, closing bool) []byte {
	to = append(to, a.http1...)
	to = append(to, date...)
	if closing {
		to = append(to, "\r\nconnection: close"...)
	}
	to = append(to, "\r\n\r\n"...)
	if !head {
		to = append(to, a.body...)
	}
	return to
}

func statusText(status int) string { return strconv.Itoa(status) }

func reason(status int) string {
	switch status {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 202:
		return "Accepted"
	case 204:
		return "No Content"
	case 400:
		return "Bad Request"
	case 404:
		return "Not Found"
	}
	return "Not Implemented"
}

// xmlAnswer is REST-XML's and Query's.
func xmlAnswer(status int, body string, fields ...field) *response {
	return newResponse(status, []byte(`<?xml version="1.0" encoding="UTF-8"?>`+"\n"+body),
		append([]field{{"content-type", "text/xml"}, {"x-amzn-requestid", RequestID}}, fields...)...)
}

// s3Answer has the headers that S3 gives everywhere.
func s3Answer(status int, body []byte, fields ...field) *response {
	return newResponse(status, body, append([]field{{"x-amz-request-id", "PLIMSOLLCANNED00"}, {"x-amz-id-2", "canned"}},
		fields...)...)
}

func jsonAnswer(version string, status int, body string, fields ...field) *response {
	return newResponse(status, []byte(body),
		append([]field{{"content-type", "application/x-amz-json-" + version}, {"x-amzn-requestid", RequestID}},
			fields...)...)
}

// dynamoAnswer has the checksum of DynamoDB, which its clients compare.
func dynamoAnswer(status int, body string) *response {
	sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(body))), 10)
	return jsonAnswer("1.0", status, body, field{"x-amz-crc32", sum})
}

// restAnswer is REST-JSON's.
func restAnswer(status int, body string, fields ...field) *response {
	return newResponse(status, []byte(body),
		append([]field{{"content-type", "application/json"}, {"x-amzn-requestid", RequestID}}, fields...)...)
}

// cborAnswer is RPC v2's; a body of nil is the answer of an operation without output.
func cborAnswer(status int, body []byte) *response {
	fields := []field{{"smithy-protocol", "rpc-v2-cbor"}, {"x-amzn-requestid", RequestID}}
	if body != nil {
		fields = append(fields, field{"content-type", "application/cbor"})
	}
	return newResponse(status, body, fields...)
}
