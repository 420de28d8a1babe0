package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// answerError is an answer that no server of S3 gives.
type answerError string

func (e answerError) Error() string { return string(e) }

// codeOf is S3's word for an error; "" when there is none.
func codeOf(err error) string {
	var known smithy.APIError
	if errors.As(err, &known) {
		return known.ErrorCode()
	}
	return ""
}

// statusOf is the status of an answer.
func statusOf(err error) (int, bool) {
	if resp := responseOf(err); resp != nil {
		return resp.StatusCode, true
	}
	return 0, false
}

func responseOf(err error) *http.Response {
	var answered *smithyhttp.ResponseError
	if errors.As(err, &answered) && answered.Response != nil && answered.Response.Response != nil &&
		answered.Response.StatusCode != 0 {
		return answered.Response.Response
	}
	return nil
}

// causeOf is the cause of an error of the SDK.
func causeOf(err error) string {
	var known *store.Error
	var answer answerError
	var garbled *smithy.DeserializationError
	if errors.As(err, &known) {
		return known.Cause
	}
	if store.LimitHint(err) != "" { // also within the body of an answer
		return store.Timeout
	}
	if why := causeOfCode(codeOf(err)); why != "" {
		return why
	}
	status, answered := statusOf(err)
	if why := causeOfStatus(status); answered && why != "" {
		return why
	}
	switch {
	// Every error of S3 has a code; that of a HEAD the SDK makes of its status.
	case errors.As(err, &answer), errors.As(err, &garbled), answered && codeOf(err) == "":
		return store.Protocol
	case answered && status >= 300:
		return cause.Status(status)
	}
	return store.CauseOf(err)
}

// causeOfCode is the cause that a code of S3 stands for; "" for the rest.
func causeOfCode(code string) string {
	switch code {
	case "AccessDenied", "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidSecurity", "AllAccessDisabled",
		"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AccountProblem", "InvalidObjectState":
		return store.AccessDenied
	case "NoSuchBucket", "InvalidBucketName":
		return store.NoBucket
	case "NoSuchKey":
		return store.NoFile
	case "NoSuchUpload":
		return "no-such-upload"
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "TemporaryRedirect":
		return store.WrongRegion
	case "RequestTimeTooSkewed":
		return store.ClockSkew
	case "SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "BandwidthLimitExceeded",
		"TooManyRequests", "ServiceUnavailable":
		return store.SlowDown
	case "EntityTooSmall":
		return store.TooSmall
	case "EntityTooLarge", "MaxMessageLengthExceeded":
		return store.TooLarge
	case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "InvalidDigest":
		return store.Corrupt
	case "PreconditionFailed":
		return store.Changed
	case "RequestTimeout":
		return store.Timeout
	case "InsufficientStorage", "XMinioStorageFull", "QuotaExceeded", "XRgwQuotaExceeded", "StorageFull", "DiskFull":
		return store.DiskFull
	case "NotImplemented", "MethodNotAllowed":
		return store.Unsupported
	}
	return ""
}

// causeOfStatus is the cause of an answer without a code; "" when it says nothing.
func causeOfStatus(status int) string {
	switch status {
	case http.StatusUnauthorized: // S3 has no other word for credentials that are missing
		return store.AccessDenied
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return store.WrongRegion
	case http.StatusPreconditionFailed:
		return store.Changed
	case http.StatusRequestTimeout: // of S3, it has a code
		return ""
	}
	return cause.OfStatus(status)
}

// elsewhere is the region that an answer says the bucket is in; "" when it says none.
func elsewhere(err error) string {
	resp := responseOf(err)
	if resp == nil {
		return ""
	}
	if region := resp.Header.Get("X-Amz-Bucket-Region"); plausible(region) {
		return region
	}
	var known smithy.APIError
	if errors.As(err, &known) && causeOfCode(known.ErrorCode()) == store.WrongRegion {
		if m := regexp.MustCompile(`expecting '([^']*)'`).FindStringSubmatch(known.ErrorMessage()); m != nil &&
			plausible(m[1]) {
			return m[1]
		}
	}
	return ""
}

// name is how messages name an object, or the bucket.
func (b *bucket) name(key string) string {
	if key == "" {
		return "s3://" + b.settings.bucket
	}
	return "s3://" + b.settings.bucket + "/" + key
}

// explain makes one line of what the SDK says in five.
func (b *bucket) explain(ctx context.Context, operation, key string, err error) error {
	var known *store.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return err
	}
	why := causeOf(err)
	if key == "" && why == store.NoFile {
		why = store.NoBucket
	}
	text := fmt.Sprintf("%s %s: %s", operation, b.name(key), b.redact(b.sentence(why, err)))
	e := &store.Error{Cause: why, Err: cause.Worded(text, err)}
	return e.WithHint("%s", b.hint(why, err))
}

