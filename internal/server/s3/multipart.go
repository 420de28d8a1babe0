package s3

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// The limits of multipart uploads.
const (
	maxParts            = 10000
	minPartSize         = 5 << 20
	maxObject           = 5 << 40
	maxCompleteDocument = 4 << 20 // 10,000 parts with all their checksums
)

func (x *request) createMultipartUpload() error {
	headers, bad := objectHeaders(x.r.Header)
	if bad != nil {
		return bad
	}
	u := &upload{
		id: newID(), bucket: x.bucket, key: x.key, initiated: x.s.stamp(), headers: headers, parts: map[int]*part{},
	}
	if err := x.uploadChecksum(u); err != nil {
		return err
	}
	if err := x.s.catalog.addUpload(u); err != nil {
		return err
	}
	if u.kind != nil {
		x.w.Header().Set("X-Amz-Checksum-Algorithm", u.kind.name)
		x.w.Header().Set("X-Amz-Checksum-Type", u.whole)
	}
	return x.answerXML(struct {
		XMLName  xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ InitiateMultipartUploadResult"`
		Bucket   string
		Key      string
		UploadID string `xml:"UploadId"`
	}{Bucket: x.bucket, Key: x.key, UploadID: u.id})
}

// uploadChecksum reads which checksum the upload wants.
func (x *request) uploadChecksum(u *upload) *refusal.Error {
	name, whole := x.r.Header.Get("X-Amz-Checksum-Algorithm"), x.r.Header.Get("X-Amz-Checksum-Type")
	if name == "" {
		if whole != "" {
			return refusal.BadRequest("InvalidRequest",
				"The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.")
		}
		return nil
	}
	if u.kind = checksumByName(name); u.kind == nil {
		return refusal.BadRequest("InvalidRequest",
			"Checksum algorithm provided is unsupported. Please try again with any of the valid types: "+
				"[CRC32, CRC32C, CRC64NVME, SHA1, SHA256, SHA512]")
	}
	u.whole = strings.ToUpper(whole)
	switch {
	case whole == "" && u.kind.name == "CRC64NVME":
		u.whole = fullObject
	case whole == "":
		u.whole = composite
	case u.whole == composite && u.kind.name != "CRC64NVME", u.whole == fullObject && u.kind.width > 0:
	default:
		return refusal.BadRequest("InvalidRequest",
			"The %s checksum type cannot be used with the %s checksum algorithm.", u.whole, u.kind.name)
	}
	return nil
}

// partNumber reads the number of a part.
func partNumber(text string) (int, *refusal.Error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxParts {
		return 0, refusal.BadRequest("InvalidArgument",
			"Part number must be an integer between 1 and 10000, inclusive").
			With("ArgumentName", "partNumber").With("ArgumentValue", text)
	}
	return n, nil
}

// partOfUpload is the part that the request brings, and the checksum that its upload wants of it.
func (x *request) partOfUpload() (id string, number int, kind *checksumKind, err error) {
	number, bad := partNumber(x.param("partNumber"))
	if bad != nil {
		return "", 0, nil, bad
	}
	id = x.param("uploadId")
	kind, err = x.s.catalog.checksumOfUpload(x.bucket, x.key, id)
	return id, number, kind, err
}

func (x *request) uploadPart() error {
	id, number, kind, err := x.partOfUpload()
	if err != nil {
		return err
	}
	if number == x.s.cfg.FailPart {
		x.s.metrics.faults[faultFailPart].Inc()
		return refusal.New(http.StatusInternalServerError, "InternalError",
			"We encountered an internal error. Please try again.")
	}
	p, bad := x.payload(kind)
	if bad != nil {
		return bad
	}
	if kind != nil && p.kind != kind {
		return refusal.BadRequest("InvalidRequest",
			"Checksum Type mismatch occurred, expected checksum Type: %s, actual checksum Type: %s", kind.name,
			p.kind.name)
	}
	b, err := x.s.vault.Receive(p)
	if err != nil {
		return err
	}
	made := &part{
		number: number, size: p.size, etag: etagOf(p), modified: x.s.stamp(), checksum: p.checksum(),
		pieces: b.All(),
	}
	if err := x.s.catalog.addPart(x.bucket, x.key, id, made); err != nil {
		return err
	}
	x.w.Header().Set("Etag", made.etag)
	if made.checksum.kind != nil {
		x.w.Header().Set(made.checksum.kind.header(), made.checksum.String())
	}
	return x.answer(http.StatusOK)
}

func (x *request) abortMultipartUpload() error {
	if err := x.s.catalog.abortUpload(x.bucket, x.key, x.param("uploadId")); err != nil {
		return err
	}
	return x.answer(http.StatusNoContent)
}

// completion is the body of CompleteMultipartUpload.
type completionXML struct {
	XMLName xml.Name        `xml:"CompleteMultipartUpload"`
	Parts   []completedPart `xml:"Part"`
}

type completedPart struct {
	PartNumber        int
	ETag              string
	ChecksumCRC32     string
	ChecksumCRC32C    string
	ChecksumCRC64NVME string
	ChecksumSHA1      string
	ChecksumSHA256    string
	ChecksumSHA512    string
}

// given is the checksum of one algorithm, or "".
func (c *completedPart) given(k *checksumKind) string {
	switch k.name {
	case "CRC32":
		return c.ChecksumCRC32
	case "CRC32C":
		return c.ChecksumCRC32C
	case "CRC64NVME":
		return c.ChecksumCRC64NVME
	case "SHA1":
		return c.ChecksumSHA1
	case "SHA256":
		return c.ChecksumSHA256
	}
	return c.ChecksumSHA512
}

