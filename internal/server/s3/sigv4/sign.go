package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// The parts of a signature, as the "Signature Version 4" chapters of the S3 API reference
// have them.
const (
	Algorithm    = "AWS4-HMAC-SHA256"
	terminator   = "aws4_request"
	service      = "s3"
	TimeFormat   = "20060102T150405Z"
	EmptySHA256  = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	UnsignedBody = "UNSIGNED-PAYLOAD"
)

// scope is what a signature is valid for.
type scope struct{ date, region, service, terminator string }

func (s scope) String() string {
	return s.date + "/" + s.region + "/" + s.service + "/" + s.terminator
}

// authorization is a signature and what it covers.
type authorization struct {
	accessKey string
	scope     scope
	headers   []string // the signed ones, in lower case, as they came
	signature string
}

// maxSignedHeaders bounds the work for one request.
const maxSignedHeaders = 100

// parseAuthorization reads the header Authorization.
func parseAuthorization(header string) (authorization, *refusal.Error) {
	var a authorization
	rest, found := strings.CutPrefix(header, Algorithm)
	if !found {
		if strings.HasPrefix(header, "AWS ") {
			return authorization{}, refusal.BadRequest("InvalidRequest",
				"The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.")
		}
		return authorization{}, refusal.BadRequest("InvalidArgument", "Unsupported Authorization Type")
	}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found {
			return authorization{}, malformed("A part of the header has no value.")
		}
		switch name {
		case "Credential":
			var err *refusal.Error
			if a.accessKey, a.scope, err = parseCredential(value); err != nil {
				return authorization{}, err
			}
		case "SignedHeaders":
			a.headers = strings.Split(value, ";")
		case "Signature":
			a.signature = value
		default:
			return authorization{}, malformed("The header has a part that is neither Credential, SignedHeaders nor Signature.")
		}
	}
	if a.accessKey == "" || len(a.headers) == 0 || a.signature == "" {
		return authorization{}, malformed("Credential, SignedHeaders and Signature are needed.")
	}
	if len(a.headers) > maxSignedHeaders {
		return authorization{}, malformed("More headers are signed than S3 takes.")
	}
	return a, nil
}

// parseCredential reads KEY/DATE/REGION/SERVICE/aws4_request. A key may hold slashes.
func parseCredential(text string) (key string, s scope, err *refusal.Error) {
	parts := strings.Split(text, "/")
	n := len(parts)
	if n < 5 {
		return "", scope{}, malformed("The Credential is not KEY/DATE/REGION/s3/aws4_request.")
	}
	s = scope{parts[n-4], parts[n-3], parts[n-2], parts[n-1]}
	return strings.Join(parts[:n-4], "/"), s, nil
}

func malformed(format string, args ...any) *refusal.Error {
	e := refusal.BadRequest("AuthorizationHeaderMalformed", format, args...)
	e.Message = "The authorization header is malformed: " + e.Message
	return e
}

// signingKey derives the key for a scope.
func signingKey(secret string, s scope) []byte {
	key := []byte("AWS4" + secret)
	for _, part := range []string{s.date, s.region, s.service, s.terminator} {
		key = sum(key, part)
	}
	return key
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hexSHA256(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// Escape encodes all but the unreserved characters (RFC 3986), and slashes unless they stay.
func Escape(s string, keepSlash bool) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '-', c == '_', c == '.', c == '~', c == '/' && keepSlash:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// canonicalValue joins a header's lines and makes one space of several.
func canonicalValue(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.Join(strings.Fields(line), " "))
	}
	return b.String()
}

// canonicalHeaders are the signed headers of a request, one a line.
func (c *check) canonicalHeaders(signed []string) string {
	var b strings.Builder
	for _, name := range signed {
		b.WriteString(name)
		b.WriteByte(':')
		b.WriteString(c.signedHeader(name))
		b.WriteByte('\n')
	}
	return b.String()
}

// signedHeader is a header as it was sent; net/http moves some of them elsewhere.
func (c *check) signedHeader(name string) string {
	switch name {
	case "host":
		return c.r.Host
	case "transfer-encoding":
		return canonicalValue(c.r.TransferEncoding)
	case "content-length":
		if c.r.ContentLength >= 0 {
			return strconv.FormatInt(c.r.ContentLength, 10)
		}
	case "trailer":
		return canonicalValue(slices.Sorted(maps.Keys(c.r.Trailer)))
	}
	return canonicalValue(c.r.Header.Values(name))
}

// signature signs a request.
func (c *check) signature(key []byte, date string, a *authorization, payloadHash string) string {
	request := strings.Join([]string{
		c.r.Method, Escape(c.r.URL.Path, true), c.query.canonical(), c.canonicalHeaders(a.headers),
		strings.Join(a.headers, ";"), payloadHash,
	}, "\n")
	return hex.EncodeToString(sum(key, strings.Join([]string{
		Algorithm, date, a.scope.String(), hexSHA256([]byte(request)),
	}, "\n")))
}
