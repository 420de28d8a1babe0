package s3

import (
	"bytes"
	"crypto/md5" //nolint:gosec // what the protocol has
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

// payload is the body of a request that brings data: decoded, counted, and checked against
// what the client says of it.
type payload struct {
	src  io.Reader
	size int64 // decoded

	chunks *sigv4.ChunkReader // nil: the body is not chunked
	md5    hash.Hash
	sha256 hash.Hash
	sum    hash.Hash

	wantMD5    []byte
	wantSHA256 []byte
	kind       *checksumKind
	want       []byte
	trailing   bool // want comes after the data
}

// maxPut is the most that one request can bring.
const maxPut = 5 << 30

// payload prepares the body of the request for reading.
func (x *request) payload(fallback *checksumKind) (*payload, *refusal.Error) {
	p := &payload{size: x.r.ContentLength, src: x.body()}
	if err := p.prepareMode(x); err != nil {
		return nil, err
	}
	if p.size > maxPut {
		return nil, refusal.BadRequest("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size").
			With("ProposedSize", strconv.FormatInt(p.size, 10)).With("MaxSizeAllowed", strconv.Itoa(maxPut))
	}
	if text := x.r.Header.Get("Content-Md5"); text != "" {
		want, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(want) != md5.Size {
			return nil, refusal.BadRequest("InvalidDigest", "The Content-MD5 you specified was invalid.")
		}
		p.wantMD5 = want
	}
	if p.wantMD5 != nil || x.s.cfg.MD5ETags {
		p.md5 = md5.New()
	}
	return p, p.prepareChecksum(x, fallback)
}

// prepareMode reads x-amz-content-sha256, which says how the body is sent and signed.
func (p *payload) prepareMode(x *request) *refusal.Error {
	mode := x.signed.PayloadHash
	streaming, isStreaming := strings.CutPrefix(mode, "STREAMING-")
	if !isStreaming {
		if p.size < 0 {
			return refusal.New(http.StatusLengthRequired, "MissingContentLength",
				"You must provide the Content-Length HTTP header.")
		}
		if mode == "" || mode == sigv4.UnsignedBody {
			return nil
		}
		want, err := hex.DecodeString(mode)
		if err != nil || len(want) != sha256.Size {
			return refusal.BadRequest("InvalidArgument",
				"x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "+
					"STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 "+
					"value.")
		}
		p.wantSHA256, p.sha256 = want, sha256.New()
		return nil
	}
	size, err := strconv.ParseInt(x.r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return refusal.New(http.StatusLengthRequired, "MissingContentLength",
			"You must provide the x-amz-decoded-content-length HTTP header.")
	}
	var signer *sigv4.ChunkSigner
	form, trailer := strings.CutSuffix(streaming, "-TRAILER")
	switch {
	case form == "UNSIGNED-PAYLOAD" && trailer:
	case form == sigv4.Algorithm+"-PAYLOAD":
		if signer = x.signed.Chunks; signer == nil {
			return refusal.AccessDenied("The chunks of the body are signed, and the request is not.")
		}
	default:
		return refusal.NotImplemented("x-amz-content-sha256: " + mode)
	}
	p.size = size
	p.chunks = sigv4.NewChunkReader(p.src, size, signer, trailer)
	p.src = p.chunks
	return nil
}

// prepareChecksum finds what the client gives or announces as x-amz-checksum-*. The fallback
// is computed when it gives none.
func (p *payload) prepareChecksum(x *request, fallback *checksumKind) *refusal.Error {
	for i := range checksumKinds {
		k := &checksumKinds[i]
		text := x.r.Header.Get(k.header())
		if text == "" {
			continue
		}
		if p.kind != nil {
			return refusal.BadRequest("InvalidRequest",
				"Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
		}
		want, err := decodeChecksum(k, text)
		if err != nil {
			return err
		}
		p.kind, p.want = k, want
	}
	if announced := x.r.Header.Get("X-Amz-Trailer"); announced != "" && p.kind == nil {
		name, found := strings.CutPrefix(strings.ToLower(strings.TrimSpace(announced)), "x-amz-checksum-")
		if p.kind = checksumByName(name); !found || p.kind == nil || p.chunks == nil {
			return refusal.BadRequest("InvalidRequest",
				"The value specified in the x-amz-trailer header is not supported")
		}
		p.trailing = true
	}
	if p.kind == nil {
		p.kind = fallback
	}
	if p.kind != nil {
		p.sum = p.kind.new()
	}
	return nil
}

// Size is how many bytes there are, decoded.
func (p *payload) Size() int64 { return p.size }

// absorb is called with all data, in order.
func (p *payload) absorb(data []byte) {
	for _, h := range []hash.Hash{p.md5, p.sha256, p.sum} {
		if h != nil {
			h.Write(data)
		}
	}
}

// Finish checks the data, all of which has been read.
func (p *payload) Finish() error {
	if p.chunks != nil {
		if err := p.chunks.Finish(); err != nil {
			return err
		}
	}
	if p.wantSHA256 != nil && !bytes.Equal(p.sha256.Sum(nil), p.wantSHA256) {
		return refusal.BadRequest("XAmzContentSHA256Mismatch",
			"The provided 'x-amz-content-sha256' header does not match what was computed.").
			With("ComputedContentSHA256", hex.EncodeToString(p.sha256.Sum(nil)))
	}
	if p.wantMD5 != nil && !bytes.Equal(p.md5.Sum(nil), p.wantMD5) {
		return refusal.BadRequest("BadDigest", "The Content-MD5 you specified did not match what we received.")
	}
	if p.trailing {
		text, found := p.chunks.Trailer(p.kind.header())
		if !found {
			return refusal.BadRequest("MalformedTrailerError", "The trailer that x-amz-trailer announces is missing.")
		}
		want, err := decodeChecksum(p.kind, text)
		if err != nil {
			return err
		}
		p.want = want
	}
	if p.want != nil && !bytes.Equal(p.sum.Sum(nil), p.want) {
		return refusal.BadRequest("BadDigest", "The %s you specified did not match the calculated checksum.",
			p.kind.name)
	}
	return nil
}

// checksum is the data's checksum, if the client wants one.
func (p *payload) checksum() checksum {
	if p.kind == nil {
		return checksum{}
	}
	return checksum{kind: p.kind, value: p.sum.Sum(nil)}
}

// document reads a body that holds XML, which is at most limit bytes long.
func (x *request) document(limit int64) ([]byte, *refusal.Error) {
	p, err := x.payload(nil)
	if err != nil {
		return nil, err
	}
	if p.size > limit {
		return nil, refusal.BadRequest("MaxMessageLengthExceeded", "Your request was too big.")
	}
	x.s.documents <- struct{}{} // few at a time, since decoded they are much larger
	x.holdsDocument = true
	text := make([]byte, p.size)
	if _, bad := io.ReadFull(p.src, text); bad != nil {
		return nil, refusal.Of(bad)
	}
	p.absorb(text)
	if bad := p.Finish(); bad != nil {
		return nil, refusal.Of(bad)
	}
	return text, nil
}

// ReadInto fills memory with data, piece by piece.
func (p *payload) ReadInto(memory []byte) error {
	for len(memory) > 0 {
		n, err := p.src.Read(memory[:min(len(memory), blob.PieceSize)])
		p.absorb(memory[:n])
		memory = memory[n:]
		switch {
		case err == io.EOF && len(memory) > 0:
			return io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			return err
		}
	}
	return nil
}

// maxInt is where sums of sizes stop.
const maxInt = math.MaxInt64

func formatInt(n int) string { return strconv.Itoa(n) }
