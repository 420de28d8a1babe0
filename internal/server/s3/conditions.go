package s3

import (
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// readNames are the headers of conditions on reading.
type readNames struct{ match, noneMatch, modified, unmodified string }

var (
	readHeaders = readNames{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}
	copyHeaders = readNames{
		"X-Amz-Copy-Source-If-Match", "X-Amz-Copy-Source-If-None-Match",
		"X-Amz-Copy-Source-If-Modified-Since", "X-Amz-Copy-Source-If-Unmodified-Since",
	}
)

// checkRead checks the conditions in the order of RFC 9110, section 13.2.2.
func checkRead(h http.Header, o *object, names readNames) *refusal.Error {
	modified := o.modified.Truncate(time.Second)
	if v := h.Get(names.match); v != "" {
		if !etagIn(v, o.etag) {
			return refusal.PreconditionFailed(names.match)
		}
	} else if t, ok := httpTime(h.Get(names.unmodified)); ok && modified.After(t) {
		return refusal.PreconditionFailed(names.unmodified)
	}
	if v := h.Get(names.noneMatch); v != "" {
		if etagIn(v, o.etag) {
			return refusal.NotModified()
		}
	} else if t, ok := httpTime(h.Get(names.modified)); ok && !modified.After(t) {
		return refusal.NotModified()
	}
	return nil
}

func httpTime(text string) (time.Time, bool) {
	t, err := http.ParseTime(text)
	return t, err == nil
}

// ifRange reports whether a range may be answered (RFC 9110, section 13.1.5).
func ifRange(header string, o *object) bool {
	if header == "" {
		return true
	}
	if t, ok := httpTime(header); ok {
		return o.modified.Truncate(time.Second).Equal(t)
	}
	return header == o.etag
}
