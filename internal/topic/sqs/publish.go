package sqs

import (
	"context"
	"encoding/base64"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// publisher publishes to SNS.
type publisher struct {
	topic  *snsTopic
	http   *http.Client
	sns    *sns.Client
	closed atomic.Bool
}

// encoding has no character that a form or SQS has to escape, and no padding.
func encoding() *base64.Encoding { return base64.RawURLEncoding }

// Publish sends the message in one request, and returns with SNS's answer.
func (p *publisher) Publish(ctx context.Context, payload []byte) error {
	if p.closed.Load() {
		return topic.Closed()
	}
	if len(payload) > maxPayload {
		return topic.Fail(topic.CauseTooLarge, true, "publishing: the message has %d bytes, but SNS allows %d with base64",
			len(payload), maxPayload)
	}
	within, cancel := context.WithTimeout(ctx, p.topic.timeout)
	defer cancel()
	_, err := p.sns.Publish(within, &sns.PublishInput{
		TopicArn: &p.topic.arn, Message: aws.String(encoding().EncodeToString(payload)),
	})
	if err != nil {
		return explain(ctx, "publishing", err)
	}
	return nil
}

func (p *publisher) Close() error {
	p.closed.Store(true)
	p.http.CloseIdleConnections()
	return nil
}

// decode is the payload of a message's text; text that is not ours is its own payload.
func decode(text string) []byte {
	payload, err := encoding().DecodeString(text)
	if err != nil {
		return []byte(text)
	}
	return payload
}
