package services

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/bounded"
)

// IAM is asked for two things alone, a role and its removal, so that its module, one of the
// SDK's largest, is left out.
const (
	iamEndpoint = "https://iam.amazonaws.com/"
	iamRegion   = "us-east-1" // of all regions' roles
	iamVersion  = "2010-05-08"
	iamLimit    = 64 << 10 // bytes of an answer
)

// roleTime bounds the wait until a new role can be assumed, which AWS says takes some seconds.
const roleTime = time.Minute

// setUpRole makes a role that the account itself may assume, and that may do nothing.
func setUpRole(ctx context.Context, s *Stand) error {
	c := sts.NewFromConfig(s.cfg)
	account := ""
	err := s.do(ctx, "GetCallerIdentity", func(ctx context.Context) error {
		out, err := c.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
		if err == nil {
			account = aws.ToString(out.Account)
			if arn := aws.ToString(out.Arn); s.remote.Real && !strings.HasPrefix(arn, "arn:aws:") {
				return errors.New("STS/AssumeRole is supported only in the partition aws: omit it")
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	name := s.name()
	s.role = "arn:aws:iam::" + account + ":role/" + name
	trust := fmt.Sprintf(`{"Version":"2012-10-17","Statement":[`+
		`{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::%s:root"},"Action":"sts:AssumeRole"}]}`, account)
	err = s.create(ctx, "CreateRole", "role "+name, func(ctx context.Context) error {
		return s.iam(ctx, url.Values{"Action": {"CreateRole"}, "RoleName": {name}, "AssumeRolePolicyDocument": {trust}})
	}, func(ctx context.Context) error {
		return s.iam(ctx, url.Values{"Action": {"DeleteRole"}, "RoleName": {name}})
	})
	if err != nil {
		return err
	}
	return awaitIn(ctx, s, "AssumeRole", roleTime, func(ctx context.Context) error {
		return assumeRole(ctx, c, &s.role)
	})
}

// iam makes a call of IAM, and tries again as the SDK's clients do.
func (s *Stand) iam(ctx context.Context, form url.Values) error {
	retries := s.cfg.Retryer()
	for attempt := 1; ; attempt++ {
		err := s.iamOnce(ctx, form)
		if err == nil || attempt >= retries.MaxAttempts() || !retries.IsErrorRetryable(err) {
			return err
		}
		wait, none := retries.RetryDelay(attempt, err)
		if none != nil {
			return err
		}
		if !backoff.Sleep(ctx, wait) {
			return err
		}
	}
}

func (s *Stand) iamOnce(ctx context.Context, form url.Values) error {
	form.Set("Version", iamVersion)
	body := form.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.remote.iam(), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	keys, err := s.cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(body))
	if err := v4.NewSigner().SignHTTP(ctx, keys, req, hex.EncodeToString(sum[:]), "iam", iamRegion,
		time.Now()); err != nil {
		return err
	}
	resp, err := s.cfg.HTTPClient.Do(req)
	if err != nil {
		return &smithyhttp.RequestSendError{Err: err}
	}
	defer resp.Body.Close()
	answer, err := bounded.ReadAll(resp.Body, iamLimit)
	if err != nil || resp.StatusCode < 300 {
		return err
	}
	var said struct {
		Code    string `xml:"Error>Code"`
		Message string `xml:"Error>Message"`
	}
	refused := &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: resp}}
	if refused.Err = errors.New("unexpected success"); xml.Unmarshal(answer, &said) == nil && said.Code != "" {
		refused.Err = &smithy.GenericAPIError{Code: said.Code, Message: said.Message}
	}
	return refused
}
