package sigv4

import (
	"crypto/hmac"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// maxSkew is how far a client's clock may be off.
const maxSkew = 15 * time.Minute

// maxExpiry is how long a presigned URL can be valid.
const maxExpiry = 7 * 24 * time.Hour

// Identity is whose signatures are taken, and for where.
type Identity struct {
	AccessKey, SecretKey string
	SessionToken         string // "": none is accepted
	Region               string
	Anonymous            bool // requests without a signature are taken, too
}

// Signed is what a signature says of the request's body.
type Signed struct {
	PayloadHash string       // x-amz-content-sha256, as it was signed
	Chunks      *ChunkSigner // for the chunks of the body; nil: the request is not signed
}

// check is the check of one request.
type check struct {
	id     *Identity
	r      *http.Request
	query  Query
	now    time.Time
	signed Signed
}

// Check checks the signature of a request, whose query is decoded, by the server's clock.
func (id *Identity) Check(r *http.Request, query Query, now time.Time) (Signed, *refusal.Error) {
	c := &check{id: id, r: r, query: query, now: now, signed: Signed{PayloadHash: r.Header.Get("X-Amz-Content-Sha256")}}
	err := c.authenticate()
	return c.signed, err
}

func (c *check) authenticate() *refusal.Error {
	header := c.r.Header.Get("Authorization")
	switch {
	case header != "" && c.query.Has("X-Amz-Algorithm"):
		return refusal.BadRequest("InvalidArgument",
			"Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter or the Authorization header "+
				"should be specified.")
	case header != "":
		return c.checkHeader(header)
	case c.query.Has("X-Amz-Algorithm"):
		return c.checkPresigned()
	case c.query.Has("AWSAccessKeyId"):
		return refusal.BadRequest("InvalidRequest",
			"The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.")
	case c.id.Anonymous:
		return nil
	}
	return refusal.AccessDenied("The request is not signed, and this server was not started with --anonymous.")
}

func (c *check) checkHeader(header string) *refusal.Error {
	a, err := parseAuthorization(header)
	if err != nil {
		return err
	}
	payloadHash := c.r.Header.Get("X-Amz-Content-Sha256")
	if payloadHash == "" {
		return refusal.BadRequest("InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
	}
	date, when, err := c.signingTime()
	if err != nil {
		return err
	}
	if err := c.checkIdentity(&a, date, c.r.Header.Get("X-Amz-Security-Token")); err != nil {
		return err
	}
	if skew := c.now.Sub(when); skew > maxSkew || skew < -maxSkew {
		return refusal.New(403, "RequestTimeTooSkewed",
			"The difference between the request time and the server's time is too large.").
			With("RequestTime", date).With("ServerTime", c.now.UTC().Format(time.RFC3339)).
			With("MaxAllowedSkewMilliseconds", strconv.FormatInt(maxSkew.Milliseconds(), 10))
	}
	return c.checkSignature(&a, date, payloadHash)
}

// signingTime is when a request with a header was signed.
func (c *check) signingTime() (date string, when time.Time, err *refusal.Error) {
	if date = c.r.Header.Get("X-Amz-Date"); date != "" {
		when, bad := time.Parse(TimeFormat, date)
		if bad != nil {
			return "", time.Time{}, refusal.AccessDenied("The header x-amz-date is not a time such as 20250131T120000Z.")
		}
		return date, when, nil
	}
	when, bad := time.Parse(time.RFC1123, c.r.Header.Get("Date"))
	if bad != nil {
		return "", time.Time{}, refusal.AccessDenied("AWS authentication requires a valid Date or x-amz-date header")
	}
	return when.UTC().Format(TimeFormat), when, nil
}

func (c *check) checkPresigned() *refusal.Error {
	if c.query.Get("X-Amz-Algorithm") != Algorithm {
		return queryError("X-Amz-Algorithm only supports AWS4-HMAC-SHA256")
	}
	key, s, err := parseCredential(c.query.Get("X-Amz-Credential"))
	if err != nil {
		return queryError("The X-Amz-Credential is not KEY/DATE/REGION/s3/aws4_request.")
	}
	a := authorization{
		accessKey: key, scope: s, signature: c.query.Get("X-Amz-Signature"),
		headers: strings.Split(c.query.Get("X-Amz-SignedHeaders"), ";"),
	}
	if len(a.headers) > maxSignedHeaders {
		return queryError("More headers are signed than S3 takes.")
	}
	date := c.query.Get("X-Amz-Date")
	when, bad := time.Parse(TimeFormat, date)
	if bad != nil {
		return queryError("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
	}
	seconds, bad := strconv.Atoi(c.query.Get("X-Amz-Expires"))
	if bad != nil || seconds < 0 || seconds > int(maxExpiry/time.Second) {
		return queryError("X-Amz-Expires must be a number of seconds from 0 to 604800")
	}
	if err := c.checkIdentity(&a, date, c.query.Get("X-Amz-Security-Token")); err != nil {
		return err
	}
	expires := when.Add(time.Duration(seconds) * time.Second)
	switch {
	case c.now.Before(when.Add(-maxSkew)):
		return refusal.AccessDenied("Request is not valid yet").With("X-Amz-Date", date)
	case c.now.After(expires):
		return refusal.AccessDenied("Request has expired").With("Expires", expires.UTC().Format(time.RFC3339)).
			With("ServerTime", c.now.UTC().Format(time.RFC3339))
	}
	payloadHash := c.r.Header.Get("X-Amz-Content-Sha256")
	if payloadHash == "" {
		payloadHash = c.query.Get("X-Amz-Content-Sha256")
	}
	if payloadHash == "" {
		payloadHash = UnsignedBody
	}
	return c.checkSignature(&a, date, payloadHash)
}

func queryError(message string) *refusal.Error {
	return refusal.BadRequest("AuthorizationQueryParametersError", "%s", message)
}

// checkIdentity checks who signed, for where and for which day.
func (c *check) checkIdentity(a *authorization, date, token string) *refusal.Error {
	id := c.id
	switch {
	case a.scope.service != service || a.scope.terminator != terminator:
		return malformed("The credential's scope does not end with s3/aws4_request.")
	case a.scope.region != id.Region:
		return malformed("the region '%s' is wrong; expecting '%s'", a.scope.region, id.Region).
			With("Region", id.Region)
	case !strings.HasPrefix(date, a.scope.date) || len(a.scope.date) != len("20060102"):
		return malformed("The credential's date is not that of the request.")
	case a.accessKey != id.AccessKey:
		return refusal.New(403, "InvalidAccessKeyId",
			"The AWS Access Key Id you provided does not exist in our records.")
	case token != id.SessionToken:
		return refusal.BadRequest("InvalidToken", "The provided token is malformed or otherwise invalid.")
	}
	return nil
}

// checkSignature checks that all is signed that must be, and the signature.
func (c *check) checkSignature(a *authorization, date, payloadHash string) *refusal.Error {
	signed := make(map[string]bool, len(a.headers))
	for _, name := range a.headers {
		signed[name] = true
	}
	if !signed["host"] {
		return refusal.AccessDenied("There were headers present in the request which were not signed").
			With("HeadersNotSigned", "host")
	}
	for name := range c.r.Header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-amz-") && !signed[lower] {
			return refusal.AccessDenied("There were headers present in the request which were not signed").
				With("HeadersNotSigned", lower)
		}
	}
	key := signingKey(c.id.SecretKey, a.scope)
	if !hmac.Equal([]byte(c.signature(key, date, a, payloadHash)), []byte(a.signature)) {
		return refusal.New(403, "SignatureDoesNotMatch",
			"The request signature we calculated does not match the signature you provided. Check your key and "+
				"signing method.")
	}
	c.signed.Chunks = &ChunkSigner{key: key, date: date, scope: a.scope.String(), previous: a.signature}
	c.signed.PayloadHash = payloadHash
	return nil
}
