package s3

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
)

// Error is an error of the S3 protocol, as a client gets it.
type Error struct {
	Status  int
	Code    string
	Message string
	fields  []field // further elements of the answer
}

type field struct{ name, value string }

// Error is the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// with returns a copy of the error that carries one more element.
func (e *Error) with(name, value string) *Error {
	c := *e
	c.fields = append(append([]field(nil), e.fields...), field{name, value})
	return &c
}

func refuse(status int, code, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func badRequest(code, format string, args ...any) *Error {
	return refuse(http.StatusBadRequest, code, format, args...)
}

func notImplemented(what string) *Error {
	return refuse(http.StatusNotImplemented, "NotImplemented", "%s is not implemented by the S3 target of Plimsoll.", what)
}

func accessDenied(format string, args ...any) *Error {
	return refuse(http.StatusForbidden, "AccessDenied", format, args...)
}

func noSuchBucket(name string) *Error {
	return refuse(http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist.").with("BucketName", name)
}

func noSuchKey(key string) *Error {
	return refuse(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.").with("Key", key)
}

func noSuchUpload(id string) *Error {
	return refuse(http.StatusNotFound, "NoSuchUpload",
		"The specified upload does not exist. It may have been aborted or completed.").with("UploadId", id)
}

func preconditionFailed(header string) *Error {
	return refuse(http.StatusPreconditionFailed, "PreconditionFailed",
		"At least one of the preconditions you specified did not hold.").with("Condition", header)
}

// full is what a client gets when there is no room. 507 is a status that clients do not try
// again, as they would with 500 and 503.
func full(format string, args ...any) *Error {
	return refuse(http.StatusInsufficientStorage, "InsufficientStorage", format, args...)
}

func incompleteBody(format string, args ...any) *Error {
	return badRequest("IncompleteBody", format, args...)
}

// errNotModified is the answer 304, which has no body.
func errNotModified() *Error { return &Error{Status: http.StatusNotModified, Code: "NotModified"} }

// asError makes an answer of any error.
func asError(err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return full("The disk is full.")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return incompleteBody("The body ended before the number of bytes that the request declares.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return badRequest("RequestTimeout", "The body did not come within the idle time.")
	}
	return refuse(http.StatusInternalServerError, "InternalError", "%v", err)
}

// document is the error as XML.
func (e *Error) document(resource, requestID string) []byte {
	type element struct {
		XMLName xml.Name
		Value   string `xml:",chardata"`
	}
	d := struct {
		XMLName   xml.Name `xml:"Error"`
		Code      string
		Message   string
		Fields    []element
		Resource  string
		RequestID string `xml:"RequestId"`
	}{Code: e.Code, Message: e.Message, Resource: resource, RequestID: requestID}
	for _, f := range e.fields {
		d.Fields = append(d.Fields, element{xml.Name{Local: f.name}, f.value})
	}
	return encode(d)
}

// encode is v as an XML document. The types are ours, so it cannot fail.
func encode(v any) []byte {
	text, err := xml.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append([]byte(xml.Header), text...)
}
