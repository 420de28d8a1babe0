package gs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// fail makes an error of the library one of ours: short, without the addresses that the
// library puts in, which can hold an upload's secret.
func (s *gs) fail(ctx context.Context, err error, file string) error {
	if err == nil {
		return nil
	}
	where := "gs://" + s.bucket + "/" + file
	if known := store.Explained(ctx, where, err); known != nil {
		return known
	}
	var answer *googleapi.Error
	var address *url.Error
	hint := cmp.Or(store.TrustHint(err), store.LimitHint(err))
	switch {
	case errors.As(err, &answer):
		return s.answered(answer, where)
	case errors.Is(err, storage.ErrObjectNotExist):
		return store.Fail(store.NoFile, "%s: no such object or bucket", where)
	case errors.Is(err, storage.ErrBucketNotExist):
		return s.noBucket()
	case errors.As(err, &address):
		return store.Fail(causeOf(err), "%s: %w", where, address.Err).WithHint("%s", hint)
	}
	return store.Fail(causeOf(err), "%s: %s", where, cause.Line(err.Error())).WithHint("%s", hint)
}

func (s *gs) noBucket() *store.Error {
	return store.Fail(store.NoBucket, "bucket %s does not exist", s.bucket).WithHint("create it, or correct the URL")
}

// answered is what an answer of the service means.
func (s *gs) answered(answer *googleapi.Error, where string) error {
	message := cause.Line(answer.Message)
	if message == "" || strings.Contains(message, "Bearer ") || strings.Contains(message, "ya29.") {
		// The XML API's answers and those of other servers are not worth showing, and what
		// repeats a token must not be shown.
		message = fmt.Sprintf("status %d %s", answer.Code, http.StatusText(answer.Code))
	}
	failed := store.Fail(answerCause(answer), "%s: %s", where, message)
	switch failed.Cause {
	case store.AccessDenied:
		return failed.WithHint("grant the account the role Storage Object User on the bucket, or use another account")
	case store.NoCredentials:
		return failed.WithHint(credentialsHint)
	case store.NoBucket:
		return failed.WithHint("create it, or correct the URL")
	case store.SlowDown:
		return failed.WithHint("use fewer --streams or a larger --part-size, or raise --max-retries")
	}
	if reasonOf(answer, "required", "userProjectMissing") {
		return failed.WithHint("if the bucket's requester pays, set fs.gs.requester.pays.mode and " +
			"fs.gs.requester.pays.project.id")
	}
	return failed
}

func answerCause(answer *googleapi.Error) string {
	text := strings.ToLower(answer.Message + answer.Body)
	switch answer.Code {
	case http.StatusBadRequest:
		if strings.Contains(text, "crc32c") || strings.Contains(text, "checksum") {
			return store.Corrupt
		}
	case http.StatusForbidden:
		if reasonOf(answer, "rateLimitExceeded", "userRateLimitExceeded") {
			return store.SlowDown
		}
	case http.StatusNotFound:
		if strings.Contains(text, "bucket does not exist") {
			return store.NoBucket
		}
	}
	return cmp.Or(cause.OfStatus(answer.Code), cause.Status(answer.Code))
}

func reasonOf(answer *googleapi.Error, reasons ...string) bool {
	for _, e := range answer.Errors {
		for _, r := range reasons {
			if e.Reason == r {
				return true
			}
		}
	}
	return false
}

// causeOf is the cause of an error of the library.
func causeOf(err error) string {
	var answer *googleapi.Error
	switch {
	case errors.As(err, &answer):
		return answerCause(answer)
	case errors.Is(err, storage.ErrObjectNotExist):
		return store.NoFile
	case strings.Contains(err.Error(), "bad CRC"), strings.Contains(err.Error(), "checksum mismatch"):
		return store.Corrupt
	case strings.Contains(err.Error(), "json: "), strings.Contains(err.Error(), "invalid character"),
		strings.Contains(err.Error(), "Content-Range"), strings.Contains(err.Error(), "partial request not satisfied"):
		return store.Protocol
	}
	return store.CauseOf(err)
}
