package s3

import (
	"crypto/sha1" //nolint:gosec // a checksum that clients may ask for
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// checksumKind is one of the algorithms of x-amz-checksum-*.
type checksumKind struct {
	name    string // as in x-amz-checksum-algorithm
	element string // in XML
	size    int
	new     func() hash.Hash
	// poly and width are of a CRC: that of a whole follows from those of its parts.
	poly  uint64
	width uint
}

// header is the name of its header and trailer, in lower case.
func (k *checksumKind) header() string { return "x-amz-checksum-" + strings.ToLower(k.name) }

// crc64NVME is the polynomial of CRC-64/NVME, reflected.
const crc64NVME = 0x9a6c9329ac4bc9b5

// checksumKinds are in the order of preference: the cheapest first.
var checksumKinds = [...]checksumKind{
	{"CRC32C", "ChecksumCRC32C", 4, func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
		crc32.Castagnoli, 32},
	{"CRC32", "ChecksumCRC32", 4, func() hash.Hash { return crc32.NewIEEE() }, crc32.IEEE, 32},
	{"CRC64NVME", "ChecksumCRC64NVME", 8, func() hash.Hash { return crc64.New(crc64.MakeTable(crc64NVME)) }, crc64NVME,
		64},
	{"SHA1", "ChecksumSHA1", 20, sha1.New, 0, 0},
	{"SHA256", "ChecksumSHA256", 32, sha256.New, 0, 0},
	{"SHA512", "ChecksumSHA512", 64, sha512.New, 0, 0},
}

// checksumByName finds an algorithm by its name in any case, or gives nil.
func checksumByName(name string) *checksumKind {
	for i := range checksumKinds {
		if strings.EqualFold(checksumKinds[i].name, name) {
			return &checksumKinds[i]
		}
	}
	return nil
}

// checksum is a checksum that a client gave and that was found to be right.
type checksum struct {
	kind  *checksumKind // nil: none
	value []byte
	parts int // of a composite one; 0: of the whole object
}

// The types of checksums of multipart objects.
const (
	composite  = "COMPOSITE"
	fullObject = "FULL_OBJECT"
)

func (c checksum) String() string {
	text := base64.StdEncoding.EncodeToString(c.value)
	if c.parts > 0 {
		text += "-" + formatInt(c.parts)
	}
	return text
}

// kindOfWhole is the value of x-amz-checksum-type.
func (c checksum) kindOfWhole() string {
	if c.parts > 0 {
		return composite
	}
	return fullObject
}

// set puts the checksum into the headers of an answer.
func (c checksum) set(h http.Header) {
	if c.kind != nil {
		h.Set(c.kind.header(), c.String())
		h.Set("X-Amz-Checksum-Type", c.kindOfWhole())
	}
}

// decodeChecksum reads a value from a header or an element.
func decodeChecksum(k *checksumKind, text string) ([]byte, *refusal.Error) {
	value, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(value) != k.size {
		return nil, refusal.BadRequest("InvalidRequest", "Value for %s header is invalid.", k.header())
	}
	return value, nil
}

// combine is the CRC of a followed by b, which is length bytes long.
func (k *checksumKind) combine(a, b []byte, length int64) []byte {
	var wide [8]byte
	read := func(p []byte) uint64 {
		clear(wide[:])
		copy(wide[8-len(p):], p)
		return binary.BigEndian.Uint64(wide[:])
	}
	v := k.shift(read(a), length) ^ read(b)
	out := make([]byte, 8)
	binary.BigEndian.PutUint64(out, v)
	return out[8-k.size:]
}

// shift is what becomes of a CRC when length zero bytes follow: it is multiplied by
// x^(8·length) modulo the polynomial. The pre- and post-inversions of the two cancel out
// (Mark Adler's crc32_combine in zlib does the same with matrices).
func (k *checksumKind) shift(crc uint64, length int64) uint64 {
	power := k.multiply(uint64(1)<<(k.width-9), uint64(1)<<(k.width-1)) // x^8; the reflected 1 is the top bit
	for ; length > 0; length >>= 1 {
		if length&1 != 0 {
			crc = k.multiply(power, crc)
		}
		power = k.multiply(power, power)
	}
	return crc
}

// multiply is a·b modulo the polynomial, all reflected.
func (k *checksumKind) multiply(a, b uint64) uint64 {
	var product uint64
	for bit := uint64(1) << (k.width - 1); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ k.poly
		} else {
			b >>= 1
		}
	}
	return product
}

// checksumOfParts makes the checksum of an object of those of its parts.
func checksumOfParts(k *checksumKind, kind string, parts []*part) checksum {
	if kind == fullObject {
		value := make([]byte, k.size) // the CRC of nothing
		for _, p := range parts {
			value = k.combine(value, p.checksum.value, p.size)
		}
		return checksum{kind: k, value: value}
	}
	h := k.new()
	for _, p := range parts {
		h.Write(p.checksum.value)
	}
	return checksum{kind: k, value: h.Sum(nil), parts: len(parts)}
}
