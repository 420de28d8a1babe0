package s3

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

type partXML struct {
	PartNumber   int
	LastModified string
	ETag         string
	Size         int64
	Checksum     *element
}

func (x *request) listParts() error {
	after := 0
	if text := x.param("part-number-marker"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return refusal.BadRequest("InvalidArgument",
				"Argument part-number-marker must be an integer between 0 and 2147483647")
		}
		after = n
	}
	limit, bad := x.pageSize("max-parts")
	if bad != nil {
		return bad
	}
	id := x.param("uploadId")
	u, parts, err := x.s.catalog.listParts(x.bucket, x.key, id)
	if err != nil {
		return err
	}
	d := struct {
		XMLName              xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListPartsResult"`
		Bucket               string
		Key                  string
		UploadID             string `xml:"UploadId"`
		Initiator            *owner
		Owner                *owner
		StorageClass         string
		PartNumberMarker     int
		NextPartNumberMarker int
		MaxParts             int
		IsTruncated          bool
		ChecksumAlgorithm    string    `xml:",omitempty"`
		ChecksumType         string    `xml:",omitempty"`
		Parts                []partXML `xml:"Part"`
	}{
		Bucket: x.bucket, Key: x.key, UploadID: id, Initiator: theOwner(), Owner: theOwner(), StorageClass: standard,
		PartNumberMarker: after, MaxParts: limit, ChecksumType: u.whole,
	}
	if u.kind != nil {
		d.ChecksumAlgorithm = u.kind.name
	}
	for _, p := range parts {
		if p.number <= after {
			continue
		}
		if len(d.Parts) == limit {
			d.IsTruncated = limit > 0 // who asks for none would ask for ever
			break
		}
		entry := partXML{PartNumber: p.number, LastModified: xmlTime(p.modified), ETag: p.etag, Size: p.size}
		if p.checksum.kind != nil {
			entry.Checksum = &element{xml.Name{Local: p.checksum.kind.element}, p.checksum.String()}
		}
		d.Parts = append(d.Parts, entry)
		d.NextPartNumberMarker = p.number
	}
	return x.answerXML(d)
}

type uploadXML struct {
	Key               string
	UploadID          string `xml:"UploadId"`
	Initiator         *owner
	Owner             *owner
	StorageClass      string
	Initiated         string
	ChecksumAlgorithm string `xml:",omitempty"`
}

func (x *request) listMultipartUploads() error {
	if x.param("delimiter") != "" {
		return refusal.NotImplemented("ListMultipartUploads with a delimiter")
	}
	limit, bad := x.pageSize("max-uploads")
	if bad != nil {
		return bad
	}
	q, bad := x.listing("")
	if bad != nil {
		return bad
	}
	uploads, err := x.s.catalog.listUploads(x.bucket)
	if err != nil {
		return err
	}
	keyMarker, idMarker := x.param("key-marker"), x.param("upload-id-marker")
	d := struct {
		XMLName            xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListMultipartUploadsResult"`
		Bucket             string
		KeyMarker          string
		UploadIDMarker     string `xml:"UploadIdMarker"`
		NextKeyMarker      string `xml:",omitempty"`
		NextUploadIDMarker string `xml:"NextUploadIdMarker,omitempty"`
		Prefix             string
		EncodingType       string `xml:",omitempty"`
		MaxUploads         int
		IsTruncated        bool
		Uploads            []uploadXML `xml:"Upload"`
	}{
		Bucket: x.bucket, KeyMarker: q.text(keyMarker), UploadIDMarker: idMarker, Prefix: q.text(q.prefix),
		MaxUploads: limit,
	}
	if q.encode {
		d.EncodingType = "url"
	}
	for i := range uploads {
		u := &uploads[i]
		if !strings.HasPrefix(u.key, q.prefix) || u.key < keyMarker ||
			u.key == keyMarker && keyMarker != "" && (idMarker == "" || u.id <= idMarker) {
			continue
		}
		if len(d.Uploads) == limit {
			d.IsTruncated = limit > 0 // who asks for none would ask for ever
			break
		}
		entry := uploadXML{Key: q.text(u.key), UploadID: u.id, Initiator: theOwner(), Owner: theOwner(),
			StorageClass: standard, Initiated: xmlTime(u.initiated)}
		if u.kind != nil {
			entry.ChecksumAlgorithm = u.kind.name
		}
		d.Uploads = append(d.Uploads, entry)
		d.NextKeyMarker, d.NextUploadIDMarker = q.text(u.key), u.id
	}
	if !d.IsTruncated {
		d.NextKeyMarker, d.NextUploadIDMarker = "", ""
	}
	return x.answerXML(d)
}
