package az

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// fail makes an error of the SDK one of ours. Of an answer it takes the code alone: the SDK's
// own text has dozens of lines, and a server could put into its message what it was sent.
func (s *az) fail(ctx context.Context, err error, file string) error {
	if err == nil {
		return nil
	}
	where := "az://" + s.account.container + "/" + file
	if known := store.Explained(ctx, where, err); known != nil {
		return known
	}
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return s.answered(answer, where)
	}
	failed := store.Fail(causeOf(err), "%s: %s", where, cause.Line(err.Error()))
	if hint := cmp.Or(store.TrustHint(err), store.LimitHint(err)); hint != "" {
		return failed.WithHint("%s", hint)
	}
	if failed.Cause == store.Unresolvable {
		return failed.WithHint("check the account name %q", s.account.name)
	}
	return failed
}

func (s *az) answered(answer *azcore.ResponseError, where string) error {
	failed := store.Fail(statusCause(answer.StatusCode, answer.ErrorCode), "%s: status %d %s",
		where, answer.StatusCode, strings.TrimSpace(http.StatusText(answer.StatusCode)+" "+wordOf(answer.ErrorCode)))
	if oldAzurite(answer) {
		return failed.WithHint("this Azurite does not support the client's API version: start it with " +
			"--skipApiVersionCheck, or use a newer Azurite")
	}
	switch failed.Cause {
	case store.NoBucket:
		return failed.WithHint("create the container %q in the account %q, or correct the URL",
			s.account.container, s.account.name)
	case store.Changed:
		return store.Fail(store.Changed, "%s: the blob changed since it was opened (%d %s)", where,
			answer.StatusCode, wordOf(answer.ErrorCode)).
			WithHint("something else wrote to the blob; use a path that nothing else uses")
	case store.NoCredentials:
		return failed.WithHint(credentialsHint)
	case store.Unsupported:
		if bloberror.HasCode(answer, notSupported) {
			return failed.WithHint("start Azurite with --loose, or use a newer Azurite")
		}
	case store.SlowDown:
		return failed.WithHint("use fewer --streams or a larger --part-size, or raise --max-retries")
	case store.AccessDenied:
		if skew, ok := skewOf(answer.RawResponse); ok {
			failed.Cause = store.ClockSkew
			return failed.WithHint("the server's clock differs from this machine's by %s; correct the wrong clock",
				skew.Round(time.Second))
		}
		if bloberror.HasCode(answer, bloberror.AuthenticationFailed) {
			return failed.WithHint("check the key or SAS token, whether it has expired, and the clock")
		}
		return failed.WithHint("check that the key belongs to the account; a signed-in user needs the role Storage Blob " +
			"Data Contributor; a SAS token needs more permissions")
	}
	return failed
}

// oldAzurite reports whether an Azurite refuses a header, which is the version of the API where it is older than that.
func oldAzurite(answer *azcore.ResponseError) bool {
	return bloberror.HasCode(answer, bloberror.InvalidHeaderValue) && answer.RawResponse != nil &&
		strings.HasPrefix(answer.RawResponse.Header.Get("Server"), "Azurite")
}

// skewOf is by how much the server's clock differs, when that is more than Azure forgives.
func skewOf(resp *http.Response) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}
	there, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	skew := time.Since(there).Abs()
	return skew, skew > 15*time.Minute
}

// notSupported is what an Azurite says, with a status of 500, to a header that it does not know.
const notSupported = "FeatureNotSupported"

// statusCause is the cause that an answer stands for.
func statusCause(status int, code string) string {
	switch bloberror.Code(code) {
	case bloberror.ContainerNotFound, bloberror.ContainerBeingDeleted, bloberror.ContainerDisabled:
		return store.NoBucket
	case bloberror.BlobNotFound, bloberror.ResourceNotFound:
		return store.NoFile
	case bloberror.MD5Mismatch, bloberror.CRC64Mismatch:
		return store.Corrupt
	case bloberror.ConditionNotMet:
		return store.Changed
	case bloberror.OperationTimedOut:
		return store.Timeout
	case bloberror.ServerBusy:
		return store.SlowDown
	case bloberror.RequestBodyTooLarge, bloberror.BlockCountExceedsLimit:
		return store.TooLarge
	case bloberror.NoAuthenticationInformation:
		return store.NoCredentials
	case notSupported:
		return store.Unsupported
	}
	if known := cause.OfStatus(status); known != "" {
		return known
	}
	if word := wordOf(code); word != "" && status >= 400 && status < 500 {
		return kebab(word)
	}
	return cause.Status(status)
}

// wordOf is a code that looks like one, or "".
func wordOf(code string) string {
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if len(code) > 60 || strings.ContainsFunc(code, odd) {
		return ""
	}
	return code
}

// kebab writes LeaseIdMissing as lease-id-missing.
func kebab(word string) string {
	var b strings.Builder
	for i, r := range word {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// causeOf is the cause of an error without an answer, or of one that cannot be understood.
func causeOf(err error) string {
	why := store.CauseOf(err)
	text := err.Error()
	if why == store.Other && (strings.Contains(text, "unmarshalling") || strings.Contains(text, "XML syntax error") ||
		strings.Contains(text, "invalid syntax") || strings.Contains(text, "cannot parse")) {
		return store.Protocol
	}
	return why
}
