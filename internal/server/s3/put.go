package s3

import (
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

func (x *request) putObject() error {
	if err := x.s.catalog.hasBucket(x.bucket); err != nil {
		return err
	}
	headers, bad := objectHeaders(x.r.Header)
	if bad != nil {
		return bad
	}
	cond := x.writeCondition()
	if err := x.checkEarly(cond); err != nil {
		return err
	}
	p, bad := x.payload(nil)
	if bad != nil {
		return bad
	}
	b, err := x.s.vault.Receive(p)
	if err != nil {
		return err
	}
	o := &object{
		key: x.key, size: p.size, etag: etagOf(p), modified: x.s.stamp(), headers: headers,
		pieces: b.All(), checksum: p.checksum(),
	}
	if err := x.s.catalog.put(x.bucket, o, cond); err != nil {
		return err
	}
	x.w.Header().Set("Etag", o.etag)
	o.checksum.set(x.w.Header())
	return x.answer(http.StatusOK)
}

// stamp is the time of a change, to the millisecond as S3 has it.
func (s *Server) stamp() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

func (x *request) writeCondition() *writeCondition {
	return &writeCondition{match: x.r.Header.Get("If-Match"), noneMatch: x.r.Header.Get("If-None-Match")}
}

// checkEarly checks a condition before the data is read. It is checked again when the object
// takes its place.
func (x *request) checkEarly(cond *writeCondition) error {
	if *cond == (writeCondition{}) {
		return nil
	}
	o, release, err := x.s.catalog.get(x.bucket, x.key)
	if err == nil {
		defer release()
	} else if refusal.Of(err).Code != "NoSuchKey" {
		return err
	}
	return cond.check(x.key, o)
}

func (x *request) deleteObject() error {
	if err := x.s.catalog.remove(x.bucket, x.key, x.writeCondition()); err != nil {
		return err
	}
	return x.answer(http.StatusNoContent)
}
