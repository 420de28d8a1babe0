package s3

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

func (x *request) headObject() error { return x.read(false) }

func (x *request) getObject() error { return x.read(true) }

// read answers GetObject and HeadObject.
func (x *request) read(withBody bool) error {
	o, release, err := x.s.catalog.get(x.bucket, x.key)
	if err != nil {
		return err
	}
	defer release()
	h := x.w.Header()
	if err := checkRead(x.r.Header, o, readHeaders); err != nil {
		if err.Status == http.StatusNotModified {
			h.Set("Etag", o.etag)
			h.Set("Last-Modified", o.modified.Format(http.TimeFormat))
			return x.answer(err.Status)
		}
		return err
	}
	offset, size, status, err := x.choose(o)
	if err != nil {
		return err
	}
	x.describe(o)
	if status == http.StatusPartialContent {
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", offset, offset+size-1, o.size))
	} else if x.r.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" && size == o.size && !(withBody && x.s.cfg.Discard) {
		// What takes the place of discarded data has another checksum, and so has an empty part.
		o.checksum.set(h)
	}
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	if err := x.writeHead(status); err != nil || !withBody || size == 0 {
		return err
	}
	return x.send(o, offset, size)
}

// describe sets the headers that every answer about an object has.
func (x *request) describe(o *object) {
	h := x.w.Header()
	h.Set("Etag", o.etag)
	h.Set("Last-Modified", o.modified.Format(http.TimeFormat))
	h.Set("Accept-Ranges", "bytes")
	h.Set("Content-Type", "binary/octet-stream")
	for name, value := range o.headers {
		h[name] = []string{value} // Set would change the case of metadata
	}
	if x.s.cfg.Discard {
		h.Set("X-Plimsoll-Discarded", "true")
	}
	for _, name := range [...]string{"Content-Type", "Content-Language", "Expires", "Cache-Control",
		"Content-Disposition", "Content-Encoding"} {
		if v := x.param("response-" + strings.ToLower(name)); v != "" {
			h.Set(name, v)
		}
	}
}

// choose finds what of the object is wanted.
func (x *request) choose(o *object) (offset, size int64, status int, err error) {
	header := x.r.Header.Get("Range")
	if text := x.param("partNumber"); text != "" {
		if header != "" {
			return 0, 0, 0, refusal.BadRequest("InvalidRequest",
				"Cannot specify both Range header and partNumber query parameter")
		}
		return x.choosePart(o, text)
	}
	if !ifRange(x.r.Header.Get("If-Range"), o) {
		return 0, o.size, http.StatusOK, nil
	}
	offset, size, verdict := parseRange(header, o.size)
	switch verdict {
	case rangeIgnored:
		return 0, o.size, http.StatusOK, nil
	case rangeUnsatisfiable:
		return 0, 0, 0, refusal.New(http.StatusRequestedRangeNotSatisfiable, "InvalidRange",
			"The requested range is not satisfiable").
			With("RangeRequested", header).With("ActualObjectSize", strconv.FormatInt(o.size, 10))
	}
	return offset, size, http.StatusPartialContent, nil
}

func (x *request) choosePart(o *object, text string) (offset, size int64, status int, err error) {
	number, bad := partNumber(text)
	if bad != nil {
		return 0, 0, 0, bad
	}
	if len(o.parts) > 0 {
		x.w.Header().Set("X-Amz-Mp-Parts-Count", formatInt(len(o.parts)))
	} else if number == 1 {
		return 0, o.size, statusOfPart(o.size), nil
	}
	for _, p := range o.parts {
		if p.number == number {
			return offset, p.size, statusOfPart(p.size), nil
		}
		offset += p.size
	}
	return 0, 0, 0, refusal.New(http.StatusRequestedRangeNotSatisfiable, "InvalidPartNumber",
		"The requested partnumber is not satisfiable")
}

// statusOfPart is that of nothing where there is nothing: a range of no bytes cannot be written.
func statusOfPart(size int64) int {
	if size == 0 {
		return http.StatusOK
	}
	return http.StatusPartialContent
}

// verdict is what a Range header comes to.
type verdict int

