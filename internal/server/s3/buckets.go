package s3

import (
	"encoding/xml"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

// xmlTime is a time as S3 writes it.
func xmlTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// owner is everybody.
type owner struct{ ID, DisplayName string }

func theOwner() *owner { return &owner{"plimsoll", "plimsoll"} }

func (x *request) listBuckets() error {
	type bucketXML struct{ Name, CreationDate, BucketRegion string }
	d := struct {
		XMLName xml.Name    `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListAllMyBucketsResult"`
		Buckets []bucketXML `xml:"Buckets>Bucket"`
		Owner   *owner
	}{Owner: theOwner()}
	for _, b := range x.s.catalog.listBuckets() {
		d.Buckets = append(d.Buckets, bucketXML{b.name, xmlTime(b.created), x.s.cfg.Region})
	}
	return x.answerXML(d)
}

// maxBucketDocument bounds the body of CreateBucket.
const maxBucketDocument = 64 << 10

func (x *request) createBucket() error {
	text, bad := x.document(maxBucketDocument)
	if bad != nil {
		return bad
	}
	if len(text) > 0 {
		var d struct {
			XMLName            xml.Name `xml:"CreateBucketConfiguration"`
			LocationConstraint string
		}
		if err := xml.Unmarshal(text, &d); err != nil {
			return malformedXML()
		}
		if d.LocationConstraint != "" && d.LocationConstraint != x.s.cfg.Region {
			return refusal.BadRequest("IllegalLocationConstraintException",
				"The %s location constraint is incompatible for the region specific endpoint this request was sent to.",
				d.LocationConstraint)
		}
	}
	if err := x.s.catalog.createBucket(x.bucket, x.s.stamp()); err != nil {
		return err
	}
	x.w.Header().Set("Location", "/"+x.bucket)
	return x.answer(http.StatusOK)
}

func malformedXML() *refusal.Error {
	return refusal.BadRequest("MalformedXML",
		"The XML you provided was not well-formed or did not validate against our published schema")
}

func (x *request) headBucket() error {
	if err := x.s.catalog.hasBucket(x.bucket); err != nil {
		return err
	}
	x.w.Header().Set("X-Amz-Bucket-Region", x.s.cfg.Region)
	return x.answer(http.StatusOK)
}

func (x *request) deleteBucket() error {
	if err := x.s.catalog.deleteBucket(x.bucket); err != nil {
		return err
	}
	return x.answer(http.StatusNoContent)
}

func (x *request) getBucketLocation() error {
	if err := x.s.catalog.hasBucket(x.bucket); err != nil {
		return err
	}
	d := struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ LocationConstraint"`
		Region  string   `xml:",chardata"`
	}{Region: x.s.cfg.Region}
	if d.Region == DefaultRegion { // the protocol's first region has no name here
		d.Region = ""
	}
	return x.answerXML(d)
}

// getBucketVersioning answers as S3 does of a bucket that never had versions: no status.
func (x *request) getBucketVersioning() error {
	if err := x.s.catalog.hasBucket(x.bucket); err != nil {
		return err
	}
	return x.answerXML(struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ VersioningConfiguration"`
	}{})
}

// What DeleteObjects takes.
const (
	maxDeletes        = 1000
	maxDeleteDocument = 2 << 20
)

func (x *request) deleteObjects() error {
	if err := x.s.catalog.hasBucket(x.bucket); err != nil {
		return err
	}
	text, bad := x.document(maxDeleteDocument)
	if bad != nil {
		return bad
	}
	asked, bad := parseDelete(text)
	if bad != nil {
		return bad
	}
	type deleted struct{ Key string }
	type failed struct{ Key, Code, Message string }
	d := struct {
		XMLName xml.Name  `xml:"http://s3.amazonaws.com/doc/2006-03-01/ DeleteResult"`
		Deleted []deleted `xml:"Deleted"`
		Errors  []failed  `xml:"Error"`
	}{}
	for _, o := range asked.Objects {
		err := x.s.catalog.remove(x.bucket, o.Key, &writeCondition{match: o.ETag})
		switch {
		case err != nil:
			e := refusal.Of(err)
			d.Errors = append(d.Errors, failed{o.Key, e.Code, e.Message})
		case !asked.Quiet:
			d.Deleted = append(d.Deleted, deleted{o.Key})
		}
	}
	return x.answerXML(d)
}

// deletion is the body of DeleteObjects.
type deletion struct {
	XMLName xml.Name `xml:"Delete"`
	Quiet   bool
	Objects []struct{ Key, ETag string } `xml:"Object"`
}

func parseDelete(text []byte) (*deletion, *refusal.Error) {
	var d deletion
	if err := xml.Unmarshal(text, &d); err != nil || len(d.Objects) == 0 || len(d.Objects) > maxDeletes {
		return nil, malformedXML()
	}
	for _, o := range d.Objects {
		if o.Key == "" {
			return nil, malformedXML()
		}
	}
	return &d, nil
}
