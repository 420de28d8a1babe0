package sigv4

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// ChunkSigner checks the signatures of the chunks of one body, each of which covers the one
// before it.
type ChunkSigner struct {
	key      []byte
	date     string
	scope    string
	previous string
}

// check compares a chunk's signature with what it should be.
func (s *ChunkSigner) check(kind string, digests []string, signature string) *refusal.Error {
	text := strings.Join(append([]string{Algorithm + kind, s.date, s.scope, s.previous}, digests...), "\n")
	want := hex.EncodeToString(sum(s.key, text))
	if !hmac.Equal([]byte(want), []byte(signature)) {
		return refusal.New(http.StatusForbidden, "SignatureDoesNotMatch",
			"The signature of a chunk of the body does not match the signature you provided.")
	}
	s.previous = want
	return nil
}

// ChunkReader decodes aws-chunked bodies ("Signature calculations for the Authorization
// header: transferring payload in multiple chunks", S3 API reference). It reads the data
// past its own buffer, which holds what surrounds it.
type ChunkReader struct {
	r       io.Reader
	signer  *ChunkSigner // nil: chunks without signatures
	trailer bool         // what follows the last chunk is not only an empty line
	left    int64        // of the decoded body

	buffer [1 << 10]byte
	unread []byte // of buffer
	remain int64  // of this chunk
	inside bool   // a chunk has begun and its end has not been seen
	digest hash.Hash
	signed string // this chunk's signature
	ended  bool

	trailers map[string]string
	err      error
}

// NewChunkReader reads a body that holds so many bytes when it is decoded.
func NewChunkReader(r io.Reader, decoded int64, signer *ChunkSigner, trailer bool) *ChunkReader {
	c := &ChunkReader{r: r, signer: signer, trailer: trailer, left: decoded}
	if signer != nil {
		c.digest = sha256.New()
	}
	return c
}

// Read decodes. It ends with the last byte that was declared; Finish reads what follows.
func (c *ChunkReader) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.read(p)
	c.err = err
	return n, err
}

func (c *ChunkReader) read(p []byte) (int, error) {
	for c.remain == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
		if c.ended {
			return 0, refusal.IncompleteBody("The chunks hold fewer bytes than x-amz-decoded-content-length says.")
		}
	}
	p = p[:min(int64(len(p)), c.remain)]
	var n int
	var err error
	if len(c.unread) > 0 {
		n = copy(p, c.unread)
		c.unread = c.unread[n:]
	} else {
		n, err = c.r.Read(p)
	}
	if c.digest != nil {
		c.digest.Write(p[:n])
	}
	c.remain -= int64(n)
	c.left -= int64(n)
	if err == io.EOF { // the last chunk has not been seen, which Finish will say
		err = nil
		if n == 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// Finish reads the end of a body that has been read in full.
func (c *ChunkReader) Finish() error {
	for c.err == nil && !c.ended {
		if c.err = c.next(); c.err == nil && c.remain > 0 {
			c.err = refusal.IncompleteBody("The chunks hold more bytes than x-amz-decoded-content-length says.")
		}
	}
	return c.err
}

// next ends a chunk and begins the next one.
func (c *ChunkReader) next() error {
	if c.inside {
		if line, err := c.line(); err != nil || line != "" {
			return orMalformed(err)
		}
		if err := c.checkChunk(); err != nil {
			return err
		}
	}
	line, err := c.line()
	if err != nil {
		return err
	}
	size, extension, _ := strings.Cut(line, ";")
	n, bad := strconv.ParseUint(strings.TrimSpace(size), 16, 63)
	if bad != nil {
		return orMalformed(nil)
	}
	if int64(n) > c.left {
		return refusal.IncompleteBody("The chunks hold more bytes than x-amz-decoded-content-length says.")
	}
	c.signed = strings.TrimPrefix(strings.TrimSpace(extension), "chunk-signature=")
	c.remain, c.inside = int64(n), true
	if n > 0 {
		return nil
	}
	if err := c.checkChunk(); err != nil {
		return err
	}
	return c.end()
}

func (c *ChunkReader) checkChunk() error {
	if c.digest == nil {
		return nil
	}
	sum := hex.EncodeToString(c.digest.Sum(nil))
	c.digest.Reset()
	if err := c.signer.check("-PAYLOAD", []string{EmptySHA256, sum}, c.signed); err != nil {
		return err
	}
	return nil
}

// maxTrailers bounds what may follow the last chunk.
const maxTrailers = 16

// end reads the trailers and the empty line. A client without trailers may leave out the
// latter, since Content-Length ends the body.
func (c *ChunkReader) end() error {
	c.ended, c.trailers = true, map[string]string{}
	var text strings.Builder
	var signature string
	for range maxTrailers {
		line, err := c.line()
		if err == io.ErrUnexpectedEOF && len(c.unread) == 0 {
			line, err = "", nil
		}
		if err != nil {
			return err
		}
		if line == "" {
			return c.checkTrailers(text.String(), signature)
		}
		name, value, found := strings.Cut(line, ":")
		if !found || !c.trailer {
			return orMalformed(nil)
		}
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if name == "x-amz-trailer-signature" {
			signature = value
			continue
		}
		c.trailers[name] = value
		text.WriteString(name + ":" + value + "\n")
	}
	return refusal.BadRequest("MalformedTrailerError", "The request contained more trailing data than S3 takes.")
}

// Trailer is a trailer of a body that Finish has read to its end, by its name in lower case.
func (c *ChunkReader) Trailer(name string) (value string, found bool) {
	value, found = c.trailers[name]
	return value, found
}

func (c *ChunkReader) checkTrailers(text, signature string) error {
	if c.signer == nil || !c.trailer {
		return nil
	}
	if err := c.signer.check("-TRAILER", []string{hexSHA256([]byte(text))}, signature); err != nil {
		return err
	}
	return nil
}

// line reads a line without its end. It is at most as long as the buffer.
func (c *ChunkReader) line() (string, error) {
	for {
		if i := bytes.IndexByte(c.unread, '\n'); i >= 0 {
			line := string(bytes.TrimSuffix(c.unread[:i], []byte("\r")))
			c.unread = c.unread[i+1:]
			return line, nil
		}
		kept := copy(c.buffer[:], c.unread)
		if kept == len(c.buffer) {
			return "", orMalformed(nil)
		}
		n, err := c.r.Read(c.buffer[kept:])
		c.unread = c.buffer[:kept+n]
		if n == 0 && err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
	}
}

// orMalformed is err, or that the chunks are not what they should be.
func orMalformed(err error) error {
	if err != nil {
		return err
	}
	return refusal.BadRequest("InvalidRequest",
		"The body is not in the aws-chunked encoding that x-amz-content-sha256 announces.")
}