const (
	rangeIgnored verdict = iota // not understood: the whole object is the answer (RFC 9110, section 14.2)
	rangeUnsatisfiable
	rangeValid
)

// parseRange reads a header with a single range. Several ranges are ignored, as S3 does.
func parseRange(header string, total int64) (offset, size int64, v verdict) {
	spec, found := strings.CutPrefix(header, "bytes=")
	first, last, dash := strings.Cut(strings.TrimSpace(spec), "-")
	if !found || !dash || !digits(first) || !digits(last) || first == "" && last == "" {
		return 0, 0, rangeIgnored
	}
	if first == "" {
		n := parseOffset(last)
		if n == 0 || total == 0 {
			return 0, 0, rangeUnsatisfiable
		}
		n = min(n, total)
		return total - n, n, rangeValid
	}
	offset, end := parseOffset(first), parseOffset(last)
	switch {
	case end < offset:
		return 0, 0, rangeIgnored
	case offset >= total:
		return 0, 0, rangeUnsatisfiable
	}
	return offset, min(end, total-1) - offset + 1, rangeValid
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// parseOffset reads digits; what is too large for an offset is behind every end, and so is none.
func parseOffset(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return maxInt
	}
	return n
}

// send sends a part of an object, from the kernel where it is possible.
func (x *request) send(o *object, offset, size int64) error {
	if x.decision.reset {
		if err := x.sendRun(o, offset, size/2); err != nil {
			return err
		}
		_ = http.NewResponseController(x.w).Flush()
		x.cut(faultReset)
		return errGone
	}
	if !x.decision.corrupt {
		return x.sendRun(o, offset, size)
	}
	at := int64(x.decision.where * float64(size))
	if err := x.sendRun(o, offset, at); err != nil {
		return err
	}
	if err := x.sendFlipped(o, offset+at); err != nil {
		return err
	}
	x.s.metrics.faults[faultCorrupt].Inc()
	return x.sendRun(o, offset+at+1, size-at-1)
}

// sendFlipped sends one byte that is not what it should be.
func (x *request) sendFlipped(o *object, at int64) error {
	p := blob.Cut(o.pieces, at, 1)[0]
	r, done, err := x.s.vault.Open(p, at)
	if err != nil {
		return err
	}
	defer done()
	var b [1]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return err
	}
	b[0] ^= 1 << (x.number % 8)
	n, err := x.w.Write(b[:])
	x.s.metrics.sent.Add(float64(n))
	return err
}

// sendRun sends a run of bytes piece by piece.
func (x *request) sendRun(o *object, offset, size int64) error {
	if size <= 0 {
		return nil
	}
	if x.s.outbound != nil {
		x.s.outbound.enter()
		defer x.s.outbound.leave()
	}
	// The headers leave first, so that the data begins at the beginning of a page.
	control := http.NewResponseController(x.w)
	_ = control.Flush()
	for _, p := range blob.Cut(o.pieces, offset, size) {
		r, done, err := x.s.vault.Open(p, offset)
		if err != nil {
			return err
		}
		err = x.copy(r, p.Size)
		done()
		if err != nil {
			return err
		}
		offset += p.Size
	}
	return control.SetWriteDeadline(time.Time{})
}

// sendSize is how much may go out without a new deadline.
const sendSize = 16 << 20

// copy sends size bytes of r, which has as many.
func (x *request) copy(r io.Reader, size int64) error {
	control := http.NewResponseController(x.w)
	limit := int64(sendSize)
	if x.s.outbound != nil {
		limit = int64(x.s.outbound.quantum)
	}
	for size > 0 {
		_ = control.SetWriteDeadline(time.Now().Add(x.s.cfg.IdleTimeout))
		run, n, err := blob.NextRun(r, min(size, limit))
		if err != nil {
			return err
		}
		if x.s.outbound != nil {
			if err := x.s.outbound.take(x.ctx, int(n)); err != nil {
				return errGone
			}
		}
		sent, err := io.CopyN(x.w, run, n)
		x.s.metrics.sent.Add(float64(sent))
		if err != nil {
			return err
		}
		if x.s.outbound != nil {
			_ = control.Flush()
		}
		size -= n
	}
	return nil
}
