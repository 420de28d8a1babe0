package s3

import (
	"crypto/hmac"
	"strconv"
	"strings"
	"time"
)

// maxSkew is how far a client's clock may be off.
const maxSkew = 15 * time.Minute

// maxExpiry is how long a presigned URL can be valid.
const maxExpiry = 7 * 24 * time.Hour

// authenticate checks the request's signature. What a chunked body needs to check those of
// its chunks is left in x.chunks.
func (x *exchange) authenticate() *Error {
	header := x.r.Header.Get("Authorization")
	switch {
	case header != "" && x.has("X-Amz-Algorithm"):
		return badRequest("InvalidArgument", "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter or the Authorization header should be specified.")
	case header != "":
		return x.checkHeader(header)
	case x.has("X-Amz-Algorithm"):
		return x.checkPresigned()
	case x.has("AWSAccessKeyId"):
		return badRequest("InvalidRequest", "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.")
	case x.s.cfg.Anonymous:
		return nil
	}
	return accessDenied("The request is not signed, and this server was not started with --anonymous.")
}

func (x *exchange) checkHeader(header string) *Error {
	a, err := parseAuthorization(header)
	if err != nil {
		return err
	}
	payloadHash := x.r.Header.Get("X-Amz-Content-Sha256")
	if payloadHash == "" {
		return badRequest("InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
	}
	date, when, err := x.signingTime()
	if err != nil {
		return err
	}
	if err := x.checkIdentity(&a, date, x.r.Header.Get("X-Amz-Security-Token")); err != nil {
		return err
	}
	now := x.s.now()
	if skew := now.Sub(when); skew > maxSkew || skew < -maxSkew {
		return refuse(403, "RequestTimeTooSkewed", "The difference between the request time and the server's time is too large.").
			with("RequestTime", date).with("ServerTime", now.UTC().Format(time.RFC3339)).
			with("MaxAllowedSkewMilliseconds", strconv.FormatInt(maxSkew.Milliseconds(), 10))
	}
	return x.checkSignature(&a, date, payloadHash)
}

// signingTime is when a request with a header was signed.
func (x *exchange) signingTime() (date string, when time.Time, err *Error) {
	if date = x.r.Header.Get("X-Amz-Date"); date != "" {
		when, bad := time.Parse(amzTime, date)
		if bad != nil {
			return "", when, accessDenied("The header x-amz-date is not a time such as 20250131T120000Z.")
		}
		return date, when, nil
	}
	when, bad := time.Parse(time.RFC1123, x.r.Header.Get("Date"))
	if bad != nil {
		return "", when, accessDenied("AWS authentication requires a valid Date or x-amz-date header")
	}
	return when.UTC().Format(amzTime), when, nil
}

func (x *exchange) checkPresigned() *Error {
	if x.param("X-Amz-Algorithm") != algorithm {
		return queryError("X-Amz-Algorithm only supports AWS4-HMAC-SHA256")
	}
	key, s, err := parseCredential(x.param("X-Amz-Credential"))
	if err != nil {
		return queryError("The X-Amz-Credential is not KEY/DATE/REGION/s3/aws4_request.")
	}
	a := authorization{
		accessKey: key, scope: s, signature: x.param("X-Amz-Signature"),
		headers: strings.Split(x.param("X-Amz-SignedHeaders"), ";"),
	}
	if len(a.headers) > maxSignedHeaders {
		return queryError("More headers are signed than S3 takes.")
	}
	date := x.param("X-Amz-Date")
	when, bad := time.Parse(amzTime, date)
	if bad != nil {
		return queryError("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
	}
	seconds, bad := strconv.ParseInt(x.param("X-Amz-Expires"), 10, 64)
	if bad != nil || seconds < 0 || seconds > int64(maxExpiry/time.Second) {
		return queryError("X-Amz-Expires must be a number of seconds from 0 to 604800")
	}
	if err := x.checkIdentity(&a, date, x.param("X-Amz-Security-Token")); err != nil {
		return err
	}
	now, expires := x.s.now(), when.Add(time.Duration(seconds)*time.Second)
	switch {
	case now.Before(when.Add(-maxSkew)):
		return accessDenied("Request is not valid yet").with("X-Amz-Date", date)
	case now.After(expires):
		return accessDenied("Request has expired").with("Expires", expires.UTC().Format(time.RFC3339)).
			with("ServerTime", now.UTC().Format(time.RFC3339))
	}
	payloadHash := x.r.Header.Get("X-Amz-Content-Sha256")
	if payloadHash == "" {
		payloadHash = x.param("X-Amz-Content-Sha256")
	}
	if payloadHash == "" {
		payloadHash = unsignedBody
	}
	return x.checkSignature(&a, date, payloadHash)
}

func queryError(message string) *Error {
	return badRequest("AuthorizationQueryParametersError", "%s", message)
}

// checkIdentity checks who signed, for where and for which day.
func (x *exchange) checkIdentity(a *authorization, date, token string) *Error {
	cfg := &x.s.cfg
	switch {
	case a.scope.service != service || a.scope.terminator != terminator:
		return malformed("The credential's scope does not end with s3/aws4_request.")
	case a.scope.region != cfg.Region:
		return malformed("the region '%s' is wrong; expecting '%s'", a.scope.region, cfg.Region).with("Region", cfg.Region)
	case !strings.HasPrefix(date, a.scope.date) || len(a.scope.date) != len("20060102"):
		return malformed("The credential's date is not that of the request.")
	case a.accessKey != cfg.AccessKey:
		return refuse(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
	case token != cfg.SessionToken:
		return badRequest("InvalidToken", "The provided token is malformed or otherwise invalid.")
	}
	return nil
}

// checkSignature checks that all is signed that must be, and the signature.
func (x *exchange) checkSignature(a *authorization, date, payloadHash string) *Error {
	signed := make(map[string]bool, len(a.headers))
	for _, name := range a.headers {
		signed[name] = true
	}
	if !signed["host"] {
		return accessDenied("There were headers present in the request which were not signed").with("HeadersNotSigned", "host")
	}
	for name := range x.r.Header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-amz-") && !signed[lower] {
			return accessDenied("There were headers present in the request which were not signed").with("HeadersNotSigned", lower)
		}
	}
	key := signingKey(x.s.cfg.SecretKey, a.scope)
	if !hmac.Equal([]byte(x.signature(key, date, a, payloadHash)), []byte(a.signature)) {
		return refuse(403, "SignatureDoesNotMatch",
			"The request signature we calculated does not match the signature you provided. Check your key and signing method.")
	}
	x.chunks = &chunkSigner{key: key, date: date, scope: a.scope.String(), previous: a.signature}
	x.payloadHash = payloadHash
	return nil
}