// parseCompletion reads the body and checks what can be told from it alone.
func parseCompletion(text []byte) ([]completedPart, *refusal.Error) {
	var d completionXML
	if err := xml.Unmarshal(text, &d); err != nil || len(d.Parts) == 0 || len(d.Parts) > maxParts {
		return nil, malformedXML()
	}
	for i, p := range d.Parts {
		if p.PartNumber < 1 || p.PartNumber > maxParts {
			return nil, refusal.BadRequest("InvalidArgument", "PartNumber must be >= 1 and <= 10000")
		}
		if i > 0 && p.PartNumber <= d.Parts[i-1].PartNumber {
			return nil, refusal.BadRequest("InvalidPartOrder",
				"The list of parts was not in ascending order. Parts must be ordered by part number.")
		}
	}
	return d.Parts, nil
}

func (x *request) completeMultipartUpload() error {
	text, bad := x.completionDocument()
	if bad != nil {
		return bad
	}
	asked, bad := parseCompletion(text)
	if bad != nil {
		return bad
	}
	id := x.param("uploadId")
	o, err := x.s.catalog.completeUpload(x.bucket, x.key, id, x.writeCondition(), func(u *upload) (*object, error) {
		o, bad := x.assemble(u, asked)
		if bad != nil {
			return nil, bad
		}
		return o, nil
	})
	if err != nil {
		return err
	}
	d := completeResult{Location: x.s.URL() + x.resource(), Bucket: x.bucket, Key: x.key, ETag: o.etag}
	if o.checksum.kind != nil {
		d.Checksum = &element{xml.Name{Local: o.checksum.kind.element}, o.checksum.String()}
		d.ChecksumType = o.checksum.kindOfWhole()
	}
	return x.answerXML(d)
}

// givenChecksum is what a client says of an object.
type givenChecksum struct {
	kind *checksumKind
	text string
}

// completionDocument reads the body. The checksum headers of this request are of the object,
// not of the body.
func (x *request) completionDocument() ([]byte, *refusal.Error) {
	for i := range checksumKinds {
		k := &checksumKinds[i]
		if v := x.r.Header.Get(k.header()); v != "" {
			x.wholeChecksums = append(x.wholeChecksums, givenChecksum{k, v})
			x.r.Header.Del(k.header())
		}
	}
	return x.document(maxCompleteDocument)
}

// element is an element whose name is known at run time only.
type element struct {
	XMLName xml.Name
	Value   string `xml:",chardata"`
}

type completeResult struct {
	XMLName      xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUploadResult"`
	Location     string
	Bucket       string
	Key          string
	ETag         string
	Checksum     *element
	ChecksumType string `xml:",omitempty"`
}

// assemble makes the object of the parts that are asked for.
func (x *request) assemble(u *upload, asked []completedPart) (*object, *refusal.Error) {
	o := &object{key: u.key, modified: x.s.stamp(), headers: u.headers}
	parts := make([]*part, 0, len(asked))
	for i := range asked {
		p, err := x.matchPart(u, &asked[i], i == len(asked)-1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		o.size += p.size
		o.pieces = append(o.pieces, p.pieces...)
		o.parts = append(o.parts, partInfo{p.number, p.size, p.checksum})
	}
	if o.size > maxObject {
		return nil, refusal.BadRequest("EntityTooLarge",
			"Your proposed upload exceeds the maximum allowed object size.")
	}
	if want := x.r.Header.Get("X-Amz-Mp-Object-Size"); want != "" && want != strconv.FormatInt(o.size, 10) {
		return nil, refusal.BadRequest("InvalidRequest",
			"The provided 'x-amz-mp-object-size' header does not match what was computed.")
	}
	o.etag = etagOfParts(parts)
	if u.kind != nil {
		o.checksum = checksumOfParts(u.kind, u.whole, parts)
	}
	return o, x.checkWhole(o)
}

// matchPart finds a part as the client describes it.
func (x *request) matchPart(u *upload, asked *completedPart, last bool) (*part, *refusal.Error) {
	invalid := refusal.BadRequest("InvalidPart",
		"One or more of the specified parts could not be found. The part may not have been uploaded, or the "+
			"specified entity tag may not match the part's entity tag.").
		With("PartNumber", formatInt(asked.PartNumber)).With("UploadId", u.id)
	p := u.parts[asked.PartNumber]
	if p == nil || strings.Trim(asked.ETag, `"`) != strings.Trim(p.etag, `"`) {
		return nil, invalid
	}
	if p.checksum.kind != nil {
		if given := asked.given(p.checksum.kind); given != "" && given != p.checksum.String() {
			return nil, invalid
		}
	}
	if x.s.cfg.StrictPartSize && !last && p.size < minPartSize {
		return nil, refusal.BadRequest("EntityTooSmall",
			"Your proposed upload is smaller than the minimum allowed size").
			With("ProposedSize", strconv.FormatInt(p.size, 10)).With("MinSizeAllowed", strconv.Itoa(minPartSize)).
			With("PartNumber", formatInt(p.number)).With("ETag", p.etag)
	}
	return p, nil
}

// checkWhole compares the object's checksum with what the client says.
func (x *request) checkWhole(o *object) *refusal.Error {
	for _, c := range x.wholeChecksums {
		k := c.kind
		if o.checksum.kind == nil || o.checksum.kind.name != k.name {
			return refusal.BadRequest("InvalidRequest",
				"The upload was not created with the checksum algorithm %s.", k.name)
		}
		given, _, _ := strings.Cut(c.text, "-")
		want, err := decodeChecksum(k, given)
		if err != nil {
			return err
		}
		if !bytes.Equal(want, o.checksum.value) {
			return refusal.BadRequest("BadDigest", "The %s you specified did not match the calculated checksum.",
				k.name)
		}
	}
	return nil
}