// sentence says what went wrong.
func (b *bucket) sentence(why string, err error) string {
	resp := responseOf(err)
	var known smithy.APIError
	switch {
	case resp == nil, store.LimitHint(err) != "":
		return plain(err).Error()
	case why == store.ClockSkew:
		now := time.Now().UTC().Format(time.RFC3339)
		if date, failed := http.ParseTime(resp.Header.Get("Date")); failed == nil {
			return fmt.Sprintf("this machine's clock is at %s, the server's at %s",
				now, date.UTC().Format(time.RFC3339))
		}
		return fmt.Sprintf("this machine's clock is at %s; the server's differs", now)
	case why == store.Changed:
		return fmt.Sprintf("the object changed since it was opened (%d %s)", resp.StatusCode,
			cause.Line(cmp.Or(codeOf(err), http.StatusText(resp.StatusCode))))
	case why == store.Protocol:
		return fmt.Sprintf("the response (status %d) is not a valid S3 response: %s",
			resp.StatusCode, cause.Line(plain(err).Error()))
	case errors.As(err, &known):
		text := fmt.Sprintf("%d %s", resp.StatusCode, cause.Line(known.ErrorCode()))
		if m := cause.Line(strings.Join(strings.Fields(known.ErrorMessage()), " ")); m != "" &&
			!strings.EqualFold(strings.ReplaceAll(m, " ", ""), known.ErrorCode()) {
			text += ": " + m
		}
		return text
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
}

// plain takes off what the SDK and net/http wrap around the errors of a connection.
func plain(err error) error {
	var late interface {
		error
		Timeout() bool
	}
	var sent *smithyhttp.RequestSendError
	var request *url.Error
	var garbled *smithy.DeserializationError
	var answered *smithyhttp.ResponseError
	switch {
	case errors.As(err, &garbled) && garbled.Err != nil:
		return garbled.Err
	case responseOf(err) != nil && errors.As(err, &answered) && answered.Err != nil:
		return answered.Err
	case errors.As(err, &request):
		err = request.Err
	case errors.As(err, &sent):
		err = sent.Err
	}
	if errors.As(err, &late) && late.Timeout() && errors.Is(late, context.DeadlineExceeded) {
		return errors.New("no response in time")
	}
	return err
}

// hint says what to do.
func (b *bucket) hint(cause string, err error) string {
	code := codeOf(err)
	switch cause {
	case store.AccessDenied:
		return accessHint(code)
	case store.NoBucket:
		if b.settings.endpoint != nil && code != "NoSuchBucket" && code != "InvalidBucketName" {
			return "create the bucket, or correct the bucket or --endpoint: the server there may not speak S3"
		}
		return "create the bucket, or correct its name in the URL"
	case store.WrongRegion:
		if region := elsewhere(err); region != "" {
			return "use --region " + region
		}
		return "set the bucket's region with --region"
	case store.ClockSkew:
		return "set this machine's clock"
	case store.SlowDown:
		return "use fewer --active-blocks or --streams, or raise --max-retries"
	case store.DiskFull:
		return "free disk space on the server"
	case store.Timeout:
		return cmp.Or(store.LimitHint(err), "raise --timeout") + ", or check " + b.whence() +
			": the server there may not speak S3"
	case store.TooSmall:
		return "raise --part-size: most servers require at least 5 MiB"
	case store.TooLarge:
		return "use a smaller size, or another --part-size"
	case store.TLS:
		if hint := store.TrustHint(err); hint != "" {
			return hint
		}
		return "check " + b.whence() + ", its port, and whether it speaks http or https"
	case store.Refused, store.Unresolvable:
		return "check " + b.whence() + ", its port, and whether it speaks http or https"
	case store.Protocol:
		return "check " + b.whence() + ": the server there does not speak S3"
	case store.Changed:
		return "something else wrote to the object; use a path that nothing else uses"
	case store.Corrupt:
		return "the data was corrupted in transit; check the network hardware and any proxy"
	}
	if strings.Contains(strings.ToLower(code+errorMessage(err)), "checksum") || code == "NotImplemented" {
		return "if the server does not support checksums, use --checksum none"
	}
	return ""
}

// whence is what gave the server's address.
func (b *bucket) whence() string {
	if b.settings.endpoint == nil && !b.own {
		return "AWS_ENDPOINT_URL or endpoint_url of the profile"
	}
	return "--endpoint"
}

func errorMessage(err error) string {
	var known smithy.APIError
	if errors.As(err, &known) {
		return known.ErrorMessage()
	}
	return ""
}

func accessHint(code string) string {
	switch code {
	case "SignatureDoesNotMatch":
		return "check the secret key: it does not match the access key"
	case "InvalidAccessKeyId":
		return "check AWS_ACCESS_KEY_ID or the profile: the server does not know this access key"
	case "ExpiredToken", "TokenRefreshRequired":
		return "sign in again: the session has expired"
	case "InvalidToken":
		return "check AWS_SESSION_TOKEN: it does not match the access key"
	}
	if code == "Forbidden" { // the answer to a HEAD, which has no room for a reason
		return "check the access key and the secret key; they need s3:GetObject, and s3:ListBucket: without " +
			"s3:ListBucket, S3 responds with 403 for an object that does not exist"
	}
	return "the credentials need s3:PutObject, s3:GetObject, s3:DeleteObject and s3:AbortMultipartUpload"
}

// minSecret is the length from which on a secret is no word of its own: no server takes a shorter one but for tests.
const minSecret = 8

// hide takes a secret out of a text; one that may be a part of other words, only where it is a word.
func hide(text, secret string) string {
	switch {
	case secret == "":
		return text
	case len(secret) >= minSecret:
		return strings.ReplaceAll(text, secret, "(secret)")
	}
	return regexp.MustCompile(`[\pL\pN_.+/=-]+`).ReplaceAllStringFunc(text, func(word string) string {
		if strings.Trim(word, ".") == secret {
			return "(secret)"
		}
		return word
	})
}

// minKeyID is the length from which on a key's id is one: IAM has 16 characters at least.
const minKeyID = 16

// redact takes out credentials that a server may have put into its message.
func (b *bucket) redact(text string) string {
	if b.identity.anonymous() {
		return text
	}
	// It is static, or was fetched before and is kept.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := b.identity.provider.Retrieve(ctx)
	if err != nil {
		return text
	}
	secrets := []string{c.SecretAccessKey, c.SessionToken}
	// A short key is no key of AWS, but a word, such as the name of a bucket.
	if len(c.AccessKeyID) >= minKeyID {
		secrets = append(secrets, c.AccessKeyID)
	}
	for _, secret := range secrets {
		text = hide(text, secret)
	}
	return text
}
