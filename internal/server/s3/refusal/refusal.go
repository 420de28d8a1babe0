package refusal

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
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

// With returns a copy of the error that carries one more element.
func (e *Error) With(name, value string) *Error {
	c := *e
	c.fields = append(append([]field(nil), e.fields...), field{name, value})
	return &c
}

// New is an error of the given status and code.
func New(status int, code, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// BadRequest has the status 400.
func BadRequest(code, format string, args ...any) *Error {
	return New(http.StatusBadRequest, code, format, args...)
}

// NotImplemented is for what S3 has, and this server has not.
func NotImplemented(what string) *Error {
	return New(http.StatusNotImplemented, "NotImplemented", "%s is not implemented by the S3 target of Plimsoll.", what)
}

// AccessDenied says why.
func AccessDenied(format string, args ...any) *Error {
	return New(http.StatusForbidden, "AccessDenied", format, args...)
}

// NoSuchBucket is of a bucket that is not there.
func NoSuchBucket(name string) *Error {
	return New(http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist.").With("BucketName", name)
}

// NoSuchKey is of an object that is not there.
func NoSuchKey(key string) *Error {
	return New(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.").With("Key", key)
}

// NoSuchUpload is of an upload that is not there.
func NoSuchUpload(id string) *Error {
	return New(http.StatusNotFound, "NoSuchUpload",
		"The specified upload does not exist. It may have been aborted or completed.").With("UploadId", id)
}

// PreconditionFailed names the header whose condition does not hold.
func PreconditionFailed(header string) *Error {
	return New(http.StatusPreconditionFailed, "PreconditionFailed",
		"At least one of the preconditions you specified did not hold.").With("Condition", header)
}

// Full is what a client gets when there is no room. 507 is a status that clients do not try
// again, as they would with 500 and 503.
func Full(format string, args ...any) *Error {
	return New(http.StatusInsufficientStorage, "InsufficientStorage", format, args...)
}

// IncompleteBody is of a body that is not what the request declares.
func IncompleteBody(format string, args ...any) *Error {
	return BadRequest("IncompleteBody", format, args...)
}

// NotModified is the answer 304, which has no body.
func NotModified() *Error { return &Error{Status: http.StatusNotModified, Code: "NotModified"} }

// Of makes an answer of any error.
func Of(err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return Full("The disk is full.")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return IncompleteBody("The body ended before the number of bytes that the request declared.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return BadRequest("RequestTimeout", "The body was not received within the idle timeout.")
	}
	return New(http.StatusInternalServerError, "InternalError", "%v", err)
}

// Has says whether the error carries an element with this value.
func (e *Error) Has(name, value string) bool { return slices.Contains(e.fields, field{name, value}) }

// Document is the error as it is to be encoded as XML.
func (e *Error) Document(resource, requestID string) any {
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
	return d
}
