package s3

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/hadoop"
)

// sessionOf finds the credentials for a bucket in a credentials file. A token that is there
// and of no use has a note that says so.
func sessionOf(tokens *hadoop.Tokens, bucket string) (_ aws.Credentials, note string, found bool) {
	for _, kind := range []string{hadoop.KindS3ASession, hadoop.KindS3ARole, hadoop.KindS3AFull} {
		token, ok := tokens.Find(kind, "s3a://"+bucket, "s3a://"+bucket+"/")
		if !ok {
			continue
		}
		key, secret, session, expires, err := hadoop.S3ACredentials(token)
		switch {
		case err != nil:
			note = fmt.Sprintf("The token %s for %s is not valid and was skipped: %s.",
				kind, bucket, cause.Line(err.Error()))
			continue
		case !expires.IsZero() && expires.Before(time.Now()):
			note = fmt.Sprintf("The token %s for %s expired at %s and was skipped.",
				kind, bucket, expires.UTC().Format(time.RFC3339))
			continue
		case key == "" || secret == "":
			note = fmt.Sprintf("The token %s for %s contains no keys and was skipped.", kind, bucket)
			continue
		}
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, SessionToken: session, Source: kind}, "", true
	}
	return aws.Credentials{}, note, false
}
